package proc

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Who has forgotten everything is still a child of its keeper.
func TestKept(t *testing.T) {
	if Kept(os.Getpid()) {
		t.Skip("these tests are part of a run")
	}
	scene := newScene(t)
	k := scene.keeper()
	s := scene.forgetful("stay")
	s.Stdout.Line = func([]byte, bool) {
		b, err := os.ReadFile(scene.file + ".pid")
		pid, parseErr := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil || parseErr != nil {
			t.Errorf("which process is it? %q %v", b, err)
		}
		if !Kept(pid) {
			t.Error("a process of a run is nobody's")
		}
		if err := os.Remove(scene.file); err != nil { // they may go
			t.Error(err)
		}
	}
	if _, err := k.Run(t.Context(), s); err != nil {
		t.Error(err)
	}
	if !Kept(1 << 30) {
		t.Error("one that is gone is nobody's")
	}
}
