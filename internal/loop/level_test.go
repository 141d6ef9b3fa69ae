package loop

import "testing"

func TestTheLevelOfAnEnd(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  RunFinished
		want Level
	}{
		{"gave up", RunFinished{State: Aborted}, ""},
		{"gave up, whatever else it says", RunFinished{State: Aborted, Proven: true, Proof: &Proof{Level: LevelProven}}, ""},
		{"a proof", RunFinished{State: Done, Proof: &Proof{Level: LevelKept}}, LevelKept},
		{"a proof counts more than a word", RunFinished{State: Done, Proven: true, Proof: &Proof{Level: LevelKept}}, LevelKept},
		{"an earlier version, proven", RunFinished{State: Done, Proven: true}, LevelProven},
		{"an earlier version, claimed", RunFinished{State: Done}, LevelClaimed},
	} {
		if got := tt.end.Level(); got != tt.want {
			t.Errorf("%s: level %q, want %q", tt.name, got, tt.want)
		}
	}
}
