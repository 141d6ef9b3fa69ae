package git

import (
	"errors"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Error says that git ran and did not succeed.
type Error struct {
	command, dir string
	exit         loop.Exit
	complaint    string
}

func (e *Error) Error() string {
	what := fmt.Sprintf("git %s in %s", e.command, e.dir)
	switch {
	case e.Hung():
		return fmt.Sprintf("%s: no sign of life for %v", what, gitPatience)
	case e.exit.Signal != "":
		return fmt.Sprintf("%s: killed by %s", what, e.exit.Signal)
	}
	return fmt.Sprintf("%s: exit %d: %s", what, *e.exit.Code, strings.TrimSpace(e.complaint))
}

// SaidNo tells whether git answered no, rather than that it could not answer.
func SaidNo(err error) bool {
	code, exited := ExitCode(err)
	return exited && code == 1
}

// ExitCode is how git ended, if it ended by itself.
func ExitCode(err error) (code int, exited bool) {
	var failed *Error
	if !errors.As(err, &failed) || failed.exit.Code == nil {
		return 0, false
	}
	return *failed.exit.Code, true
}

// Hung tells whether git was ended since it showed no sign of life.
func (e *Error) Hung() bool { return e.exit.Cause == loop.WhenIdle }

// BrokenIndex tells whether git could not read the index, as after a power loss.
func (e *Error) BrokenIndex() bool { return strings.Contains(e.complaint, "index file") }

// noRepository tells whether there is no repository here, in git's own words:
// its exit code does not tell this from a repository that it refuses to read.
func (e *Error) noRepository() bool {
	return strings.Contains(e.complaint, "fatal: not a git repository")
}

// Killed tells whether something failed because somebody ended git, or the keeper
// that it had.
func Killed(err error) bool {
	var failed *Error
	if errors.As(err, &failed) {
		return endedByOthers(failed.exit, nil)
	}
	return endedByOthers(loop.Exit{}, err)
}

// endedByOthers tells whether a git was ended, and not by us: by a person, by a
// system that is short of memory, or with its keeper. That says nothing of what
// it was asked.
func endedByOthers(exit loop.Exit, err error) bool {
	var lost *proc.KeeperError
	return errors.As(err, &lost) || err == nil && exit.Cause == loop.Signaled
}

// RefusedError says why something was not begun, and what to do about it. The
// repository is as it was.
type RefusedError struct {
	what, hint string
}

func (e *RefusedError) Error() string { return e.what }

// Hint says what to do.
func (e *RefusedError) Hint() string { return e.hint }

func refuseWithoutGit(dir string) error {
	return &RefusedError{what: dir + " is not in a git work tree", hint: `make it one with "git init", or do without what needs git`}
}
