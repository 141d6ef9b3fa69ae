package proof

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/harness"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/repo"
)

// changes is what agents did to the tree since the run began, sorted by what it
// is to the tests.
type changes struct {
	work  []repo.Edit  // outside of the plan
	plan  bool         // the plan was changed
	tests []bend       // files that decide about tests
	needs []repo.Patch // files that say what is installed, as they are
}

// bend is a file that decides about tests and was changed.
type bend struct {
	path string
	was  repo.Patch // to have it as it was, on the work as it is
	is   repo.Patch // to have it as it is, on the work as it was
	old  bool       // it was there when the run began
}

// bent tells whether a file that was there when the run began is another one now.
func (c changes) bent() bool { return len(c.bentFiles()) > 0 }

// bentFiles names these.
func (c changes) bentFiles() []string {
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
var errNoFirst = fmt.Errorf("the first checkpoint is not known")

// changes looks at what differs from the first checkpoint.
func (j *Judge) changes(ctx context.Context, at repo.Checkpoint) (changes, error) {
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
	plans := j.Proof.plans()
	for _, e := range edits {
		switch {
		case plans[e.Path]:
			c.plan = true
		case counts(e.Path) || e.From != "" && counts(e.From):
			c.work = append(c.work, e)
		}
		if harness.Of(e.Path) == harness.Manifest || gate.Locks(e.Path) {
			c.needs = append(c.needs, repo.Patch{Path: e.Path, File: e.Is})
		}
		for _, part := range then.halves(e) {
			b, ok, err := then.bend(ctx, trees, part)
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
func (j *Judge) edits(ctx context.Context, tree string) ([]repo.Edit, error) {
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
	edits       []repo.Edit
}

// plans are the files of the plan.
func (s Settings) plans() map[string]bool {
	if s.Plans == nil {
		return nil
	}
	return set(s.Plans())
}

// counts tells whether a change of a file, which is not of the plan, is work.
func counts(path string) bool { return !ours(path) && !harness.Litter(path) }

// ours tells whether a file is the runner's own.
func ours(path string) bool { return path == "refrain.toml" || strings.HasPrefix(path, ".refrain/") }

// halves is a file that was moved as one that went and one that came, unless it
// is a test in both places: then it is the same test.
func (f *firstTree) halves(e repo.Edit) []repo.Edit {
	switch {
	case e.From == "":
		return []repo.Edit{e}
	case harness.Of(e.From) == harness.Test && harness.Of(e.Path) == harness.Test && !harness.Shadows(e.Path, f.paths):
		return nil
	}
	return []repo.Edit{{Path: e.From, Was: e.Was}, {Path: e.Path, Is: e.Is}}
}

// bend tells whether a file decides about tests, and what it was.
func (f *firstTree) bend(ctx context.Context, trees repo.Trees, e repo.Edit) (bend, bool, error) {
	b := bend{
		path: e.Path, old: e.Was.There(),
		was: repo.Patch{Path: e.Path, File: e.Was}, is: repo.Patch{Path: e.Path, File: e.Is},
	}
	switch kind := harness.Of(e.Path); {
	case kind == harness.Test, kind == harness.Decides, f.leads(e.Path):
		return b, b.old || !harness.Stays(e.Path) || f.leads(e.Path) || harness.Shadows(e.Path, f.paths), nil
	case !b.old && harness.Shadows(e.Path, f.paths):
		return b, true, nil
	case kind != harness.Manifest:
		return b, false, nil
	}
	was, err := content(ctx, trees, e.Was)
	if err != nil {
		return b, false, err
	}
	is, err := content(ctx, trees, e.Is)
	if err != nil {
		return b, false, err
	}
	blended, same := harness.Blend(e.Path, was, is)
	if same || bytes.Equal(blended, is) && (blended == nil) == (is == nil) {
		return b, false, nil
	}
	b.was.Content = blended
	if blended == nil {
		b.was.File = repo.File{}
	}
	return b, true, nil
}

func content(ctx context.Context, trees repo.Trees, f repo.File) ([]byte, error) {
	if !f.There() {
		return nil, nil
	}
	text, err := trees.Read(ctx, f)
	if text == nil && err == nil {
		text = []byte{}
	}
	return text, err
}

// firstTree is what the tree before the first iteration tells of tests.
type firstTree struct {
	paths []string
	led   map[string]bool // files, and folders with a slash behind them, that the gates' commands lead to
}

// leads tells whether a gate's command leads to a file.
func (f *firstTree) leads(path string) bool {
	if f.led[path] {
		return true
	}
	for at, c := range path {
		if c == '/' && f.led[path[:at+1]] {
			return true
		}
	}
	return false
}

// atFirst looks at the first tree, once.
func (j *Judge) atFirst(ctx context.Context) (*firstTree, error) {
	if j.then != nil {
		return j.then, nil
	}
	trees := j.Store.Trees()
	files, err := trees.Paths(ctx, j.First.Tree)
	if err != nil {
		return nil, fmt.Errorf("look at the first checkpoint: %w", err)
	}
	f := &firstTree{paths: slices.Sorted(maps.Keys(files)), led: map[string]bool{}}
	has := func(path string) bool {
		if _, ok := files[path]; ok || !strings.HasSuffix(path, "/") {
			return ok
		}
		at, _ := slices.BinarySearch(f.paths, path)
		return at < len(f.paths) && strings.HasPrefix(f.paths[at], path)
	}
	read := func(path string) []byte {
		text, err := content(ctx, trees, files[path])
		if err != nil {
			return nil // it is not there to be run either
		}
		return text
	}
	for _, line := range j.lines() {
		for _, path := range harness.Reach(line, has, read) {
			f.led[path] = true
		}
	}
	j.then = f
	return f, nil
}

// listedChanges is the same for a tree without git: only names and times are
// known, so nothing can be put back.
func (j *Judge) listedChanges(ctx context.Context, at repo.Checkpoint) (changes, error) {
	list, err := j.Store.Changes(ctx, *j.First, at)
	if err != nil {
		return changes{}, fmt.Errorf("compare with the first checkpoint: %w", err)
	}
	var c changes
	plans := j.Proof.plans()
	for _, p := range list.Paths {
		switch {
		case plans[p.Path]:
			c.plan = true
		case counts(p.Path):
			c.work = append(c.work, repo.Edit{Path: p.Path})
		}
		if kind := harness.Of(p.Path); kind == harness.Test || kind == harness.Decides {
			c.tests = append(c.tests, bend{path: p.Path, old: p.Change != "created"})
		}
	}
	return c, nil
}

// swept is a tree without what tools have cached in it since the run began, and
// believe rather than the source. It is no part of the work.
func (j *Judge) swept(ctx context.Context, tree string) (string, error) {
	if j.First == nil {
		return tree, nil
	}
	edits, err := j.edits(ctx, tree)
	if err != nil {
		return "", err
	}
	var patches []repo.Patch
	for _, e := range edits {
		if harness.Litter(e.Path) {
			patches = append(patches, repo.Patch{Path: e.Path, File: map[bool]repo.File{true: e.Was}[e.From == ""]})
		}
	}
	return j.Store.Trees().With(ctx, tree, patches)
}

// asWere is the tree of the work with the tests as they were, but for those that
// the agent explained.
func (c changes) asWere(ctx context.Context, trees repo.Trees, tree string, reasons []loop.TestExplained) (string, error) {
	var patches []repo.Patch
	for _, b := range c.tests {
		if _, meant := explained(b.path, reasons); !meant {
			patches = append(patches, b.was)
		}
	}
	return trees.With(ctx, tree, patches)
}

// onFirst is the first tree with the tests as they are now, and with what they
// need: a test that only misses a package tells nothing of the work.
func (c changes) onFirst(ctx context.Context, trees repo.Trees, first string) (string, error) {
	patches := slices.Clone(c.needs)
	for _, b := range c.tests {
		patches = append(patches, b.is)
	}
	return trees.With(ctx, first, patches)
}
