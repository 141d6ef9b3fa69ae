package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestSecretsAreMaskedWhereverShown(t *testing.T) {
	s := treeWith(t, "[agents.a]\ncommand = [\"a\", \"--api-key\", \"hunter2\", \"--token=hunter2\"]\nenv = { ANYTHING = \"hunter2\" }\n[agents.b]\ncommand = \"b --api-key hunter2 -v\"\n"+
		"[commands]\ntest = \"TOKEN=hunter2 t\"\nas_gates = true\n[proof]\nsetup = \"TOKEN=hunter2 s\"\n[[gate]]\nname = \"g\"\nrun = \"g --token hunter2\"\n[hooks.run]\nstarted = \"TOKEN=hunter2 h\"\n"+
		"[notify]\ncommand = \"TOKEN=hunter2 n\"\nwebhook = { url = \"https://h/hunter2\", secret = \"hunter2\", headers = { A = \"hunter2\" } }\n"+
		"slack.url = \"https://h/hunter2\"\ndiscord.url = \"https://h/hunter2\"\nntfy = { url = \"https://h/hunter2\", token = \"hunter2\" }\nemail.password = \"hunter2\"\n")
	s.Environ = []string{`REFRAIN_TRACE_HEADERS={ A = "hunter2" }`}
	s.Flags = append(set(t, "agents.a.env.MORE=hunter2"), Flag{"--gate", "gate", "TOKEN=hunter2 f"})
	r := load(t, s)
	stored, err := json.Marshal(r.Masked())
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprintf("%+v %s %+v", r.Settings(), stored, []Flag{s.Flags[0].Masked(), s.Flags[1].Masked()})
	if strings.Contains(shown, "hunter2") {
		t.Errorf("a secret is shown: %s", shown)
	}
	if got := r.Config.Agents["a"].Env["MORE"]; got != "hunter2" {
		t.Errorf("the agent itself gets %q, want the secret", got)
	}
}

func TestWhatIsEmptyIsNoSecret(t *testing.T) {
	r := load(t, Sources{})
	if got, err := r.Explain("notify.slack.url"); err != nil || got.Value != `""` {
		t.Errorf("notify.slack.url = %s, %v; want it shown as empty", got.Value, err)
	}
	now := load(t, treeWith(t, "notify.slack.url = \"https://h/x\""))
	want := []loop.Change{{Key: "notify.slack.url", Old: `""`, New: `"***"`}}
	if diff := cmp.Diff(want, Diff(keep(t, r), now.Masked())); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// What is wrong with a secret is told without it.
func TestProblemsKeepSecrets(t *testing.T) {
	for _, toml := range []string{
		"notify.slack.url = \"hunter2\"", "notify.slack.url = [\"hunter2\"]", "notify.discord.url = \"ftp://hunter2\"", "notify.ntfy.url = \"https://\\nhunter2\"", "notify.webhook.url = \"https://a b/hunter2\"",
		"notify.ntfy.token = \"hunter2\\n\"", "trace.headers.A = \"hunter2\\n\"", "notify.command = [\"hunter2\"]",
	} {
		got := problems(t, treeWith(t, toml))
		if shown := fmt.Sprintf("%+v", got); len(got) != 1 || strings.Contains(shown, "hunter2") {
			t.Errorf("%s: %s, want one problem without the secret", toml, shown)
		}
	}
}

func TestMaskedFlags(t *testing.T) {
	tests := []struct {
		name     string
		in, want Flag
	}{
		{"an ordinary one stays", Flag{"--set", "loop.backoff", "1s"}, Flag{"--set", "loop.backoff", "1s"}},
		{"a number of tokens stays", Flag{"--max-tokens", "budget.tokens", "5"}, Flag{"--max-tokens", "budget.tokens", "5"}},
		{"a variable goes", Flag{"--set", "agents.a.env.X", "s"}, Flag{"--set", "agents.a.env.X", "***"}},
		{"a secret address goes", Flag{"--set", "notify.slack.url", "https://h/s"}, Flag{"--set", "notify.slack.url", "***"}},
		{"a header goes", Flag{"--set", "trace.headers.A", "s"}, Flag{"--set", "trace.headers.A", "***"}},
		{"what is empty stays", Flag{"--set", "notify.slack.url", ""}, Flag{"--set", "notify.slack.url", ""}},
		{"a secret argument goes", Flag{"--set", "agents.a.command", "a --key s"}, Flag{"--set", "agents.a.command", `"a --key ***"`}},
		{"a secret in a line goes", Flag{"--set", "commands.test", "TOKEN=s t"}, Flag{"--set", "commands.test", `"TOKEN=*** t"`}},
		{"a secret in a setup goes", Flag{"--set", "proof.setup", `["s", "--token", "x"]`}, Flag{"--set", "proof.setup", `["s", "--token", "***"]`}},
		{"a gate stays", Flag{"--gate", "gate", "go test ./..."}, Flag{"--gate", "gate", "go test ./..."}},
		{"a secret in a gate goes", Flag{"--gate", "gate", "TOKEN=s t"}, Flag{"--gate", "gate", "TOKEN=*** t"}},
		{"a key that is none stays", Flag{"--set", "a b", "s"}, Flag{"--set", "a b", "s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.in.Masked(); got != tt.want {
				t.Errorf("%+v.Masked() = %+v, want %+v", tt.in, got, tt.want)
			}
		})
	}
}

func TestAStoredSecretIsPassedAgain(t *testing.T) {
	stored := set(t, "agents.a.command=a", "agents.a.env.X=s", "notify.slack.url=https://h/s")
	for i, f := range stored {
		stored[i] = f.Masked()
	}
	r := load(t, Sources{Flags: append(stored, set(t, "agents.a.env.X=again", "notify.slack.url=https://h/again")...)})
	if got := r.Config.Agents["a"].Env["X"]; got != "again" {
		t.Errorf("X = %q, want %q", got, "again")
	}
	if got := r.Config.Notify.Slack.URL; got != "https://h/again" {
		t.Errorf("notify.slack.url = %q, want what was passed again", got)
	}
}

func TestStarsThatHideNothing(t *testing.T) {
	r := load(t, Sources{Flags: set(t, "done.promise=***", `agents.a.command=["grep", "***"]`)})
	if got := r.Config.Done.Promise; got != "***" {
		t.Errorf("promise = %q, want ***", got)
	}
}
