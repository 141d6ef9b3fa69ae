package loop

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func TestFeedbackWaitsForAnAttemptThatCounts(t *testing.T) {
	refused := Event{Time: noon, Payload: &ClaimRefused{Kind: ClaimDone, Text: "DONE", Why: "gate test failed"}}
	finished := func(r Result) Event {
		return Event{Time: noon, Payload: &IterationFinished{Outcome: Outcome{Result: r, Exit: code(0)}}}
	}
	started := Event{Time: noon, Payload: &IterationStarted{}}

	var s State
	for _, e := range []Event{started, refused, finished(OK)} {
		s = s.Sum(e)
	}
	if len(s.Feedback) != 1 {
		t.Fatalf("feedback after a refused claim = %v, want one", s.Feedback)
	}
	for _, e := range []Event{started, finished(Limited)} {
		s = s.Sum(e)
	}
	if len(s.Feedback) != 1 {
		t.Errorf("feedback after an attempt that did not count = %v, want it kept", s.Feedback)
	}
	for _, e := range []Event{started, finished(OK)} {
		s = s.Sum(e)
	}
	if len(s.Feedback) != 0 {
		t.Errorf("feedback after it was heard = %v, want none", s.Feedback)
	}
}

func TestStateStaysBounded(t *testing.T) {
	var s State
	long := strings.Repeat("é", 5000)
	for range 200 {
		for range 50 {
			s = s.Sum(Event{Time: noon, Payload: &ClaimRefused{Why: long}})
		}
		s = s.Sum(Event{Time: noon, Payload: &IterationFinished{Outcome: Outcome{Result: OK, Exit: code(0), Said: Said{Summary: long}}}})
	}
	if len(s.Feedback) > maxFeedback || len(s.Summaries) > maxSummaries {
		t.Errorf("state holds %d pieces of feedback and %d summaries", len(s.Feedback), len(s.Summaries))
	}
	for _, sum := range s.Summaries {
		if len(sum.Text) > maxText+len("…") || !strings.HasPrefix(long, strings.TrimSuffix(sum.Text, "…")) {
			t.Errorf("summary of %d bytes was not cut at a character", len(sum.Text))
		}
	}
}

func TestLiveTimeLeavesOutTheNightBetweenRunners(t *testing.T) {
	at := func(d time.Duration, p Payload) Event { return Event{Time: noon.Add(d), Payload: p} }
	var s State
	for _, e := range []Event{
		at(0, &RunStarted{}),
		{Time: noon.Add(time.Minute), Iter: 1, Payload: &CheckpointRestored{}}, // by the runner
		at(10*time.Minute, &RunFinished{}),
		at(8*time.Hour, &CheckpointRestored{}), // by a person
		at(9*time.Hour, &RunResumed{From: Stopped}),
		at(9*time.Hour+5*time.Minute, &RunWaiting{}),
	} {
		s = s.Sum(e)
	}
	if got, want := s.Live.Duration(), 15*time.Minute; got != want {
		t.Errorf("live = %s, want %s", got, want)
	}
	f := Facts{State: s, Now: s.At.Add(time.Minute)}
	if got, want := f.Live(), 16*time.Minute; got != want {
		t.Errorf("live a minute later = %s, want %s", got, want)
	}
}

func TestResumeAfterAnAbortStartsTheStreaksAnew(t *testing.T) {
	s := State{Streaks: Streaks{Failures: 3, NoProgress: 2}}
	if got := s.Sum(Event{Payload: &RunResumed{From: Aborted}}).Streaks; got != (Streaks{}) {
		t.Errorf("streaks after resuming an aborted run = %+v, want none", got)
	}
	if got := s.Sum(Event{Payload: &RunResumed{From: Stopped}}).Streaks; got != s.Streaks {
		t.Errorf("streaks after resuming a stopped run = %+v, want %+v", got, s.Streaks)
	}
}

func TestDecideTakesTheFirstOpinion(t *testing.T) {
	silent := func(Facts) Verdict { return Verdict{} }
	says := func(a Action) Rule { return func(Facts) Verdict { return Verdict{Action: a} } }
	v := Decide(Facts{}, []Rule{silent, says(Wait), says(Stop)})
	if v.Action != Wait {
		t.Errorf("verdict = %v, want the first opinion: wait", v.Action)
	}
	if v := Decide(Facts{}, []Rule{silent}); v.Action != Continue {
		t.Errorf("verdict without an opinion = %v, want continue", v.Action)
	}
}

func TestDecideShowsRulesTheStateAfterTheOutcome(t *testing.T) {
	var seen int
	look := func(f Facts) Verdict { seen = f.State.Totals.Iterations; return Verdict{} }
	Decide(Facts{Outcome: &Outcome{Result: OK, Exit: code(0)}}, []Rule{look})
	if seen != 1 {
		t.Errorf("rules saw %d iterations, want 1", seen)
	}
}

func TestPayloadsKnowTheirNames(t *testing.T) {
	for name, make := range payloads {
		if got := make().Type(); got != name {
			t.Errorf("payload listed as %q calls itself %q", name, got)
		}
	}
	if got := NewPayload("from.the.future").Type(); got != "from.the.future" {
		t.Errorf("unknown payload calls itself %q", got)
	}
}
