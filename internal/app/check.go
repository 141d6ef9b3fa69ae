package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/request"
)

// Checked is what the gates say of the work tree as it is now.
type Checked struct {
	*loop.RunBaseline
	Results []gate.Both
	Sandbox *loop.Sandbox
	Reviews []string // gates that ask an agent: they judge the work of a run
}

// OK tells whether every gate passes where claims are judged.
func (c *Checked) OK() bool {
	for _, one := range c.Results {
		if !one.Work.OK || c.judged(one.Work.Name) == loop.InClean && one.Clean != nil && !one.Clean.OK {
			return false
		}
	}
	return true
}

// Sandboxed says of a gate that passes outside of the sandbox alone what it lacks, and
// how to let it have that.
func (c *Checked) Sandboxed(i int) (what, hint string) {
	v, hint := proof.Sandboxed(c.Results[i])
	return v.Why, hint
}

// judged is where a gate judges claims.
func (c *Checked) judged(name string) loop.Place {
	for _, g := range c.Gates {
		if g.Gate.Name == name && g.Judged != "" {
			return g.Judged
		}
	}
	return c.Proof
}

// CheckGates runs the gates of the settings now, in the work tree and in a clean
// checkout, and leaves nothing behind. It is nil when it was interrupted.
func CheckGates(ctx context.Context, dir string, req request.Request, tell func(loop.Payload)) (*Checked, error) {
	j, err := prepareCheck(ctx, dir, req)
	if err != nil {
		return nil, err
	}
	runs, err := journal.Open(j.Tree)
	if err == nil {
		runs, err = runs.Claim()
	}
	if err != nil {
		return nil, err
	}
	scratch, err := scratchFolder(runs)
	if err != nil {
		return nil, err
	}
	defer func() { _ = files.RemoveTree(scratch) }() // only costs room
	a := &agency{Assignment: j.Assignment}
	crew, err := a.judges(ctx, "check_"+rand.Text(), history.ProofDir(j.Tree, scratch))
	if err != nil {
		return nil, err
	}
	defer crew.Close()
	if w := unconfinedGates(a.found); w != nil {
		tell(w)
	}
	for _, w := range unusedOpenings(j.Config().Sandbox) {
		tell(&w)
	}
	crew.news.hear(tell)
	gates, err := newGates(j.Assignment, nil, &spending{}, "", nil)
	if err != nil {
		return nil, err
	}
	judge := proof.Judge{
		Gates: gates, Dir: j.Dir(), Env: append(j.Environ(), "REFRAIN_PROJECT_DIR="+j.Tree), Withheld: j.Withheld(), Exec: crew.Run, Unconfined: crew.unconfined(works{runs, j.files}), Hide: j.secrets(),
		Tell: tell, File: func(string, loop.Place, string) (io.WriteCloser, string) { return nowhere{}, "" },
	}
	var at checkpoint.Checkpoint
	if j.Config().Git.Checkpoint && j.files.Git() {
		tree := j.files.Through(crew.Run)
		if judge.Store, err = checkpoint.OpenStore(ctx, tree, filepath.Join(scratch, "objects"), history.Pool(runs)); err != nil {
			return nil, fmt.Errorf("keep the work tree as it is: %w", err)
		}
		if at, err = judge.Store.Checkpoint(ctx); err != nil {
			return nil, fmt.Errorf("keep the work tree as it is: %w", err)
		}
		defer func() { _ = history.DropProof(j.Tree, scratch) }()
		judge.Proof = j.proofSettings(history.ProofDir(j.Tree, scratch), scratch) // when that is gone, so is whoever used it
	} else {
		judge.Proof = j.proofSettings("", "")
	}
	judge.Proof.Baseline = true // this is what was asked for
	if judge.Proof.Mode == "none" {
		judge.Proof.Mode = "auto"
	}
	c := &Checked{Sandbox: a.found}
	if c.RunBaseline, c.Results = judge.Baseline(ctx, at); c.RunBaseline == nil {
		return nil, nil
	}
	for _, g := range gates {
		if g.Review {
			c.Reviews = append(c.Reviews, g.Name())
		}
	}
	return c, nil
}

// unconfinedGates is what a person should hear before gates run without a sandbox; nil:
// there is one, or nobody wants any.
func unconfinedGates(found *loop.Sandbox) *loop.Warning {
	_, hint, ok := found.Warning()
	if !ok {
		return nil
	}
	text := "gates are not confined"
	if found.Why != "" {
		text += ": " + found.Why
	}
	return &loop.Warning{Text: text, Hint: hint}
}

