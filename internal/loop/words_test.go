package loop

import (
	"slices"
	"testing"
	"time"
)

func TestEachKindOfErrorHasATreatment(t *testing.T) {
	kinds := ErrorKinds()
	if len(kinds) != len(treatments) || !slices.IsSorted(kinds) {
		t.Errorf("%d kinds, sorted %v", len(kinds), slices.IsSorted(kinds))
	}
	if got := Treat("from.the.future"); got != (Treatment{Result: Failed}) {
		t.Errorf("a kind that nobody has heard of is %+v, want an ordinary failure", got)
	}
	for _, k := range kinds {
		if got := Treat(k); got.Result == "" || got.OnlyAtFirst && got.Fatal == "" {
			t.Errorf("%s is taken as %+v", k, got)
		}
	}
}

func TestWhatBelongsInTheJournal(t *testing.T) {
	attempts := []Type{"agent.retry", "agent.session", "agent.text", "agent.tool", "agent.tool_result", "agent.usage", "tests.seen"}
	var got []Type
	for _, name := range Types() {
		if e := (Event{Payload: NewPayload(name)}); e.Type() != name {
			t.Errorf("an event of type %s calls itself %s", name, e.Type())
		}
		if !name.Kept() {
			got = append(got, name)
		}
	}
	if slices.Sort(got); !slices.Equal(got, attempts) {
		t.Errorf("only the attempt's own file has %v, want %v", got, attempts)
	}
}

func TestWhatBecameOfATest(t *testing.T) {
	for what, want := range map[string]string{
		TestGone: "x is gone", TestSkipped: "x is skipped", TestWeakened: "x passes now, but its old version fails",
		TestFails: "x fails in its old version", TestDecides: "x was changed", "odd": "x",
	} {
		if got := (TestChange{Name: "x", What: what}).String(); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

func TestACommitOfTheRunners(t *testing.T) {
	var none *Changes
	if got := none.Committed(); got.Commits != 1 {
		t.Errorf("%+v, want one commit", got)
	}
	some := &Changes{Commits: 2, Created: 3}
	if got := some.Committed(); got.Commits != 3 || got.Created != 3 || some.Commits != 2 {
		t.Errorf("%+v of %+v, want one more, and the first as it was", got, some)
	}
}

func TestAVerdictToWaitIsAnEvent(t *testing.T) {
	v := Verdict{Rule: RuleLimit, Why: "usage limit", Agent: "claude", Limit: "five_hour", NotedBy: "build-3"}
	got := *v.Waiting(noon, noon.Add(time.Hour))
	want := RunWaiting{Rule: RuleLimit, Why: "usage limit", Agent: "claude", For: Millis(time.Hour), Until: noon.Add(time.Hour), Limit: "five_hour", NotedBy: "build-3"}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestARebootWaitsAsAnyOtherWould(t *testing.T) {
	says := func(v Verdict) Rule { return func(Facts) Verdict { return v } }
	reboot := says(Verdict{Action: Reboot, Why: "context is full"})
	wait := says(Verdict{Action: Wait, For: Millis(time.Minute), Until: noon})
	for _, tt := range []struct {
		name  string
		rules []Rule
		want  Verdict
	}{
		{"alone", []Rule{reboot}, Verdict{Action: Reboot, Why: "context is full"}},
		{"with a wait behind it", []Rule{reboot, says(Verdict{}), wait}, Verdict{Action: Reboot, Why: "context is full", For: Millis(time.Minute), Until: noon}},
		{"a stop behind it does not count", []Rule{reboot, says(Verdict{Action: Stop}), wait}, Verdict{Action: Reboot, Why: "context is full", For: Millis(time.Minute), Until: noon}},
		{"a stop before a wait", []Rule{says(Verdict{Action: Stop}), wait}, Verdict{Action: Stop}},
		{"a wait before it", []Rule{wait, reboot}, Verdict{Action: Wait, For: Millis(time.Minute), Until: noon}},
	} {
		if got := Decide(Facts{}, tt.rules); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
