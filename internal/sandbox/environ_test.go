package sandbox

import (
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/wellformed"
)

func TestEnviron(t *testing.T) {
	p := Place{Kind: fence.Landlock, Home: "/home/nobody", Temp: "/t", Cache: "/c", Getenv: func(string) string { return "" }}
	env := []string{
		"PATH=/bin", "HOME=/h", "LANG=C", "GH_TOKEN=1", "MY_SECRET=1", "DB_PASSWORD=1", "AWS_PROFILE=x", "SSH_AUTH_SOCK=/s", "STRIPE_KEY=1",
		"ANTHROPIC_API_KEY=1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=9", "REFRAIN_RUN=r", "DISPLAY=:0", "KEYBOARD=us", "TOKENIZERS_PARALLELISM=false",
	}
	has := func(list []string, kv string) bool { return slices.Contains(list, kv) }
	got := p.Environ(proc.Agent, env, []string{"ANTHROPIC_API_KEY"})
	for _, kv := range []string{"PATH=/bin", "HOME=/h", "ANTHROPIC_API_KEY=1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=9", "REFRAIN_RUN=r", "KEYBOARD=us", "TOKENIZERS_PARALLELISM=false", "TMPDIR=/t/agent", "GIT_TERMINAL_PROMPT=0", "GOPATH=/c/go"} {
		if !has(got, kv) {
			t.Errorf("%s is missing in %v", kv, got)
		}
	}
	for _, kv := range []string{"GH_TOKEN=1", "MY_SECRET=1", "DB_PASSWORD=1", "AWS_PROFILE=x", "SSH_AUTH_SOCK=/s", "STRIPE_KEY=1", "DISPLAY=:0"} {
		if has(got, kv) {
			t.Errorf("%s passes", kv)
		}
	}
	if got := p.Environ(proc.Judge, env, []string{"GH_*"}); !has(got, "GH_TOKEN=1") || has(got, "ANTHROPIC_API_KEY=1") {
		t.Errorf("what a gate gets: %v", got)
	}
	if got := p.Environ(proc.Judge, []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c"}, nil); !has(got, "GIT_CONFIG_VALUE_0=c") || !has(got, "GIT_CONFIG_KEY_1=branch.autoSetupMerge") || !has(got, "GIT_CONFIG_COUNT=3") {
		t.Errorf("settings of git: %v", got)
	}
	p.Allow = []string{"ssh"}
	if got := p.Environ(proc.Judge, env, nil); !has(got, "SSH_AUTH_SOCK=/s") {
		t.Errorf("with ssh allowed: %v", got)
	}
	if got := p.Environ(proc.Own, env, nil); !slices.Equal(got, env) {
		t.Errorf("the runner's own: %v", got)
	}
	p.Kind = fence.Namespaces
	if got := p.Environ(proc.Judge, append(env, "GOPATH=/mine"), nil); !has(got, "TMPDIR=/tmp") || !has(got, "GOPATH=/mine") || has(got, "GOPATH=/c/go") {
		t.Errorf("in namespaces: %v", got)
	}
	p.Kind = fence.None
	if got := p.Environ(proc.Agent, env, nil); !slices.Equal(got, env) {
		t.Errorf("without a sandbox: %v", got)
	}
}

func TestWhichVariablesPass(t *testing.T) {
	p := Place{Kind: fence.Landlock, Home: t.TempDir(), Getenv: func(string) string { return "" }}
	for _, tt := range []struct {
		name   string
		passes bool
	}{
		{"CI", true},
		{"DATABASE_URL", true},
		{"EDITOR", true},
		{"GIT_AUTHOR_NAME", true},
		{"HTTPS_PROXY", true},
		{"JAVA_HOME", true},
		{"KEYBOARD", true},
		{"MAX_THINKING_TOKENS", true},
		{"NEXT_PUBLIC_API_KEY", true},
		{"NODE_ENV", true},
		{"OLDPWD", true},
		{"PASSAGE", true},
		{"PWD", true},
		{"STRIPE_PUBLISHABLE_KEY", true},
		{"AWS_ACCESS_KEY_ID", false},
		{"BW_SESSION", false},
		{"DB_PASS", false},
		{"GPG_AGENT_INFO", false},
		{"MYSQL_PWD", false},
		{"OP_SESSION_me", false},
		{"PGPASSWORD", false},
		{"SENTRY_DSN", false},
		{"SIGNING_PASSPHRASE", false},
		{"SLACK_WEBHOOK_URL", false},
		{"SSH_AUTH_SOCK", false},
		{"TMUX", false},
		{"VSCODE_IPC_HOOK_CLI", false},
		{"XDG_RUNTIME_DIR", false},
		{"github_token", false},
		{"npm_config_//registry.npmjs.org/:_authToken", false},
	} {
		if got := slices.Contains(p.Environ(proc.Judge, []string{tt.name + "=x"}, nil), tt.name+"=x"); got != tt.passes {
			t.Errorf("%s passes: %t", tt.name, got)
		}
	}
}

func TestOpeningsAreThoseOfTheSettings(t *testing.T) {
	var names []string
	for name := range openings {
		names = append(names, name)
	}
	slices.Sort(names)
	if !slices.Equal(names, wellformed.Openings) {
		t.Errorf("openings are %v, settings take %v", names, wellformed.Openings)
	}
}
