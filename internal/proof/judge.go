package proof

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/testlist"
)

// Judge runs the gates: in the work tree, or in a clean checkout of it.
type Judge struct {
	Gates []Gate
	Proof Settings
	Store *checkpoint.Store // nil: no checkpoints are made, so there is no clean checkout
	Dir   string            // where gates run in the work tree
	Env   []string
	// Withheld are names of variables that are set and not in it.
	Withheld []string
	Exec     func(context.Context, proc.Spec) (loop.Exit, error)
	// Unconfined is the same outside of the sandbox; nil: there is none.
	Unconfined func(context.Context, proc.Spec) (loop.Exit, error)
	Work       *Work              // what reviewers see; nil: there are none
	Spent      func() *loop.Usage // what reviewers used since it was last asked; nil: there are none
	Hide       *redact.Redactor   // what is secret is not told; nil: nothing is

	// Tell hears what happens, and File keeps what there is of a gate, by its kind, and
	// says in which file of the attempt; it has no name where nothing is kept.
	Tell func(loop.Payload)
	File func(gate string, where loop.Place, kind string) (file io.WriteCloser, name string)

	First   *checkpoint.Checkpoint // the tree when the run began; nil: it is not known
	Spoiled git.Guarded            // pinned files that agents have changed, those that git ignores too

	// Accepted says that a person has looked at what changed since the run began.
	Accepted bool
	// Remember keeps what is known, for a runner that goes on; nil: nobody does.
	Remember func(Known)

	known     Known
	tidied    bool       // what a killed runner left is gone
	differs   difference // the last one that was asked for
	then      *firstTree // nil until it is needed
	untouched bool       // no agent has worked yet: what lies in the work tree is the user's
}

// Recall takes up what an earlier runner knew.
func (j *Judge) Recall(k Known) { j.known = k }

func (j *Judge) remember() {
	if j.Remember != nil {
		j.Remember(j.known)
	}
}

// Ruling is what the gates say of an attempt or a claim.
type Ruling struct {
	Results     []gate.Result
	Pinned      []string      // pinned files that differ from when the run began
	Proof       *loop.Proof   // what stands behind a claim; nil: it does not stand, or none was made
	Why         string        // why a claim does not stand
	Lacks       string        // what it lacks, when that and no red gate is why
	Person      string        // what only a person can settle
	Interrupted bool          // the gates were stopped: there is no ruling
	Old         []gate.Result // gates that are red with the tests as they were

	doubted bool     // files that decide what is tested were changed
	held    []string // fixed tests that pass as they were
}

// Green tells whether every gate that ran passed.
func (r Ruling) Green() bool { return !r.Interrupted && len(failing(r.Results)) == 0 }

// Attempt runs the gates of an attempt that claims nothing, in the work tree: the
// quick check.
func (j *Judge) Attempt(ctx context.Context, s loop.State, at checkpoint.Checkpoint) Ruling {
	list := j.run(func(g Gate) gate.Result { return j.here(ctx, s, g, at) }, func(g Gate) bool { return !g.OnlyClaims })
	j.learnAll(list)
	return Ruling{Results: list, Interrupted: interrupted(list)}
}

// Fixed is which of the tests that no longer fail pass as they were: all of
// them while nothing that decides what is tested was changed, else those that
// were seen to.
func (j *Judge) Fixed(ctx context.Context, at checkpoint.Checkpoint, r Ruling, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	if r.Proof == nil && r.held == nil && !r.doubted {
		changed, err := j.changes(ctx, at)
		r.doubted = err != nil || changed.oldChanged()
	}
	if !r.doubted {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(r.held, name) })
}

// On runs the first gate on the tree at a checkpoint, in the clean checkout and
// with nothing pinned.
func (j *Judge) On(ctx context.Context, at checkpoint.Checkpoint) gate.Result {
	j.untouched = true // nobody claims anything
	rooms := newRooms(j)
	defer rooms.close()
	return j.there(ctx, loop.State{}, j.Gates[0], rooms, at.Tree, at)
}

// where is the place in which a gate judges claims: the one that was asked for,
// or else the one that the baseline chose.
func (j *Judge) where(s loop.State, g Gate) loop.Place {
	switch {
	case j.Store == nil || !j.Store.CanRestore() || j.Proof.Mode == "workspace":
		return loop.InWorkspace
	case j.Proof.Mode == "clean" || s.Proof == loop.InClean && !slices.Contains(s.Tied, g.Name()):
		return loop.InClean
	}
	return loop.InWorkspace
}

// run runs the gates that are picked: commands in their order, then reviewers,
// who cost money and are not asked while a command is red. Who is interrupted is
// the last.
func (j *Judge) run(check func(Gate) gate.Result, pick func(Gate) bool) []gate.Result {
	var list []gate.Result
	for _, review := range []bool{false, true} {
		if review && len(failing(list)) > 0 {
			return list
		}
		for _, g := range j.Gates {
			if g.Review != review || !pick(g) {
				continue
			}
			r := check(g)
			list = append(list, r)
			if r.Interrupted {
				return list
			}
		}
	}
	return list
}

