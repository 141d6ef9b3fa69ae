package loop

import (
	"fmt"
	"testing"
	"time"
)

// tailOf makes the end of a journal out of bytes: each is an event, of the attempt
// that was begun last or, for some, of none.
func tailOf(script []byte) []Event {
	var tail []Event
	iter := 0
	for n, b := range script {
		id := fmt.Sprint(n)
		e := Event{Seq: int64(n), Time: noon.Add(time.Duration(n) * time.Second), Iter: iter, Attempt: min(iter, 1)}
		switch b % 14 {
		case 0:
			iter++
			e.Iter, e.Attempt, e.Payload = iter, 1, &IterationStarted{}
		case 1:
			e.Payload = &IterationFinished{}
		case 2:
			e.Payload = &AgentStarted{Agent: id}
		case 3:
			e.Payload = &AgentExited{Duration: 1}
		case 4:
			e.Payload = &CheckpointMade{Checkpoint: id, Base: true}
		case 5:
			e.Payload = &CheckpointMade{Checkpoint: id}
		case 6:
			e.Payload = &IterationPhase{Phase: Executing, Base: id}
		case 7:
			e.Payload = &IterationPhase{Phase: Gates}
		case 8:
			e.Payload = &CheckpointRestored{Checkpoint: id}
		case 9:
			e.Iter, e.Attempt, e.Payload = 0, 0, &CheckpointRestored{Checkpoint: id}
		case 10:
			e.Payload = &CommitMade{Commit: id}
		case 11:
			e.Payload = &HookFinished{Point: id, Interrupted: b >= 128}
		case 12:
			e.Iter, e.Attempt, e.Payload = 0, 0, &RunResumed{}
		case 13:
			e.Payload = &AgentResult{}
		}
		tail = append(tail, e)
	}
	return tail
}

// lastOf is the last event that fits, of those after the last attempt began.
func lastOf(tail []Event, fits func(Event) bool) (last Event) {
	for _, e := range tail {
		if _, begun := e.Payload.(*IterationStarted); begun {
			last = Event{}
		} else if fits(e) {
			last = e
		}
	}
	return last
}

