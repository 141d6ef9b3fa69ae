package app

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/request"
)

// What only agents get is secret, also where its name does not say so.
func TestWhatPaysForAgentsIsSecret(t *testing.T) {
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Gate: k3y-of-a-gate-1")
	a, err := request.In(t.TempDir(), request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	hide := secretsOf(a)
	if got := hide.Text("sent X-Gate: k3y-of-a-gate-1 along"); got != "sent ***ANTHROPIC_CUSTOM_HEADERS*** along" {
		t.Errorf("told %q", got)
	}
}
