package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/outside"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
)

// Exec runs one process to its end, as proc.Run does.
type Exec func(context.Context, proc.Spec) (loop.Exit, error)

// Program is git, run in one folder.
type Program struct {
	dir   string
	above string // the folder above the work tree, where git is not to look; empty: it may
	path  string // as it was found at the start: an agent may put another before it
	exec  Exec
	user  *userSettings
}

// findGit is the path of git; where there is none, whoever starts it is told so.
func findGit() string {
	path, err := outside.Find("git")
	if err != nil {
		return "git"
	}
	return path
}

// newProgram is git in a work tree, and never one that lies there: neither in this
// one nor in the main one of its repository.
func newProgram(dir string) Program {
	outside.Shun(dir)
	if git, err := project.FindGit(dir); err == nil && git.Root != "" {
		outside.Shun(git.Root)
		if git.Linked() && filepath.Base(git.Common) == ".git" {
			outside.Shun(filepath.Dir(git.Common))
		}
	}
	return Program{dir: dir, path: findGit(), exec: proc.Run, user: &userSettings{}}
}

// At is git in a folder, which need be no repository. That of a repository that others
// can write to belongs to a Tree.
func At(dir string) Program { return newProgram(dir) }

// In is the same program, run in another folder.
func (p Program) In(dir string) Program {
	p.dir = dir
	return p
}

// ReadsInstead tells whether a file is one of ours, which git reads in the place of
// the user's.
func (p Program) ReadsInstead(path string) bool { return p.user.isCopy(path) }

// env is gitEnv for this folder. When an agent has deleted the repository, git must
// not find another one further up.
func (p Program) env() ([]string, error) {
	env, err := p.user.lead(gitEnv())
	if err != nil || p.above == "" {
		return env, err
	}
	above := p.above
	if known := os.Getenv("GIT_CEILING_DIRECTORIES"); known != "" {
		above += string(os.PathListSeparator) + known
	}
	return append(env, "GIT_CEILING_DIRECTORIES="+above), nil
}

// Command is what a run of git may need beside its arguments.
type Command struct {
	Env      []string  // on top of the usual; of two values the later one counts
	Settings []Setting // the same
	Stdin    []byte
	// Reader gets what git prints, and nobody else does. It may be a person,
	// who is given all the time in the world.
	Reader io.Writer
	writes bool // to the user's repository: it is held as a commit is, for an agent may have laid traps there
	again  bool // somebody has ended it once
}

// Run runs git and gives what it printed.
func (p Program) Run(ctx context.Context, args ...string) ([]byte, error) {
	return p.RunWith(ctx, Command{}, args...)
}

// RunWith runs git and gives what it printed. No program that the
// repository names is run, but for filters: see WithoutFilters.
func (p Program) RunWith(ctx context.Context, c Command, args ...string) ([]byte, error) {
	name := commandOf(args)
	env, err := p.env()
	if err != nil {
		return nil, fmt.Errorf("git %s in %s: %w", name, p.dir, err)
	}
	var out, complaint bytes.Buffer
	spec := proc.Spec{
		Argv:   append([]string{p.path}, args...),
		Dir:    p.dir,
		Env:    slices.Concat(with(env, slices.Concat(noPrograms, noSubmodules, c.Settings)...), noProgramsEnv, []string{"GIT_ALLOW_PROTOCOL="}, c.Env),
		Stdin:  bytes.NewReader(c.Stdin),
		Stdout: proc.Sink{Raw: &out},
		Stderr: proc.Sink{Raw: &complaint},
		Idle:   gitPatience,
		Plain:  true,
	}
	if c.writes {
		spec.Role = proc.Committer
	}
	if c.Reader != nil {
		spec.Stdout.Raw, spec.Idle = c.Reader, 0
	}
	exit, err := p.exec(ctx, spec)
	switch {
	case c.Reader == nil && !c.again && ctx.Err() == nil && endedByOthers(exit, err) && isLook(name, args):
		c.again = true
		return p.RunWith(ctx, c, args...)
	case err != nil:
		return nil, fmt.Errorf("git %s in %s: %w", name, p.dir, err)
	case exit.Zero():
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s in %s: %w", name, p.dir, context.Cause(ctx))
	}
	return nil, &Error{command: name, dir: p.dir, exit: exit, complaint: ending(complaint.String())}
}

