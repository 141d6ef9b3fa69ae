package notify

import (
	"context"
	"strings"
)

// slack posts to an incoming webhook of Slack's, or of a server that takes the
// same, such as Mattermost.
type slack struct{ endpoint }

func newSlack(s Settings) (Notifier, error) {
	if s.Slack == "" {
		return nil, nil
	}
	to, err := newEndpoint("notify.slack.url", s.Slack)
	if err != nil {
		return nil, err
	}
	return slack{to}, nil
}

// slackSafe keeps a text from calling the whole channel: <!channel> is how that
// is done.
var slackSafe = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Notify posts the message.
func (s slack) Notify(ctx context.Context, m Message) error {
	return s.postJSON(ctx, map[string]string{"text": slackSafe.Replace("*" + m.Title + "*\n" + m.Text)})
}
