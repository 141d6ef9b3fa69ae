package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// TestFailures stops a run whose tests keep failing without getting better.
func TestFailures(s *Settings) Rule {
	return Rule{
		Name: "test failures", Notices: true, Decide: testFailures(s.TestFailures), Redecidable: true,
		CanEnd: false, // nobody knows whether tests will be seen
		Limit:  func(l *loop.Limits) { l.TestFailures = s.TestFailures },
		Rows: []setting.Row{{
			Key: "stop.test_failures", Kind: setting.Int, At: &s.TestFailures, Default: 5,
			Doc: "give up after this many iterations in a row in which tests failed and test results did not get better; 0 is never",
		}},
		Ends: []End{{
			Reason: loop.ByTestFailures, State: loop.Aborted, Key: "stop.test_failures",
			When:  "in `stop.test_failures` iterations in a row tests failed, and test results did not get better",
			Short: "iterations in a row with failing tests, and no better", Default: "5",
		}},
	}
}

func testFailures(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Streaks.TestFailures < most {
			return none
		}
		return end(loop.Aborted, loop.ByTestFailures, fmt.Sprintf("tests failed in %s in a row, and test results did not get better", text.Plural(f.State.Streaks.TestFailures, "iteration")))
	}
}
