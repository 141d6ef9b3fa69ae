package checkpoint

import (
	"errors"
	"strings"
	"testing"
)

func TestDiffIsForPeople(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Git("config", "diff.external", "false")
	f.Write(".gitattributes", "*.txt diff=shout\n")
	f.Git("config", "diff.shout.textconv", "tr a-z A-Z <")
	s := f.keep(f.open("NOTES.md"))
	before := f.checkpoint(s)
	f.Write("a.txt", "two\n")
	f.Write("NOTES.md", "noted\n")
	f.Write("f ü.txt", "new\n")
	after := f.checkpoint(s)
	for _, tt := range []struct {
		name   string
		o      DiffOptions
		has    []string
		hasNot []string
	}{
		{"lines", DiffOptions{}, []string{"-one", "+two", "+noted", "+++ b/f ü.txt"}, []string{"TWO", "\x1b["}},
		{"files", DiffOptions{Stat: true}, []string{"a.txt", " f ü.txt ", "3 files changed, 3 insertions(+), 1 deletion(-)"}, []string{"+two"}},
	} {
		var b strings.Builder
		f.Must(s.Diff(t.Context(), &b, before, after, tt.o))
		for _, part := range tt.has {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s: %q is not in\n%s", tt.name, part, b.String())
			}
		}
		for _, part := range tt.hasNot {
			if strings.Contains(b.String(), part) {
				t.Errorf("%s: %q is in\n%s", tt.name, part, b.String())
			}
		}
	}
}

// full is a reader who has seen enough.
type full struct{}

var errEnough = errors.New("seen enough")

func (full) Write([]byte) (int, error) { return 0, errEnough }

func TestADiffEndsWithItsReader(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Write("long", strings.Repeat("a line\n", 1<<17))
	if err := s.Diff(t.Context(), full{}, before, f.checkpoint(s), DiffOptions{}); !errors.Is(err, errEnough) {
		t.Errorf("Diff = %v, want %v", err, errEnough)
	}
}
