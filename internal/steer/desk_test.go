package steer

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeRun is a run that only remembers, and tells its desk as a run does: with its
// lock held.
type fakeRun struct {
	desk *Desk

	mu      sync.Mutex
	state   loop.State
	status  loop.Status
	between bool
	wrote   []loop.Payload
}

func (r *fakeRun) Record(list ...loop.Payload) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range list {
		r.wrote = append(r.wrote, p)
		r.state = r.state.Sum(loop.Event{Payload: p})
		r.status = r.status.After(p)
		switch p.(type) {
		case *loop.IterationStarted:
			r.between = false
		case *loop.IterationFinished:
			r.between = true
		}
		r.desk.Heard(loop.Event{Payload: p}.Type(), r.status)
	}
}

func (r *fakeRun) State() loop.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *fakeRun) Status() loop.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

func (r *fakeRun) Between() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.between
}

// commands is what was written down of people's wishes.
func (r *fakeRun) commands() (list []loop.CommandReceived) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.wrote {
		if c, ok := p.(*loop.CommandReceived); ok {
			list = append(list, *c)
		}
	}
	return list
}

func newFake() (*fakeRun, *Desk) {
	run := &fakeRun{between: true}
	run.desk = NewDesk(NewControl(), run, nil, false)
	run.Record(&loop.RunStarted{Counting: loop.CountPolicy{Keep: true}})
	return run, run.desk
}

// tell has a command carried out, and gives where its answer comes.
func tell(d *Desk, cmd Command) <-chan Answer {
	answer := make(chan Answer, 1)
	d.carryOut(order{Command: cmd, answer: answer})
	return answer
}

// heard is the answer that has come; nil: none has yet.
func heard(answer <-chan Answer) *Answer {
	select {
	case a := <-answer:
		return &a
	default:
		return nil
	}
}

