//go:build unix

package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// What an agent writes into the config of the repository does not run with the
// rights of the runner.
func TestGitRunsNoProgramOfTheRepository(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	f.must(os.WriteFile(evil, []byte("#!/bin/sh\necho x >>"+ran+"\n"), 0o755))
	f.git("config", "core.fsmonitor", evil)
	tree := f.open()
	s := f.keep(tree)
	f.checkpoint(s)
	f.write("a.txt", "changed")
	c := f.checkpoint(s)
	_, err := tree.Dirty(t.Context())
	f.must(err)
	f.checkout(s, c.Tree)
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("it ran: %q", text)
	}
}

// A git that works is given all the time that it needs; one that waits is not.
func TestGitIsGivenTimeAsLongAsItWorks(t *testing.T) {
	f := newRepository(t)
	tree := f.open()
	real, err := exec.LookPath("git")
	f.must(err)
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	was := gitPatience
	gitPatience = time.Second
	t.Cleanup(func() { gitPatience = was })
	slow := func(line string) {
		f.must(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+line+"\nexec "+real+" \"$@\"\n"), 0o755))
	}
	slow("end=$(($(date +%s) + 3)); while [ $(date +%s) -lt $end ]; do :; done")
	if _, err := tree.run(t.Context(), "rev-parse", "HEAD"); err != nil {
		t.Errorf("git that works for 3s: %v", err)
	}
	slow("sleep 60")
	if _, err := tree.run(t.Context(), "rev-parse", "HEAD"); err == nil {
		t.Error("git that waits is waited for without end")
	}
}