// commandOf is the git command among the arguments, behind its settings.
func commandOf(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// isLook tells whether a command only looks. One that does leaves no lock when it is
// ended, and can be asked again.
func isLook(name string, args []string) bool {
	if name == "config" {
		return slices.ContainsFunc(args, func(arg string) bool { return arg == "--list" || strings.HasPrefix(arg, "--get") })
	}
	return slices.Contains(looks, name)
}

var looks = []string{
	"cat-file", "check-ignore", "diff", "diff-tree", "for-each-ref", "log", "ls-files", "ls-tree", "merge-base",
	"rev-list", "rev-parse", "show-ref", "status", "symbolic-ref", "var",
}

// hookTimeout is for what runs hooks and filters of the user's: they may run
// tests, ask for a passphrase, or fetch large files.
const hookTimeout = 10 * time.Minute

// runHooks runs a git command that runs hooks of the user's. They get the time,
// the user's language, and no maintenance in the background, which would be
// ended halfway together with the command.
func (p Program) runHooks(ctx context.Context, c Command, args ...string) error {
	env, err := p.env()
	if err != nil {
		return fmt.Errorf("git %s in %s: %w", commandOf(args), p.dir, err)
	}
	var complaint bytes.Buffer
	exit, err := p.exec(ctx, proc.Spec{
		Argv:    append([]string{p.path, "-c", "maintenance.auto=false"}, args...),
		Role:    proc.Committer,
		Dir:     p.dir,
		Env:     append(append(with(with(env, noFsmonitor), noSubmodules...), c.Env...), "LC_ALL="+os.Getenv("LC_ALL")),
		Stdin:   bytes.NewReader(c.Stdin),
		Stderr:  proc.Sink{Raw: &complaint},
		Timeout: hookTimeout,
	})
	switch {
	case err != nil:
		return fmt.Errorf("git %s in %s: %w", commandOf(args), p.dir, err)
	case exit.Zero():
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("git %s in %s: %w", commandOf(args), p.dir, context.Cause(ctx))
	case exit.Cause == loop.AtDeadline:
		return fmt.Errorf("git %s in %s: no end within %v: %s", commandOf(args), p.dir, hookTimeout, ending(complaint.String()))
	}
	return &Error{command: commandOf(args), dir: p.dir, exit: exit, complaint: ending(complaint.String())}
}

// line runs a git command that prints one line. One that has nothing to say
// exits with 1, and the line is empty.
func (p Program) line(ctx context.Context, c Command, args ...string) (string, error) {
	out, err := p.RunWith(ctx, c, args...)
	if SaidNo(err) {
		return "", nil
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// says runs a git command that answers yes or no by its exit code.
func (p Program) says(ctx context.Context, c Command, args ...string) (bool, error) {
	_, err := p.RunWith(ctx, c, args...)
	if SaidNo(err) {
		return false, nil
	}
	return err == nil, err
}

// folder is the git folder of this work tree alone.
func (p Program) folder(ctx context.Context) (string, error) {
	dir, err := p.line(ctx, Command{}, "rev-parse", "--absolute-git-dir")
	return filepath.FromSlash(dir), err
}

// top is the root of the git work tree.
func (p Program) top(ctx context.Context) (string, error) {
	dir, err := p.line(ctx, Command{}, "rev-parse", "--show-toplevel")
	return filepath.FromSlash(dir), err
}

// commit is the commit that a name stands for, empty when there is none.
func (p Program) commit(ctx context.Context, name string) (string, error) {
	return p.line(ctx, Command{}, "rev-parse", "-q", "--verify", name+"^{commit}")
}

// complaintLimit is enough for the last words of a test runner.
const complaintLimit = 2000

// ending is the end of what git and the hooks said, in whole lines.
func ending(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\ufffd")
	if len(s) <= complaintLimit {
		return s
	}
	s = s[len(s)-complaintLimit:]
	if _, whole, ok := strings.Cut(s, "\n"); ok {
		return "…\n" + whole
	}
	return "…" + strings.ToValidUTF8(s, "")
}

// SplitNUL cuts a list that git ends each item of with a NUL.
func SplitNUL(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// JoinNUL is such a list.
func JoinNUL(list []string) []byte {
	var b bytes.Buffer
	for _, item := range list {
		b.WriteString(item)
		b.WriteByte(0)
	}
	return b.Bytes()
}