// What a command does depends on what the run is doing. It is answered by the event
// that shows its effect, and not before; what makes no sense is refused, and says
// why. All of it is written down.
func TestWhatACommandComesTo(t *testing.T) {
	working := func(r *fakeRun, d *Desk) {
		r.Record(&loop.IterationStarted{})
		d.SetAgent(&Agent{End: func(error) {}, Weigh: func() {}})
	}
	fresh := func(r *fakeRun, _ *Desk) { r.Record(&loop.RunStarted{}) }
	waiting := func(r *fakeRun, _ *Desk) { r.Record(&loop.RunWaiting{}) }
	paused := func(r *fakeRun, d *Desk) {
		tell(d, Command{Name: "pause", NoWait: true})
		r.Record(&loop.RunPaused{})
	}
	asking := func(r *fakeRun, d *Desk) {
		q := &loop.RunAsked{Question: "run it?", Choices: []string{"continue", "skip"}}
		d.Ask(q)
		r.Record(q)
	}
	stopping := func(r *fakeRun, d *Desk) {
		working(r, d)
		d.ObeyStop(loop.StopRequest{})
	}
	after := func(do func(*fakeRun, *Desk), name string) func(*fakeRun, *Desk) {
		return func(r *fakeRun, d *Desk) {
			do(r, d)
			tell(d, Command{Name: name})
		}
	}
	full := func(r *fakeRun, _ *Desk) {
		for range loop.MaxNotes {
			r.Record(&loop.NoteAdded{Text: "x"})
		}
	}
	for _, tt := range []struct {
		name   string
		before func(*fakeRun, *Desk) // nil: it is about to begin
		cmd    Command
		ok     bool
		effect string
		shown  loop.Payload // the event that shows the effect; nil: it has it at once
		state  loop.Status  // in the answer
	}{
		{"pause while an agent works", working, Command{Name: "pause"}, true, "pausing after this iteration", &loop.RunPaused{}, loop.Paused},
		{"pause between two iterations", nil, Command{Name: "pause"}, true, "pausing before the next iteration", &loop.RunPaused{}, loop.Paused},
		{"pause in a wait", waiting, Command{Name: "pause"}, true, "paused", &loop.RunPaused{}, loop.Paused},
		{"pause at a question", asking, Command{Name: "pause"}, true, "pausing when the question is answered", &loop.RunPaused{}, loop.Paused},
		{"pause in a pause", paused, Command{Name: "pause"}, false, "the run is paused already", nil, loop.Paused},
		{"pause twice", after(working, "pause"), Command{Name: "pause"}, false, "the run pauses after this iteration already", nil, loop.Running},
		{"pause of a run that stops", stopping, Command{Name: "pause"}, false, "the run is stopping", nil, loop.Running},
		{"pause, and no waiting for it", working, Command{Name: "pause", NoWait: true}, true, "pausing after this iteration", nil, loop.Running},
		{"pause from inside", working, Command{Name: "pause", Inside: true, NoWait: true}, true, "pausing after this iteration", nil, loop.Running},
		{"pause that never comes", working, Command{Name: "pause"}, false, "the run ended first", &loop.RunFinished{State: loop.Done}, loop.Done},

		{"resume of a pause", paused, Command{Name: "resume"}, true, "going on", &loop.RunUnpaused{}, loop.Running},
		{"resume before the pause", after(working, "pause"), Command{Name: "resume"}, true, "not pausing", nil, loop.Running},
		{"resume in a wait", waiting, Command{Name: "resume"}, true, "the wait is cut short", &loop.IterationStarted{}, loop.Running},
		{"resume in a wait that begins again", waiting, Command{Name: "resume"}, true, "the wait is cut short", &loop.RunWaiting{}, loop.Waiting},
		{"resume at a question", asking, Command{Name: "resume"}, false, "the run is running: there is nothing to resume", nil, loop.Waiting},
		{"resume of a run that stops", stopping, Command{Name: "resume"}, false, "the run is stopping", nil, loop.Running},
		{"resume while an agent works", working, Command{Name: "resume"}, false, "the run is running: there is nothing to resume", nil, loop.Running},
		{"resume from inside", paused, Command{Name: "resume", Inside: true}, false, "it comes from a process of the run itself, and an agent must not steer what holds it", nil, loop.Paused},

		{"skip of an agent", working, Command{Name: "skip"}, true, "ending the agent and going on with the next iteration", &loop.IterationFinished{}, loop.Running},
		{"skip of nobody", waiting, Command{Name: "skip"}, false, "no agent is running: there is nothing to skip", nil, loop.Waiting},

		{"reboot while an agent works", working, Command{Name: "reboot"}, true, "a fresh session after this iteration", &loop.RunRebootFinished{}, loop.Running},
		{"reboot in a wait", waiting, Command{Name: "reboot"}, true, "the next iteration begins with a fresh session", &loop.RunRebootFinished{}, loop.Waiting},
		{"reboot where every session is fresh", fresh, Command{Name: "reboot"}, false, "every iteration begins with a fresh session already", nil, loop.Running},
		{"reboot twice", after(working, "reboot"), Command{Name: "reboot"}, false, "a fresh session comes after this iteration already", nil, loop.Running},

		{"a note", working, Command{Name: "note", Text: "use tabs"}, true, "the next agent is told", nil, loop.Running},
		{"a note that says nothing", working, Command{Name: "note"}, false, "the note is empty", nil, loop.Running},
		{"a note that is a book", working, Command{Name: "note", Text: strings.Repeat("x", loop.MaxNote+1)}, false, "the note is too long", nil, loop.Running},
		{"one note too many", full, Command{Name: "note", Text: "y"}, false, "notes are waiting for the next agent already", nil, loop.Running},

		{"raise where nothing can be", working, Command{Name: "raise", Key: "k", Value: "v"}, false, "the limits of this run cannot be changed while it runs", nil, loop.Running},

		{"approve", asking, Command{Name: "approve"}, true, "answered: continue", &loop.RunAnswered{}, loop.Running},
		{"approve with another answer", asking, Command{Name: "approve", Text: "skip"}, true, "answered: skip", &loop.RunAnswered{}, loop.Running},
		{"approve with no answer of these", asking, Command{Name: "approve", Text: "dance"}, false, `"dance" is not an answer: say one of continue, skip`, nil, loop.Waiting},
		{"approve what another question asked", asking, Command{Name: "approve", Question: "an older one"}, false, "another question is asked by now: run it?", nil, loop.Waiting},
		{"approve this very question", asking, Command{Name: "approve", Question: "run it?"}, true, "answered: continue", &loop.RunAnswered{}, loop.Running},
		{"approve twice", after(asking, "approve"), Command{Name: "approve", Text: "skip"}, false, "somebody has answered already: continue", nil, loop.Waiting},
		{"approve when nobody is asked", working, Command{Name: "approve"}, false, "nobody is asked anything", nil, loop.Running},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run, d := newFake()
			if tt.before != nil {
				tt.before(run, d)
			}
			answer := tell(d, tt.cmd)
			got := heard(answer)
			if tt.shown != nil {
				run.Record(&loop.Warning{Text: "something else"})
				if early := heard(answer); got != nil || early != nil {
					t.Fatalf("answered before it had taken effect: %+v %+v", got, early)
				}
				run.Record(tt.shown)
				got = heard(answer)
			}
			if got == nil || got.OK != tt.ok || !strings.Contains(got.Effect, tt.effect) || got.State != tt.state {
				t.Errorf("answer %+v, want ok: %v, %q, %s", got, tt.ok, tt.effect, tt.state)
			}
			list := run.commands()
			if len(list) == 0 {
				t.Fatal("nothing is written down")
			}
			last := list[len(list)-1]
			ended := tt.shown != nil && loop.Event{Payload: tt.shown}.Type() == "run.finished"
			if last.Command != tt.cmd.Name || last.Refused == tt.ok && !ended || last.Text != tt.cmd.Text || last.Key != tt.cmd.Key {
				t.Errorf("written down: %+v", last)
			}
		})
	}
}

