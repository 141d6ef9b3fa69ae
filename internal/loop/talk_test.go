package loop

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// told adds payloads up, as events of iteration 1.
func told(s State, payloads ...Payload) State {
	for _, p := range payloads {
		s = s.Sum(Event{Time: noon, Iter: 1, Attempt: 1, Payload: p})
	}
	return s
}

func notes(from, to int) (list []string) {
	for n := from; n <= to; n++ {
		list = append(list, fmt.Sprintf("note %d", n))
	}
	return list
}

func TestNotesWaitForAnAgentThatWorkedWithThem(t *testing.T) {
	end := func(o Outcome) Payload { return &IterationFinished{Outcome: o} }
	note := func(n int) Payload { return &NoteAdded{Text: fmt.Sprintf("note %d", n)} }
	ok, failed := Outcome{Result: OK, Exit: code(0)}, Outcome{Result: Failed, Exit: code(1)}
	moved := failed
	moved.Progress = yes()
	for _, tt := range []struct {
		name   string
		events []Payload
		want   []string
		given  int
	}{
		{"nobody was told yet", []Payload{note(1), note(2)}, notes(1, 2), 0},
		{"an agent is at work with it", []Payload{note(1), &IterationStarted{}}, notes(1, 1), 1},
		{"it came to a good end", []Payload{note(1), &IterationStarted{}, end(ok)}, nil, 0},
		{"one came while it was at work", []Payload{note(1), &IterationStarted{}, note(2), end(ok)}, notes(2, 2), 0},
		{"it failed: the next one is told", []Payload{note(1), &IterationStarted{}, end(failed)}, notes(1, 1), 0},
		{"it failed, with progress", []Payload{note(1), &IterationStarted{}, end(moved)}, nil, 0},
		{"it did not count", []Payload{note(1), &IterationStarted{}, end(Outcome{Result: Limited})}, notes(1, 1), 1},
	} {
		s := told(State{}, tt.events...)
		if !slices.Equal(s.Notes, tt.want) || s.NotesDelivered != tt.given {
			t.Errorf("%s: notes %q, %d of them given, want %q and %d", tt.name, s.Notes, s.NotesDelivered, tt.want, tt.given)
		}
	}
}

func TestTheOldestNoteMakesRoom(t *testing.T) {
	var s State
	for _, n := range notes(1, MaxNotes) {
		s = told(s, &NoteAdded{Text: n})
	}
	s = told(s, &IterationStarted{}, &NoteAdded{Text: "late"}, &NoteAdded{Text: strings.Repeat("x", MaxNote+1)})
	if len(s.Notes) != MaxNotes || s.Notes[0] != "note 3" || s.NotesDelivered != MaxNotes-2 {
		t.Errorf("%d notes, the first %q, %d given", len(s.Notes), s.Notes[0], s.NotesDelivered)
	}
	s = told(s, &IterationFinished{Outcome: Outcome{Result: OK, Exit: code(0)}})
	if len(s.Notes) != 2 || s.Notes[0] != "late" || len(s.Notes[1]) != MaxNote {
		t.Errorf("left are %d notes, want the two that nobody was told, cut to %d bytes", len(s.Notes), MaxNote)
	}
}

func TestWarningsAreRememberedByTheirKeys(t *testing.T) {
	s := told(State{}, &Warning{Text: "no key"}, &Warning{Key: "budget.cost"}, &Warning{Key: "unseen"}, &Warning{Key: "unseen"})
	if want := []string{"budget.cost", "unseen"}; !slices.Equal(s.WarnedKeys, want) {
		t.Errorf("told %q, want %q", s.WarnedKeys, want)
	}
	if got := told(s, &CommandReceived{Command: "note"}, &CommandReceived{Limits: &Limits{}}).WarnedKeys; len(got) != 2 {
		t.Errorf("told %q after limits that did not change, want both", got)
	}
	if got := told(s, &CommandReceived{Limits: &Limits{CostUSD: 9}}); !slices.Equal(got.WarnedKeys, []string{"unseen"}) || got.Limits.CostUSD != 9 {
		t.Errorf("told %q and limits %+v after a limit was raised, want to hear of the budget again", got.WarnedKeys, got.Limits)
	}
	for n := range 2 * maxTold {
		s = told(s, &Warning{Key: fmt.Sprint(n)})
	}
	if len(s.WarnedKeys) != maxTold {
		t.Errorf("%d keys are kept, want %d", len(s.WarnedKeys), maxTold)
	}
}

