package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
)

// Tree looks at one work tree, or at a folder inside of one.
type Tree struct {
	dir     string
	git     Program // in dir
	isGit   bool
	prefix  string // from the root of the git work tree to dir, such as "sub/"
	ignore  glob.Patterns
	records string // from the root to the records of the user's runs, when they are in it
}

// Open looks at dir through git when it is inside a git work tree and git is
// installed, else as a plain folder. Files that match one of the ignore
// patterns do not count: a pattern without a slash matches a name at any depth,
// one with a slash a path from dir on, where ** stands for any folders; what
// matches a folder holds for all that is in it. Where git would wait for a pipe in
// the place of one of its files, the error is a *PipeError.
func Open(ctx context.Context, dir string, ignore []string) (*Tree, error) {
	patterns, err := parseIgnore(ignore)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open work tree: %w", err)
	}
	t := &Tree{dir: dir, git: newProgram(dir), ignore: patterns}

	if err := Readable(dir); err != nil {
		return nil, err
	}
	out, err := t.git.Run(ctx, "rev-parse", "--is-inside-work-tree", "--show-prefix")
	var failed *Error
	var start *proc.StartError
	switch {
	case errors.As(err, &failed) && failed.noRepository(), errors.As(err, &start) && start.Missing():
		t.records = recordsIn(dir)
		return t, nil
	case err != nil:
		return nil, err
	}
	inside, prefix, _ := strings.Cut(string(out), "\n")
	t.isGit = inside == "true" // false inside the .git folder itself
	if t.isGit {
		t.prefix = strings.TrimSuffix(prefix, "\n")
		t.records = recordsIn(t.Top())
		t.git.above = filepath.Dir(t.Top())
	}
	return t, nil
}

// OpenKept is Open for who has a store of the tree and wants what is in that: when
// git refuses to look at the repository, or would wait for ever, it is taken for
// a plain folder.
func OpenKept(ctx context.Context, dir string) (*Tree, error) {
	t, err := Open(ctx, dir, nil)
	if !errors.As(err, new(*Error)) && !errors.As(err, new(*PipeError)) {
		return t, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("open work tree: %w", err)
	}
	return &Tree{dir: dir, git: newProgram(dir)}, nil
}

// Through is the same tree, with git run by exec: a hook or a helper of git's
// may start anything.
func (t *Tree) Through(exec Exec) *Tree {
	through := *t
	through.git.exec = exec
	return &through
}

// Top is the root of the git work tree. It is found without git, for what git
// says can be changed by who writes its settings.
func (t *Tree) Top() string {
	dir, err := filepath.EvalSymlinks(t.dir)
	if err != nil {
		dir = t.dir // git will say what is wrong
	}
	for range strings.Count(t.prefix, "/") {
		dir = filepath.Dir(dir)
	}
	return dir
}

// As is the tree as a store knows it: that of a git work tree, whatever has
// become of the repository since.
func (t *Tree) As(prefix string) *Tree {
	same := *t
	same.isGit, same.prefix = true, prefix
	same.git.above = filepath.Dir(same.Top())
	return &same
}

// Plain is the tree as a folder without git.
func (t *Tree) Plain() *Tree {
	plain := *t
	plain.isGit, plain.prefix, plain.git.above = false, "", ""
	return &plain
}

// Git tells whether the tree is looked at through git.
func (t *Tree) Git() bool { return t.isGit }

// Program is git in the folder of the tree.
func (t *Tree) Program() Program { return t.git }

// Guard guards what decides how git acts in the tree.
func (t *Tree) Guard() Guard { return Guard{t} }

// Worktrees are the work trees that were made for loops, beside this one.
func (t *Tree) Worktrees() Worktrees { return Worktrees{tree: t} }

// Mover moves branches of its repository.
func (t *Tree) Mover() Mover { return Mover{t} }

// Dir is the folder of the tree.
func (t *Tree) Dir() string { return t.dir }

// Prefix leads from the root of the git work tree to the folder, such as "sub/".
func (t *Tree) Prefix() string { return t.prefix }

// stateFolder is where a project has the user's hooks and prompts, and, without a
// git folder, the links to its runs.
const stateFolder = ".refrain"

// Skips tells whether a path of the tree does not count.
func (t *Tree) Skips(name string) bool {
	if name == "." {
		return false
	}
	return path.Base(name) == ".git" || t.Own(name) || t.ignore.Match(name)
}

// Own tells whether a path is the runner's own. With git, most of what stands in
// the folder of its name was put there by the user.
func (t *Tree) Own(name string) bool {
	if t.IsRecord(t.prefix + name) {
		return true
	}
	below, ok := strings.CutPrefix(name, stateFolder+"/")
	if !ok {
		return false
	}
	top, _, _ := strings.Cut(below, "/")
	if t.isGit {
		return top == "runs" || top == "project.json" || strings.HasPrefix(top, "lock-")
	}
	return top != "hooks" && top != "prompts"
}

// IsRecord tells whether a path from the top is among the records of the user's
// runs: a home folder may be a work tree.
func (t *Tree) IsRecord(path string) bool {
	return t.records != "" && (path == t.records || strings.HasPrefix(path, t.records+"/"))
}

// recordsIn is where the records are in a tree, by its top; empty when they are
// not in it.
func recordsIn(top string) string {
	state, err := project.Folder(os.Getenv)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(resolved(top), resolved(state))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// resolved is a path without links, as far as it leads to something.
func resolved(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || path == filepath.Dir(path) {
		return real
	}
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}

// parseIgnore reads the patterns that Open describes. Those of folders hold for
// files of the same name, too.
func parseIgnore(lines []string) (glob.Patterns, error) {
	var list []string
	for _, line := range lines {
		cleaned := path.Clean(strings.Trim(line, "/"))
		if cleaned == "." || strings.HasPrefix(line, "!") {
			return nil, fmt.Errorf("ignore pattern %q: the sign ! has no meaning here, and a name is needed", line)
		}
		if strings.Contains(strings.TrimSuffix(line, "/"), "/") {
			cleaned = "/" + cleaned // and not a name at any depth
		}
		if _, err := glob.Parse([]string{cleaned}); err != nil {
			return nil, fmt.Errorf("ignore pattern %q: %w", line, err)
		}
		list = append(list, cleaned)
	}
	return glob.Parse(list)
}

// Below is a path of the git work tree seen from the folder of the tree, if it is in
// there.
func (t *Tree) Below(path string) (rel string, ok bool) { return strings.CutPrefix(path, t.prefix) }

// at is the tree at another folder, the root of a work tree.
func (t *Tree) at(dir string) *Tree {
	there := *t
	there.dir, there.prefix, there.git = dir, "", t.git.In(dir)
	there.git.above = filepath.Dir(dir)
	return &there
}
