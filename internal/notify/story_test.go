package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

var began = time.Date(2026, 11, 15, 22, 0, 0, 0, time.UTC)

// after is an event some time after the beginning.
func after(d time.Duration, p loop.Payload) loop.Event {
	return loop.Event{Time: began.Add(d), Run: "loop_1", Payload: p}
}

func start() loop.Event {
	return after(0, &loop.RunStarted{Name: "build-7", Procedure: "build", Dir: "/src/app"})
}

// wait is a wait of one length, some time after the beginning.
func wait(rule string, at, length time.Duration) loop.Event {
	return after(at, &loop.RunWaiting{Rule: rule, Why: "usage limit (five_hour)", For: loop.Span(length), Until: began.Add(at + length)})
}

// attempt is one with an outcome and a verdict.
func attempt(at time.Duration, o loop.Outcome, v loop.Verdict) loop.Event {
	state := loop.State{Totals: loop.Totals{Iterations: 2, CostUSD: 0.5}, Live: loop.Span(at)}
	return after(at, &loop.IterationFinished{Outcome: o, Verdict: v, State: state})
}

var (
	goOn   = loop.Verdict{Action: loop.Continue}
	ends   = loop.Verdict{Action: loop.Stop, State: loop.Aborted, Reason: loop.ByBlocked, Why: "the agent says it is blocked"}
	auth   = loop.Outcome{Result: loop.Failed, Error: &loop.AgentError{Kind: loop.ErrAuth, Message: "401"}}
	worked = loop.Outcome{Result: loop.OK}
	turned = loop.Outcome{Result: loop.Limited}
	person = loop.Outcome{Result: loop.OK, Person: "a pinned file changed"}
)

func end(state loop.Status, reason loop.Reason) loop.Event {
	return after(time.Hour, &loop.RunFinished{State: state, Reason: reason, Why: "it is so", Elapsed: loop.Span(time.Hour)})
}

