//go:build unix

package fleettest

import (
	"os"
	"testing"

	"github.com/refrain-loop/refrain/internal/dispatch"
)

// asWorker has this program be refrain-worker, one that reaches no server and does no
// legs.
const asWorker = "FLEETTEST_AS_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		os.Exit(dispatch.Main(os.Args[1:], dispatch.Backend{}))
	}
	os.Exit(m.Run())
}
