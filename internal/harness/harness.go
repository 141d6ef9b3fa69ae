// Package harness knows which files of a project decide about its tests: the
// tests themselves, what only they use, and the settings that say what is
// tested, and with what.
//
// When such a file changed in a run, a claim is also judged with the tests as
// they were. Of says which files these are, by the conventions of the runners
// that package tests reads; Named and Scripts say which more of them a gate's
// command leads to; Shadows says which new files get in the way of what a
// runner would otherwise find. A manifest is half harness and half product:
// Blend puts back the one half and leaves the other as it is now.
//
// It errs on the side of the product. A file of the product that is taken for a
// test is put back to what it was, and honest work fails for it; a test that is
// not known for one is still missed by its name when it is gone. What code under
// test does to the process in which its tests run is out of its sight.
//
// Nothing here looks at a disk: paths are slash paths from the project's root,
// and contents are given.
package harness

import (
	"path"
	"slices"
	"strings"
)

// Kind says what a file is to the tests.
type Kind int

// The kinds of files.
const (
	Product  Kind = iota // code, documents: nothing that the tests are made of
	Test                 // a test, or what only tests use: fixtures, snapshots, helpers
	Decides              // decides what is tested, or with what
	Manifest             // half and half: Blend says which half is which
)

var kinds = [...]string{"product", "test", "decides", "manifest"}

func (k Kind) String() string { return kinds[k] }

// Of tells what the file at a path is.
func Of(file string) Kind {
	p := split(file)
	switch {
	case p.base == "" || p.base == "." || Litter(file):
		return Product
	case p.within(installed):
		return ofInstalled(p)
	case inFixtures(p):
		return Test
	case decides(p):
		return Decides
	case blends(p.path) != nil:
		return Manifest
	case isTest(p):
		return Test
	}
	return Product
}

// Stays tells whether a file that Of calls a test, or deciding, may stay where
// it is new when the tests are run as they were: nothing old can lead to it, and
// taking it away would break the product that names it. The unit tests of a Rust
// module are named by the module; a settings file that no tool looks for by
// itself is named by whoever wants it.
func Stays(file string) bool {
	p := split(file)
	if p.within(testFolders) || inFixtures(p) {
		return false
	}
	return rustUnit(p) || (decides(p) && strangeConfig(p))
}

// Litter tells whether a file belongs to a cache that tools leave behind. It is
// no part of the work, and Python, the type checkers and others believe it
// rather than the source: a checkout that proves something has none of it.
func Litter(file string) bool {
	p := split(file)
	return p.within(caches) || p.base == ".eslintcache" || p.base == ".testmondata" || p.ext == ".tsbuildinfo" ||
		len(p.low) > 1 && p.low[0] == "node_modules" && (p.low[1] == ".cache" || p.low[1] == ".vite" || p.low[1] == ".vitest")
}

var caches = words(`__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .nyc_output .jest-cache .parcel-cache .turbo .swc`)

// place is a path in its parts. Names of folders are compared in lower case:
// Tests/ is no other folder than tests/ to those who name it.
type place struct {
	path string   // cleaned
	dirs []string // the folders, as they are written
	low  []string // the same in lower case
	base string   // the file
	stem string   // without the last extension
	ext  string   // the last extension, in lower case, with its dot
}

func split(file string) place {
	file = strings.TrimPrefix(path.Clean("/"+file), "/")
	p := place{path: file, base: path.Base(file)}
	if dir := path.Dir(file); dir != "." {
		p.dirs = strings.Split(dir, "/")
		p.low = strings.Split(strings.ToLower(dir), "/")
	}
	ext := path.Ext(p.base)
	p.stem, p.ext = strings.TrimSuffix(p.base, ext), strings.ToLower(ext)
	return p
}

// within tells whether the file is somewhere below a folder of one of these names.
func (p place) within(names set) bool {
	return slices.ContainsFunc(p.low, names.has)
}

func (p place) dir() string { return strings.Join(p.dirs, "/") }
