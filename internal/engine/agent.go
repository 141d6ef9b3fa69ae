package engine

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/steer"
)

// runAgent lets the agent work until it is gone.
func (e *Engine) runAgent(ctx context.Context, a *Attempt) {
	state := e.State()
	cmd, err := a.Worker.Agent.Command(agent.Call{
		Prompt: a.Prompt, PromptFile: a.Dir.PromptPath(), Model: a.Worker.Model, HasPrompt: e.hasPrompt,
		Session: state.SessionOf(a.Worker.Name), LeftUSD: max(0, e.Limits().CostUSD-state.Totals.CostUSD),
		Iteration: a.Iter, Attempt: a.Number, Limits: e.Limits(), Confined: e.confined,
		Room: a.Dir.Dir(),
	})
	if err != nil {
		a.Failure = &loop.AgentError{Kind: loop.ErrAgent, Message: err.Error()}
		return
	}
	e.Record(&loop.IterationPhase{Phase: loop.Executing, Base: a.Base})
	if cmd.File.Path != "" {
		defer a.Dir.Lend(filepath.Base(cmd.File.Path), cmd.File.Text)()
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(e.Desk.AtOnce(), cancel)()
	defer e.relay.guard(ctx, cancel)()
	spent := e.NewMeter(e.context, a.Worker.Name, cancel)
	e.Desk.SetAgent(&steer.Agent{End: cancel, Weigh: spent.Weigh})
	defer e.Desk.SetAgent(nil)
	decoder := e.decoder(a)
	tools := &openTools{}
	waits := &patience{most: e.times.Patience, clock: e.Clock, end: cancel, busy: tools.any}
	defer waits.close()
	a.listeners = append(a.listeners, spent, tools, waits)

	h := &hearing{engine: e, attempt: a, decoder: decoder}
	env := append(a.number(ChildEnv(e.Env, cmd)), e.traceOf(a)...)
	written := newDiary(agent.DiaryOf(a.Worker.Agent, env), cmp.Or(cmd.Session, state.SessionOf(a.Worker.Name)), h.overhear)
	a.listeners = append(a.listeners, written)
	readOut := written.follow()
	defer readOut()
	if !heldBack(a.Worker.Name, cmd) {
		e.Journal.Settle() // it works from its first moment
	}
	exit, err := e.run(ctx, proc.Spec{
		Argv:  cmd.Argv,
		Role:  proc.Agent,
		Dir:   e.Dir,
		Env:   env,
		Stdin: e.stdin(cmd.Stdin),
		First: cmd.First,

		StdoutFile: cmd.StdoutFile,
		Timeout:    e.times.Iteration,
		Idle:       e.times.Idle,
		Busy:       func() bool { return tools.any() || waits.waits() },
		Stdout: proc.Sink{
			Raw: a.Dir.Stdout(),
			Line: WholeLines(h.line, func() {
				e.Warn("long line", loop.Warning{Text: "the agent printed a line that is too long to read; it is kept in the transcript only"})
			}),
			Pause: h.pause,
		},
		Stderr: proc.Sink{Raw: a.Dir.Stderr(), Line: h.complain},
		Started: func(pid int, at time.Time) {
			a.Began = true
			e.Record(&loop.AgentStarted{Agent: a.Worker.Name, PID: pid, Started: at.UTC()})
		},
	})
	readOut()
	a.Duration = e.Clock.Now().Sub(a.Started).Truncate(time.Millisecond) // as the journal has it
	if agent.Finished(decoder) && endedForTheRun(exit, err) {
		exit, err = e.hadFinished(), nil
	}
	if err != nil {
		a.Failure = e.startFailure(a, err)
		return
	}
	exited := &loop.AgentExited{Exit: exit, Duration: loop.Millis(a.Duration)}
	e.hear(a, exited)
	// Some agents tell only at their end what they have used. The meter hears it too:
	// it warns, and there is nobody left to end. What the attempt has used up, the
	// rules see in the outcome.
	e.hear(a, decoder.Close(exit)...)
}

// hear takes in what the agent said, and what listeners find in it.
func (e *Engine) hear(a *Attempt, said ...loop.Payload) {
	once := slices.ContainsFunc(said, keyed)
	if !once {
		e.Record(said...)
	}
	for _, p := range said {
		switch {
		case keyed(p):
			e.WarnOnce(*p.(*loop.Warning))
		case once:
			e.Record(p)
		}
		for _, found := range a.hear(p) {
			if keyed(found) {
				e.WarnOnce(*found.(*loop.Warning))
				continue
			}
			e.Record(found)
		}
	}
}

// keyed tells whether this is a warning that is given once a run.
func keyed(p loop.Payload) bool {
	w, ok := p.(*loop.Warning)
	return ok && w.Key != ""
}

// decoder reads what the agent prints, but for what is secret.
func (e *Engine) decoder(a *Attempt) agent.Decoder {
	return Hiding(e.Hide, a.Worker.Agent.Decoder())
}

// Hiding is a decoder that neither reads nor tells what is secret. It looks twice:
// at the line, for a decoder may cut a text where a secret stands, and at what
// comes out, for a secret may come in pieces, over several lines.
func Hiding(hide *redact.Redactor, d agent.Decoder) agent.Decoder {
	if hide == nil {
		return d
	}
	return hiding{d, hide}
}

type hiding struct {
	agent.Decoder
	hide *redact.Redactor
}

func (h hiding) Decode(line []byte) []loop.Payload {
	return redact.In(h.hide, h.Decoder.Decode(h.hide.Line(line)))
}

func (h hiding) Speak(said, line []byte) ([]byte, bool) {
	one, ok := agent.Speak(h.Decoder, nil, h.hide.Line(line))
	if !ok {
		return said, false
	}
	return append(said, h.hide.Text(string(one))...), true
}

func (h hiding) Close(exit loop.Exit) []loop.Payload {
	return redact.In(h.hide, h.Decoder.Close(exit))
}

// Complain is as the decoder has it: the line is without secrets by now.
func (h hiding) Complain(line []byte) []loop.Payload {
	return redact.In(h.hide, agent.Complain(h.Decoder, line))
}

// Overhear is likewise.
func (h hiding) Overhear(line []byte) []loop.Payload {
	return redact.In(h.hide, agent.Overhear(h.Decoder, line))
}

// Finished is as the decoder has it.
func (h hiding) Finished() bool { return agent.Finished(h.Decoder) }

// traceOf is what ties the attempt to the traces of the agent's own.
func (e *Engine) traceOf(a *Attempt) []string {
	if e.trace == nil {
		return nil
	}
	return e.trace(a.Iter, a.Number)
}

// number adds the number of the attempt to a child's environment.
func (a *Attempt) number(env []string) []string {
	return append(env[:len(env):len(env)],
		"REFRAIN_ITERATION="+strconv.Itoa(a.Iter),
		"REFRAIN_ATTEMPT="+strconv.Itoa(a.Number),
	)
}

// startFailure is the runner's own word on why nothing ran.
func (e *Engine) startFailure(a *Attempt, err error) *loop.AgentError {
	var lost *proc.KeeperError
	if errors.As(err, &lost) {
		return e.lostKeeper(lost)
	}
	var start *proc.StartError
	if errors.As(err, &start) && (start.Missing() || errors.Is(err, fs.ErrPermission)) {
		return &loop.AgentError{Kind: loop.ErrMissing, Message: err.Error() + "; " + a.Worker.Remedy}
	}
	return &loop.AgentError{Kind: loop.ErrAgent, Message: err.Error()}
}

// lostKeeper is an attempt that was lost with its keeper. Nobody knows how far the
// agent had come, and it is tried again; but not for ever, for the agent itself
// may have ended its keeper.
func (e *Engine) lostKeeper(lost *proc.KeeperError) *loop.AgentError {
	kind := loop.ErrKeeper
	if e.State().Lost+1 >= e.mostLost {
		kind = loop.ErrAgent
	}
	return &loop.AgentError{Kind: kind, Message: lost.Error()}
}

// endedForTheRun tells whether an agent was ended for the end of the run, or with
// its keeper.
func endedForTheRun(exit loop.Exit, err error) bool {
	var lost *proc.KeeperError
	return errors.As(err, &lost) || err == nil && (exit.Cause == loop.OnRequest || exit.Cause == loop.OnMaxTime)
}

// hadFinished is the exit of an agent that was ended after its last word: as far
// as its work goes, it had come to its end.
func (e *Engine) hadFinished() loop.Exit {
	e.Record(&loop.Warning{Text: "the agent had said its last word when it was ended: its work is judged, not repeated"})
	return loop.Exit{Code: new(int), Cause: loop.Exited}
}

// ChildEnv is the environment of an agent: everyone's, less what it must not
// see, plus its own additions. Of a variable that is there twice the last counts.
func ChildEnv(env []string, cmd agent.Command) []string {
	child := slices.DeleteFunc(slices.Concat(cmd.Wish, env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(cmd.Unset, name)
	})
	return append(child, cmd.Env...)
}

// heldBack tells whether an agent does nothing before it has read its prompt: that we
// know of those that we know, by the program that is started. Any other may never read
// it, and works all the same.
func heldBack(name string, cmd agent.Command) bool {
	if cmd.Stdin == "" || !agent.KnowsCommand(name) {
		return false
	}
	program := agent.Program(name) // the rehearsal's is this one
	return program == "" || filepath.Base(cmd.Argv[0]) == program
}

// stdin is nil for an empty prompt: the child then reads the end at once. Else it
// reads nothing before it is on the disk that it works: one that is held back by that
// starts meanwhile.
func (e *Engine) stdin(text string) io.Reader {
	if text == "" {
		return nil
	}
	return &settled{strings.NewReader(text), e.Journal.Settle}
}

// settled is a text that nobody reads before the journal has settled.
type settled struct {
	text   *strings.Reader
	settle func()
}

func (s *settled) Read(p []byte) (int, error) {
	s.settle()
	return s.text.Read(p)
}

func (s *settled) WriteTo(w io.Writer) (int64, error) {
	s.settle()
	return s.text.WriteTo(w)
}

// WholeLines drops lines that came in pieces: half a line of JSON decodes to
// nothing, and half a line of text must not be taken for a line that says
// something else. They stay in the transcript.
func WholeLines(line func([]byte), tooLong func()) func([]byte, bool) {
	inPieces := false
	return func(piece []byte, more bool) {
		switch {
		case more && !inPieces:
			inPieces = true
			tooLong()
		case !more && inPieces:
			inPieces = false
		case !inPieces:
			line(piece)
		}
	}
}

// joinedText is how long texts get that are made one event. An agent that
// prints a line of two bytes has not said something a hundred bytes long.
const joinedText = 4 << 10

// joinTexts makes one of texts that follow each other: whole lines each, they are
// whole lines together.
func joinTexts(said []loop.Payload) []loop.Payload {
	kept := said[:0]
	var group []string
	size, plain := 0, false
	end := func() {
		if len(group) > 0 {
			kept = append(kept, &loop.AgentText{Text: strings.Join(group, "\n"), Plain: plain})
			group, size = group[:0], 0
		}
	}
	for _, p := range said {
		text, ok := p.(*loop.AgentText)
		if !ok || text.Cut {
			end()
			kept = append(kept, p)
			continue
		}
		if size+len(text.Text) >= joinedText || text.Plain != plain {
			end()
		}
		plain = text.Plain
		group = append(group, text.Text)
		size += len(text.Text) + 1
	}
	end()
	return kept
}

// openTools knows the tools that the agent has called and that have not given
// back yet: while one is at work, the silence of the agent means nothing.
type openTools struct {
	mu   sync.Mutex
	open map[string]bool
}

// Hear looks at what the agent tells. A call without an id could never be
// closed, and does not count; the agent's last word closes all.
func (t *openTools) Hear(p loop.Payload) []loop.Payload {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch p := p.(type) {
	case *loop.AgentTool:
		if t.open == nil {
			t.open = map[string]bool{}
		}
		if p.ID != "" {
			t.open[p.ID] = true
		}
	case *loop.AgentToolResult:
		delete(t.open, p.ID)
	case *loop.AgentResult:
		clear(t.open)
	}
	return nil
}

func (*openTools) Report(*loop.Outcome) []loop.Payload { return nil }

func (t *openTools) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open) > 0
}
