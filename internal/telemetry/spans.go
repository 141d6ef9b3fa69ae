package telemetry

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// spans folds the events of a run into spans: the run, in it its attempts and
// waits, in an attempt the tools of the agent, the gates and the hooks. A span
// is sent when it ends. What a runner that dies leaves open is not sent, so
// that the one that goes on can send it whole. Runners after the first have a
// span beside the attempts, with nothing in it: nobody sends that of a runner
// that dies, and what had ended under it would have lost its parent.
type spans struct {
	run, name, procedure string
	agent, model         string
	started              time.Time
	send                 func(span)

	left    loop.Event // the start of an attempt that an earlier runner left open
	runner  *span      // of this runner: the run itself, or a child of it
	root    *span      // the run itself; nil when an earlier runner has sent it
	attempt *span
	wait    *span
	open    map[string]*span // tools and gates under way

	iter, number int // of the attempt, the last one when none is open
}

const (
	// maxMoments is how many moments one span keeps: an attempt that warns a
	// thousand times must not fill the memory.
	maxMoments = 100
	// maxOpen is how many tools and gates may be under way at once.
	maxOpen = 200
)

// newSpans goes on from what is known of the run.
func newSpans(s Settings, send func(span)) *spans {
	f := &spans{run: s.RunID, send: send, open: map[string]*span{}}
	if seen := s.Seen; seen != nil {
		f.name, f.procedure, f.started, f.agent, f.model = seen.Name, seen.Procedure, seen.StartedAt, seen.Agent, seen.Model
	}
	for _, e := range s.Tail {
		if e.Type() == "iteration.started" {
			f.left = e
		}
	}
	return f
}

// hear takes in one event.
func (s *spans) hear(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		s.start(e, p)
	case *loop.RunResumed:
		s.resume(e, p)
	}
	if s.runner == nil {
		return
	}
	if e.Iter > 0 {
		s.enter(e)
	}
	if begins(e.Payload) {
		s.end(&s.wait, e.Time)
	}
	switch p := e.Payload.(type) {
	case *loop.RunWaiting:
		s.wait = s.child(e, "wait", e.Time, slices.Concat(textAttr(ownRule, p.Rule), textAttr(ownWhy, p.Why), textAttr(ownUntil, stamp(p.Until))))
	case *loop.RunPaused:
		s.wait = s.child(e, "pause", e.Time, nil)
	case *loop.AgentTool:
		s.begin(e, toolKey(p.ID, p.Name), executeTool+" "+p.Name, slices.Concat(
			textAttr(genOperation, executeTool), textAttr(genTool, p.Name), textAttr(genToolCall, p.ID), truth(ownShell, p.Shell)))
	case *loop.AgentToolResult:
		s.endTool(e, p)
	case *loop.GateStarted:
		if p.With != "" {
			break // it looks at another tree, where it may well fail
		}
		s.begin(e, gateKey(p.Name, p.Where), "gate "+p.Name, slices.Concat(textAttr(ownGate, p.Name), textAttr(ownWhere, p.Where)))
	case *loop.GateFinished:
		if p.With != "" {
			break
		}
		s.endGate(e, p.Gate)
	case *loop.HookFinished:
		s.hook(e, p)
	case *loop.IterationFinished:
		s.finishAttempt(e, p)
	case *loop.RunFinished:
		s.finish(e, p)
	case *loop.RunParked:
		s.park(e, p)
	default:
		s.note(e)
	}
}

// begins tells whether an event ends a wait: something goes on.
func begins(p loop.Payload) bool {
	switch p.(type) {
	case *loop.RunWaiting, *loop.RunPaused, *loop.RunUnpaused, *loop.RunRule, *loop.RunRebootStarted, *loop.RunParked, *loop.RunFinished,
		*loop.IterationStarted, *loop.GateStarted:
		return true
	}
	return false
}

// start opens the run's own span.
func (s *spans) start(e loop.Event, p *loop.RunStarted) {
	s.name, s.procedure, s.agent, s.model, s.started = p.Name, p.Procedure, p.Agent, p.Model, e.Time
	s.root = s.newRoot()
	s.runner = s.root
	s.runner.add(known(processPID, p.PID), confined(p.Sandbox))
}

