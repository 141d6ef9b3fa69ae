package repo

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Tree looks at one work tree, or at a folder inside of one.
type Tree struct {
	dir     string
	git     bool
	prefix  string // from the root of the git work tree to dir, such as "sub/"
	above   string // the folder above that root, where git is not to look; empty without git
	ignore  glob.Patterns
	records string // from the root to the records of the user's runs, when they are in it
	exec    Exec
	pool    string // where stores share what they copied; empty: nowhere
	user    *userSettings
	program string // git, as it was found at the start: an agent may put another before it
}

// findGit is the path of git; where there is none, whoever starts it is told so.
func findGit() string {
	path, err := exec.LookPath("git")
	if err != nil {
		return "git"
	}
	return path
}

// Exec runs one process to its end, as proc.Run does.
type Exec func(context.Context, proc.Spec) (loop.Exit, error)

// Print is a fingerprint of the work tree at one moment.
type Print struct {
	Head  string // the commit; empty without git, and before the first
	Files string // a hash
}

// String is the print as ParsePrint reads it; empty for none.
func (p *Print) String() string {
	if p == nil {
		return ""
	}
	return p.Head + ":" + p.Files
}

// ParsePrint is the print that String wrote, nil for none.
func ParsePrint(s string) *Print {
	head, files, ok := strings.Cut(s, ":")
	if !ok {
		return nil
	}
	return &Print{Head: head, Files: files}
}

// Signals tells in what the tree differs after, nil when it is the same. A file
// that was written and committed in between shows as a commit only: before and
// after, it is as its commit says.
func (before Print) Signals(after Print) []loop.Signal {
	var seen []loop.Signal
	if before.Files != after.Files {
		seen = append(seen, loop.InFiles)
	}
	if before.Head != after.Head {
		seen = append(seen, loop.InCommits)
	}
	return seen
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
	t := &Tree{dir: dir, ignore: patterns, exec: proc.Run, user: &userSettings{}, program: findGit()}

	if err := Readable(dir); err != nil {
		return nil, err
	}
	out, err := t.run(ctx, "rev-parse", "--is-inside-work-tree", "--show-prefix")
	var failed *gitError
	var start *proc.StartError
	switch {
	case errors.As(err, &failed) && failed.noRepository(), errors.As(err, &start) && start.Missing():
		t.records = recordsIn(dir)
		return t, nil
	case err != nil:
		return nil, err
	}
	inside, prefix, _ := strings.Cut(string(out), "\n")
	t.git = inside == "true" // false inside the .git folder itself
	if t.git {
		t.prefix = strings.TrimSuffix(prefix, "\n")
		t.records = recordsIn(t.top())
		t.above = filepath.Dir(t.top())
	}
	return t, nil
}

// OpenKept is Open for who has a store of the tree and wants what is in that: when
// git refuses to look at the repository, or would wait for ever, it is taken for
// a plain folder.
func OpenKept(ctx context.Context, dir string) (*Tree, error) {
	t, err := Open(ctx, dir, nil)
	if !errors.As(err, new(*gitError)) && !errors.As(err, new(*PipeError)) {
		return t, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("open work tree: %w", err)
	}
	return &Tree{dir: dir, exec: proc.Run, user: &userSettings{}, program: findGit()}, nil
}

// Through is the same tree, with git run by exec: a hook or a helper of git's
// may start anything.
func (t *Tree) Through(exec Exec) *Tree {
	through := *t
	through.exec = exec
	return &through
}

// Sharing is the same tree, whose stores share in a folder what they copy out of
// the user's repository. It should be on their disk, and out of an agent's reach.
func (t *Tree) Sharing(pool string) *Tree {
	sharing := *t
	sharing.pool = pool
	return &sharing
}

// top is the root of the git work tree. It is found without git, for what git
// says can be changed by who writes its settings.
func (t *Tree) top() string {
	dir, err := filepath.EvalSymlinks(t.dir)
	if err != nil {
		dir = t.dir // git will say what is wrong
	}
	for range strings.Count(t.prefix, "/") {
		dir = filepath.Dir(dir)
	}
	return dir
}

// as is the tree as a store knows it: that of a git work tree, whatever has
// become of the repository since.
func (t *Tree) as(prefix string) *Tree {
	same := *t
	same.git, same.prefix = true, prefix
	same.above = filepath.Dir(same.top())
	return &same
}

// Git tells whether the tree is looked at through git.
func (t *Tree) Git() bool { return t.git }

// Print takes the fingerprint of the tree as it is now.
func (t *Tree) Print(ctx context.Context) (Print, error) {
	if t.git {
		return t.printGit(ctx)
	}
	return t.printFolder(ctx)
}
