package engine

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/repo"
)

// Gate is one of the runner's own checks, and when it counts.
type Gate struct {
	gate.Gate
	OnlyClaims bool     // it judges claims, not every attempt
	Pin        []string // files that are as when the run began, where a claim is judged
	NoWorse    bool     // it is enough that no test fails that did not at the baseline
	Review     bool     // it asks an agent: last, and only when all others pass
}

// Judge runs the gates: in the work tree, or in a clean checkout of it.
type Judge struct {
	Gates []Gate
	Proof Proof
	Store *repo.Store // nil: no checkpoints are made, so there is no clean checkout
	Dir   string      // where gates run in the work tree
	Env   []string
	Exec  func(context.Context, proc.Spec) (loop.Exit, error)
	Work  *Work              // what reviewers see; nil: there are none
	Spent func() *loop.Usage // what reviewers used since it was last asked; nil: there are none

	// Tell hears what happens, and Log keeps what a gate prints.
	Tell func(loop.Payload)
	Log  func(gate string, where loop.Place) io.WriteCloser

	first *repo.Checkpoint // the tree when the run began
	clean *clean           // nil until it is needed
}

// Ruling is what the gates say of a claim.
type Ruling struct {
	Results     []gate.Result
	Pinned      []string // pinned files that differ from when the run began
	Why         string   // why the claim does not stand; empty: it is proven
	Person      string   // what only a person can settle
	Interrupted bool     // the gates were stopped: there is no ruling
}

// Attempt runs the gates of an attempt that claims nothing, in the work tree.
func (j *Judge) Attempt(ctx context.Context, s loop.State, at repo.Checkpoint) []gate.Result {
	return j.run(ctx, s, loop.InWorkspace, at, func(g Gate) bool { return !g.OnlyClaims })
}

// Claim runs every gate where claims are judged, on the tree at a checkpoint.
func (j *Judge) Claim(ctx context.Context, s loop.State, at repo.Checkpoint) Ruling {
	where := s.Proof
	if j.Store == nil || where == "" {
		where = loop.InWorkspace
	}
	r := Ruling{Results: j.run(ctx, s, where, at, everyGate)}
	r.Interrupted = interrupted(r.Results)
	red := failing(r.Results)
	r.Pinned = j.changedPins(ctx, at)
	switch {
	case r.Interrupted:
	case where == loop.InClean:
		j.weigh(ctx, s, at, red, &r)
	case len(red) > 0:
		r.Why = refusal(red)
	case len(r.Pinned) > 0:
		r.Why = "pinned files were changed (" + few(r.Pinned) + "), and there is no clean checkout to judge them as they were"
	}
	return r
}

// On runs the first gate on the tree at a checkpoint, in the clean checkout and
// with nothing pinned.
func (j *Judge) On(ctx context.Context, at repo.Checkpoint) gate.Result {
	g := j.Gates[0]
	g.Pin = nil
	return j.check(ctx, loop.State{}, g, loop.InClean, at)
}

func everyGate(Gate) bool { return true }

// weigh finds out why gates failed in the clean checkout. When they pass in the
// work tree, the checkout lacks something, and that is not the agent's failure:
// it is set up once more, and then a person is needed.
func (j *Judge) weigh(ctx context.Context, s loop.State, at repo.Checkpoint, red []gate.Result, r *Ruling) {
	if len(red) == 0 {
		return
	}
	for _, bad := range red {
		g := j.named(bad.Name)
		if pins := j.pinned(ctx, at, g); len(pins) > 0 {
			r.Why = refusal(red) + " with the pinned files as they were when the run began (changed: " + few(pins) + ")"
			return
		}
		if bad.Known { // red in both places since before the first iteration
			r.Why = refusal(red)
			return
		}
		if here := j.check(ctx, s, g, loop.InWorkspace, at); !here.OK {
			r.Interrupted = here.Interrupted
			r.Why = refusal(red)
			return
		}
	}
	j.clean.forget()
	for _, bad := range red {
		again := j.check(ctx, s, j.named(bad.Name), loop.InClean, at)
		i := slices.IndexFunc(r.Results, func(one gate.Result) bool { return one.Name == bad.Name })
		r.Results[i] = again
		switch {
		case again.Interrupted:
			r.Interrupted = true
			return
		case !again.OK:
			r.Person = disagreement(again)
			r.Results[i].OK, r.Results[i].Where = true, loop.InWorkspace // as it is where the agent worked
			return
		}
	}
}

func disagreement(r gate.Result) string {
	missing := r.Why
	if r.Telling != "" {
		missing += ": " + r.Telling
	}
	return fmt.Sprintf("gate %s passes in the work tree and fails in a clean checkout of it (%s); give the checkout what it lacks with proof.setup or proof.copy, or let the work tree do with done.proof = \"workspace\", then resume", r.Name, missing)
}

