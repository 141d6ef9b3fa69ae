//go:build unix

package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A git that works is given all the time that it needs; one that waits is not. Finding 26.
func TestGitIsGivenTimeAsLongAsItWorks(t *testing.T) {
	f := newRepository(t)
	tree := f.open()
	real, err := exec.LookPath("git")
	f.Must(err)
	bin := t.TempDir()
	tree.git.path = filepath.Join(bin, "git")
	was := gitPatience
	gitPatience = time.Second
	t.Cleanup(func() { gitPatience = was })
	slow := func(line string) {
		f.Must(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+line+"\nexec "+real+" \"$@\"\n"), 0o755))
	}
	slow("end=$(($(date +%s) + 3)); while [ $(date +%s) -lt $end ]; do :; done")
	if _, err := tree.git.Run(t.Context(), "rev-parse", "HEAD"); err != nil {
		t.Errorf("git that works for 3s: %v", err)
	}
	slow("sleep 60")
	if _, err := tree.git.Run(t.Context(), "rev-parse", "HEAD"); err == nil {
		t.Error("git that waits is waited for without end")
	}
}
