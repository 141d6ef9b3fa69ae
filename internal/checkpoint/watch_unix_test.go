//go:build unix

package checkpoint

import (
	"os"
	"slices"
	"syscall"
	"testing"
)

func TestFilesThatCannotBeReadAreSkipped(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Must(os.Remove(f.Path("a.txt")))
	f.Must(syscall.Mkfifo(f.Path("a.txt"), 0o600))
	want := []Skipped{{"a.txt", "neither a file nor a link"}}
	if os.Geteuid() != 0 { // everything is open to root
		f.Write("closed", "")
		f.Must(os.Chmod(f.Path("closed"), 0))
		want = append(want, Skipped{"closed", "cannot be read: permission denied"})
	}
	after := f.checkpoint(s)
	if !slices.Equal(after.Skipped, want) {
		t.Errorf("skipped = %q, want %q", after.Skipped, want)
	}
	if got := says(f.changes(s, before, after)); got[0] != "modified a.txt" {
		t.Errorf("changes = %q", got)
	}
}
