package carry

import (
	"errors"
	"strings"
	"testing"
)

// What a remote says is shown as text: it writes nothing to the title of a window, and
// over no line.
func TestWhatARemoteSaysIsOnlyText(t *testing.T) {
	const said = "remote: no \x1b]0;title\x07\x1b[31mred\rover"
	for _, err := range []error{
		&RefusedError{Remote: "origin", Why: said},
		&UnreachableError{Remote: "origin", Err: errors.New(said)},
		&UnsureError{Run: "run-1", Remote: "origin", Err: errors.New(said)},
		&ForeignError{What: said},
		&BusyError{Repo: "/carry", Err: errors.New(said)},
	} {
		if got := err.Error(); strings.ContainsAny(got, "\x1b\x07\r") || !strings.Contains(got, "red") {
			t.Errorf("%T says %q", err, got)
		}
	}
}