// Wishes are looked at between two steps, and each once.
func TestWishesOfTheRun(t *testing.T) {
	run, d := newFake()
	tell(d, Command{Name: "pause"})
	if !d.Pausing() {
		t.Error("it is not pausing")
	}
	first := tell(d, Command{Name: "resume"})
	if d.Pausing() || !heard(first).OK {
		t.Error("the pause was not taken back")
	}

	tell(d, Command{Name: "reboot"})
	if !d.TakeReboot() || d.TakeReboot() {
		t.Error("a reboot is wanted once")
	}

	run.Record(&loop.RunWaiting{})
	tell(d, Command{Name: "resume"})
	if !d.Hurried() {
		t.Error("it does not hurry")
	}
	if run.Record(&loop.IterationStarted{}); d.Hurried() {
		t.Error("it hurries on, though what was to be hurried has begun")
	}
	if hurried := NewDesk(NewControl(), run, nil, true); !hurried.Hurried() {
		t.Error("a run that is to hurry does not")
	}
}

// A pause that is taken back is refused to those who wait for it.
func TestAPauseThatIsTakenBack(t *testing.T) {
	run, d := newFake()
	run.Record(&loop.IterationStarted{})
	pause := tell(d, Command{Name: "pause"})
	skip := make(chan Answer, 1)
	d.await(skip, "skipped", "iteration.finished")
	tell(d, Command{Name: "resume"})
	if a := heard(pause); a == nil || a.OK || a.Effect != "taken back by resume" {
		t.Errorf("answer %+v", a)
	}
	if a := heard(skip); a != nil {
		t.Errorf("who waits for something else was answered: %+v", a)
	}
	if run.Record(&loop.RunFinished{State: loop.Stopped}); heard(skip) == nil {
		t.Error("the end answers nobody")
	}
}

func TestTheAgentThatRuns(t *testing.T) {
	_, d := newFake()
	var cause error
	weighed := 0
	d.raise = func(key, _ string) (loop.Limits, error) {
		if key == "agent" {
			return loop.Limits{}, errors.New("agent cannot be changed")
		}
		return loop.Limits{Iterations: 9}, nil
	}
	d.SetAgent(&Agent{End: func(err error) { cause = err }, Weigh: func() { weighed++ }})
	tell(d, Command{Name: "skip"})
	if !errors.Is(cause, proc.End(loop.OnSkip)) {
		t.Errorf("skipped with %v", cause)
	}
	if a := heard(tell(d, Command{Name: "raise", Key: "loop.max_iterations", Value: "9"})); !a.OK || a.Effect != "loop.max_iterations is 9 now" || weighed != 1 {
		t.Errorf("raise: %+v, the agent was weighed %d times", a, weighed)
	}
	run := d.run.(*fakeRun)
	if run.State().Limits.Iterations != 9 {
		t.Errorf("the limits are not written down: %+v", run.commands())
	}
	if a := heard(tell(d, Command{Name: "raise", Key: "agent", Value: "x"})); a.OK || a.Effect != "agent cannot be changed" || weighed != 1 {
		t.Errorf("raise: %+v, the agent was weighed %d times", a, weighed)
	}
	d.SetAgent(nil)
	if a := heard(tell(d, Command{Name: "raise", Key: "loop.max_iterations", Value: "9"})); !a.OK || weighed != 1 {
		t.Errorf("raise with no agent: %+v", a)
	}
}

