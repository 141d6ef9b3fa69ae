package repo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// gitPatience is how long git may show no sign of life: it prints nothing and uses
// no processor. A huge tree takes its time, and works; what waits for a pipe that
// nobody writes to does not.
var gitPatience = 2 * time.Minute

// elsewhere are the variables that turn git away from the folder it is run in,
// as set for example while a git hook runs, and those that change what our
// arguments mean.
var elsewhere = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_IMPLICIT_WORK_TREE",
	"GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_ATTR_SOURCE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// gitEnv is the environment that every git is run in. It speaks English to us, asks
// nobody for a password, takes no lock that the agent might run into, and does
// not run the program in core.fsmonitor.
func gitEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(elsewhere, name)
	})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// setting is one of git's settings.
type setting struct{ key, value string }

// unwatched keeps git from asking a program which files have changed. It goes with
// hooks, too: nobody misses it.
var unwatched = setting{"core.fsmonitor", "false"}

// outside keeps git from starting another one in a repository inside the tree, with
// the settings that an agent has given that. Which commit is checked out there is
// seen without.
var outside = []setting{{"diff.ignoreSubmodules", "dirty"}, {"diff.submodule", "short"}, {"status.submoduleSummary", "false"}, {"submodule.recurse", "false"}}

// closed are the settings of every git of ours that does not act for the user. An
// agent can write the settings of the repository, and what they name would run
// with the rights of the runner.
var closed = []setting{
	unwatched,
	{"core.hooksPath", os.DevNull},
	{"core.pager", "cat"},
	{"diff.external", ""}, // which is an error, and no program
	{"protocol.ext.allow", "never"},
}

// shut is what the environment adds to that: objects are what their names say, and
// nothing is fetched, be it by a program that the settings name.
var shut = []string{"GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat", "GIT_EXTERNAL_DIFF=", "GIT_NO_LAZY_FETCH=1"}

// with adds settings to an environment, where they win over those of every file.
// Others may be there already.
func with(env []string, settings ...setting) []string {
	n := 0
	for _, v := range env {
		if count, ok := strings.CutPrefix(v, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(count) // what is no number is none
		}
	}
	for _, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.value))
		n++
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// Closed is the environment for a git that reads a repository which an agent may
// have written to, and runs no program that it names. Variables that turn git
// away from the folder it is run in are left out.
func Closed() []string { return append(with(gitEnv(), closed...), shut...) }

// env is gitEnv for this tree. When an agent has deleted the repository, git must
// not find another one further up.
func (t *Tree) env() ([]string, error) {
	env, err := t.user.lead(gitEnv())
	if err != nil || t.above == "" {
		return env, err
	}
	above := t.above
	if known := os.Getenv("GIT_CEILING_DIRECTORIES"); known != "" {
		above += string(os.PathListSeparator) + known
	}
	return append(env, "GIT_CEILING_DIRECTORIES="+above), nil
}

// run runs git in the tree's folder and gives what it printed.
func (t *Tree) run(ctx context.Context, args ...string) ([]byte, error) {
	return t.runIn(ctx, t.dir, command{}, args...)
}

// command is what a run of git may need beside its arguments.
type command struct {
	env      []string  // on top of the usual; of two values the later one counts
	settings []setting // the same
	stdin    []byte
	// reader gets what git prints, and nobody else does. It may be a person,
	// who is given all the time in the world.
	reader io.Writer
	again  bool // somebody has ended it once
}

// runIn runs git in a folder and gives what it printed. No program that the
// repository names is run, but for filters: see withoutFilters.
func (t *Tree) runIn(ctx context.Context, dir string, c command, args ...string) ([]byte, error) {
	name := commandOf(args)
	env, err := t.env()
	if err != nil {
		return nil, fmt.Errorf("git %s in %s: %w", name, dir, err)
	}
	var out, complaint bytes.Buffer
	spec := proc.Spec{
		Argv:   append([]string{t.program}, args...),
		Dir:    dir,
		Env:    slices.Concat(with(env, slices.Concat(closed, outside, c.settings)...), shut, []string{"GIT_ALLOW_PROTOCOL="}, c.env),
		Stdin:  bytes.NewReader(c.stdin),
		Stdout: proc.Sink{Raw: &out},
		Stderr: proc.Sink{Raw: &complaint},
		Idle:   gitPatience,
		Plain:  true,
	}
	if c.reader != nil {
		spec.Stdout.Raw, spec.Idle = c.reader, 0
	}
	exit, err := t.exec(ctx, spec)
	switch {
	case c.reader == nil && !c.again && ctx.Err() == nil && endedByOthers(exit, err) && slices.Contains(looks, name):
		c.again = true
		return t.runIn(ctx, dir, c, args...)
	case err != nil:
		return nil, fmt.Errorf("git %s in %s: %w", name, dir, err)
	case exit.Zero():
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s in %s: %w", name, dir, context.Cause(ctx))
	}
	return nil, &gitError{command: name, dir: dir, exit: exit, complaint: ending(complaint.String())}
}

// commandOf is the git command among the arguments, behind its settings.
func commandOf(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// gitError says that git ran and did not succeed.
type gitError struct {
	command, dir string
	exit         loop.Exit
	complaint    string
}

func (e *gitError) Error() string {
	what := fmt.Sprintf("git %s in %s", e.command, e.dir)
	switch {
	case e.exit.Cause == loop.WhenIdle:
		return fmt.Sprintf("%s: no sign of life for %v", what, gitPatience)
	case e.exit.Signal != "":
		return fmt.Sprintf("%s: killed by %s", what, e.exit.Signal)
	}
	return fmt.Sprintf("%s: exit %d: %s", what, *e.exit.Code, strings.TrimSpace(e.complaint))
}

// saidNo tells whether git answered no, rather than that it could not answer.
func (e *gitError) saidNo() bool { return e.exit.Code != nil && *e.exit.Code == 1 }

// noRepository tells whether there is no repository here, in git's own words:
// its exit code does not tell this from a repository that it refuses to read.
func (e *gitError) noRepository() bool {
	return strings.Contains(e.complaint, "fatal: not a git repository")
}
