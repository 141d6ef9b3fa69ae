package repo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// gitTimeout is for a huge tree on a slow disk; whatever takes longer hangs.
const gitTimeout = 2 * time.Minute

// elsewhere are the variables that turn git away from the folder it is run in,
// as set for example while a git hook runs.
var elsewhere = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_IMPLICIT_WORK_TREE",
	"GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_INTERNAL_SUPER_PREFIX",
}

// gitEnv is the environment that git is run in. It speaks English to us, asks
// nobody for a password, and takes no lock that the agent might run into.
func gitEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(elsewhere, name)
	})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// run runs git in the tree's folder and gives what it printed.
func (t *Tree) run(ctx context.Context, args ...string) ([]byte, error) {
	var out, complaint bytes.Buffer
	exit, err := t.exec(ctx, proc.Spec{
		Argv:    append([]string{"git"}, args...),
		Dir:     t.dir,
		Env:     gitEnv(),
		Stdout:  proc.Sink{Raw: &out},
		Stderr:  proc.Sink{Raw: &complaint},
		Timeout: gitTimeout,
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("git %s in %s: %w", args[0], t.dir, err)
	case exit.Zero():
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s in %s: %w", args[0], t.dir, context.Cause(ctx))
	}
	return nil, &gitError{command: args[0], dir: t.dir, exit: exit, complaint: complaint.String()}
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
	case e.exit.Cause == loop.AtDeadline:
		return fmt.Sprintf("%s: no answer within %v", what, gitTimeout)
	case e.exit.Signal != "":
		return fmt.Sprintf("%s: killed by %s", what, e.exit.Signal)
	}
	return fmt.Sprintf("%s: exit %d: %s", what, *e.exit.Code, strings.TrimSpace(e.complaint))
}

// noRepository tells whether there is no repository here, in git's own words:
// its exit code does not tell this from a repository that it refuses to read.
func (e *gitError) noRepository() bool {
	return strings.Contains(e.complaint, "fatal: not a git repository")
}