func TestTheQuestion(t *testing.T) {
	_, d := newFake()
	d.Ask(&loop.RunAsked{Choices: []string{"continue", "skip"}})
	if d.Answer() != "" {
		t.Error("an answer before anybody gave one")
	}
	tell(d, Command{Name: "approve", Text: "skip"})
	if d.Answer() != "skip" {
		t.Errorf("answer %q", d.Answer())
	}
	d.Ask(&loop.RunAsked{Choices: []string{"continue"}})
	if d.Answer() != "" {
		t.Error("the answer to another question")
	}
}

// Everything that a person wants makes a run that waits look up.
func TestCommandsWakeTheRun(t *testing.T) {
	for name, do := range map[string]func(*Desk){
		"pause":   func(d *Desk) { tell(d, Command{Name: "pause"}) },
		"reboot":  func(d *Desk) { tell(d, Command{Name: "reboot"}) },
		"stop":    func(d *Desk) { d.Stop(loop.StopRequest{}) },
		"obeyed":  func(d *Desk) { d.ObeyStop(loop.StopRequest{}) },
		"approve": func(d *Desk) { d.Ask(&loop.RunAsked{Choices: []string{"continue"}}); tell(d, Command{Name: "approve"}) },
		"raise": func(d *Desk) {
			d.raise = func(string, string) (loop.Limits, error) { return loop.Limits{}, nil }
			tell(d, Command{Name: "raise"})
		},
	} {
		_, d := newFake()
		do(d)
		select {
		case <-d.Woken():
		default:
			t.Errorf("%s does not wake it", name)
		}
	}
}

func TestWhatAWishToStopComesTo(t *testing.T) {
	for _, tt := range []struct {
		name   string
		inside bool // an attempt is under way
		wish   loop.StopRequest
		want   loop.CommandReceived
	}{
		{"between two attempts", false, loop.StopRequest{}, loop.CommandReceived{Command: "stop", Effect: "stopping now", Now: true}},
		{"in one", true, loop.StopRequest{}, loop.CommandReceived{Command: "stop", Effect: "finishing this iteration, then stopping"}},
		{"with a hint", true, loop.StopRequest{Hint: "again is at once", Signal: "INT"}, loop.CommandReceived{Command: "stop", Signal: "INT", Effect: "finishing this iteration, then stopping; again is at once"}},
		{"at once", true, loop.StopRequest{Now: true}, loop.CommandReceived{Command: "stop_now", Effect: "stopping now", Now: true}},
		{"at once, by a signal", true, loop.StopRequest{Now: true, Signal: "TERM"}, loop.CommandReceived{Command: "stop", Signal: "TERM", Effect: "stopping now", Now: true}},
	} {
		run, d := newFake()
		if tt.inside {
			run.Record(&loop.IterationStarted{})
		}
		d.ObeyStop(tt.wish)
		d.ObeyStop(tt.wish) // changes nothing
		if got := run.commands(); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: written down %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// What comes in as the run ends is still carried out, and answered.
func TestOrdersAreHeardToTheEnd(t *testing.T) {
	run, d := newFake()
	end := d.Listen()
	if a, err := d.Do(t.Context(), Command{Name: "note", Text: "use tabs"}); err != nil || !a.OK {
		t.Errorf("answer %+v, %v", a, err)
	}
	end()
	end() // once is enough
	answer := make(chan Answer, 1)
	stop := d.Listen()
	d.orders <- order{Command: Command{Name: "note", Text: "late"}, answer: answer}
	stop()
	if a := heard(answer); a == nil || !a.OK {
		t.Errorf("answer %+v", a)
	}
	if got := run.State().Notes; !slices.Equal(got, []string{"use tabs", "late"}) {
		t.Errorf("notes %q", got)
	}
	if a := heard(tell(d, Command{Name: "dance"})); a.OK || a.Effect != `there is no command "dance"` {
		t.Errorf("answer %+v", a)
	}
}

// Obey takes no answer, and is done when it returns.
func TestObeying(t *testing.T) {
	run, d := newFake()
	d.Obey(Command{Name: "pause"})
	if !d.Pausing() || len(run.commands()) != 1 {
		t.Errorf("pausing: %v, written down: %+v", d.Pausing(), run.commands())
	}
}

// An agent may have its run paused, and do nothing else to it.
func TestCommandsFromInside(t *testing.T) {
	for name := range acts {
		run, d := newFake()
		tell(d, Command{Name: name, Inside: true, NoWait: true})
		if got := run.commands(); len(got) != 1 || got[0].Refused != (name != "pause") {
			t.Errorf("%s from inside: %+v", name, got)
		}
	}
}

var _ Run = (*fakeRun)(nil)
