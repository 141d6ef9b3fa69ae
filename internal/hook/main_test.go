package hook

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/proc"
)

func TestMain(m *testing.M) {
	proc.Helper(nil) // the keeper is this binary again
	// The race detector otherwise makes the keeper wait a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}
