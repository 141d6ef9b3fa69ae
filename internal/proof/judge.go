package proof

import (
	"context"
	"fmt"
	"io"
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
	Proof Settings
	Store *repo.Store // nil: no checkpoints are made, so there is no clean checkout
	Dir   string      // where gates run in the work tree
	Env   []string
	Exec  func(context.Context, proc.Spec) (loop.Exit, error)
	Work  *Work              // what reviewers see; nil: there are none
	Spent func() *loop.Usage // what reviewers used since it was last asked; nil: there are none

	// Tell hears what happens, and Log keeps what a gate prints.
	Tell func(loop.Payload)
	Log  func(gate string, where loop.Place) io.WriteCloser

	First   *repo.Checkpoint // the tree when the run began; nil: it is not known
	Spoiled repo.Guarded     // pinned files that agents have changed, those that git ignores too

	clean *clean // nil until it is needed
}

// Ruling is what the gates say of a claim.
type Ruling struct {
	Results     []gate.Result
	Pinned      []string // pinned files that differ from when the run began
	Why         string   // why the claim does not stand; empty: it is proven
	Person      string   // what only a person can settle
	Interrupted bool     // the gates were stopped: there is no ruling
}

// Green tells whether every gate that ran passed.
func (r Ruling) Green() bool { return !r.Interrupted && len(failing(r.Results)) == 0 }

// Attempt runs the gates of an attempt that claims nothing, in the work tree.
func (j *Judge) Attempt(ctx context.Context, s loop.State, at repo.Checkpoint) Ruling {
	list := j.run(ctx, s, loop.InWorkspace, at, func(g Gate) bool { return !g.OnlyClaims })
	return Ruling{Results: list, Interrupted: interrupted(list)}
}

// Claim runs every gate where claims are judged, on the tree at a checkpoint.
// What gates have already found in the work tree is not asked again there.
func (j *Judge) Claim(ctx context.Context, s loop.State, at repo.Checkpoint, found []gate.Result) Ruling {
	if j.where(s) == loop.InClean {
		return j.claimInClean(ctx, s, at)
	}
	r := Ruling{Results: found}
	if !interrupted(found) && len(failing(found)) == 0 {
		r.Results = append(r.Results, j.run(ctx, s, loop.InWorkspace, at, func(g Gate) bool { return !among(found, g) })...)
	}
	if r.Interrupted = interrupted(r.Results); r.Interrupted {
		return r
	}
	pins, err := j.changedPins(ctx, at)
	pins = append(pins, j.beyond(pins)...)
	switch red := failing(r.Results); {
	case len(red) > 0:
		r.Why = refusal(red)
	case err != nil:
		r.Why = err.Error()
	case len(pins) > 0:
		r.Why = "pinned files were changed (" + loop.Few(pins) + "), and there is no clean checkout to judge them as they were"
	}
	r.Pinned = pins
	return r
}

func among(found []gate.Result, g Gate) bool {
	return slices.ContainsFunc(found, func(r gate.Result) bool { return r.Name == g.Name() })
}

// On runs the first gate on the tree at a checkpoint, in the clean checkout and
// with nothing pinned.
func (j *Judge) On(ctx context.Context, at repo.Checkpoint) gate.Result {
	g := j.Gates[0]
	g.Pin = nil
	return j.check(ctx, loop.State{}, g, loop.InClean, at)
}

// where is the place in which claims are judged: the one that was asked for, or
// else the one that the baseline chose.
func (j *Judge) where(s loop.State) loop.Place {
	switch {
	case j.Store == nil || !j.Store.CanRestore() || j.Proof.Mode == "workspace":
		return loop.InWorkspace
	case j.Proof.Mode == "clean" || s.Proof == loop.InClean:
		return loop.InClean
	}
	return loop.InWorkspace
}

func everyGate(Gate) bool { return true }

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
		j.Work.store, j.Work.first, j.Work.now = j.Store, j.First, &at
	}
	j.Tell(&loop.GateStarted{Name: g.Name(), Where: where})
	if where == loop.InClean {
		dir, err := j.enter(ctx, at, g.Pin, log)
		if err != nil {
			r := gate.Result{Gate: loop.Gate{Name: g.Name(), Where: where, Why: "no clean checkout: " + err.Error()}}
			if ctx.Err() != nil {
				r.Why, r.Interrupted = "interrupted", true
			}
			j.Tell(&loop.GateFinished{Gate: r.Gate})
			return r
		}
		p.Dir = dir
		p.Env = append(slices.Clone(p.Env), "REFRAIN_PROJECT_DIR="+j.clean.tree.Dir()) // not the work tree
	}
	r := g.Check(ctx, p)
	if before, ok := known(s, g.Name()); ok {
		r.Known = !r.OK && gate.Known(r, before)
		if g.NoWorse {
			r = gate.NoWorse(r, before)
		}
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
