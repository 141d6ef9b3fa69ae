package app

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
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

// Two agents may have keys of their own under the same name.
func TestEveryAgentsKeyIsSecret(t *testing.T) {
	dir := story.NewTree(t, `
[agents.one.env]
THE_API_KEY = "k3y-of-agent-one"
[agents.one]
command = ["one"]
[agents.two.env]
THE_API_KEY = "k3y-of-agent-two"
[agents.two]
command = ["two"]
`)
	a, err := request.In(dir, request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if got := secretsOf(a).Text("k3y-of-agent-one k3y-of-agent-two"); got != "***THE_API_KEY*** ***THE_API_KEY***" {
		t.Errorf("told %q", got)
	}
}
