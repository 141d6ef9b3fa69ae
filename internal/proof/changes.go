package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
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
	tests []testFile   // files that decide about tests
	needs []repo.Patch // files that say what is installed, as they are
}

// testFile is a file that decides about tests and was changed.
type testFile struct {
	path string
	was  repo.Patch // to have it as it was, on the work as it is
	is   repo.Patch // to have it as it is, on the work as it was
	old  bool       // it was there when the run began
	free bool       // a new test, and no more: nothing that was there leads to it
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
	prefix := trees.Prefix()
	plans := j.Proof.plans()
	for _, e := range edits {
		switch path, below := strings.CutPrefix(e.Path, prefix); {
		case below && plans[path]:
			c.plan = true
			c.needs = append(c.needs, repo.Patch{Path: e.Path, File: e.Is}) // a tick is no reason to pass
		case isWork(path) || e.From != "" && isWork(strings.TrimPrefix(e.From, prefix)):
			c.work = append(c.work, e)
		}
		if harness.Of(e.Path) == harness.Manifest || gate.Locks(e.Path) {
			c.needs = append(c.needs, repo.Patch{Path: e.Path, File: e.Is})
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

// isWork tells whether a change of a file, which is not of the plan, is work.
func isWork(path string) bool { return !ours(path) && !harness.Litter(path) }

// ours tells whether a file is the runner's own.
func ours(path string) bool { return path == "refrain.toml" || strings.HasPrefix(path, ".refrain/") }

// asMoves is a file that was moved as one that went and one that came: where a
// test lies, or what it reads, can decide whether it runs.
func asMoves(e repo.Edit) []repo.Edit {
	if e.From == "" {
		return []repo.Edit{e}
	}
	return []repo.Edit{{Path: e.From, Was: e.Was}, {Path: e.Path, Is: e.Is}}
}

// testFile tells whether a file decides about tests, and what it was.
func (f *firstTree) testFile(ctx context.Context, trees repo.Trees, e repo.Edit) (testFile, bool, error) {
	b := testFile{
		path: e.Path, old: e.Was.There(),
		was: repo.Patch{Path: e.Path, File: e.Was}, is: repo.Patch{Path: e.Path, File: e.Is},
	}
	kind, aside := harness.Of(e.Path), f.leads(e.Path) || !b.old && f.shadows(e.Path) || b.old && f.testData(ctx, trees, e.Path)
	b.free = !b.old && kind == harness.Test && !aside
	switch {
	case aside:
		return b, true, nil
	case kind == harness.Test, kind == harness.Decides:
		return b, b.old || !harness.Stays(e.Path), nil
	case kind != harness.Manifest && !harness.Inline(e.Path):
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
	if b.was.Content = blended; blended == nil {
		b.was.File = repo.File{}
	}
	if harness.Inline(e.Path) && was != nil && is != nil { // the new tests, on the product as it was
		b.is.Content, _ = harness.Blend(e.Path, is, was)
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
	tree    string
	asked   int // of how many files it was asked who names them
	paths   []string
	home    string          // the folder in which gates run, with a slash behind it
	below   []string        // the paths from there
	reached map[string]bool // files, and folders with a slash behind them, that the gates' commands lead to
}

// shadows tells whether a new file takes the place of what a runner would find,
// from the top or from where gates run.
func (f *firstTree) shadows(path string) bool {
	if harness.Shadows(path, f.paths) {
		return true
	}
	rel, below := strings.CutPrefix(path, f.home)
	return below && f.home != "" && harness.Shadows(rel, f.below)
}

// leads tells whether a gate's command leads to a file.
func (f *firstTree) leads(path string) bool {
	if f.reached[path] {
		return true
	}
	for at, c := range path {
		if c == '/' && f.reached[path[:at+1]] {
			return true
		}
	}
	return false
}

// testData tells whether a file is data that only tests name: what they compare
// with, under a name that no convention knows.
func (f *firstTree) testData(ctx context.Context, trees repo.Trees, file string) bool {
	if harness.Of(file) != harness.Product || !harness.Data(file) || f.asked == mostAsked {
		return false
	}
	f.asked++
	naming, err := trees.Naming(ctx, f.tree, path.Base(file))
	if err != nil {
		return false // then it is what it is called
	}
	tests := 0
	for _, other := range naming {
		switch {
		case other == file || prose(other):
		case harness.Of(other) == harness.Test:
			tests++
		default:
			return false
		}
	}
	return tests > 0
}

// mostAsked is of how many files it is found out who names them.
const mostAsked = 50

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
	f := &firstTree{tree: j.First.Tree, paths: slices.Sorted(maps.Keys(files)), home: j.home(trees.Prefix()), reached: map[string]bool{}}
	for _, path := range f.paths {
		if rel, below := strings.CutPrefix(path, f.home); below {
			f.below = append(f.below, rel)
		}
	}
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
	for _, path := range j.reach(f.home, has, read) {
		f.reached[path] = true
	}
	j.then = f
	return f, nil
}

// home is the folder in which gates run, from the top, with a slash behind it.
func (j *Judge) home(prefix string) string {
	home := path.Join(prefix, j.Proof.Below)
	if home == "" || home == "." {
		return ""
	}
	return home + "/"
}

// reach is the files that the gates' commands lead to.
func (j *Judge) reach(home string, has func(string) bool, read func(string) []byte) []string {
	var list []string
	for _, line := range j.lines() {
		if home != "" {
			line = "cd '" + strings.TrimSuffix(home, "/") + "' && " + line
		}
		list = append(list, harness.Reach(line, has, read)...)
	}
	return list
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
	there := func(path string) string { return filepath.Join(j.Proof.Tree, filepath.FromSlash(path)) }
	then := &firstTree{paths: j.Store.Listed(*j.First), home: j.home(""), reached: map[string]bool{}}
	for _, path := range j.reach(then.home, func(path string) bool { _, err := os.Stat(there(path)); return err == nil }, func(path string) []byte {
		text, err := os.ReadFile(there(path))
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
			c.work = append(c.work, repo.Edit{Path: p.Path})
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
	var patches []repo.Patch
	for _, e := range edits {
		if harness.Litter(e.Path) {
			p := repo.Patch{Path: e.Path}
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
