package git

import "testing"

func TestACommitThatWasMadeIsKnownByItsTrailers(t *testing.T) {
	f := newRepository(t)
	tree, err := Open(t.Context(), f.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	trailers := []string{"Refrain-Run: run-1", "Refrain-Iteration: 2"}
	if commit, _, err := tree.Made(t.Context(), trailers); commit != "" || err != nil {
		t.Errorf("Made = %q, %v, want none", commit, err)
	}
	// As a runner leaves it that dies after the commit: the index is behind.
	f.Write("a.txt", "three")
	f.Write("c.txt", "new")
	f.Git("add", "-A")
	f.Git("commit", "-q", "-m", "loop: iteration 2", "-m", "Refrain-Run: run-1\nRefrain-Iteration: 2")
	f.Git("read-tree", "HEAD^")
	commit, message, err := tree.Made(t.Context(), trailers)
	if head, _ := tree.git.commit(t.Context(), "HEAD"); err != nil || commit != head || message != "loop: iteration 2" {
		t.Errorf("Made = %q, %q, %v, want %s", commit, message, err, head)
	}
	if staged, err := tree.git.Run(t.Context(), "diff", "--cached", "--name-only"); len(staged) > 0 || err != nil {
		t.Errorf("staged: %q, %v, want that the index knows the commit", staged, err)
	}
	if commit, _, err := tree.Made(t.Context(), []string{"Refrain-Run: run-1", "Refrain-Iteration: 3"}); commit != "" || err != nil {
		t.Errorf("Made with other trailers = %q, %v, want none", commit, err)
	}
}
