package tui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os/exec"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// work is what the screen has others do while it goes on drawing.
type work struct {
	do   func(control.Command) (control.Answer, error) // nil: the run takes no commands
	diff func(run string, iteration int) (string, error)
	past func(run string, after int64) iter.Seq2[loop.Event, error]
	*errands
}

func newWork(ctx context.Context, o Options) work {
	w := work{
		diff: func(run string, iteration int) (string, error) { return o.Diff(ctx, run, iteration) },
		past: func(run string, after int64) iter.Seq2[loop.Event, error] { return until(ctx, o.Past(run, after)) },

		errands: &errands{},
	}
	if o.Do != nil {
		w.do = func(c control.Command) (control.Answer, error) { return o.Do(ctx, c) }
	}
	return w
}

// until ends a sequence with the context.
func until(ctx context.Context, events iter.Seq2[loop.Event, error]) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for e, err := range events {
			if ctx.Err() != nil || !yield(e, err) {
				return
			}
		}
	}
}

// errands counts what is under way, for a program does not wait for the commands
// that it has started.
type errands struct {
	mu   sync.Mutex
	over bool
	wg   sync.WaitGroup
}

// wait lets what is under way end, and nothing more begin.
func (e *errands) wait() {
	e.mu.Lock()
	e.over = true
	e.mu.Unlock()
	e.wg.Wait()
}

func (e *errands) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		e.wg.Add(1)
	}
	return !e.over
}

// errand makes a command of a function that takes its time.
func (m *model) errand(f func() tea.Msg) tea.Cmd {
	e := m.work.errands
	return func() tea.Msg {
		if !e.begin() {
			return nil
		}
		defer e.wg.Done()
		return f()
	}
}

// answered is what came of a command.
type answered struct {
	command string
	answer  control.Answer
	err     error
}

// send gives the run a command. The answer comes when it is taken, for the
// screen shows by itself when it has taken effect.
func (m *model) send(c control.Command) tea.Cmd {
	if m.deaf() {
		return nil
	}
	c.NoWait = true
	m.say(faint, c.Command+"…")
	do := m.work.do
	return m.errand(func() tea.Msg {
		answer, err := do(c)
		return answered{c.Command, answer, err}
	})
}

// deaf tells whether nobody would hear a command, and says so on the screen.
func (m *model) deaf() bool {
	switch run := m.book.run; {
	case run.State == loop.Done:
		m.say(caution, "The run is over.")
	case run.State.Ended():
		m.say(caution, fmt.Sprintf("The run is over. refrain resume %s goes on with it.", run.Name))
	case m.work.do == nil:
		m.say(caution, "This run takes no commands.")
	default:
		return false
	}
	return true
}

// told is what a person is told of it.
func (a answered) told() (style, string) {
	var refused *control.Refused
	switch {
	case errors.As(a.err, &refused):
		return caution, fmt.Sprintf("Refused %s: %s", text.Words(a.command), refused.Why)
	case errors.Is(a.err, control.ErrNobody):
		return caution, "The run has just ended."
	case a.err != nil:
		return bad, fmt.Sprintf("Could not send %s: %v", text.Words(a.command), a.err)
	case !a.answer.OK:
		return caution, fmt.Sprintf("Refused %s: %s", text.Words(a.command), a.answer.Why)
	}
	return good, text.Sentence(text.Line(a.answer.Effect))
}

// edited is how an editor ended.
type edited struct{ err error }

// edit opens the next prompt in an editor, in place of the screen.
func (m *model) edit() tea.Cmd {
	q := m.book.run.Asked
	if q == nil || q.Prompt == "" || m.opt.Edit == nil {
		m.say(caution, "There is no prompt to edit now.")
		return nil
	}
	cmd, err := m.opt.Edit(q.Prompt)
	if err != nil {
		m.say(bad, err.Error())
		return nil
	}
	return inEditor(cmd)
}

func inEditor(cmd *exec.Cmd) tea.Cmd {
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return edited{err} })
}

// told is what a person is told of it.
func (e edited) told() (style, string) {
	if e.err != nil {
		return bad, fmt.Sprintf("The editor failed: %v", e.err)
	}
	return good, "The prompt is as the editor left it. a goes on with it."
}