// prepareCheck reads the settings; neither an agent nor a prompt is needed.
func prepareCheck(ctx context.Context, dir string, req request.Request) (*Job, error) {
	assignment, err := request.In(dir, req)
	if err != nil {
		return nil, err
	}
	j := &Job{Assignment: assignment}
	if j.news, err = agreed(ctx, assignment, nil); err != nil {
		return nil, err
	}
	if err := checkDir(j.Dir()); err != nil {
		return nil, err
	}
	if j.files, err = git.Open(ctx, j.Tree, nil); err != nil {
		return nil, &request.UsageError{What: err.Error(), Hint: "see that \"git status\" works here"}
	}
	if len(j.Config().Gates) == 0 {
		return nil, &request.UsageError{
			What: "there are no gates to check",
			Hint: "add a [[gate]] with name and run to refrain.toml, or pass --gate COMMAND",
		}
	}
	return j, nil
}

// scratchFolder is for a store that lasts as long as the check. It is on the
// disk of the pool, whose objects can be linked and need no copy.
func scratchFolder(runs journal.Store) (string, error) {
	dir, err := os.MkdirTemp(runs.Dir, "check-")
	if err != nil {
		return "", fmt.Errorf("make room for the check: %w", err)
	}
	return dir, nil
}

// Bisect finds the iteration that broke a gate. Where the run did not record how
// the gate was, it is run on the checkpoints, in a clean checkout of its own; tell
// hears of each time, and warn what is wrong with that.
func Bisect(ctx context.Context, runs journal.Store, entry journal.Entry, name string, req request.Request, tell func(iteration int, g loop.Gate), warn func(*loop.Warning)) (*history.Culprit, error) {
	h, err := history.Open(ctx, runs, entry)
	if err != nil {
		return nil, err
	}
	var t *trial // nil until the gate is to be run
	defer func() {
		if t != nil {
			t.close()
		}
	}()
	return h.Bisect(name, func(iter int) (loop.Gate, error) {
		if t == nil {
			if t, err = newTrial(ctx, entry, h, name, req); err != nil {
				return loop.Gate{}, err
			}
			if w := unconfinedGates(t.sandbox); w != nil {
				warn(w)
			}
		}
		g, err := t.run(ctx, iter)
		if err == nil {
			tell(iter, g)
		}
		return g, err
	})
}

// trial runs one gate on checkpoints, in a clean checkout that nothing else uses.
type trial struct {
	kept  *history.History
	judge proof.Judge
	crew  *crew
	dir   string

	sandbox *loop.Sandbox
}

func newTrial(ctx context.Context, entry journal.Entry, h *history.History, name string, req request.Request) (*trial, error) {
	j, err := prepareCheck(ctx, entry.Tree, req)
	if err != nil {
		return nil, err
	}
	gates, err := newGates(j.Assignment, nil, &spending{}, "", nil)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(gates, func(g proof.Gate) bool { return g.Name() == name && !g.Review })
	if i < 0 {
		return nil, &request.UsageError{What: fmt.Sprintf("there is no gate %s to run, and the run did not record it everywhere", name), Hint: "name a gate of refrain.toml that runs a command"}
	}
	id := "bisect_" + rand.Text()
	t := &trial{kept: h, dir: filepath.Join(history.ProofDir(j.Tree, entry.Dir), id)}
	a := &agency{Assignment: j.Assignment}
	if t.crew, err = a.judges(ctx, id, t.dir); err != nil {
		return nil, err
	}
	t.sandbox = a.found
	t.judge = proof.Judge{
		Gates: gates[i : i+1], Proof: j.proofSettings(t.dir, entry.Dir), Store: h.Kept, Dir: j.Dir(),
		Env: append(j.Environ(), "REFRAIN_PROJECT_DIR="+j.Tree), Withheld: j.Withheld(), Exec: t.crew.Run, Hide: j.secrets(), Tell: func(loop.Payload) {},
		File: func(string, loop.Place, string) (io.WriteCloser, string) { return nowhere{}, "" },
	}
	return t, nil
}

func (t *trial) run(ctx context.Context, iter int) (loop.Gate, error) {
	at, err := t.kept.At(ctx, iter)
	if err != nil {
		return loop.Gate{}, err
	}
	r := t.judge.On(ctx, at)
	if r.Interrupted {
		return r.Gate, context.Canceled
	}
	return r.Gate, nil
}

func (t *trial) close() {
	t.crew.Close()
	_ = files.RemoveTree(t.dir) // prune tries again
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }
