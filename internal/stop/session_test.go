package stop

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestSession(t *testing.T) {
	held := func(percent, iterations int, age time.Duration) *loop.Session {
		return &loop.Session{ID: "s", Since: noon.Add(-age), Percent: percent, Iterations: iterations}
	}
	s := Sessions{Keep: true, Redline: 85, MaxTime: time.Hour, MaxIterations: 10, MinIterations: 2}
	ok := loop.Outcome{Result: loop.OK, Exit: exit(0)}
	tests := []struct {
		name string
		s    Sessions
		held *loop.Session
		o    loop.Outcome
		want string
	}{
		{"room left", s, held(85, 5, time.Minute), ok, ""},
		{"above the redline", s, held(86, 2, time.Minute), ok, "redline"},
		{"above the redline too soon after the last", s, held(86, 1, time.Minute), ok, ""},
		{"not known how full", s, held(0, 5, time.Minute), ok, ""},
		{"too old", s, held(10, 5, time.Hour), ok, "session_time"},
		{"too many iterations", s, held(10, 10, time.Minute), ok, "session_iterations"},
		{"the agent failed in it", s, held(10, 1, time.Minute), loop.Outcome{Result: loop.Failed, Exit: exit(1)}, "recover"},
		{"it hung", s, held(10, 1, time.Minute), loop.Outcome{Result: loop.Idle, Exit: &loop.Exit{Cause: loop.WhenIdle}}, "recover"},
		{"red gates are no reason", s, held(10, 1, time.Minute), loop.Outcome{Result: loop.Failed, Exit: exit(0), Gates: []loop.Gate{{}}}, ""},
		{"full", s, held(10, 1, time.Minute), loop.Outcome{Result: loop.Failed, Exit: exit(1), Error: &loop.AgentError{Kind: loop.ErrContextOverflow}}, "overflow"},
		{"none is kept", Sessions{Redline: 85}, held(99, 5, time.Minute), ok, ""},
		{"none yet", s, nil, ok, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			state := loop.State{Session: tt.held, Counting: loop.CountPolicy{Keep: true}}
			if tt.held != nil && tt.o.Result != loop.OK {
				tt.o.EndedAt = noon
				state = state.Add(tt.o)
			}
			v := session(tt.s)(loop.Facts{Now: noon, State: state, Outcome: &tt.o})
			if again := session(tt.s)(loop.Facts{Now: noon, State: state}); again.Rule != v.Rule {
				t.Errorf("before the next attempt it says %q, and after this one %q", again.Rule, v.Rule)
			}
			if v.Rule != tt.want || v.Rule != "" && (v.Action != loop.Reboot || v.Why == "") {
				t.Errorf("verdict = %+v, want %q", v, tt.want)
			}
		})
	}
}

func TestAFreshSessionWaitsAsAnyOtherWould(t *testing.T) {
	o := loop.Outcome{Result: loop.Failed, Exit: exit(1), Worker: loop.Worker{Session: "s", Agent: "a"}, EndedAt: noon}
	rules := Rules(Settings{Session: Sessions{Keep: true}, Pace: Pacing{Backoff: time.Second, MaxBackoff: time.Minute}})
	v := loop.Decide(loop.Facts{Now: noon, State: loop.State{Counting: loop.CountPolicy{Keep: true}}, Outcome: &o}, rules)
	if v.Action != loop.Reboot || v.For.Duration() != time.Second {
		t.Errorf("verdict = %+v, want a reboot and the back-off of a second", v)
	}
}
