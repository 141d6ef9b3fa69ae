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