// here runs one gate in the work tree.
func (j *Judge) here(ctx context.Context, s loop.State, g Gate, at checkpoint.Checkpoint) gate.Result {
	log, _ := j.File(g.Name(), loop.InWorkspace, logKind)
	defer log.Close()
	p := gate.Place{Where: loop.InWorkspace, Dir: j.workDir(g), Env: j.Env, Withheld: j.Withheld, Log: log, Exec: j.Exec, Hide: j.Hide, Expect: s.Expected(g.Name())}
	j.Tell(&loop.GateStarted{Name: g.Name(), Where: loop.InWorkspace})
	return j.check(ctx, s, g, p, at.Tree, at)
}

// workDir is where a gate runs in the work tree.
func (j *Judge) workDir(g Gate) string {
	if g.Dir == "" {
		return j.Dir
	}
	return filepath.Join(j.Proof.Tree, filepath.FromSlash(g.Dir))
}

// there runs one gate in the clean checkout of a tree.
func (j *Judge) there(ctx context.Context, s loop.State, g Gate, rooms *rooms, tree string, at checkpoint.Checkpoint) gate.Result {
	log, _ := j.File(g.Name(), loop.InClean, logKind)
	defer log.Close()
	j.Tell(&loop.GateStarted{Name: g.Name(), Where: loop.InClean})
	room, err := rooms.enter(ctx, tree, log)
	if err != nil {
		r := gate.Result{Gate: loop.Gate{Name: g.Name(), Where: loop.InClean, Dir: g.Dir, Why: "no clean checkout: " + err.Error()}}
		if files.NoSpace(err) {
			r.Why, r.NoSpace = "the disk is full, free some space: "+err.Error(), true
		}
		if ctx.Err() != nil {
			r.Why, r.Interrupted = "interrupted", true
		}
		j.Tell(&loop.GateFinished{Gate: r.Gate})
		return r
	}
	room.used = true
	p := rooms.place(room, j.Proof.below(g), log)
	if g.Review { // an agent that the user trusts with more than its place
		p.Env = append(slices.Clone(j.Env), "REFRAIN_PROJECT_DIR="+room.Dir())
	}
	p.Expect = s.Expected(g.Name())
	return j.check(ctx, s, g, p, tree, at)
}

// check runs one gate in a place.
func (j *Judge) check(ctx context.Context, s loop.State, g Gate, p gate.Place, tree string, at checkpoint.Checkpoint) gate.Result {
	if j.Work != nil {
		j.Work.store, j.Work.first, j.Work.now = j.Store, j.First, &at
	}
	r := j.ask(ctx, g, p)
	r.Tree, r.Dir = tree, g.Dir
	if before, ok := known(s, g.Name()); ok {
		r.Known = !r.OK && gate.Known(r, before)
		if g.NoWorse {
			r = gate.NoWorse(r, before)
		}
	}
	j.Tell(&loop.GateFinished{Gate: r.Gate, Tests: r.Tests, TestsFile: j.list(r, "")})
	return r
}

// logKind is what a gate prints.
const logKind = ".log"

// list keeps what a gate saw of tests, one by one, and gives the file's name. With is
// a word for another tree than the one that is judged.
func (j *Judge) list(r gate.Result, with string) string {
	look, ok := testlist.New(r.Report, r.Tests, r.Each)
	if !ok || r.Interrupted { // then it runs again
		return ""
	}
	look.Gate, look.Where, look.With = r.Name, r.Where, with
	name := r.Name
	if with != "" {
		name += "." + with
	}
	file, kept := j.File(name, r.Where, testlist.Kind)
	defer file.Close()
	if err := look.Write(file); err != nil {
		return "" // values of these types always encode, and writing never fails
	}
	return kept
}

// ask has a gate look at a place. A gate of a program's own need not know what is
// secret.
func (j *Judge) ask(ctx context.Context, g Gate, p gate.Place) gate.Result {
	return redact.In(j.Hide, g.Check(ctx, p))
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

// lines are the commands of the gates.
func (j *Judge) lines() []string {
	var list []string
	for _, g := range j.Gates {
		if g.Line != "" {
			list = append(list, g.Line)
		}
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

// note remembers how a gate was.
func (j *Judge) note(g Gate, b Before) {
	if j.known.Before == nil {
		j.known.Before = map[string]Before{}
	}
	j.known.Before[g.key()] = b
	j.remember()
}

// learnAll takes note of tests that came up green.
func (j *Judge) learnAll(results []gate.Result) {
	changed := false
	for _, r := range results {
		changed = j.known.learn(j.named(r.Name), r) || changed
	}
	if changed {
		j.remember()
	}
}
