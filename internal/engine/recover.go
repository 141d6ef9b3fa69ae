package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/stop"
)

// LostTooOften is how often the runner may die on one iteration before that
// counts as a failure: whatever kills it is likely the work itself. Where runners come
// and go by themselves, as on machines that vanish, Options.MostLost says how often.
const LostTooOften = 3

// Open settles what an earlier runner left: an end that it decided but did not
// write, an attempt that it did not finish.
func (e *Engine) Open(ctx context.Context, s loop.State) (loop.State, loop.Verdict, error) {
	e.TakeOver(s)
	v, err := e.open(ctx)
	if err == nil {
		err = e.Lost()
	}
	return e.HandOver(), v, err
}

func (e *Engine) open(ctx context.Context) (loop.Verdict, error) {
	if e.past.Tampered != "" {
		return stop.Tampered(e.past.Tampered), nil
	}
	for _, part := range e.order.Open {
		if err := part(ctx); err != nil {
			return loop.Verdict{}, err
		}
	}
	if e.resumed {
		e.recall()
	}
	if v := e.order.Started(ctx); v != nil {
		return *v, nil
	}
	if !e.resumed {
		return e.first(ctx), nil
	}
	if v, ok := unconfirmed(e.past); ok {
		return v, nil // confirm asks again
	}
	if left := loop.LeftOpenOf(e.past.Tail); left != nil {
		return e.settle(ctx, left)
	}
	v := e.Decide(nil)
	switch {
	case v.Action == loop.Stop:
		return v, nil
	case e.past.Last == nil:
		return e.first(ctx), nil
	}
	return e.measureAnew(ctx, v), nil
}

// recall finds again what the attempt before left in its folder.
func (e *Engine) recall() {
	last := e.past.Last
	if last == nil {
		return
	}
	dir := e.Journal.Attempt(last.Iter, last.Attempt)
	defer dir.Close()
	for _, part := range e.order.Recall {
		part(dir)
	}
}

// first is what happens before the first iteration: the tree is kept as it was,
// the gates say how it stands, and a plan that is finished already is a claim.
func (e *Engine) first(ctx context.Context) loop.Verdict {
	v := e.Decide(nil)
	if v.Action == loop.Stop {
		return v
	}
	switch end, ok := e.order.Baseline(ctx, false); {
	case !ok:
		return e.Decide(nil)
	case end != nil:
		return *end
	}
	if done := e.order.DoneBefore(ctx); done != nil {
		return *done
	}
	return v
}

// measureAnew takes the baseline of a run that goes on once more, where that is
// wanted.
func (e *Engine) measureAnew(ctx context.Context, v loop.Verdict) loop.Verdict {
	if v.Action == loop.Stop || !e.rebaseline {
		return v
	}
	switch end, ok := e.order.Baseline(ctx, true); {
	case !ok:
		return e.Decide(nil)
	case end != nil:
		return *end
	}
	return v
}

// settle ends the attempt that an earlier runner left open.
func (e *Engine) settle(ctx context.Context, left *loop.LeftOpen) (loop.Verdict, error) {
	a := e.enter(left.Iter, left.Attempt, e.workerOf(left.Agent), e.Journal.Attempt)
	a.Left, a.Metadata = left, left.Metadata
	defer a.Dir.Close()
	exited := left.Exited
	if exited == nil && !left.RolledBack {
		exited = e.lastWord(a)
	}
	switch {
	case exited == nil:
		o := e.lost(a)
		for _, part := range e.order.Lost {
			part(a, o)
		}
		return e.conclude(ctx, a, o), nil
	case left.RolledBack: // what it did is no longer there, and a person wanted that
		return e.conclude(ctx, a, &loop.Outcome{Result: loop.Interrupted, Worker: loop.Worker{Agent: a.Worker.Name}, EndedAt: e.Now()}), nil
	}
	if err := e.hearAgain(a, exited); err != nil {
		return loop.Verdict{}, err
	}
	for _, part := range e.order.Recover {
		if err := part(ctx, a); err != nil {
			return loop.Verdict{}, err
		}
	}
	v := e.judge(ctx, a)
	e.leave()
	return e.measureAnew(ctx, v), nil
}