// FuzzLeftOpen holds the one fold against a look of its own for each question.
func FuzzLeftOpen(f *testing.F) {
	for _, script := range [][]byte{
		{}, {0}, {0, 1}, {0, 4, 6, 2, 3, 5, 10, 11}, {0, 4, 6, 2, 12, 13}, {0, 4, 6, 2, 3, 5, 8}, {0, 2, 3, 5, 9, 12}, {0, 2, 3, 0, 4}, {1, 2, 0, 11 + 14*10},
	} {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		tail := tailOf(script)
		open := false
		var begun Event
		for _, e := range tail {
			switch e.Payload.(type) {
			case *IterationStarted:
				open, begun = true, e
			case *IterationFinished:
				open = false
			}
		}
		got := LeftOpenOf(tail)
		if (got != nil) != open {
			t.Fatalf("left open: %v, want %v", got != nil, open)
		}
		if got == nil {
			return
		}
		if got.Iter != begun.Iter || got.Attempt != begun.Attempt {
			t.Errorf("it is %d/%d, want %d/%d", got.Iter, got.Attempt, begun.Iter, begun.Attempt)
		}
		exited, _ := lastOf(tail, func(e Event) bool { _, ok := e.Payload.(*AgentExited); return ok }).Payload.(*AgentExited)
		if got.Exited != exited {
			t.Errorf("exited %v, want %v", got.Exited, exited)
		}
		after := ""
		if made, ok := lastOf(tail, func(e Event) bool { p, ok := e.Payload.(*CheckpointMade); return ok && !p.Base }).Payload.(*CheckpointMade); ok {
			after = made.Checkpoint
		}
		commit := ""
		if made, ok := lastOf(tail, func(e Event) bool { _, ok := e.Payload.(*CommitMade); return ok }).Payload.(*CommitMade); ok {
			commit = made.Commit
		}
		base := ""
		switch p := lastOf(tail, func(e Event) bool {
			made, isMade := e.Payload.(*CheckpointMade)
			phase, isPhase := e.Payload.(*IterationPhase)
			return isMade && made.Base || isPhase && phase.Phase == Executing
		}).Payload.(type) {
		case *CheckpointMade:
			base = p.Checkpoint
		case *IterationPhase:
			base = p.Base
		}
		if got.After != after || got.Commit != commit || got.Base != base {
			t.Errorf("base %q, after %q, commit %q, want %q, %q, %q", got.Base, got.After, got.Commit, base, after, commit)
		}
		back := lastOf(tail, func(e Event) bool { _, ok := e.Payload.(*CheckpointRestored); return ok })
		if got.Restored != (back.Payload != nil) || got.RolledBack != (back.Payload != nil && back.Iter == 0) {
			t.Errorf("restored %v, by a person %v, last is %+v", got.Restored, got.RolledBack, back)
		}
		for _, name := range Types() {
			said := lastOf(tail, func(e Event) bool { return e.Type() == name && e.Iter == begun.Iter }).Payload != nil
			if got.Heard(name) != said {
				t.Errorf("heard %s: %v, want %v", name, got.Heard(name), said)
			}
		}
		for point, said := range got.Hooks {
			if said.Point != point || said.Interrupted {
				t.Errorf("hook %s said %+v", point, said)
			}
		}
		for _, e := range tail {
			p, ok := e.Payload.(*HookFinished)
			if !ok {
				continue
			}
			last := lastOf(tail, func(e Event) bool {
				other, ok := e.Payload.(*HookFinished)
				return ok && other.Point == p.Point && !other.Interrupted && e.Iter > 0
			})
			if said := got.Hooks[p.Point]; (said != nil) != (last.Payload != nil) || said != nil && Payload(said) != last.Payload {
				t.Errorf("hook %s said %+v, want %+v", p.Point, said, last.Payload)
			}
		}
		if got.Worked < 0 || got.Agent == "" && got.Worked > 0 {
			t.Errorf("nobody worked for %s", got.Worked.Duration())
		}
	})
}

func TestHowLongALostAgentWasAtWork(t *testing.T) {
	at := func(seconds, iter int, p Payload) Event {
		return Event{Time: noon.Add(time.Duration(seconds) * time.Second), Iter: iter, Attempt: 1, Payload: p}
	}
	begun := at(0, 1, &IterationStarted{})
	for _, tt := range []struct {
		name string
		tail []Event
		who  string
		want time.Duration
	}{
		{"not started", []Event{begun, at(9, 1, &Warning{})}, "", 0},
		{"just started", []Event{begun, at(5, 1, &AgentStarted{Agent: "a"})}, "a", 0},
		{"to its last sign of life", []Event{begun, at(5, 1, &AgentStarted{Agent: "a"}), at(65, 1, &AgentLimit{})}, "a", time.Minute},
		{"a resume is none", []Event{begun, at(5, 1, &AgentStarted{Agent: "a"}), at(65, 1, &AgentLimit{}), at(999, 0, &RunResumed{})}, "a", time.Minute},
		{"nor is what happens beside it", []Event{begun, at(5, 1, &AgentStarted{Agent: "a"}), at(999, 0, &CommandReceived{})}, "a", 0},
		{"another attempt", []Event{begun, at(5, 1, &AgentStarted{Agent: "a"}), at(9, 1, &AgentLimit{}), at(20, 2, &IterationStarted{}), at(21, 2, &Warning{})}, "a", 0},
	} {
		got := LeftOpenOf(tt.tail)
		if got.Worked.Duration() != tt.want || got.Agent != tt.who {
			t.Errorf("%s: %q for %s, want %q for %s", tt.name, got.Agent, got.Worked.Duration(), tt.who, tt.want)
		}
	}
}
