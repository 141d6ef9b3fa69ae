package proc

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

func TestOthersAreThoseAtWorkInAFolder(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	before := time.Now().Add(-time.Minute)
	cmd := exec.Command("cat")
	cmd.Dir = dir
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stdin.Close()
		_ = cmd.Wait() // it reads its input to the end
	}()
	name := ""
	for deadline := time.Now().Add(10 * time.Second); name == "" || name == program(os.Getpid()); name = program(cmd.Process.Pid) {
		if time.Now().After(deadline) {
			t.Fatal("the program has not begun")
		}
	}
	tests := []struct {
		what, name string
		dir        string
		at         time.Time
		want       bool
	}{
		{"it is there", name, dir, time.Now(), true},
		{"it was not there then", name, dir, before, false},
		{"another program", name + "x", dir, time.Now(), false},
		{"another folder", name, elsewhere, time.Now(), false},
	}
	for _, tt := range tests {
		pids, known := Others(tt.name, []string{tt.dir}, tt.at)
		if !known || slices.Contains(pids, cmd.Process.Pid) != tt.want {
			t.Errorf("%s: Others = %v, %v, want pid %d in it: %v", tt.what, pids, known, cmd.Process.Pid, tt.want)
		}
	}
}
