package loop

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// away is an attempt that its provider turned away, some minutes after noon.
func away(agent string, r Result, kind ErrorKind, minutes int) Outcome {
	o := Outcome{Result: r, Worker: Worker{Agent: agent}, EndedAt: noon.Add(time.Duration(minutes) * time.Minute)}
	if kind != "" {
		o.Error = &AgentError{Kind: kind}
	}
	return o
}

func works(agent string) Outcome {
	return Outcome{Result: OK, Exit: code(0), Worker: Worker{Agent: agent}}
}

func TestWhoIsTurnedAway(t *testing.T) {
	after := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	limit := &Limit{Kind: "five_hour", Until: after(300)}
	limited := away("a", Limited, "", 1)
	limited.Limit = limit
	fails := Outcome{Result: Failed, Exit: code(1), Worker: Worker{Agent: "a"}}
	for _, tt := range []struct {
		name string
		past []Outcome
		want []ProviderHold
	}{
		{"a usage limit", []Outcome{limited}, []ProviderHold{{Agent: "a", Kind: ErrUsageLimit, Limit: limit, Since: after(1), At: after(1), Tries: 1}}},
		{"an outage without a word", []Outcome{away("a", Unavailable, "", 1)}, []ProviderHold{{Agent: "a", Kind: ErrServer, Since: after(1), At: after(1), Tries: 1}}},
		{"again and again", []Outcome{away("a", Unavailable, ErrNetwork, 1), away("a", Limited, ErrRateLimit, 5)}, []ProviderHold{{Agent: "a", Kind: ErrRateLimit, Since: after(1), At: after(5), Tries: 2}}},
		{"two of them", []Outcome{away("a", Limited, ErrUsageLimit, 1), away("b", Unavailable, ErrServer, 2)}, []ProviderHold{
			{Agent: "a", Kind: ErrUsageLimit, Since: after(1), At: after(1), Tries: 1}, {Agent: "b", Kind: ErrServer, Since: after(2), At: after(2), Tries: 1},
		}},
		{"it works again", []Outcome{away("a", Limited, ErrUsageLimit, 1), works("a")}, nil},
		{"another works", []Outcome{away("a", Limited, ErrUsageLimit, 1), works("b")}, []ProviderHold{{Agent: "a", Kind: ErrUsageLimit, Since: after(1), At: after(1), Tries: 1}}},
		{"it fails by itself: its provider let it in", []Outcome{away("a", Limited, ErrUsageLimit, 1), fails}, nil},
		{"back, and away once more: back-off starts anew", []Outcome{away("a", Limited, ErrUsageLimit, 1), works("a"), away("a", Limited, ErrUsageLimit, 9)}, []ProviderHold{{Agent: "a", Kind: ErrUsageLimit, Since: after(9), At: after(9), Tries: 1}}},
		{"what was cut short says nothing", []Outcome{away("a", Limited, ErrUsageLimit, 1), {Result: Lost, Worker: Worker{Agent: "a"}}, {Result: Interrupted, Worker: Worker{Agent: "a"}}, {Result: Skipped, Worker: Worker{Agent: "a"}}}, []ProviderHold{{Agent: "a", Kind: ErrUsageLimit, Since: after(1), At: after(1), Tries: 1}}},
	} {
		s := State{Counting: CountPolicy{Agents: []string{"a", "b"}}}
		for _, o := range tt.past {
			s = s.Add(o)
		}
		if diff := cmp.Diff(tt.want, s.ProviderHolds); diff != "" && len(tt.want)+len(s.ProviderHolds) > 0 {
			t.Errorf("%s: who is away is wrong (-want +got):\n%s", tt.name, diff)
		}
		for _, w := range tt.want {
			if got, ok := s.HoldOf(w.Agent); !ok || got.Kind != w.Kind {
				t.Errorf("%s: HoldOf(%s) = %+v, %v", tt.name, w.Agent, got, ok)
			}
		}
		if _, ok := s.HoldOf("nobody"); ok {
			t.Errorf("%s: an agent that never ran is away", tt.name)
		}
	}
}

