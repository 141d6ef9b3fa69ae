package proof

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/harness"
	"github.com/refrain-loop/refrain/internal/loop"
)

// changes is what agents did to the tree since the run began, sorted by what it
// is to the tests.
type changes struct {
	work  []checkpoint.Edit  // outside of the plan
	plan  bool               // the plan was changed
	tests []testFile         // files that decide about tests
	needs []checkpoint.Patch // files that say what is installed, as they are
}

// testFile is a file that decides about tests and was changed.
type testFile struct {
	path string
	was  checkpoint.Patch // to have it as it was, on the work as it is
	is   checkpoint.Patch // to have it as it is, on the work as it was
	old  bool             // it was there when the run began
	free bool             // a new test, and no more: nothing that was there leads to it
}

// oldChanged tells whether a file with tests that was there when the run began is
// another one now.
func (c changes) oldChanged() bool { return len(c.oldFiles()) > 0 }

// oldFiles names these.
func (c changes) oldFiles() []string {
	var list []string
	for _, b := range c.tests {
		if b.old {
			list = append(list, b.path)
		}
	}
	return list
}

// files names all that decide about tests and were changed.
func (c changes) files() []string {
	var list []string
	for _, b := range c.tests {
		list = append(list, b.path)
	}
	return list
}

// errNoFirst says that nothing can be held against what it was.
var errNoFirst = errors.New("the first checkpoint is not known")

// changes looks at what differs from the first checkpoint.
func (j *Judge) changes(ctx context.Context, at checkpoint.Checkpoint) (changes, error) {
	switch {
	case j.Store == nil || j.First == nil:
		return changes{}, errNoFirst
	case !j.Store.CanRestore():
		return j.listedChanges(ctx, at)
	}
	trees := j.Store.Trees()
	edits, err := j.edits(ctx, at.Tree)
	if err != nil {
		return changes{}, err
	}
	then, err := j.atFirst(ctx)
	if err != nil {
		return changes{}, err
	}
	var c changes
	prefix := trees.Prefix()
	plans := j.Proof.plans()
	for _, e := range edits {
		switch path, below := strings.CutPrefix(e.Path, prefix); {
		case below && plans[path]:
			c.plan = true
			c.needs = append(c.needs, checkpoint.Patch{Path: e.Path, File: e.Is}) // a tick is no reason to pass
		case isWork(path) || e.From != "" && isWork(strings.TrimPrefix(e.From, prefix)):
			c.work = append(c.work, e)
		}
		if harness.Of(e.Path) == harness.Manifest || gate.Locks(e.Path) {
			c.needs = append(c.needs, checkpoint.Patch{Path: e.Path, File: e.Is})
		}
		for _, part := range asMoves(e) {
			b, ok, err := then.testFile(ctx, trees, part)
			if err != nil {
				return changes{}, err
			}
			if ok {
				c.tests = append(c.tests, b)
			}
		}
	}
	return c, nil
}

// edits is what differs from the first checkpoint. It is asked several times of
// one tree.
func (j *Judge) edits(ctx context.Context, tree string) ([]checkpoint.Edit, error) {
	if j.differs.tree != tree || j.differs.first != j.First.Tree {
		edits, err := j.Store.Trees().Edits(ctx, j.First.Tree, tree)
		if err != nil {
			return nil, fmt.Errorf("compare with the first checkpoint: %w", err)
		}
		j.differs = difference{first: j.First.Tree, tree: tree, edits: edits}
	}
	return j.differs.edits, nil
}

// difference is what differs between two trees.
type difference struct {
	first, tree string
	edits       []checkpoint.Edit
}

// plans are the files of the plan.
func (s Settings) plans() map[string]bool {
	if s.Plans == nil {
		return nil
	}
	return set(s.Plans())
}

// isWork tells whether a change of a file, which is not of the plan, is work.
func isWork(path string) bool { return !ours(path) && !harness.Litter(path) }

