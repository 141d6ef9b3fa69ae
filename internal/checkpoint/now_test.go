package checkpoint

import (
	"os"
	"strings"
	"testing"
)

func TestTheFilesOfNowAreComparedWithoutTouchingTheStore(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write(".gitignore", "*.log\n")
	f.Write("gone.txt", "gone\n")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	index, err := os.ReadFile(s.repo.index())
	f.Must(err)
	f.Write("a.txt", "two\n")
	f.Write("new ü.txt", "new\n")
	f.Write("x.log", "noise\n")
	f.Must(os.Remove(f.Path("gone.txt")))
	var b strings.Builder
	f.Must(s.DiffNow(t.Context(), &b, before))
	for _, part := range []string{"-one", "+two", "+++ b/new ü.txt", "+new", "-gone"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, b.String())
		}
	}
	if strings.Contains(b.String(), "noise") {
		t.Errorf("what is ignored is in\n%s", b.String())
	}
	now, err := os.ReadFile(s.repo.index())
	f.Must(err)
	if string(now) != string(index) {
		t.Error("the index of the store was changed")
	}
	var again strings.Builder
	f.Must(s.DiffNow(t.Context(), &again, f.checkpoint(s)))
	if again.String() != "" {
		t.Errorf("right after a checkpoint there is\n%s", again.String())
	}
}