func TestWhichErrorsTurnAnAgentAway(t *testing.T) {
	alone, two := []string{"a"}, []string{"a", "b"}
	for _, tt := range []struct {
		name    string
		agents  []string
		worked  bool
		outcome Outcome
		want    bool
	}{
		{"limited", alone, false, away("a", Limited, "", 0), true},
		{"unavailable", alone, false, away("a", Unavailable, "", 0), true},
		{"ok, whatever it says", alone, true, away("a", OK, ErrAuth, 0), false},
		{"failed, nobody knows why", alone, true, away("a", Failed, "", 0), false},
		{"an error of its own", two, true, away("a", Failed, ErrAgent, 0), false},
		{"never signed in", alone, false, away("a", Failed, ErrAuth, 0), false},
		{"signed out in the night", alone, true, away("a", Failed, ErrAuth, 0), true},
		{"never signed in, and another may go on", two, false, away("a", Failed, ErrAuth, 0), true},
		{"no credit, alone", alone, true, away("a", Failed, ErrBilling, 0), false},
		{"no credit, and another may go on", two, false, away("a", Failed, ErrBilling, 0), true},
		{"missing: nobody goes on for it", two, false, away("a", Failed, ErrMissing, 0), false},
		{"a stand-in is missing", two, false, away("b", Failed, ErrMissing, 0), true},
	} {
		s := State{Counting: CountPolicy{Agents: tt.agents}, Provider: Provider{PrimaryWorked: tt.worked}}
		if got := s.HeldByProvider(tt.outcome); got != tt.want {
			t.Errorf("%s: turned away %v, want %v", tt.name, got, tt.want)
		}
		if s.Counts(tt.outcome) == tt.want {
			t.Errorf("%s: it counts: %v", tt.name, tt.want)
		}
	}
}

func TestWhoHasWorked(t *testing.T) {
	s := State{Counting: CountPolicy{Agents: []string{"a", "b"}}}.Add(works("b"))
	if s.PrimaryWorked || !slices.Equal(s.AgentsProven, []string{"b"}) {
		t.Errorf("after a stand-in worked: worked %v, able %v", s.PrimaryWorked, s.AgentsProven)
	}
	s = s.Add(works("a")).Add(works("a")).Add(works(""))
	if !s.PrimaryWorked || !slices.Equal(s.AgentsProven, []string{"b", "a"}) {
		t.Errorf("after both worked: worked %v, able %v", s.PrimaryWorked, s.AgentsProven)
	}
	if got := s.Agents(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("agents %v", got)
	}
	nobodySaid := State{}.Add(away("c", Limited, "", 0))
	if got := nobodySaid.Agents(); !slices.Equal(got, []string{"c"}) {
		t.Errorf("agents of a run that names none: %v, want who was turned away", got)
	}
}

func TestTheTimeThatAProviderCosts(t *testing.T) {
	at := func(minutes int, p Payload) Event {
		return Event{Time: noon.Add(time.Duration(minutes) * time.Minute), Payload: p}
	}
	for _, tt := range []struct {
		name   string
		events []Event
		waits  int
		waited time.Duration
	}{
		{"a pause between two iterations is none", []Event{at(0, &RunWaiting{Rule: RuleDelay}), at(5, &IterationStarted{})}, 0, 0},
		{"until the next iteration", []Event{at(0, &RunWaiting{Agent: "a"}), at(5, &IterationStarted{}), at(9, &AgentExited{})}, 1, 5 * time.Minute},
		{"until a question", []Event{at(0, &RunWaiting{Agent: "a"}), at(3, &RunAsked{}), at(9, &RunAnswered{})}, 1, 3 * time.Minute},
		{"until a pause", []Event{at(0, &RunWaiting{Agent: "a"}), at(4, &RunPaused{}), at(9, &RunUnpaused{})}, 1, 4 * time.Minute},
		{"until the runner dies", []Event{at(0, &RunWaiting{Agent: "a"}), at(2, &RunResumed{}), at(9, &IterationStarted{})}, 1, 0},
		{"twice", []Event{at(0, &RunWaiting{Agent: "a"}), at(1, &RunWaiting{Agent: "a"}), at(2, &IterationStarted{})}, 2, 2 * time.Minute},
	} {
		var s State
		for _, e := range tt.events {
			s = s.Sum(e)
		}
		if s.Totals.Waits != tt.waits || s.Totals.Waited.Duration() != tt.waited {
			t.Errorf("%s: %d waits of %s, want %d of %s", tt.name, s.Totals.Waits, s.Totals.Waited.Duration(), tt.waits, tt.waited)
		}
	}
	if s := told(State{}, &RunPaused{}); !s.Paused || told(s, &RunUnpaused{}).Paused || told(s, &RunResumed{}).Paused {
		t.Error("a pause ends with run.unpaused, or with a new runner")
	}
}