// ours tells whether a file is the runner's own.
func ours(path string) bool { return path == "refrain.toml" || strings.HasPrefix(path, ".refrain/") }

// asMoves is a file that was moved as one that went and one that came: where a
// test lies, or what it reads, can decide whether it runs.
func asMoves(e checkpoint.Edit) []checkpoint.Edit {
	if e.From == "" {
		return []checkpoint.Edit{e}
	}
	return []checkpoint.Edit{{Path: e.From, Was: e.Was}, {Path: e.Path, Is: e.Is}}
}

func content(ctx context.Context, trees checkpoint.Trees, f checkpoint.File) ([]byte, error) {
	if !f.There() {
		return nil, nil
	}
	text, err := trees.Read(ctx, f)
	if text == nil && err == nil {
		text = []byte{}
	}
	return text, err
}

// maxListed is more than any file has that says where tests are.
const maxListed = 16 << 20

// listedChanges is the same for a tree without git: only names and times are
// known, so nothing can be put back.
func (j *Judge) listedChanges(ctx context.Context, at checkpoint.Checkpoint) (changes, error) {
	list, err := j.Store.Changes(ctx, *j.First, at)
	if err != nil {
		return changes{}, fmt.Errorf("compare with the first checkpoint: %w", err)
	}
	var c changes
	plans := j.Proof.plans()
	there := func(path string) string { return filepath.Join(j.Proof.Tree, filepath.FromSlash(path)) }
	then := j.newFirstTree("", "", j.Store.Listed(*j.First))
	for _, path := range j.reach("", func(path string) bool { _, err := os.Stat(there(path)); return err == nil }, func(path string) []byte {
		text, err := files.Read(ctx, j.Proof.Tree, filepath.FromSlash(path), maxListed)
		if err != nil {
			return nil
		}
		return text
	}) {
		then.reached[path] = true
	}
	for _, p := range list.Paths {
		switch {
		case plans[p.Path]:
			c.plan = true
		case isWork(p.Path):
			c.work = append(c.work, checkpoint.Edit{Path: p.Path})
		}
		old, kind := p.Change != "created", harness.Of(p.Path)
		aside := then.leads(p.Path) || !old && then.shadows(p.Path)
		if aside || kind == harness.Test || kind == harness.Decides || old && kind == harness.Manifest {
			c.tests = append(c.tests, testFile{path: p.Path, old: old, free: !old && kind == harness.Test && !aside})
		}
	}
	return c, nil
}

// withoutCaches is a tree without what tools have cached in it since the run began, and
// believe rather than the source. It is no part of the work.
func (j *Judge) withoutCaches(ctx context.Context, tree string) (string, error) {
	if j.First == nil {
		return tree, nil
	}
	edits, err := j.edits(ctx, tree)
	if err != nil {
		return "", err
	}
	var patches []checkpoint.Patch
	for _, e := range edits {
		if harness.Litter(e.Path) {
			p := checkpoint.Patch{Path: e.Path}
			if e.From == "" {
				p.File = e.Was
			}
			patches = append(patches, p)
		}
	}
	return j.Store.Trees().With(ctx, tree, patches)
}

// asWere is the tree of the work with the tests as they were, but for those that
// the agent explained.
func (c changes) asWere(ctx context.Context, trees checkpoint.Trees, tree string, reasons []loop.TestExplained) (string, error) {
	var patches []checkpoint.Patch
	for _, b := range c.tests {
		if _, meant := explained(b.path, reasons); !meant {
			patches = append(patches, b.was)
		}
	}
	return trees.With(ctx, tree, patches)
}

// onFirst is the first tree with the tests as they are now, and with what they
// need: a test that only misses a package tells nothing of the work.
func (c changes) onFirst(ctx context.Context, trees checkpoint.Trees, first string) (string, error) {
	patches := slices.Clone(c.needs)
	for _, b := range c.tests {
		patches = append(patches, b.is)
	}
	return trees.With(ctx, first, patches)
}