func TestWhatIsWorthAMessage(t *testing.T) {
	const m = time.Minute
	tests := []struct {
		name   string
		events []loop.Event
		want   string
	}{
		{"each end", []loop.Event{end(loop.Done, loop.ByPromise), end(loop.Exhausted, loop.ByCost), end(loop.Aborted, loop.ByFailures), end(loop.Stopped, loop.ByRequest), end(loop.CouldNotRun, loop.ByError)}, "done exhausted aborted stopped failed"},
		{"an end that needs a person is urgent", []loop.Event{end(loop.Aborted, loop.ByBlocked), end(loop.CouldNotRun, loop.ByNotSignedIn)}, "aborted! failed!"},
		{"a blocked agent is told with the end", []loop.Event{attempt(m, worked, ends), end(loop.Aborted, loop.ByBlocked)}, "aborted!"},
		{"so is a person who is needed", []loop.Event{attempt(m, person, ends), end(loop.Aborted, loop.ByBlocked)}, "aborted!"},
		{"a sign-in that ends the run by failures", []loop.Event{attempt(m, auth, loop.Verdict{Action: loop.Stop}), end(loop.Aborted, loop.ByFailures)}, "aborted!"},
		{"who stops a run knows of it", []loop.Event{attempt(m, auth, goOn), end(loop.Stopped, loop.ByRequest)}, "person! stopped"},
		{"a run that is done needs nobody", []loop.Event{attempt(m, person, ends), end(loop.Done, loop.ByGates)}, "done"},
		{"a person is needed, and the run goes on", []loop.Event{attempt(m, person, goOn)}, "person!"},
		{"a lost sign-in, once", []loop.Event{attempt(m, auth, goOn), attempt(2*m, auth, goOn)}, "person!"},
		{"a lost sign-in, again after it came back", []loop.Event{attempt(m, auth, goOn), attempt(2*m, worked, goOn), attempt(3*m, auth, goOn)}, "person! person!"},
		{"a long wait", []loop.Event{wait("limit", m, 11*m)}, "waiting"},
		{"a short wait", []loop.Event{wait("limit", m, 10*m)}, ""},
		{"a pause that was asked for", []loop.Event{wait("delay", m, 60*m)}, ""},
		{"a wait that is said again", []loop.Event{wait("limit", m, 20*m), wait("limit", 2*m, 19*m)}, "waiting"},
		{"short waits that become a long one", []loop.Event{
			wait("provider", m, 4*m), attempt(5*m, turned, goOn), wait("provider", 5*m, 4*m), attempt(9*m, turned, goOn), wait("provider", 9*m, 4*m),
		}, "waiting"},
		{"short waits with work between them", []loop.Event{
			wait("provider", m, 4*m), attempt(5*m, worked, goOn), wait("provider", 5*m, 4*m), attempt(9*m, worked, goOn), wait("provider", 9*m, 4*m),
		}, ""},
		{"two long waits with work between them", []loop.Event{wait("limit", m, 20*m), attempt(30*m, worked, goOn), wait("limit", 31*m, 20*m)}, "waiting waiting"},
		{"a budget", []loop.Event{after(m, &loop.Warning{Key: loop.BudgetKey + "cost", Text: "x"})}, "budget"},
		{"another warning", []loop.Event{after(m, &loop.Warning{Text: "budget"})}, ""},
		{"an attempt like any other", []loop.Event{attempt(m, worked, goOn)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := story{waitingAfter: 10 * m}
			var got []string
			for _, e := range append([]loop.Event{start()}, tt.events...) {
				if m, ok := s.add(e); ok {
					kind := string(m.Kind)
					if m.Urgent {
						kind += "!"
					}
					got = append(got, kind)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("messages %q, want %q", strings.Join(got, " "), tt.want)
			}
		})
	}
}

func TestAMessageSaysWhereTheRunStands(t *testing.T) {
	s := story{waitingAfter: time.Minute}
	s.add(start())
	s.add(attempt(20*time.Minute, worked, goOn))
	m, _ := s.add(wait("limit", 30*time.Minute, time.Hour))
	until := began.Add(90 * time.Minute).Local().Format("15:04")
	want := Message{
		Kind: Waiting, State: loop.Waiting, Why: "usage limit (five_hour)", At: began.Add(30 * time.Minute),
		Title: "refrain: build-7 is waiting",
		Text:  "usage limit (five_hour)\nIt goes on by itself at " + until + ", in 1h00m.\n2 iterations in 30m00s, $0.50, in /src/app",
		Run:   "build-7", RunID: "loop_1", Procedure: "build", Dir: "/src/app",
		Iterations: 2, CostUSD: 0.5, Elapsed: loop.Span(30 * time.Minute),
	}
	if m != want {
		t.Errorf("message\n%+v, want\n%+v", m, want)
	}
}

func TestAResumedRunIsKnownByItsSettings(t *testing.T) {
	s := story{run: "build-7", procedure: "build", dir: "/src/app"}
	s.add(after(0, &loop.RunResumed{From: loop.Stopped}))
	m, _ := s.add(after(time.Minute, &loop.Warning{Key: loop.BudgetKey + "time", Text: "80 %", Hint: "raise it"}))
	if m.Run != "build-7" || m.Procedure != "build" || m.Dir != "/src/app" || m.RunID != "loop_1" {
		t.Errorf("message = %+v", m)
	}
	if m.Elapsed != 0 {
		t.Errorf("elapsed %s, and it is not known", m.Elapsed.Duration())
	}
}

func TestTheTextOfAnAgentIsCleaned(t *testing.T) {
	s := story{run: "build-7"}
	m, _ := s.add(after(0, &loop.RunFinished{State: loop.Aborted, Reason: loop.ByBlocked, Why: "blocked (\"\x1b[31mno\a \u202ekey\")\r\nBcc: x"}))
	if want := "blocked (\"no key\")\nBcc: x"; m.Why != want {
		t.Errorf("why %q, want %q", m.Why, want)
	}
}
