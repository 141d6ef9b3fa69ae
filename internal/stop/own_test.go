package stop

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestOwn(t *testing.T) {
	minute := loop.Millis(time.Minute)
	tests := []struct {
		name string
		says loop.Verdict
		want loop.Verdict
	}{
		{"no opinion", loop.Verdict{}, none},
		{"continue is none", loop.Verdict{Action: loop.Continue, Why: "go on"}, none},
		{"stop ends as aborted", loop.Verdict{Action: loop.Stop}, loop.Verdict{Action: loop.Stop, Rule: "mine", State: loop.Aborted, Reason: loop.ByRule, Why: "rule mine says stop"}},
		{
			"stop ends as it says, and proves nothing",
			loop.Verdict{Action: loop.Stop, Rule: "other", State: loop.Exhausted, Reason: "fuel", Why: "no fuel", Proven: true, Restore: new(int)},
			loop.Verdict{Action: loop.Stop, Rule: "mine", State: loop.Exhausted, Reason: "fuel", Why: "no fuel"},
		},
		{"done was a claim before this", loop.Verdict{Action: loop.Stop, State: loop.Done, Reason: "x", Why: "y"}, none},
		{
			"nor is a run that goes on an end",
			loop.Verdict{Action: loop.Stop, State: loop.Running},
			loop.Verdict{Action: loop.Stop, Rule: "mine", State: loop.CouldNotRun, Reason: loop.ByError, Why: "rule mine wants to end the run as running, which a rule cannot"},
		},
		{"a wait for a while", loop.Verdict{Action: loop.Wait, For: minute, Why: "tea"}, loop.Verdict{Action: loop.Wait, Rule: "mine", Why: "tea", For: minute, Until: noon.Add(time.Minute)}},
		{"a wait until a time", loop.Verdict{Action: loop.Wait, Until: noon.Add(time.Minute), Why: "tea"}, loop.Verdict{Action: loop.Wait, Rule: "mine", Why: "tea", For: minute, Until: noon.Add(time.Minute)}},
		{"a wait that is over", loop.Verdict{Action: loop.Wait, Until: noon}, none},
		{"a reboot", loop.Verdict{Action: loop.Reboot, Why: "it is confused"}, loop.Verdict{Action: loop.Reboot, Rule: "mine", Why: "it is confused"}},
		{"what nobody knows is none", loop.Verdict{Action: "dance"}, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Own("mine", func(loop.Facts) loop.Verdict { return tt.says })(loop.Facts{Now: noon})
			if got != tt.want {
				t.Errorf("verdict = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestOwnRulesSpeakEachForItself(t *testing.T) {
	says := func(v loop.Verdict) loop.Rule { return func(loop.Facts) loop.Verdict { return v } }
	own := []loop.Rule{
		Own("fresh", says(loop.Verdict{Action: loop.Reboot, Why: "it is confused"})),
		Own("tea", says(loop.Verdict{Action: loop.Wait, Until: noon.Add(time.Hour)})),
	}
	v := loop.Decide(loop.Facts{Now: noon}, Rules(Settings{Own: own}))
	if v.Action != loop.Reboot || !v.Until.Equal(noon.Add(time.Hour)) {
		t.Errorf("verdict = %+v, want a fresh session, and then the wait", v)
	}
}
