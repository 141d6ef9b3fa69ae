package notify

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

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
			"refrain: build-7 is done, unproven", "3 of 3\nnobody claimed anything, and no gate judged the work\n0 iterations\nLook at it with: refrain show build-7",
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
			"the gates pass\ntests that do not hold as they were:\nTestAdd passes now and fails as it was: sums round now\nTestSub is gone: no reason was given\n0 iterations\nLook at it with: refrain show build-7",
		},
		{
			"proven, but not in a clean checkout",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proven: true, Why: "the gates pass", Proof: &loop.Proof{Level: loop.LevelProven, Why: "a test was red", Place: loop.InWorkspace}},
			"",
			"refrain: build-7 is done, proven", "the gates pass\nproven in the work tree only\n0 iterations\nLook at it with: refrain show build-7",
		},
		{
			"at a limit, with what it cost",
			loop.RunFinished{State: loop.Exhausted, Reason: loop.ByCost, Why: "$5 spent", Elapsed: loop.Span(125 * time.Minute), Totals: loop.Totals{Iterations: 9, CostUSD: 5, CostEstimated: true}},
			"",
			"refrain: build-7 hit the limit", "$5 spent\n9 iterations in 2h05m, ≈$5.00\nGo on with a higher limit: refrain resume build-7",
		},
		{
			"a need that the reason does not tell",
			loop.RunFinished{State: loop.Aborted, Reason: loop.ByFailures, Why: "3 failures"},
			"the agent is not signed in",
			"refrain: build-7 gave up and needs a person", "3 failures\nthe agent is not signed in\n0 iterations\nGo on with: refrain resume build-7",
		},
		{
			"a need that it tells",
			loop.RunFinished{State: loop.Aborted, Reason: loop.ByBlocked, Why: "a person is needed: no key"},
			"no key",
			"refrain: build-7 gave up and needs a person", "a person is needed: no key\n0 iterations\nGo on with: refrain resume build-7",
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
	if m.Title != "refrain: the run gave up" || m.Text != "so\n0 iterations" {
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
