//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// A signal goes to the process that is meant, and its client ends with that.
func TestASignalIsRelayed(t *testing.T) {
	meant := filepath.Join(t.TempDir(), "meant")
	var mu sync.Mutex
	var signals []string
	exit, err := Run(t.Context(), Spec{
		Argv: []string{"sh", "-c", `trap "" TERM; until test -e "$1"; do sleep 0.01; done; exit 7`, "sh", meant}, Env: os.Environ(), First: "INT", Timeout: 50 * time.Millisecond,
		Relay: func(name string) {
			mu.Lock()
			defer mu.Unlock()
			signals = append(signals, name)
			if err := os.WriteFile(meant, nil, 0o600); err != nil {
				t.Error(err)
			}
		},
	})
	if err != nil || exit.Cause != loop.AtDeadline || exit.Code == nil || *exit.Code != 7 {
		t.Errorf("Run = %+v, %v; want code 7 at the deadline", exit, err)
	}
	if len(signals) != 1 || signals[0] != "INT" {
		t.Errorf("relayed %v, want INT", signals)
	}
}

// A client that does not notice the end of what it stands for is ended itself.
func TestADeafClientIsEnded(t *testing.T) {
	var signals []string
	exit, err := Run(t.Context(), Spec{
		Argv: []string{"sh", "-c", `trap "" INT TERM; while :; do sleep 0.01; done`}, Env: os.Environ(), First: "INT", Timeout: 50 * time.Millisecond,
		Relay: func(name string) { signals = append(signals, name) },
	})
	if err != nil || exit.Cause != loop.AtDeadline || exit.Signal != "KILL" {
		t.Errorf("Run = %+v, %v; want KILL at the deadline", exit, err)
	}
	if want := []string{"INT", "TERM", "KILL"}; len(signals) != 3 || signals[0] != want[0] || signals[1] != want[1] || signals[2] != want[2] {
		t.Errorf("relayed %v, want %v", signals, want)
	}
}
