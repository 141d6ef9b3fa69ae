package journal

import (
	"path/filepath"
	"testing"
)

func TestAnAgentsGitCleanAndStashLoseNothing(t *testing.T) {
	root := realDir(t)
	git(t, root, "init", "-q")
	git(t, root, "commit", "-q", "--allow-empty", "-m", "x")
	s, err := OpenIn(filepath.Join(root, "..", "state"), root)
	if err == nil {
		s, err = s.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	r := create(t, s)
	state := finish(r, startOf(r), 1)
	for _, args := range [][]string{{"clean", "-fdxq"}, {"stash", "-aq"}, {"gc", "--prune=now", "-q"}} {
		writeFile(t, filepath.Join(root, "work"), "half done")
		git(t, root, args...)
		state = finish(r, state, 1)
	}
	if trouble := r.Trouble(); trouble != nil {
		t.Errorf("Trouble = %q, want none", trouble)
	}
	e, err := s.Find("")
	if err != nil || e.State.Totals.Iterations != 4 {
		t.Errorf("Find = %d iterations, %v, want 4", e.State.Totals.Iterations, err)
	}
}
