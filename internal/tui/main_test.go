package tui

import (
	"testing"

	"go.uber.org/goleak"
)

// teatest waits for an interrupt that never comes.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/charmbracelet/x/exp/teatest/v2.NewTestModel.func2"),
		goleak.IgnoreTopFunction("os/signal.loop"),
		goleak.IgnoreTopFunction("os/signal.signal_recv"),
	)
}
