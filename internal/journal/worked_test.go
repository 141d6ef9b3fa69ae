package journal

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestWorked(t *testing.T) {
	s := Worked{Dir: filepath.Join(t.TempDir(), "records")}
	if commits, marked := s.Commits(t.Context()); marked || len(commits) > 0 {
		t.Errorf("with no note: %v, %v", commits, marked)
	}
	for _, commit := range []string{"", "a", "", "b", "a"} {
		if err := s.Mark(t.Context(), commit); err != nil {
			t.Fatal(err)
		}
		if _, marked := s.Commits(t.Context()); !marked {
			t.Errorf("after a note with commit %q it is not marked", commit)
		}
	}
	if commits, _ := s.Commits(t.Context()); !slices.Equal(commits, []string{"a", "b"}) {
		t.Errorf("commits = %v", commits)
	}
}
