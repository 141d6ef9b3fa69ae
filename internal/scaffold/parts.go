package scaffold

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/lockfile"
)

const (
	// deepest is how far below the root parts are looked for: apps/web, packages/x/y.
	deepest = 3
	// maxFolders is more than a repository has that somebody wrote by hand, so far up.
	maxFolders = 3000
	// maxParts is more than anybody wants to have judged one by one.
	maxParts = 12
)

// notParts are folders of what others made, or what is only an example.
var notParts = []string{
	"node_modules", "vendor", "third_party", "testdata", "fixtures", "examples", "example", "samples", "templates", "dist", "build", "out",
	"target", "bin", "obj", "venv", "env", "__pycache__", "coverage", "tmp", "fuzz", "deps", "Pods",
}

// findParts finds the folders below a root that have tools of their own, in the order
// of their names, and tells how many there are beyond those that it gives. What
// git ignores is not in a clean checkout, and so is no part.
func findParts(root tree, above []Toolchain) (list []Part, more int) {
	ignored, left := root.ignored(), maxFolders
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, _ := fs.ReadDir(root.files, dir) // what cannot be read is not there
		for _, e := range entries {
			at := path.Join(dir, e.Name())
			if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || slices.Contains(notParts, e.Name()) ||
				strings.ContainsFunc(at, unicode.IsControl) || ignored.Match(at+"/") || root.isRepository(at) {
				continue
			}
			if left--; left < 0 {
				return
			}
			if part, ok := partAt(root, above, list, at); ok && len(list) < maxParts {
				list = append(list, part)
			} else if ok {
				more++
			}
			if depth < deepest {
				walk(at, depth+1)
			}
		}
	}
	walk(".", 1)
	return list, more
}

// ignored is what git ignores, by the file at the root. A line that nobody can read
// ignores nothing.
func (p tree) ignored() glob.Patterns {
	var list glob.Patterns
	for line := range strings.Lines(p.read(".gitignore")) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if one, err := glob.Parse([]string{line}); err == nil {
			list = append(list, one...)
		}
	}
	return list
}

// partAt is the part that a folder is, if it is one.
func partAt(root tree, above []Toolchain, parts []Part, dir string) (Part, bool) {
	list := slices.DeleteFunc(find(root.below(dir)), func(t Toolchain) bool {
		return t.Kind == Generic || rowOf(t.Kind).tools || isScript(t.Marker) || reached(root, above, parts, dir, t.Kind)
	})
	if len(list) == 0 {
		return Part{}, false
	}
	part := newPart(root, above, dir, list)
	return part, part.Test.Line != "" || part.Kind == Go
}

// newPart is the part that a folder with these tools is.
func newPart(root tree, above []Toolchain, dir string, list []Toolchain) Part {
	part := Part{Dir: dir, Toolchain: list[mainOf(list)]}
	here := root.below(dir)
	if names := rowOf(part.Kind).tests; names != nil && !here.hasFile(nil, names...) {
		part.Test = Command{}
	}
	if part.Kind == Go && root.has("go.work") && !usedBy(root, part.Toolchain, dir) {
		for _, c := range []*Command{&part.Test, &part.Build, &part.Lint} {
			if c.Line != "" {
				c.Line = "GOWORK=off " + c.Line
			}
		}
	}
	if command, _ := lockfile.Install(here.isFile); part.Setup == "" && command != "" {
		part.Setup = command
	}
	if part.Kind == Node {
		part.adaptPackage(root, here, above)
	}
	return part
}

// adaptPackage fits a package to what is above it: the manager of workspaces is that
// of their root, which also installs what they need.
func (p *Part) adaptPackage(root, here tree, above []Toolchain) {
	pkg, err := readPackage(here)
	if err != nil {
		return
	}
	manager := pkg.manager(here)
	within := slices.ContainsFunc(above, func(t Toolchain) bool { return t.Kind == Node || t.Kind == Bun })
	if _, own := lockfile.Install(here.isFile); within && len(own) == 0 && pkg.PackageManager == "" {
		if whole, err := readPackage(root); err == nil {
			manager = whole.manager(root)
		}
	}
	p.Test, p.Build, p.Lint, p.Types, p.Notes = Command{}, Command{}, Command{}, Command{}, nil
	p.useScripts(pkg, manager)
	p.useTypes(here, pkg, manager)
	if p.Setup == "" && !within && len(pkg.Dependencies)+len(pkg.DevDependencies) > 0 {
		p.Setup = manager + " install"
	}
}

// reached tells whether the tools of a folder above see to one of its kind.
func reached(root tree, above []Toolchain, parts []Part, dir string, kind Kind) bool {
	reaches := rowOf(kind).reaches
	sees := func(from, rel string, t Toolchain) bool {
		same := t.Kind == kind || slices.Contains(rowOf(t.Kind).covers, kind)
		return same && (reaches == nil || reaches(root.below(from), t, rel))
	}
	if slices.ContainsFunc(above, func(t Toolchain) bool { return t.Kind != Generic && sees(".", dir, t) }) {
		return true
	}
	return slices.ContainsFunc(parts, func(p Part) bool {
		rel, below := strings.CutPrefix(dir, p.Dir+"/")
		return below && sees(p.Dir, rel, p.Toolchain)
	})
}

// below is the tree of one of the folders.
func (p tree) below(dir string) tree { return tree{subtree{p.files, dir}} }

// subtree is the files of a folder. It asks as fs.Sub does not: a folder need not be
// opened to look at it, which some trees refuse.
type subtree struct {
	files fs.FS
	dir   string
}

func (s subtree) Open(name string) (fs.File, error) { return s.files.Open(path.Join(s.dir, name)) }

func (s subtree) Stat(name string) (fs.FileInfo, error) {
	return fs.Stat(s.files, path.Join(s.dir, name))
}

func (s subtree) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(s.files, path.Join(s.dir, name))
}

// isRepository tells whether a folder is the work tree of another repository, which
// checkpoints do not have.
func (p tree) isRepository(dir string) bool {
	_, err := fs.Stat(p.files, path.Join(dir, ".git"))
	return err == nil
}

// hasFile tells whether a file of one of these names, as patterns, is in the tree.
// Folders in skip are passed over.
func (p tree) hasFile(skip []string, patterns ...string) bool {
	found, left := false, maxFolders
	_ = fs.WalkDir(p.files, ".", func(at string, d fs.DirEntry, err error) error { // what cannot be read is not there
		switch left--; {
		case err != nil && at == ".", left < 0, found:
			return fs.SkipAll
		case err != nil:
			return nil
		case d.IsDir() && at != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(notParts, d.Name()) || slices.Contains(skip, at)):
			return fs.SkipDir
		}
		for _, pattern := range patterns {
			if ok, _ := path.Match(pattern, d.Name()); ok && !d.IsDir() {
				found = true
			}
		}
		return nil
	})
	return found
}
