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
	return after(at, &loop.RunWaiting{Rule: rule, Why: "usage limit (five_hour)", For: loop.Millis(length), Until: began.Add(at + length)})
}

// attempt is one with an outcome and a verdict.
func attempt(at time.Duration, o loop.Outcome, v loop.Verdict) loop.Event {
	state := loop.State{Totals: loop.Totals{Iterations: 2, CostUSD: 0.5}, Live: loop.Millis(at)}
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
	return after(time.Hour, &loop.RunFinished{State: state, Reason: reason, Why: "it is so", Elapsed: loop.Millis(time.Hour)})
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
		Iterations: 2, CostUSD: 0.5, Elapsed: loop.Millis(30 * time.Minute),
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

func TestWordsOfAnEnd(t *testing.T) {
	tests := []struct {
		name        string
		end         loop.RunFinished
		need        string
		title, text string
	}{
		{
			"proven",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proven: true, Why: "the gates pass", Totals: loop.Totals{Iterations: 1}},
			"",
			"refrain: build-7 is done, proven", "the gates pass\n1 iteration\nLook at it with: refrain show build-7",
		},
		{
			"claimed",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPlan, Why: "no task is open"},
			"",
			"refrain: build-7 is done, unproven", "no task is open\nnothing but the agent's word stands behind it\n0 iterations\nLook at it with: refrain show build-7",
		},
		{
			"ran its course",
			loop.RunFinished{State: loop.Done, Reason: loop.ByIterations, Why: "3 of 3"},
			"",
			"refrain: build-7 is done, unproven", "3 of 3\nnobody claimed anything that a gate could judge\n0 iterations\nLook at it with: refrain show build-7",
		},
		{
			"nothing broke",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "the gates pass", Proof: &loop.Proof{Level: loop.LevelKept, Why: "every gate passed before and after", Place: loop.InClean}},
			"",
			"refrain: build-7 is done, nothing broke", "the gates pass\nevery gate passed before and after\n0 iterations\nLook at it with: refrain show build-7",
		},
		{
			"nothing broke, as the reason tells",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "the gates pass: nothing was red", Proof: &loop.Proof{Level: loop.LevelKept, Why: "nothing was red"}},
			"",
			"refrain: build-7 is done, nothing broke", "the gates pass: nothing was red\n0 iterations\nLook at it with: refrain show build-7",
		},
		{
			"tests changed, with what an agent says of it",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "the gates pass", Proof: &loop.Proof{Level: loop.LevelTestsChanged, Why: "2 tests changed", Diff: "-secret", Tests: &loop.ProofTests{Changed: []loop.TestChange{
				{Name: "TestAdd", What: loop.TestWeakened, Why: "sums\nround\x1b[2J now"}, {Name: "TestSub", What: loop.TestGone},
			}}}},
			"",
			"refrain: build-7 is done, tests changed",
			"the gates pass\nchanged tests:\nTestAdd passes now, but its old version fails: sums round now\nTestSub is gone: no reason was given\n0 iterations\nLook at it with: refrain show build-7",
		},
		{
			"proven, but not in a clean checkout",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proven: true, Why: "the gates pass", Proof: &loop.Proof{Level: loop.LevelProven, Why: "a test was red", Place: loop.InWorkspace}},
			"",
			"refrain: build-7 is done, proven", "the gates pass\nproven in the work tree only\n0 iterations\nLook at it with: refrain show build-7",
		},
		{
			"at a limit, with what it cost",
			loop.RunFinished{State: loop.Exhausted, Reason: loop.ByCost, Why: "$5 spent", Elapsed: loop.Millis(125 * time.Minute), Totals: loop.Totals{Iterations: 9, CostUSD: 5, CostEstimated: true}},
			"",
			"refrain: build-7 is exhausted", "$5 spent\n9 iterations in 2h05m, ≈$5.00\nGo on with a higher limit: refrain resume build-7",
		},
		{
			"a need that the reason does not tell",
			loop.RunFinished{State: loop.Aborted, Reason: loop.ByFailures, Why: "3 failures"},
			"the agent is not signed in",
			"refrain: build-7 was aborted and needs a person", "3 failures\nthe agent is not signed in\n0 iterations\nGo on with: refrain resume build-7",
		},
		{
			"a need that it tells",
			loop.RunFinished{State: loop.Aborted, Reason: loop.ByBlocked, Why: "a person is needed: no key"},
			"no key",
			"refrain: build-7 was aborted and needs a person", "a person is needed: no key\n0 iterations\nGo on with: refrain resume build-7",
		},
		{
			"stopped",
			loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest, Why: "you asked"},
			"no key",
			"refrain: build-7 was stopped", "you asked\n0 iterations\nGo on with: refrain resume build-7",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := story{run: "build-7", need: tt.need}
			m := s.end(after(0, &tt.end), &tt.end)
			if m.Title != tt.title || m.Text != tt.text {
				t.Errorf("title %q\n text %q\n want %q\n      %q", m.Title, m.Text, tt.title, tt.text)
			}
		})
	}
}

func TestARunWithoutANameIsNoCommand(t *testing.T) {
	m := (&story{}).end(after(0, &loop.RunFinished{}), &loop.RunFinished{State: loop.Aborted, Why: "so"})
	if m.Title != "refrain: the run was aborted" || m.Text != "so\n0 iterations" {
		t.Errorf("title %q, text %q", m.Title, m.Text)
	}
}

func TestWhenAWaitIsOver(t *testing.T) {
	now := time.Date(2026, 11, 15, 22, 0, 0, 0, time.Local)
	for length, want := range map[time.Duration]string{
		45 * time.Second: "It goes on by itself at 22:00, in 45s.",
		20 * time.Hour:   "It goes on by itself at Mon 18:00, in 20h00m.",
	} {
		if got := untilWords(now.Add(length), now); got != want {
			t.Errorf("%s: %q, want %q", length, got, want)
		}
	}
}
