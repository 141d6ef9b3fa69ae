package redact

import (
	"slices"
	"testing"
)

func TestWhichVariablesAreSecret(t *testing.T) {
	tests := []struct {
		name, kv string
		want     []string
	}{
		{"a key", "ANTHROPIC_API_KEY=sk-ant-api03-AbCd1234", []string{"sk-ant-api03-AbCd1234"}},
		{"a token", "GH_TOKEN=ghp_16C7e42F292c6912E7", []string{"ghp_16C7e42F292c6912E7"}},
		{"a password of letters and digits", "DB_PASSWORD=hunter22", []string{"hunter22"}},
		{"a password of mixed letters", "DB_PASS=aBxYqWeRt", []string{"aBxYqWeRt"}},
		{"a passphrase", "RESTIC_PASSWORD=correct horse battery staple", []string{"correct horse battery staple"}},
		{"letters that are no word", "APP_SECRET=abcdefghijklmnopqrstuvwx", []string{"abcdefghijklmnopqrstuvwx"}},
		{"a name that is not secret", "EDITOR=vim-9000-x1y2z3", nil},
		{"a short value", "X_TOKEN=abc1234", nil},
		{"an app password", "SMTP_PASSWORD=abcdefghijklmnop", []string{"abcdefghijklmnop"}},
		{"words where a secret stands", "MY_API_KEY=very-secret-token", []string{"very-secret-token"}},
		{"a word where a secret could stand", "DEPLOY_TOKEN=production", nil},
		{"a number where a secret could stand", "X_TOKEN=100000000", nil},
		{"a word", "TOKEN_STORE=keychain", nil},
		{"words", "SECRET_BACKEND=google-secret-manager", nil},
		{"a number", "MAX_TOKENS=100000000", nil},
		{"a date", "TOKEN_EXPIRES=2026-11-16", nil},
		{"a path", "SIGNING_KEY=/home/me/keys/k1d2", nil},
		{"a URL", "SECRET_SERVER=https://vault.example.com:8200/v1", nil},
		{"a URL that is a secret itself", "SLACK_WEBHOOK_URL=https://hooks.example.com/T00/B00/Xy12Zw34Uv56", []string{"https://hooks.example.com/T00/B00/Xy12Zw34Uv56"}},
		{"a password in a URL, whatever the name", "DATABASE_URL=postgres://app:p4ssw0rd1@db/app", []string{"p4ssw0rd1"}},
		{"a token in a URL", "REMOTE=https://ghp16C7e42F292c@example.com/x", []string{"ghp16C7e42F292c"}},
		{"a user in a URL", "REMOTE=ssh://git@example.com/x", nil},
		{"an account as JSON", `APP_CREDENTIALS={"type":"account","private_key":"k3y-of-a-robot","id":7}`, []string{`{"type":"account","private_key":"k3y-of-a-robot","id":7}`, "k3y-of-a-robot"}},
		{"spaces around", "A_KEY= k3y-of-a-robot \n", []string{"k3y-of-a-robot"}},
	}
	isPath := func(v string) bool { return v[0] == '/' }
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range Variables([]string{tt.kv}, isPath) {
				got = append(got, s.Value)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: got %q, want %q", tt.kv, got, tt.want)
			}
		})
	}
}

func TestWhichSettingsAreSecret(t *testing.T) {
	isPath := func(string) bool { return false }
	got := Given(map[string]string{
		"ANTHROPIC_MODEL": "claude-sonnet-4-5-20250929", "NODE_OPTIONS": "--max-old-space-size=4096", "BASE": "http://127.0.0.1:8080/v1",
		"SOME_API_KEY": "k3y-of-a-robot", "OTHER": "zq81kd02mf93", "MODE": "production",
	}, isPath)
	want := []Secret{{"OTHER", "zq81kd02mf93"}, {"SOME_API_KEY", "k3y-of-a-robot"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = Settings(map[string]string{
		"notify.email.password": "hunter22", "notify.slack.url": "https://hooks.example.com/T00/Xy12Zw34Uv56", "notify.webhook.url": "http://127.0.0.1:8080/hook",
		"trace.headers.Authorization": "Bearer k3y-of-a-robot", "trace.headers.Kind": "production", "notify.ntfy.token": "qrstuvwxyzabcdef",
	})
	want = []Secret{
		{"notify.email.password", "hunter22"},
		{"notify.ntfy.token", "qrstuvwxyzabcdef"},
		{"notify.slack.url", "https://hooks.example.com/T00/Xy12Zw34Uv56"},
		{"trace.headers.Authorization", "Bearer k3y-of-a-robot"},
		{"trace.headers.Authorization", "k3y-of-a-robot"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
