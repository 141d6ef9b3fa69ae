package proof

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/harness"
)

// firstTree is what the tree before the first iteration tells of tests.
type firstTree struct {
	tree    string
	asked   int // of how many files it was asked who names them
	paths   []string
	homes   map[string][]string // the folders in which gates run, with a slash behind them, and the paths from there; not the top
	reached map[string]bool     // files, and folders with a slash behind them, that the gates' commands lead to
}

// shadows tells whether a new file takes the place of what a runner would find,
// from the top or from where gates run.
func (f *firstTree) shadows(path string) bool {
	if harness.Shadows(path, f.paths) {
		return true
	}
	for home, paths := range f.homes {
		if rel, below := strings.CutPrefix(path, home); below && harness.Shadows(rel, paths) {
			return true
		}
	}
	return false
}

// newFirstTree is a tree with these paths, seen from where gates run.
func (j *Judge) newFirstTree(tree, prefix string, paths []string) *firstTree {
	f := &firstTree{tree: tree, paths: paths, homes: map[string][]string{}, reached: map[string]bool{}}
	for _, g := range j.Gates {
		home := j.home(prefix, g)
		if _, seen := f.homes[home]; seen || home == "" {
			continue
		}
		below := []string{}
		for _, path := range paths {
			if rel, is := strings.CutPrefix(path, home); is {
				below = append(below, rel)
			}
		}
		f.homes[home] = below
	}
	return f
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
func (f *firstTree) testData(ctx context.Context, trees checkpoint.Trees, file string) bool {
	if harness.Of(file) != harness.Product || !harness.Data(file) || f.asked == maxAsked {
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

// maxAsked is of how many files it is found out who names them.
const maxAsked = 50

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
	f := j.newFirstTree(j.First.Tree, trees.Prefix(), slices.Sorted(maps.Keys(files)))
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
	for _, path := range j.reach(trees.Prefix(), has, read) {
		f.reached[path] = true
	}
	j.then = f
	return f, nil
}

// home is the folder in which a gate runs, from the top, with a slash behind it.
func (j *Judge) home(prefix string, g Gate) string {
	home := path.Join(prefix, j.Proof.below(g))
	if home == "" || home == "." {
		return ""
	}
	return home + "/"
}

// reach is the files that the gates' commands lead to.
func (j *Judge) reach(prefix string, has func(string) bool, read func(string) []byte) []string {
	var list []string
	for _, g := range j.Gates {
		line := g.Line
		if home := j.home(prefix, g); home != "" && line != "" {
			line = "cd '" + strings.TrimSuffix(home, "/") + "' && " + line
		}
		list = append(list, harness.Reach(line, has, read)...)
	}
	return list
}

// testFile tells whether a file decides about tests, and what it was.
func (f *firstTree) testFile(ctx context.Context, trees checkpoint.Trees, e checkpoint.Edit) (testFile, bool, error) {
	b := testFile{
		path: e.Path, old: e.Was.There(),
		was: checkpoint.Patch{Path: e.Path, File: e.Was}, is: checkpoint.Patch{Path: e.Path, File: e.Is},
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
		b.was.File = checkpoint.File{}
	}
	if harness.Inline(e.Path) && was != nil && is != nil { // the new tests, on the product as it was
		b.is.Content, _ = harness.Blend(e.Path, is, was)
	}
	return b, true, nil
}
