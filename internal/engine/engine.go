// Package engine is the order of things: one attempt after another, each a
// begin, a run, a check, a decision and a finish.
//
// Everything that happens becomes an event, is written to the journal, and only
// then shown to observers, so that nobody ever saw more than the journal knows.
// An agent that fails is an outcome; an error means that the runner itself
// cannot go on. What is decided is decided in package loop, by rules that the
// engine asks and never second-guesses.
//
//	Driver     from step to step: waits, pauses, questions, the end    driver.go, ask.go, park.go
//	Engine     the stepper of real runs: one attempt                   step.go, agent.go, recover.go
//	Order      what happens around an attempt, as lists                attempt.go
//	Kit        what all parts work with; in it the                     kit.go
//	Recorder   the memory: journal, state, observers                   recorder.go
//	Relay      keeps a run where another runner finds it               relay.go
//
// What stands in the lists, trees and gates and hooks and commits, is in packages
// parts and proof, and package app puts it in order.
package engine

import (
	"cmp"
	"errors"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Options are what a run has from its beginning.
type Options struct {
	Journal *journal.Run
	Past    journal.Past // of a run that goes on; where that was tampered with, it only ends
	Resumed bool         // it does
	// Rebaseline takes the baseline of a run that goes on once more.
	Rebaseline bool

	Workers []Worker // the agent, and behind it those that stand in for it
	Shared  Shared   // nil: limits are not shared
	Terms   Terms
	// Raise changes a limit for the rest of the run; nil: none can be changed.
	Raise func(key, value string) (Terms, error)

	Dir         string   // where the agent works
	Env         []string // of the agent, complete
	Bare        []string // of other children; nil: the same
	HasPrompt   bool     // the command gets one
	Confined    bool     // Exec holds agents in a sandbox
	Times       Times
	Context     Context
	Transcripts int // iterations whose raw output is kept
	// Trace adds to the environment of an attempt; nil: nothing.
	Trace func(iter, attempt int) []string

	Relay     Relay // nil: the run stays with this runner
	MostLost  int   // how often runners may die on one iteration; 0: LostTooOften
	Control   *steer.Control
	Observers []Observer
	Hide      *redact.Redactor // what is secret is not told; nil: nothing is
	Hurry     bool             // go on at once with a run that was waiting
	Clock     Clock            // nil is the one on the wall
	Exec      Exec             // runs one process to its end; nil is proc.Run
}

// Times is how long an agent may take; 0 is no end.
type Times struct {
	Iteration time.Duration
	Idle      time.Duration // without a sign of life
	Patience  time.Duration // with one that only tries a request again
}

// Engine makes the steps of a run with a real agent. Between two steps it keeps
// nothing: what the next one needs is in the state, or in the run's folder.
type Engine struct {
	*Kit
	order Order

	past       journal.Past
	resumed    bool
	rebaseline bool

	hasPrompt   bool
	confined    bool
	mostLost    int
	times       Times
	context     Context
	transcripts int
	trace       func(iter, attempt int) []string
}

// New makes an engine that goes on from the past in o. The parts in the order were
// made with the same kit.
func New(k *Kit, o Options, order Order) *Engine {
	return &Engine{
		Kit: k, order: order,
		past: o.Past, resumed: o.Resumed, rebaseline: o.Rebaseline,
		hasPrompt: o.HasPrompt, confined: o.Confined, mostLost: cmp.Or(o.MostLost, LostTooOften), times: o.Times, context: o.Context, transcripts: o.Transcripts, trace: o.Trace,
	}
}

// Ended tells the user of the end, and adds to it what could not be saved.
func (e *Engine) Ended(end *loop.RunFinished) {
	end.Unsaved = e.Journal.Trouble()
	for _, part := range e.order.Ended {
		part(end)
	}
}

// Close is the verdict that the run ends with, unless its records are no longer
// what it has written.
func (e *Engine) Close(v loop.Verdict, err error) (loop.Verdict, error) {
	var found *journal.TamperedError
	if err == nil && e.past.Tampered == "" {
		err = e.Journal.Verify()
	}
	if errors.As(err, &found) {
		return stop.Tampered(found.What), nil
	}
	for _, name := range e.Journal.PutBack() {
		e.Record(&loop.Warning{Text: name + " was changed or removed by somebody else while the run was live, and was put back", Hint: "the run went by what it knew, and not by the file"})
	}
	return v, err
}

var _ Stepper = (*Engine)(nil)