// resume opens a span for the runner that goes on. The run's own was sent when
// it first ended; after a crash it may never have, so it is sent then (once too
// often when the run had ended before, was resumed and then crashed).
func (s *spans) resume(e loop.Event, p *loop.RunResumed) {
	if p.Agent != "" {
		s.agent, s.model = p.Agent, p.Model
	}
	if s.started.IsZero() {
		s.started = e.Time
	}
	s.root = nil
	if p.From == loop.Crashed {
		s.root = s.newRoot()
	}
	s.runner = s.newSpan(spanOf(s.run, "runner", e.Seq, e.Time.UnixNano()), rootOf(s.run), named("resume", s.procedure), e.Time)
	s.runner.add(s.about(), textAttr(ownFrom, p.From), known(processPID, p.PID), confined(p.Sandbox))
}

// confined is the mode of the sandbox alone: a phrase for people is hard to count by.
func confined(s *loop.Sandbox) []attribute {
	if s == nil {
		return nil
	}
	return textAttr(ownSandbox, s.Mode)
}

func (s *spans) newRoot() *span {
	root := s.newSpan(rootOf(s.run), spanID{}, named("run", s.procedure), s.started)
	root.add(s.about())
	return root
}

// about is what every part of the run can be found by.
func (s *spans) about() []attribute {
	return slices.Concat(
		textAttr(ownRun, s.name), textAttr(ownRunID, s.run), textAttr(ownProcedure, s.procedure),
		textAttr(genAgent, s.agent), textAttr(genRequestModel, s.model),
	)
}

// enter makes sure that the event's attempt is open, unless it is over already.
// One that an earlier runner began is taken over: its id is the same, and it
// has not been sent.
func (s *spans) enter(e loop.Event) {
	if s.iter == e.Iter && s.number == e.Attempt {
		return
	}
	s.leave(e.Time)
	s.iter, s.number = e.Iter, e.Attempt
	start := e.Time
	if s.left.Iter == e.Iter && s.left.Attempt == e.Attempt {
		start = s.left.Time
	}
	s.attempt = s.newSpan(attemptOf(s.run, e.Iter, e.Attempt), rootOf(s.run), "iteration", start)
	s.attempt.add(textAttr(ownRun, s.name), whole(ownIteration, e.Iter), whole(ownAttempt, e.Attempt))
}

// leave ends what is under way, the attempt last.
func (s *spans) leave(at time.Time) {
	for key, one := range s.open {
		s.emit(one, at)
		delete(s.open, key)
	}
	s.end(&s.attempt, at)
}

func (s *spans) finishAttempt(e loop.Event, p *loop.IterationFinished) {
	if s.attempt == nil {
		return
	}
	s.attempt.add(s.attributesOf(p.Outcome), attributesOfVerdict(p.Verdict))
	if why, failed := failure(p.Outcome); failed {
		s.attempt.fail(why)
	}
	s.leave(e.Time)
}

// finish ends the run. Its state says whether it is done; only a run that gave
// up or could not go on is an error.
func (s *spans) finish(e loop.Event, p *loop.RunFinished) {
	s.leave(e.Time)
	for _, one := range []*span{s.runner, s.root} {
		if one == nil || one.End != 0 {
			continue
		}
		one.add(attributesOfEnd(p))
		if p.State == loop.Aborted || p.State == loop.CouldNotRun {
			one.fail(p.Why)
		}
		s.emit(one, e.Time)
	}
	s.runner, s.root = nil, nil
}

// park ends the runner's part of a run. Whoever goes on has a part of its own.
func (s *spans) park(e loop.Event, p *loop.RunParked) {
	s.leave(e.Time)
	for _, one := range []*span{s.runner, s.root} {
		if one == nil || one.End != 0 {
			continue
		}
		one.add(textAttr(ownState, loop.Parked), textAttr(ownWhy, p.Why))
		s.emit(one, e.Time)
	}
	s.runner, s.root = nil, nil
}

// here is the span that a moment belongs to.
func (s *spans) here() *span {
	if s.attempt != nil {
		return s.attempt
	}
	return s.runner
}

// Tools are found again by the id of the call. An agent that gives none has
// one call of a tool at a time, as far as anybody can tell.
func toolKey(id, name string) string { return "tool " + cmp.Or(id, name) }

func gateKey(name string, where loop.Place) string { return fmt.Sprintf("gate %s %s", name, where) }

