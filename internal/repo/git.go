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

// gitEnv is the environment that git is run in. It speaks English to us, asks
// nobody for a password, and takes no lock that the agent might run into.
func gitEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(elsewhere, name)
	})
	return append(closed(env), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// env is gitEnv for this tree. When an agent has deleted the repository, git must
// not find another one further up.
func (t *Tree) env() []string {
	env := gitEnv()
	if t.above == "" {
		return env
	}
	above := t.above
	if known := os.Getenv("GIT_CEILING_DIRECTORIES"); known != "" {
		above += string(os.PathListSeparator) + known
	}
	return append(env, "GIT_CEILING_DIRECTORIES="+above)
}

// closed keeps git from running the program in core.fsmonitor: an agent can write
// the config of the repository, and what it names would run with the rights of
// the runner. A setting in the environment wins over those of every file; others
// may be there already.
func closed(env []string) []string {
	n := 0
	for _, v := range env {
		if count, ok := strings.CutPrefix(v, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(count) // what is no number is none
		}
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=core.fsmonitor", n), fmt.Sprintf("GIT_CONFIG_VALUE_%d=false", n), fmt.Sprintf("GIT_CONFIG_COUNT=%d", n+1))
}

// run runs git in the tree's folder and gives what it printed.
func (t *Tree) run(ctx context.Context, args ...string) ([]byte, error) {
	return t.runIn(ctx, t.dir, command{}, args...)
}

// command is what a run of git may need beside its arguments.
type command struct {
	env   []string // on top of the usual; of two values the later one counts
	stdin []byte
	// reader gets what git prints, and nobody else does. It may be a person,
	// who is given all the time in the world.
	reader io.Writer
}

// runIn runs git in a folder and gives what it printed.
func (t *Tree) runIn(ctx context.Context, dir string, c command, args ...string) ([]byte, error) {
	var out, complaint bytes.Buffer
	spec := proc.Spec{
		Argv:   append([]string{"git"}, args...),
		Dir:    dir,
		Env:    append(t.env(), c.env...),
		Stdin:  bytes.NewReader(c.stdin),
		Stdout: proc.Sink{Raw: &out},
		Stderr: proc.Sink{Raw: &complaint},
		Idle:   gitPatience,
	}
	if c.reader != nil {
		spec.Stdout.Raw, spec.Idle = c.reader, 0
	}
	name := commandOf(args)
	exit, err := t.exec(ctx, spec)
	switch {
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
