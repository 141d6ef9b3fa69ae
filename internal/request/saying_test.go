package request

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Whoever has no rules is not asked for what they say: everything would be looked at
// for the answer.
func TestWithoutRulesNobodySaysDone(t *testing.T) {
	t.Parallel()
	if (Extensions{}).SayingDone() != nil {
		t.Error("somebody says it without a rule")
	}
	done := func(loop.Facts) loop.Verdict { return loop.Verdict{Action: loop.Stop, State: loop.Done} }
	says := Extensions{Rules: []Rule{{Name: "mine", Rule: done}}}.SayingDone()
	if says == nil || says(loop.Facts{}) != "rule mine says that it is done" {
		t.Error("a rule says nothing")
	}
}
