//go:build unix

package proc

import (
	"os"
	"testing"
)

// A stdin that is held ends with its process, and a process with what it reads.
func TestHeldStdin(t *testing.T) {
	for name, tt := range map[string]struct {
		script  string
		release bool
	}{
		"the process ends first": {"exit 3", false},
		"it is let go":           {"cat; exit 3", true},
	} {
		held := NewHeld()
		if tt.release {
			held.Release()
		}
		exit, err := Run(t.Context(), Spec{Argv: []string{"sh", "-c", tt.script}, Env: os.Environ(), Stdin: held})
		if err != nil || exit.Code == nil || *exit.Code != 3 {
			t.Errorf("%s: Run = %+v, %v; want code 3", name, exit, err)
		}
	}
}
