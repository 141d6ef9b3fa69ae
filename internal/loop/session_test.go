package loop

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inSession is an attempt of two minutes that ended some minutes after noon.
func inSession(agent, session string, minutes int, u *Usage) Outcome {
	return Outcome{
		Result: OK, Exit: code(0), Worker: Worker{Agent: agent, Session: session}, Usage: u,
		Duration: Millis(2 * time.Minute), EndedAt: noon.Add(time.Duration(minutes) * time.Minute),
	}
}

func TestASessionGoesOn(t *testing.T) {
	first := inSession("a", "s1", 2, &Usage{Input: 10, ContextPercent: 20, Turns: 1})
	used := Usage{Input: 10, Turns: 1}
	as := func(o Outcome, r Result, e *Exit, kind ErrorKind) Outcome {
		if o.Result, o.Exit = r, e; kind != "" {
			o.Error = &AgentError{Kind: kind}
		}
		return o
	}
	for _, tt := range []struct {
		name string
		past []Outcome
		want *Session
	}{
		{"begun", []Outcome{first}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: Usage{Input: 10, Turns: 1}}},
		{"none was told", []Outcome{inSession("a", "", 2, nil)}, nil},
		{"the agent never ran", []Outcome{{Result: Failed, Worker: Worker{Agent: "a", Session: "s1"}}}, nil},
		{"it goes on, and adds up", []Outcome{first, inSession("a", "s1", 10, &Usage{Input: 5, ContextPercent: 35, Turns: 2})}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 2, Percent: 35, Used: Usage{Input: 15, Turns: 3}}},
		{"an agent that tells no session is in the one it was given", []Outcome{first, inSession("a", "", 10, &Usage{Input: 5})}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 2, Percent: 20, Used: Usage{Input: 15, Turns: 1}}},
		{"an attempt that tells nothing takes nothing away", []Outcome{first, inSession("a", "s1", 10, nil)}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 2, Percent: 20, Used: Usage{Input: 10, Turns: 1}}},
		{"the agent gave it another name", []Outcome{first, inSession("a", "s2", 10, nil)}, &Session{ID: "s2", Agent: "a", Since: noon, Iterations: 2, Percent: 20, Used: Usage{Input: 10, Turns: 1}}},
		{"another agent has its own", []Outcome{first, inSession("b", "t1", 10, nil)}, &Session{ID: "t1", Agent: "b", Since: noon.Add(8 * time.Minute), Iterations: 1}},
		{"what was turned away is no iteration in it", []Outcome{first, as(inSession("a", "s1", 10, nil), Limited, code(1), ErrUsageLimit)}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: Usage{Input: 10, Turns: 1}}},
		{"its agent failed: the session may be why", []Outcome{as(first, Failed, code(1), "")}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: used, Broken: true}},
		{"an error with exit 0 too", []Outcome{as(first, Failed, code(0), ErrAgent)}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: used, Broken: true}},
		{"a time-out too", []Outcome{as(first, TimedOut, &Exit{Cause: AtDeadline}, "")}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: used, Broken: true}},
		{"a red gate is not the session's", []Outcome{as(first, Failed, code(0), "")}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: used}},
		{"a turn limit is not", []Outcome{as(first, OK, code(1), ErrMaxTurns)}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: used}},
		{"nor is a redline", []Outcome{as(first, Failed, &Exit{Signal: "TERM", Cause: OnRedline}, "")}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: used}},
		{"a limit mends nothing", []Outcome{as(first, Failed, code(1), ""), as(inSession("a", "s1", 10, nil), Limited, code(1), "")}, &Session{ID: "s1", Agent: "a", Since: noon, Iterations: 1, Percent: 20, Used: used, Broken: true}},
	} {
		s := State{Counting: CountPolicy{Keep: true}}
		for _, o := range tt.past {
			s = s.Add(o)
		}
		if diff := cmp.Diff(tt.want, s.Session); diff != "" {
			t.Errorf("%s: the session is wrong (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestWhoGoesOnWithASession(t *testing.T) {
	kept := State{Counting: CountPolicy{Keep: true}}.Add(inSession("a", "s1", 2, nil))
	if got := kept.SessionOf("a"); got != "s1" {
		t.Errorf("a goes on with %q, want s1", got)
	}
	if got := kept.SessionOf("b"); got != "" {
		t.Errorf("b goes on with %q, want a fresh one", got)
	}
	if got := kept.Session.Age(noon.Add(time.Hour)); got != time.Hour {
		t.Errorf("its age is %s, want 1h", got)
	}
	if s := (State{}).Add(inSession("a", "s1", 2, nil)); s.Session != nil || s.Session.Age(noon) != 0 {
		t.Errorf("a run that keeps no session has %+v", s.Session)
	}
	rebooted := told(kept, &RunRebootFinished{})
	if rebooted.SessionOf("a") != "" || rebooted.Totals.Reboots != 1 {
		t.Errorf("after a reboot: session %q, %d reboots", rebooted.SessionOf("a"), rebooted.Totals.Reboots)
	}
	if got := told(kept, &RunResumed{Counting: CountPolicy{Keep: true}}).SessionOf("a"); got != "s1" {
		t.Errorf("after a resume a goes on with %q, want s1", got)
	}
	if got := told(kept, &RunResumed{}).SessionOf("a"); got != "" {
		t.Errorf("after a resume that keeps no session a goes on with %q", got)
	}
}
