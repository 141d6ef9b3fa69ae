package notify

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
)

func TestSettingsThatAreWrong(t *testing.T) {
	const good = "https://example.com/hook"
	for key, s := range map[string]Settings{
		"notify.on":               {On: []string{"done", "dnoe"}},
		"notify.waiting_after":    {WaitingAfter: -time.Second},
		"notify.every":            {Every: -time.Second},
		"notify.per_hour":         {PerHour: -1},
		"notify.quiet":            {Quiet: "at night"},
		"notify.webhook.url":      {Webhook: Webhook{URL: "ftp://example.com/s3cr3t"}},
		"notify.webhook.template": {Webhook: Webhook{URL: good, Template: "{{.Text"}},
		"notify.webhook.headers":  {Webhook: Webhook{URL: good, Headers: map[string]string{"X": "s3cr3t\r\nY: z"}}},
		"notify.slack.url":        {Slack: "s3cr3t"},
		"notify.discord.url":      {Discord: "https:///s3cr3t"},
		"notify.ntfy.url":         {Ntfy: Ntfy{URL: "https://ntfy.sh/"}},
		"notify.ntfy.token":       {Ntfy: Ntfy{URL: good, Token: "s3cr3t\n"}},
		"notify.email.to":         {Email: Email{To: []string{"me"}}},
		"notify.email.from":       {Email: Email{To: []string{"me@example.com"}}},
		"notify.email.server":     {Email: Email{To: []string{"me@example.com"}, From: "me@example.com"}},
		"notify.email.user":       {Email: Email{To: []string{"me@example.com"}, From: "me@example.com", Server: "localhost", Password: "s3cr3t"}},
	} {
		switch _, err := New(s); {
		case err == nil:
			t.Errorf("%s: %+v is taken", key, s)
		case !strings.HasPrefix(err.Error(), key+": "):
			t.Errorf("%s: error %q does not begin with the key", key, err)
		case strings.Contains(err.Error(), "s3cr3t"):
			t.Errorf("%s: error %q tells the secret", key, err)
		}
	}
}

func TestChannelsThatAreOn(t *testing.T) {
	const url = "https://example.com/hook"
	all := Settings{
		Desktop: true, Bell: true, Terminal: new(bytes.Buffer), Log: files.Anywhere("messages.jsonl"), Command: "true",
		Webhook: Webhook{URL: url}, Slack: url, Discord: url, Ntfy: Ntfy{URL: url},
		Email: Email{To: []string{"me@example.com"}, From: "Me <me@example.com>", Server: "mail.example.com"},
	}
	want := []string{"log", "desktop", "terminal", "webhook", "slack", "discord", "ntfy", "email", "command"}
	for name, tt := range map[string]struct {
		settings Settings
		want     []string
	}{
		"all":                        {all, want},
		"none":                       {Settings{}, nil},
		"a bell without a terminal":  {Settings{Bell: true}, nil},
		"a secret without a webhook": {Settings{Webhook: Webhook{Secret: "x"}}, nil},
		"a mail server without whom": {Settings{Email: Email{Server: "mail.example.com", From: "me@example.com"}}, nil},
	} {
		s, err := New(tt.settings)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, l := range s.lanes {
			got = append(got, l.name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: channels %v, want %v", name, got, tt.want)
		}
	}
}