// run runs the gates that are picked: commands in their order, then reviewers,
// who cost money and are not asked while a command is red. Who is interrupted is
// the last.
func (j *Judge) run(ctx context.Context, s loop.State, where loop.Place, at repo.Checkpoint, pick func(Gate) bool) []gate.Result {
	var list []gate.Result
	for _, review := range []bool{false, true} {
		if review && len(failing(list)) > 0 {
			return list
		}
		for _, g := range j.Gates {
			if g.Review != review || !pick(g) {
				continue
			}
			r := j.check(ctx, s, g, where, at)
			list = append(list, r)
			if r.Interrupted {
				return list
			}
		}
	}
	return list
}

// check runs one gate.
func (j *Judge) check(ctx context.Context, s loop.State, g Gate, where loop.Place, at repo.Checkpoint) gate.Result {
	log := j.Log(g.Name(), where)
	defer log.Close()
	p := gate.Place{Where: where, Dir: j.Dir, Env: j.Env, Log: log, Exec: j.Exec, Expect: s.Expected(g.Name())}
	if j.Work != nil {
		j.Work.store, j.Work.first, j.Work.now = j.Store, j.first, &at
	}
	j.Tell(&loop.GateStarted{Name: g.Name(), Where: where})
	if where == loop.InClean {
		dir, err := j.enter(ctx, at, g.Pin, log)
		if err != nil {
			r := gate.Result{Gate: loop.Gate{Name: g.Name(), Where: where, Why: "no clean checkout: " + err.Error()}, Interrupted: ctx.Err() != nil}
			j.Tell(&loop.GateFinished{Gate: r.Gate})
			return r
		}
		p.Dir = dir
	}
	r := g.Check(ctx, p)
	if before, ok := known(s, g.Name()); ok {
		if g.NoWorse {
			r = gate.NoWorse(r, before)
		}
		r.Known = !r.OK && gate.Known(r, before)
	}
	j.Tell(&loop.GateFinished{Gate: r.Gate, Tests: r.Tests})
	return r
}

// known is the baseline of a gate that was red then and has not passed since.
func known(s loop.State, name string) (loop.BaselineGate, bool) {
	for _, k := range s.Known {
		if k.Name == name {
			return loop.BaselineGate{Gate: loop.Gate{Name: name}, Tests: k.Tests}, true
		}
	}
	return loop.BaselineGate{}, false
}

func (j *Judge) named(name string) Gate {
	return j.Gates[slices.IndexFunc(j.Gates, func(g Gate) bool { return g.Name() == name })]
}

// changedPins is every pinned file that differs from when the run began.
func (j *Judge) changedPins(ctx context.Context, at repo.Checkpoint) []string {
	var list []string
	for _, g := range j.Gates {
		list = append(list, j.pinned(ctx, at, g)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (j *Judge) pinned(ctx context.Context, at repo.Checkpoint, g Gate) []string {
	if len(g.Pin) == 0 || j.first == nil || j.Store == nil {
		return nil
	}
	list, err := j.Store.Pinned(ctx, at, repo.Pin{Patterns: g.Pin, First: *j.first})
	if err != nil {
		j.Tell(&loop.Warning{Text: "cannot compare the pinned files of gate " + g.Name() + ": " + err.Error()})
	}
	return list
}

func failing(list []gate.Result) []gate.Result {
	var red []gate.Result
	for _, r := range list {
		if !r.OK && !r.Interrupted {
			red = append(red, r)
		}
	}
	return red
}

func interrupted(list []gate.Result) bool {
	return slices.ContainsFunc(list, func(r gate.Result) bool { return r.Interrupted })
}

// refusal says why a claim does not stand: "gate test failed (3 of 12 tests)".
func refusal(red []gate.Result) string {
	var list []string
	for _, r := range red {
		list = append(list, fmt.Sprintf("gate %s failed (%s)", r.Name, r.Why))
	}
	return strings.Join(list, ", ")
}

// few names the first of a list.
func few(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// enter gives the clean checkout at a checkpoint, ready to run in.
func (j *Judge) enter(ctx context.Context, at repo.Checkpoint, pins []string, log io.Writer) (string, error) {
	if j.clean == nil {
		tree, err := j.Store.Proof(ctx, j.Proof.Dir)
		if err != nil {
			return "", err
		}
		j.clean = &clean{tree: tree, settings: j.Proof}
	}
	pin := repo.Pin{Patterns: pins}
	if j.first != nil {
		pin.First = *j.first
	}
	if err := j.clean.tree.Bring(ctx, at, pin); err != nil {
		return "", err
	}
	dir := filepath.Join(j.clean.tree.Dir(), filepath.FromSlash(j.Proof.Below))
	return dir, j.clean.setUp(ctx, gate.Place{Where: loop.InClean, Dir: j.clean.tree.Dir(), Env: j.Env, Log: log, Exec: j.Exec}, j.Tell)
}
