// Package policy says by what a run is judged: from its settings, and what only
// its request and its agents can tell, to limits, counting and rules.
//
// Everything here is pure. A run that is alive, a resume, and a record that is
// decided again under other settings ask the same functions, so that they cannot
// come to different answers. What a rule does is in package stop, and what a
// setting means in package config.
package policy

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Terms are the terms of one run.
type Terms struct {
	Config config.Config
	Kind   config.Kind // what sort of run it is

	Agents       []string // by name; the first works unless its provider turns it away
	KeepsSession bool     // the agent's session goes on from one iteration to the next
	OwnGates     int      // gates that the program brings along, beside those of the settings
	OwnRules     []loop.Rule
	OwnClaims    bool // the program has a check of its own for claims

	// Margin is added to the end of a provider's limit, and differs between runs,
	// so that not all loops of a machine wake together.
	Margin time.Duration
}

// NewMargin is one for a run, by chance: random gives a number below n.
func NewMargin(random func(n int) int) time.Duration {
	return time.Second + time.Duration(random(4000))*time.Millisecond
}

// Gates is how many gates there are, of the settings and of the program.
func (t Terms) Gates() int { return len(t.Config.Gates) + t.OwnGates }

// Gated tells whether gates look at the work.
func (t Terms) Gated() bool { return t.Gates() > 0 && t.Config.Loop.Gates }

// Proves tells whether gates judge claims.
func (t Terms) Proves() bool { return t.Gated() && t.Config.Done.Proof != "none" }

// Completion is which ways to be done were asked for.
func (t Terms) Completion() stop.Completion {
	done := t.Config.Done
	return stop.Completion{
		Promise: done.Promise != "", Plan: done.Plan != "", Gates: done.Gates, ExitZero: t.exitZero(), Check: t.OwnClaims,
		Proof: t.Proves(), ProofOff: t.Gated() && !t.Proves(),
		Confirmations: t.Config.Stop.Done.Confirmations,
	}
}

// exitZero tells whether exit status 0 is a way to be done.
func (t Terms) exitZero() bool {
	alone := t.Config.Done.Promise == "" && t.Config.Done.Plan == "" && t.Gates() == 0 && !t.OwnClaims
	if t.Config.Loop.ExitZeroIsDone == setting.Alone {
		return alone
	}
	return t.Config.Loop.ExitZeroIsDone.Or(t.Kind == config.AdHocCommand && alone)
}

// CanBeDone tells whether there is any way to be done: one that was asked for, or a
// rule of the program's, which may say so.
func (t Terms) CanBeDone() bool { return t.Completion().Asked() || len(t.OwnRules) > 0 }

// CanEnd tells whether anything can end the run but a person.
func (t Terms) CanEnd() bool { return stop.CanEnd(t.settings()) }

// TestsMayBecome is what may become of tests, where gates judge claims; empty
// where none do.
func (t Terms) TestsMayBecome() string {
	if t.Proves() && t.CanBeDone() {
		return t.Config.Done.Tests
	}
	return ""
}

// Limits is what the run may use up, and how often it may fail.
func (t Terms) Limits() loop.Limits { return stop.Limits(t.settings()) }

// settings is what the rules go by, with what only this run knows.
func (t Terms) settings() stop.Settings {
	s := t.Config.Stop
	s.Done, s.Limit, s.Session.Keep, s.Own = t.Completion(), t.Holds(), t.KeepsSession, t.OwnRules
	return s
}

// Counting is how attempts count.
func (t Terms) Counting() loop.CountPolicy {
	c := t.Config
	return loop.CountPolicy{
		GatesAreFailures: c.Stop.GatesAreFailures, SkipsAreFree: !c.Stop.SkipsCount, Ratchet: c.Git.OnRegression == "rollback",
		Keep: t.KeepsSession, Agents: t.Agents,
	}
}

// Holds is what to do about a provider that turns the agent away.
func (t Terms) Holds() stop.ProviderPolicy {
	s := t.Config.Stop
	s.Limit.MaxTime, s.Limit.Backoff, s.Limit.Margin = s.Time, s.Pace.Backoff, t.Margin
	return s.Limit
}

// Rules are the rules that end the run or make it wait, in the order in which
// they win.
func (t Terms) Rules() []loop.Rule {
	s := t.settings()
	s.PermissionsFix = fmt.Sprintf("allow more with --permissions (now %q), or in the settings of %s itself", t.Config.Permissions.Mode, t.Agents[0])
	return stop.Rules(s)
}
