//go:build unix

package checkpoint

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
)

// Who packs may be killed at any moment, and git with it: no checkpoint is lost, and
// nothing is left once somebody has packed to the end.
func TestWhoPacksIsKilled(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := newRepository(t)
	s := f.keep(f.open())
	all := []Checkpoint{f.checkpoint(s)}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	killed := map[string]int{}
	for round := range 14 {
		for i := range 3 {
			for name := range 10 {
				f.Write(fmt.Sprintf("sub/%d.txt", name), fmt.Sprint("work ", round, i, name))
			}
			all = append(all, f.checkpoint(s))
		}
		packs, loose := f.entries(s, "objects/pack/"+ours+"*"), f.looseIn(s)
		moments := []struct {
			name string
			is   func() bool
		}{
			{"it has begun", func() bool { return f.entries(s, packing) > 0 }},
			{"git writes", func() bool { return f.entries(s, packing+"/pack/*") > 0 }},
			{"git has written", func() bool { return f.entries(s, packing+"/pack/"+ours+"*") > 0 }},
			{"it is moved", func() bool { return f.entries(s, "objects/pack/"+ours+"*") > packs }},
			{"it removes", func() bool { return f.looseIn(s) < loose }},
			{"packs go", func() bool { return f.entries(s, packing) == 0 && f.looseIn(s) < loose/2 }},
		}
		at := moments[(round+random.IntN(2))%len(moments)]
		cmd := exec.Command(self)
		cmd.Dir, cmd.Env = f.Dir, append(os.Environ(), packAlone+"="+s.dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		var said bytes.Buffer
		cmd.Stderr = &said
		f.Must(cmd.Start())
		over := make(chan error, 1)
		go func() { over <- cmd.Wait() }()
		var ended error
		for done := false; !done; {
			select {
			case ended = <-over:
				done = true
			default:
				if !at.is() {
					continue
				}
				for range random.IntN(50) { // some moments after that
					runtime.Gosched()
				}
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
				ended, done = <-over, true
			}
		}
		switch {
		case ended == nil:
		case cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
			killed[at.name]++
		default:
			t.Fatalf("seed %d: it could not pack: %v: %s", seed, ended, said.String())
		}
		if out, err := s.repo.run(t.Context(), git.Command{}, "fsck", "--no-dangling", "--no-progress", "HEAD"); err != nil {
			t.Fatalf("seed %d: killed when %s: %v\n%s", seed, at.name, err, out)
		}
	}
	if len(killed) < 2 {
		t.Errorf("seed %d: it was killed when %v only", seed, killed)
	}
	all = append(all, f.lot(s, packAfter)...) // enough for one more
	f.Must(s.packer.pack(t.Context()))
	if n := f.looseIn(s); n > 0 {
		t.Errorf("seed %d: %d objects are loose", seed, n)
	}
	packs := f.packsIn(s)
	if got := f.entries(s, "objects/pack/"+ours+"*.pack"); got != packs || f.entries(s, packing) > 0 {
		t.Errorf("seed %d: %d files of packs, and %d packs; %d folders of a pack that is made", seed, got, packs, f.entries(s, packing))
	}
	f.whole(s, all)
}

// entries is how many files of a store a pattern names.
func (f folder) entries(s *Store, pattern string) int {
	f.T.Helper()
	found, err := filepath.Glob(filepath.Join(globQuoted(s.dir), pattern))
	f.Must(err)
	return len(found)
}