func (s *spans) endTool(e loop.Event, p *loop.AgentToolResult) {
	one := s.take(toolKey(p.ID, p.Name))
	if one == nil {
		return // nobody knows when it began
	}
	if p.Exit != nil {
		one.add(whole(processExit, *p.Exit))
	}
	switch {
	case p.Denied:
		one.add(truth(ownDenied, true), textAttr(errorType, "denied"))
		one.fail("the agent was not allowed to use it")
	case p.Failed && p.Exit != nil:
		one.fail(fmt.Sprintf("exit status %d", *p.Exit))
	case p.Failed:
		one.fail("the tool failed")
	}
	s.emit(one, e.Time)
}

// endGate ends a gate. One that was not seen to begin took as long as it says.
func (s *spans) endGate(e loop.Event, g loop.Gate) {
	one := s.take(gateKey(g.Name, g.Where))
	if one == nil {
		one = s.child(e, "gate "+g.Name, e.Time.Add(-g.Duration.Duration()),
			slices.Concat(textAttr(ownGate, g.Name), textAttr(ownWhere, g.Where)))
	}
	if g.Exit != nil {
		one.add(whole(processExit, *g.Exit))
	}
	one.add(known(ownTestsRun, g.Tests))
	if !g.OK {
		one.fail(cmp.Or(g.Why, "the gate did not pass"))
	}
	s.emit(one, e.Time)
}

// hook is told of when it is over. One that skips the iteration did its work.
func (s *spans) hook(e loop.Event, p *loop.HookFinished) {
	one := s.child(e, "hook "+p.Point, e.Time.Add(-p.Duration.Duration()),
		slices.Concat(textAttr(ownHook, p.Point), textAttr(ownAction, p.Action)))
	if p.Exit != nil {
		one.add(whole(processExit, *p.Exit))
	}
	if p.Action == "abort" || p.Action == "continue" && p.Why != "" {
		one.fail(cmp.Or(p.Why, "the hook ended the run"))
	}
	s.emit(one, e.Time)
}

// note keeps what happened at one moment with the span that it happened in.
func (s *spans) note(e loop.Event) {
	about, worth := attributesOfMoment(e.Payload)
	if !worth {
		return
	}
	here := s.here()
	if len(here.Events) >= maxMoments {
		here.Dropped++
		return
	}
	here.Events = append(here.Events, moment{Time: max(nanosOf(e.Time), here.Start), Name: string(e.Type()), Attributes: about})
}

// attributesOfMoment tells whether an event is one to be kept, and what of it.
func attributesOfMoment(p loop.Payload) (about []attribute, worth bool) {
	switch p := p.(type) {
	case *loop.ClaimHeard:
		return textAttr(ownClaim, p.Kind), true
	case *loop.ClaimRefused:
		return slices.Concat(textAttr(ownClaim, p.Kind), textAttr(ownWhy, p.Why), truth(ownNearMiss, p.NearMiss)), true
	case *loop.CheckpointMade:
		return textAttr(ownCheckpoint, p.Checkpoint), true
	case *loop.CheckpointRestored:
		return slices.Concat(textAttr(ownCheckpoint, p.Checkpoint), textAttr(ownWhy, p.Why)), true
	case *loop.CommitMade:
		return textAttr(ownCommit, p.Commit), true
	case *loop.Warning:
		return slices.Concat(textAttr(ownWhy, p.Text), textAttr(ownHint, p.Hint)), true
	case *loop.AgentLimit:
		return slices.Concat(textAttr(ownLimit, p.Limit.Kind), textAttr(ownUntil, stamp(p.Limit.Until))), true
	case *loop.AgentRetry:
		about = known(ownTry, p.Try)
		if p.Error != nil {
			about = append(about, textAttr(errorType, p.Error.Kind)...)
		}
		return about, true
	case *loop.CommandReceived:
		return slices.Concat(textAttr(ownCommand, p.Command), textAttr(ownSignal, p.Signal), textAttr(ownEffect, p.Effect)), true
	case *loop.RunRule:
		return attributesOfVerdict(p.Verdict), true
	case *loop.RunRebootStarted:
		return textAttr(ownWhy, p.Why), true
	}
	return nil, false
}

// stamp writes a time for people; none is nothing.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
