//go:build unix

package preflight

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
)

// A stand-in for the CLI says that nobody is signed in, whenever it is asked, and
// leaves a mark.
const saysNo = `#!/bin/sh
touch "$MARK"
echo '{"loggedIn":false}'
echo 'Not logged in' >&2
exit 1
`

func TestWhoIsSignedOut(t *testing.T) {
	tests := []struct {
		what  string
		agent string
		env   []string
		files map[string]string // below the home folder
		cli   string
		want  bool
		asked bool
	}{
		{"claude says that nobody is", "claude", nil, nil, saysNo, true, true},
		{"codex says that nobody is", "codex", nil, nil, saysNo, true, true},
		{"a key pays", "claude", []string{"ANTHROPIC_API_KEY=x"}, nil, saysNo, false, false},
		{"an empty key does not", "claude", []string{"ANTHROPIC_API_KEY="}, nil, saysNo, true, true},
		{"a sign-in is kept", "claude", nil, map[string]string{".claude/.credentials.json": ""}, saysNo, false, false},
		{"one of another CLI is none", "claude", nil, map[string]string{".codex/auth.json": ""}, saysNo, true, true},
		{"it is kept in a folder of its own", "codex", []string{"CODEX_HOME=HOME/else"}, map[string]string{"else/auth.json": ""}, saysNo, false, false},
		{"nothing is kept in that", "codex", []string{"CODEX_HOME=HOME/else"}, map[string]string{".codex/auth.json": ""}, saysNo, true, true},
		{"another provider is asked", "codex", nil, map[string]string{".codex/config.toml": "a = 1\nmodel_provider = \"mine\"\n"}, saysNo, false, false},
		{"the settings name no other", "codex", nil, map[string]string{".codex/config.toml": "# model_provider\nmodel = \"x\"\n"}, saysNo, true, true},
		{"a program gives the key", "claude", nil, map[string]string{".claude/settings.json": "{\n  \"apiKeyHelper\": \"/bin/key\"\n}"}, saysNo, false, false},
		{"the settings name another provider", "claude", nil, map[string]string{".claude/settings.json": `{"env":{"CLAUDE_CODE_USE_VERTEX":"1"}}`}, saysNo, false, false},
		{"the settings name no key", "claude", nil, map[string]string{".claude/settings.json": `{"model":"apiKeyHelper"}`}, saysNo, true, true},
		{"Bedrock is asked", "claude", []string{"CLAUDE_CODE_USE_BEDROCK=1"}, nil, saysNo, false, false},
		{"Vertex is asked", "claude", []string{"CLAUDE_CODE_USE_VERTEX=1"}, nil, saysNo, false, false},
		{"Foundry is asked", "claude", []string{"CLAUDE_CODE_USE_FOUNDRY=1"}, nil, saysNo, false, false},
		{"a gateway is asked", "claude", []string{"ANTHROPIC_BASE_URL=http://127.0.0.1:1"}, nil, saysNo, false, false},
		{"an old version does not know the question", "claude", nil, nil, "#!/bin/sh\ntouch \"$MARK\"\necho 'error: unknown option' >&2\nexit 1\n", false, true},
		{"it says no, and that all is well", "claude", nil, nil, "#!/bin/sh\ntouch \"$MARK\"\necho '{\"loggedIn\": false}'\n", false, true},
		{"somebody is", "claude", nil, nil, "#!/bin/sh\ntouch \"$MARK\"\necho '{\"loggedIn\": true}'\n", false, true},
		{"gemini cannot be asked", "gemini", nil, nil, saysNo, false, false},
		{"nobody knows the agent", "mine", nil, nil, saysNo, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			home, bin := t.TempDir(), t.TempDir()
			mark := filepath.Join(bin, "asked")
			story.WriteFile(t, filepath.Join(bin, tt.agent), tt.cli)
			if err := os.Chmod(filepath.Join(bin, tt.agent), 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range tt.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
					t.Fatal(err)
				}
				story.WriteFile(t, filepath.Join(home, name), text)
			}
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MARK=" + mark}
			for _, kv := range tt.env {
				env = append(env, strings.Replace(kv, "HOME/", home+"/", 1))
			}
			if got := (Account{Name: tt.agent, Dir: home, Env: env}).SignedOut(t.Context()); got != tt.want {
				t.Errorf("signed out = %v, want %v", got, tt.want)
			}
			if _, err := os.Stat(mark); (err == nil) != tt.asked {
				t.Errorf("the CLI was asked: %v, want %v", err == nil, tt.asked)
			}
		})
	}
}

// Each CLI may take long to say whether somebody is signed in: they are asked side by
// side. These two wait for each other.
func TestAgentsAreAskedSideBySide(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	const waits = `#!/bin/sh
touch "$HOME/${0##*/}"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	test -e "$HOME/claude" && test -e "$HOME/codex" && break
	sleep 0.1
done
test -e "$HOME/claude" && test -e "$HOME/codex" || exit 0
echo '{"loggedIn":false}'
echo 'Not logged in' >&2
exit 1
`
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	f := Flight{Assignment: request.Assignment{Tree: home, Settings: &config.Resolved{}}}
	for _, name := range []string{"claude", "codex"} {
		program := filepath.Join(bin, name)
		story.WriteFile(t, program, waits)
		if err := os.Chmod(program, 0o700); err != nil {
			t.Fatal(err)
		}
		f.Workers = append(f.Workers, Worker{Name: name, Program: program, Account: &Account{Name: name, Dir: home, Env: env}})
	}
	list := accounts(t.Context(), f)
	if len(list) != 2 || list[0].Name != "agent claude" || list[0].Worry || list[1].Name != "agent codex" || !list[1].Worry {
		t.Errorf("found %+v, want both, in their order", list)
	}
}