func TestWhatTheNextAgentHears(t *testing.T) {
	end := &IterationFinished{Outcome: Outcome{Result: OK, Exit: code(0)}}
	zero, three := 0, 3
	for _, tt := range []struct {
		name   string
		events []Event
		kind   string
		says   string
	}{
		{"a near miss", []Event{{Iter: 1, Payload: &ClaimRefused{NearMiss: true, Why: "DONE stands in a code block"}}, {Iter: 1, Payload: end}}, "near_miss", "DONE stands in a code block"},
		{"a refused claim", []Event{{Iter: 1, Payload: &ClaimRefused{Text: "DONE", Why: "gate test failed"}}, {Iter: 1, Payload: end}}, "claim_refused", `the claim "DONE" was refused: gate test failed`},
		{"undone", []Event{{Iter: 4, Payload: &CheckpointRestored{Iteration: &three, Why: "worse"}}, {Iter: 4, Payload: end}}, "rollback", "were undone (worse); the files are as iteration 3 left them"},
		{"undone to the start", []Event{{Iter: 1, Payload: &CheckpointRestored{Iteration: &zero}}, {Iter: 1, Payload: end}}, "rollback", "as they were before the first iteration"},
		{"a person went back", []Event{{Payload: &CheckpointRestored{}}}, "rolled_back", "a person has put the files back: they are as they were at an earlier moment"},
		{"background work", []Event{{Iter: 1, Payload: &IterationFinished{Outcome: Outcome{Result: OK, Exit: code(0), Pending: true}}}}, "pending", "background work"},
		{"denied tools", []Event{{Iter: 1, Payload: &IterationFinished{Outcome: Outcome{Result: OK, Exit: code(0), Denied: []string{"Bash"}}}}}, "denied", "[Bash]"},
	} {
		var s State
		for _, e := range tt.events {
			s = s.Sum(e)
		}
		if len(s.Feedback) != 1 || s.Feedback[0].Kind != tt.kind || !strings.Contains(s.Feedback[0].Text, tt.says) {
			t.Errorf("%s: %+v, want one %s: %q", tt.name, s.Feedback, tt.kind, tt.says)
		}
	}
}

func TestOnlyTheLastRollbackByAPersonIsSaid(t *testing.T) {
	one := 1
	s := State{Talk: Talk{Feedback: []Feedback{{Kind: "denied"}}}}
	s = s.Sum(Event{Payload: &CheckpointRestored{}}).Sum(Event{Payload: &CheckpointRestored{Iteration: &one}})
	if len(s.Feedback) != 2 || s.Feedback[0].Kind != "denied" || !strings.Contains(s.Feedback[1].Text, "iteration 1") {
		t.Errorf("feedback %+v, want what was there and the last rollback", s.Feedback)
	}
}

func TestAttemptsJudgedAgainSayItAgain(t *testing.T) {
	s := told(State{}, &IterationStarted{}, &ClaimRefused{Why: "gate test failed"}, &RunResumed{From: Crashed}, &ClaimRefused{Why: "gate test failed"})
	if len(s.PendingFeedback) != 1 || len(s.Refusals) != 1 || s.Totals.Refused != 1 {
		t.Errorf("heard %d, refusals %d, refused %d: one refusal was judged twice", len(s.PendingFeedback), len(s.Refusals), s.Totals.Refused)
	}
}

func TestACarriedStateNamesWhoSaidSomething(t *testing.T) {
	s := State{Talk: Talk{Notes: []string{"use tabs"}, Summaries: []Summary{{Iteration: 2, Text: "two"}, {Iteration: 5, Text: "five"}}}}
	carried := s.Carried()
	if carried.Summaries != nil || !slices.Equal(carried.SaidIn, []int{2, 5}) || len(carried.Notes) != 1 {
		t.Errorf("Carried = %+v", carried.Talk)
	}
	if s.SaidIn != nil || len(s.Summaries) != 2 {
		t.Errorf("the state itself is changed: %+v", s.Talk)
	}
	if back := carried.Recalled(map[int]string{2: "two", 5: "five"}); !reflect.DeepEqual(back, s) {
		t.Errorf("Recalled = %+v, want %+v", back.Talk, s.Talk)
	}
	if back := carried.Recalled(map[int]string{5: "five"}); len(back.Summaries) != 1 {
		t.Errorf("without the words of one: %+v, want only the other", back.Summaries)
	}
}
