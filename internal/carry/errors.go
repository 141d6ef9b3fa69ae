package carry

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/text"
)

// TakenError says that a run is somebody else's by now.
type TakenError struct {
	Run    string
	Remote string
	By     *Card  // as far as it is known
	Now    string // what the ref is at
}

func (e *TakenError) Error() string {
	if e.By == nil {
		return fmt.Sprintf("%s is no longer ours: on %s somebody else has moved it", e.Run, e.Remote)
	}
	return fmt.Sprintf("%s has been with %s since %s (leg %d)", e.Run, text.Line(e.By.Worker), e.By.At.Local().Format(time.DateTime), e.By.Leg)
}

// Hint says what to do.
func (e *TakenError) Hint() string {
	return fmt.Sprintf("let it be parked and pushed there; or take it nevertheless, and what is done there from now on is lost: refrain carry fetch %s %s --trust --force", e.Run, e.Remote)
}

// RefusedError says that the remote does not take a run, and why.
type RefusedError struct{ Remote, Why string }

func (e *RefusedError) Error() string {
	return e.Remote + " does not take it: " + text.Line(e.Why) // in the remote's own words
}

// Hint says what to do.
func (e *RefusedError) Hint() string {
	return "nothing was changed there; let it take refs below " + Prefix + ", or name another remote"
}

// BranchError says that the branch that a run works on has other commits on the remote,
// which nobody writes over.
type BranchError struct {
	Remote, Branch string
	Now            string // the commit that it is at there
}

func (e *BranchError) Error() string {
	return fmt.Sprintf("the branch %s on %s has commits that the run does not have: it is at %.10s", e.Branch, e.Remote, e.Now)
}

// Hint says what to do.
func (e *BranchError) Hint() string {
	return "they are not written over, and what the run did is with its records; give that branch another name on the remote, or the run another branch"
}

// said is an error in which a remote may have its say: nothing of it moves a cursor.
func said(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = text.Line(line)
	}
	return strings.Join(lines, "\n")
}

// UnreachableError says that nobody knows what a remote holds.
type UnreachableError struct {
	Remote string
	Err    error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s cannot be reached: %s", e.Remote, said(e.Err))
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *UnreachableError) Hint() string { return "nothing was changed here; try again" }

// BusyError says that something else has hold of the repository by which runs travel.
type BusyError struct {
	Repo string
	Err  error
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("another git is at work in %s: %s", e.Repo, said(e.Err))
}

func (e *BusyError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *BusyError) Hint() string {
	return "try again when it has ended; if there is none, delete the .lock file that it has left"
}

// FormatError says that a remote names git's objects in another way than the repository.
type FormatError struct{ Remote, Here string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s cannot hold what is here: git names objects by %s in this repository, and otherwise there", e.Remote, e.Here)
}

// Hint says what to do.
func (e *FormatError) Hint() string {
	return "nothing was changed; take a remote that this repository was cloned from, or can be pushed to"
}

// UnsureError says that a push was cut short, and may have come through.
type UnsureError struct {
	Run, Remote string
	Err         error
}

func (e *UnsureError) Error() string {
	return fmt.Sprintf("%s was on its way to %s, and may have arrived: %s", e.Run, e.Remote, said(e.Err))
}

func (e *UnsureError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *UnsureError) Hint() string { return "say the same again when it can be reached" }

// ForeignError says that what is in a ref is no run that was carried away.
type ForeignError struct{ What string }

func (e *ForeignError) Error() string {
	return "it is not what Refrain carries away: " + text.Line(e.What)
}

// Hint says what to do.
func (e *ForeignError) Hint() string {
	return "nothing was taken in; somebody else has written to the ref"
}

// unread is why something could not be read that is here: somebody else has written it,
// unless we were not let read it to its end.
func unread(ctx context.Context, err error) error {
	if ctx.Err() != nil || git.Killed(err) {
		return err
	}
	return &ForeignError{What: err.Error()}
}

// SecretError says that files hold what should not leave this machine.
type SecretError struct {
	Files []string
	Kept  bool // in what the run has kept, where taking them away now does not help
}

func (e *SecretError) Error() string {
	const few = 5
	list := e.Files
	more := ""
	if len(list) > few {
		list, more = list[:few], fmt.Sprintf(" and %d more", len(list)-few)
	}
	return "secrets do not travel, and there seem to be some in " + strings.Join(list, ", ") + more
}

// Hint says what to do.
func (e *SecretError) Hint() string {
	if !e.Kept {
		return "take these files away, or let git ignore them, and say the same again: the run has not kept them"
	}
	return "let git ignore these files, and begin a new run: those that git ignores are in no checkpoint"
}

// UnwillingError says why a run cannot travel as it stands, and what to do.
type UnwillingError struct{ What, Do string }

func (e *UnwillingError) Error() string { return e.What }

// Hint says what to do.
func (e *UnwillingError) Hint() string { return e.Do }

// UnknownError says that there is no such remote, or no such run on it.
type UnknownError struct{ What, Do string }

func (e *UnknownError) Error() string { return e.What }

// Hint says what to do.
func (e *UnknownError) Hint() string { return e.Do }
