package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// lostTooOften is how often the runner may die on one iteration before that
// counts as a failure: whatever kills it is likely the work itself.
const lostTooOften = 3

// open writes the start and settles what an earlier runner left: an end that it
// decided but did not write, an attempt that it did not finish.
func (e *Engine) open(ctx context.Context) (loop.Verdict, error) {
	e.record(e.Start)
	for _, w := range e.Warnings {
		e.record(&w)
	}
	if e.Tampered != "" {
		return tampered(e.Tampered), nil
	}
	if err := e.guardFrom(ctx); err != nil {
		return loop.Verdict{}, err
	}
	e.gitLocks(ctx) // before an agent can send us to those of another repository
	_, resumed := e.Start.(*loop.RunResumed)
	if resumed {
		_ = files.RemoveTree(e.commitScratch()) // it only costs room
		e.recall()
	}
	if v, aborted := e.hookStarted(ctx); aborted {
		return v, nil
	}
	if !resumed {
		return e.first(ctx), nil
	}
	if v, ok := unconfirmed(e.Past); ok {
		return v, nil // confirm asks again
	}
	open := unfinished(e.Past.Tail)
	if open == nil {
		v := e.ask()
		switch {
		case v.Action == loop.Stop:
			return v, nil
		case e.Past.Last == nil:
			return e.first(ctx), nil
		case e.Rebaseline && !e.baseline(ctx):
			return e.ask(), nil
		}
		return v, nil
	}
	e.worker = e.workerOf(agentOf(e.Past.Tail))
	a := e.enter(open.Iter, open.Attempt, e.Journal.Attempt)
	defer a.dir.Close()
	exited := exitOf(e.Past.Tail)
	if exited == nil && !rolledBack(e.Past.Tail) {
		exited = e.lastWord(a)
	}
	switch {
	case exited == nil:
		o := e.lost()
		a.dir.ReadPlan(&a.tasks)
		e.checkPlan(a, o) // it may have dropped tasks before its runner died
		return e.conclude(ctx, a, o), nil
	case rolledBack(e.Past.Tail): // what it did is no longer there, and a person wanted that
		return e.conclude(ctx, a, &loop.Outcome{Result: loop.Interrupted, Worker: loop.Worker{Agent: e.worker.Name}, EndedAt: e.now()}), nil
	}
	if err := e.replay(ctx, a, exited); err != nil {
		return loop.Verdict{}, err
	}
	e.hooked = hooksOf(e.Past.Tail)
	v := e.finishAttempt(ctx, a)
	if e.leave(); v.Action == loop.Continue && e.Rebaseline && !e.baseline(ctx) {
		return e.ask(), nil
	}
	return v, nil
}