// lost is the outcome of an attempt whose runner died.
func (e *Engine) lost(a *Attempt) *loop.Outcome {
	o := &loop.Outcome{Result: loop.Lost, Worker: loop.Worker{Agent: a.Worker.Name}, EndedAt: e.Now()}
	if e.State().Lost+1 >= e.mostLost {
		o.Result = loop.Failed
		o.Error = &loop.AgentError{Kind: loop.ErrAgent, Message: fmt.Sprintf("the runner died %d times in this iteration", e.mostLost)}
	}
	return o
}

// lastWord looks in its transcript whether an agent that was lost with its runner
// had come to its end before; nil when not, or when nobody can tell.
func (e *Engine) lastWord(a *Attempt) *loop.AgentExited {
	decoder := e.decoder(a)
	err := eachLine(a.Dir.OpenStdout, WholeLines(func(line []byte) { decoder.Decode(line) }, func() {}))
	if err != nil || !agent.Finished(decoder) {
		return nil
	}
	exited := &loop.AgentExited{Exit: e.hadFinished(), Duration: a.Left.Worked}
	e.Record(exited)
	return exited
}

// hearAgain hears the agent once more, from its transcript: it had ended before
// the runner did, so its work is judged and not repeated.
func (e *Engine) hearAgain(a *Attempt, exited *loop.AgentExited) error {
	decoder := e.decoder(a)
	err := eachLine(a.Dir.OpenStdout, WholeLines(func(line []byte) {
		for _, p := range decoder.Decode(line) {
			a.hear(p)
		}
	}, func() {}))
	if err != nil {
		return fmt.Errorf("read the transcript of iteration %d again: %w", a.Iter, err)
	}
	err = eachLine(a.Dir.OpenStderr, func(line []byte, more bool) {
		for _, p := range a.complain(decoder, e.Hide.Line(line), more) {
			a.hear(p)
		}
	})
	if err != nil {
		return fmt.Errorf("read the errors of iteration %d again: %w", a.Iter, err)
	}
	e.overhearAgain(a, decoder)
	a.hear(exited)
	for _, p := range decoder.Close(exited.Exit) {
		if p.Type().Kept() && !a.Left.Heard(p.Type()) { // it was lost with the runner
			e.Record(p)
		}
		a.hear(p)
	}
	a.Duration = exited.Duration.Duration()
	return nil
}

// overhearAgain reads the diary of an attempt once more. Where the session goes on from
// attempts before, nobody knows any more which lines are of this one.
func (e *Engine) overhearAgain(a *Attempt, decoder agent.Decoder) {
	if a.session == "" || e.State().SessionOf(a.Worker.Name) != "" {
		return
	}
	var all []loop.Payload
	d := newDiary(agent.DiaryOf(a.Worker.Agent, e.Env), "", func(line []byte) {
		all = append(all, agent.Overhear(decoder, e.Hide.Line(line))...)
	})
	d.Hear(&loop.AgentSession{Session: a.session})
	d.look()
	for _, p := range all {
		a.hear(p)
	}
}

// eachLine reads what an agent printed, if it did.
func eachLine[F io.ReadCloser](open func() (F, error), line func([]byte, bool)) error {
	f, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return proc.Lines(f, line)
}

// Decided is the stop that a runner had decided on when it died, if it had: the
// last verdict says stop, and nothing was begun after it.
func Decided(past journal.Past) (loop.Verdict, bool) {
	v, asked := lastVerdict(past)
	return v, v.Action == loop.Stop && !asked
}

// unconfirmed is the end about which a person was being asked when the runner
// died.
func unconfirmed(past journal.Past) (loop.Verdict, bool) {
	v, asked := lastVerdict(past)
	return v, v.Action == loop.Stop && asked
}

// lastVerdict is the verdict that holds, and whether a person has yet to say so.
func lastVerdict(past journal.Past) (v loop.Verdict, asked bool) {
	if past.Last != nil {
		v = past.Last.Payload.(*loop.IterationFinished).Verdict
	}
	for _, ev := range past.Tail {
		switch p := ev.Payload.(type) {
		case *loop.RunRule:
			v, asked = p.Verdict, false
		case *loop.RunAsked:
			asked = true
		case *loop.RunAnswered:
			if asked = false; p.Answer != Accept {
				v = loop.Verdict{}
			}
		case *loop.IterationFinished:
			v, asked = p.Verdict, false
		case *loop.RunResumed, *loop.IterationStarted:
			if _, resumed := p.(*loop.RunResumed); !resumed || !asked {
				v, asked = loop.Verdict{}, false
			}
		}
	}
	return v, asked
}
