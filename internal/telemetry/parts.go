package telemetry

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

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
		one.add(truth(ownDenied, true), text(errorType, "denied"))
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
			slices.Concat(text(ownGate, g.Name), text(ownWhere, g.Where)))
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
		slices.Concat(text(ownHook, p.Point), text(ownAction, p.Action)))
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
	if len(here.Events) >= mostMoments {
		here.Dropped++
		return
	}
	here.Events = append(here.Events, moment{Time: max(nanosOf(e.Time), here.Start), Name: string(e.Type()), Attributes: about})
}

// attributesOfMoment tells whether an event is one to be kept, and what of it.
func attributesOfMoment(p loop.Payload) (about []attribute, worth bool) {
	switch p := p.(type) {
	case *loop.ClaimHeard:
		return text(ownClaim, p.Kind), true
	case *loop.ClaimRefused:
		return slices.Concat(text(ownClaim, p.Kind), text(ownWhy, p.Why), truth(ownNearMiss, p.NearMiss)), true
	case *loop.CheckpointMade:
		return text(ownCheckpoint, p.Checkpoint), true
	case *loop.CheckpointRestored:
		return slices.Concat(text(ownCheckpoint, p.Checkpoint), text(ownWhy, p.Why)), true
	case *loop.CommitMade:
		return text(ownCommit, p.Commit), true
	case *loop.Warning:
		return slices.Concat(text(ownWhy, p.Text), text(ownHint, p.Hint)), true
	case *loop.AgentLimit:
		return slices.Concat(text(ownLimit, p.Limit.Kind), text(ownUntil, stamp(p.Limit.Until))), true
	case *loop.AgentRetry:
		about = known(ownTry, p.Try)
		if p.Error != nil {
			about = append(about, text(errorType, p.Error.Kind)...)
		}
		return about, true
	case *loop.CommandReceived:
		return slices.Concat(text(ownCommand, p.Command), text(ownSignal, p.Signal), text(ownEffect, p.Effect)), true
	case *loop.RunRule:
		return attributesOfVerdict(p.Verdict), true
	case *loop.RunRebootStarted:
		return text(ownWhy, p.Why), true
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