// hooksOf is what hooks said of the last attempt before its runner died.
func hooksOf(tail []loop.Event) map[string]*loop.HookFinished {
	said := map[string]*loop.HookFinished{}
	for _, ev := range tail {
		switch p := ev.Payload.(type) {
		case *loop.IterationStarted:
			clear(said)
		case *loop.HookFinished:
			if ev.Iter > 0 && !p.Interrupted {
				said[p.Point] = p
			}
		}
	}
	return said
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

// lost is the outcome of an attempt whose runner died.
func (e *Engine) lost() *loop.Outcome {
	o := &loop.Outcome{Result: loop.Lost, Worker: loop.Worker{Agent: e.worker.Name}, EndedAt: e.now()}
	if e.snapshot().Lost+1 >= lostTooOften {
		o.Result = loop.Failed
		o.Error = &loop.AgentError{Kind: loop.ErrAgent, Message: fmt.Sprintf("the runner died %d times in this iteration", lostTooOften)}
	}
	return o
}

// replay hears the agent once more, from its transcript: it had ended before
// the runner did, so its work is judged and not repeated.
func (e *Engine) replay(ctx context.Context, a *attempt, exited *loop.AgentExited) error {
	decoder := e.worker.Agent.Decoder()
	if err := e.readAgain(a, decoder); err != nil {
		return fmt.Errorf("read the transcript of iteration %d again: %w", e.iter, err)
	}
	if err := a.readStderrAgain(); err != nil {
		return fmt.Errorf("read the errors of iteration %d again: %w", e.iter, err)
	}
	a.observe(exited)
	e.heardBefore(a, decoder.Close(exited.Exit))
	a.duration = exited.Duration.Duration()
	a.base = e.sightOf(ctx, baseOf(e.Past.Tail))
	a.dir.ReadPlan(&a.tasks)
	if a.committed = commitOf(e.Past.Tail); a.committed == "" {
		e.findCommit(ctx, a)
	}
	return e.comeBack(ctx, a)
}

// findCommit finds the commit that the runner had made of the attempt and did not
// live to write down.
func (e *Engine) findCommit(ctx context.Context, a *attempt) {
	if !e.Commits.Enabled {
		return
	}
	sha, message, err := e.Tree.Made(ctx, e.trailers())
	if err != nil || sha == "" || a.base != nil && a.base.kept != nil && a.base.kept.Head == sha {
		return // it is made now
	}
	a.committed = sha
	e.committed(sha, message)
}

// comeBack brings the tree to where the agent left it. A checkpoint that was
// made then is what it did, whatever gates have written since; without one, what
// is there now has to do. A rollback that the verdict had begun is taken back,
// for the verdict is found anew.
func (e *Engine) comeBack(ctx context.Context, a *attempt) error {
	made, restored := afterOf(e.Past.Tail)
	if made == "" {
		a.after = e.after(ctx)
		return nil
	}
	if a.after = e.sightOf(ctx, made); a.after == nil || !restored {
		return nil
	}
	kept, changed, err := e.Store.Restore(ctx, *a.after.kept)
	if err != nil {
		return fmt.Errorf("bring iteration %d back to be judged: %w", e.iter, err)
	}
	if len(changed.Paths) > 0 {
		e.record(&loop.Warning{
			Text: fmt.Sprintf("iteration %d is brought back to be judged: %d files are as its agent left them", e.iter, len(changed.Paths)),
			Hint: fmt.Sprintf("what was there is kept: refrain rollback %s/%s", e.Journal.Meta().Name, kept.ID),
		})
	}
	return nil
}

func (e *Engine) readAgain(a *attempt, decoder agent.Decoder) error {
	return eachLine(a.dir.OpenStdout, WholeLines(func(line []byte) {
		for _, p := range decoder.Decode(line) {
			a.observe(p)
		}
	}, func() {}))
}

// readStderrAgain takes in the agent's errors, as they were taken in live.
func (a *attempt) readStderrAgain() error { return eachLine(a.dir.OpenStderr, a.complain) }

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

// heardBefore takes in the agent's last words. Those that the journal should
// have and lost with the runner are written now.
func (e *Engine) heardBefore(a *attempt, last []loop.Payload) {
	for _, p := range last {
		known := slices.ContainsFunc(e.Past.Tail, func(ev loop.Event) bool { return ev.Iter == e.iter && ev.Type() == p.Type() })
		if p.Type().Kept() && !known {
			e.record(p)
		}
		a.observe(p)
	}
}

// unfinished is the iteration.started that has no iteration.finished.
func unfinished(tail []loop.Event) *loop.Event {
	var open *loop.Event
	for i, ev := range tail {
		switch ev.Payload.(type) {
		case *loop.IterationStarted:
			open = &tail[i]
		case *loop.IterationFinished:
			open = nil
		}
	}
	return open
}

// agentOf is who made the attempt that was not finished.
func agentOf(tail []loop.Event) string {
	var name string
	for _, ev := range tail {
		if p, ok := ev.Payload.(*loop.AgentStarted); ok {
			name = p.Agent
		}
	}
	return name
}

// baseOf is the tree before the attempt that was not finished.
func baseOf(tail []loop.Event) string {
	var base string
	for _, ev := range tail {
		switch p := ev.Payload.(type) {
		case *loop.IterationStarted:
			base = ""
		case *loop.CheckpointMade: // the end of the journal may be lost
			if p.Base {
				base = p.Checkpoint
			}
		case *loop.IterationPhase:
			if p.Phase == loop.Executing {
				base = p.Base
			}
		}
	}
	return base
}

// afterOf is the checkpoint after the agent of that attempt, and whether the
// tree was put back after it.
func afterOf(tail []loop.Event) (made string, restored bool) {
	for _, ev := range tail {
		switch p := ev.Payload.(type) {
		case *loop.IterationStarted:
			made, restored = "", false
		case *loop.CheckpointMade:
			if !p.Base {
				made = p.Checkpoint
			}
		case *loop.CheckpointRestored:
			restored = true
		}
	}
	return made, restored
}

// rolledBack tells whether a person put files back after the last attempt began.
func rolledBack(tail []loop.Event) bool {
	yes := false
	for _, ev := range tail {
		switch ev.Payload.(type) {
		case *loop.IterationStarted:
			yes = false
		case *loop.CheckpointRestored:
			yes = ev.Iter == 0
		}
	}
	return yes
}

// commitOf is the commit that the runner had made of the last attempt.
func commitOf(tail []loop.Event) string {
	made := ""
	for _, ev := range tail {
		switch p := ev.Payload.(type) {
		case *loop.IterationStarted:
			made = ""
		case *loop.CommitMade:
			made = p.Commit
		}
	}
	return made
}

func exitOf(tail []loop.Event) *loop.AgentExited {
	var exited *loop.AgentExited
	for _, ev := range tail {
		switch p := ev.Payload.(type) {
		case *loop.IterationStarted:
			exited = nil
		case *loop.AgentExited:
			exited = p
		}
	}
	return exited
}
