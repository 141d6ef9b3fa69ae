package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Digest tells of a run in short, as a log of the night: a line for what is of
// note, in lower case and without its time. The zero Digest is ready.
type Digest struct {
	Zone *time.Location // of the times in it; nil is the local one
	Idle time.Duration  // the silence after which an agent is ended
}

// shortWait is a pause that is not worth a line.
const shortWait = time.Minute

// Line is the line for an event, empty for one that is not of note.
func (d Digest) Line(e loop.Event) string {
	switch p := e.Payload.(type) {
	case *loop.RunResumed:
		return "another runner goes on from the journal"
	case *loop.RunBaseline:
		return "before the first iteration: " + redBefore(p)
	case *loop.IterationFinished:
		said := d.attempt(At(e.Iter, 0), &p.Outcome)
		if p := p.Outcome.Plan; p != nil && len(p.Ticked) > 0 {
			said += "; did " + Names(p.Ticked, FewNames)
		}
		return said
	case *loop.RunWaiting:
		if p.Agent == "" && p.For.Duration() < shortWait {
			return ""
		}
		return fmt.Sprintf("waits %s, until %s: %s", Brief(p.For.Duration()), clockIn(p.Until, e.Time, d.Zone), text.Line(p.Why))
	case *loop.RunRebootStarted:
		return "the next session is a fresh one: " + text.Line(p.Why)
	case *loop.CheckpointRestored:
		return "the files are put back: " + text.Line(p.Why)
	case *loop.ClaimRefused:
		if p.NearMiss {
			return fmt.Sprintf("%s nearly claims to be done: %s", At(e.Iter, 0), text.Line(p.Why))
		}
	case *loop.Warning:
		return "warning: " + text.Line(p.Text)
	case *loop.RunParked:
		return "the run is parked: " + text.Line(p.Why)
	case *loop.RunFinished:
		return fmt.Sprintf("the run ends: %s (%s)", People(p.State, p.Level()), text.Line(p.Why))
	}
	return ""
}

func redBefore(b *loop.RunBaseline) string {
	var red []string
	for _, g := range b.Gates {
		if !g.Gate.OK {
			red = append(red, fmt.Sprintf("gate %s %s", text.Line(g.Gate.Name), Gate(g.Gate)))
		}
	}
	if len(red) == 0 {
		return "every gate passes"
	}
	return strings.Join(red, ", ")
}

// attempt is how one ended.
func (d Digest) attempt(name string, o *loop.Outcome) string {
	took := Brief(o.Duration.Duration())
	switch o.Result {
	case loop.Idle:
		return fmt.Sprintf("%s hung; ended after %s of silence", name, Brief(d.Idle))
	case loop.TimedOut:
		return fmt.Sprintf("%s took too long; ended after %s", name, took)
	case loop.Limited:
		until := ""
		if o.Limit != nil && !o.Limit.Until.IsZero() {
			until = " until " + clockIn(o.Limit.Until, o.EndedAt, d.Zone)
		}
		return fmt.Sprintf("%s was turned away: %s%s; it does not count", name, UsageLimit(o.Limit), until)
	case loop.Unavailable:
		return fmt.Sprintf("%s was turned away: %s; it does not count", name, said(o, "the provider is unavailable"))
	case loop.Lost:
		return name + " was lost with its runner; it does not count"
	case loop.Skipped:
		return name + " was skipped"
	case loop.Interrupted:
		return fmt.Sprintf("%s was interrupted after %s; it does not count", name, took)
	}
	if AgentFailed(o) {
		return fmt.Sprintf("%s failed after %s: %s", name, took, said(o, "the agent failed"))
	}
	return name + " " + workWords(o, took)
}

// workWords is what became of the work of an agent that ended well.
func workWords(o *loop.Outcome, took string) string {
	switch claim, level := o.Claim, Level(ClaimProof(o)); {
	case claim.Refused():
		return fmt.Sprintf("claimed to be %s after %s; refused: %s", claim.Kind, took, text.Line(claim.Why))
	case level == loop.LevelProven:
		return fmt.Sprintf("claimed to be %s after %s; the gates agree", claim.Kind, took)
	case level.AtLeast(loop.LevelTestsChanged):
		return fmt.Sprintf("claimed to be %s after %s; %s", claim.Kind, took, LevelWords(level))
	case claim != nil:
		return fmt.Sprintf("claimed to be %s after %s", claim.Kind, took)
	}
	for _, g := range o.Gates {
		if !g.OK && !g.Known {
			return fmt.Sprintf("worked for %s; gate %s %s", took, text.Line(g.Name), Gate(g))
		}
	}
	if o.Progress != nil && !*o.Progress {
		return fmt.Sprintf("worked for %s and got nowhere", took)
	}
	return "worked for " + took
}

// said is what the agent says went wrong.
func said(o *loop.Outcome, otherwise string) string {
	if o.Error == nil || o.Error.Message == "" {
		return otherwise
	}
	return text.Line(o.Error.Message)
}

// Brief is a duration without parts that are nothing: 15m, 2h05m, 40s.
func Brief(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(text.Seconds(d), "00s"), "00m")
}
