package notify

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// ntfy posts to a topic of an ntfy server.
type ntfy struct {
	endpoint
	token string
}

func newNtfy(s Settings) (Notifier, error) {
	if s.Ntfy.URL == "" {
		return nil, nil
	}
	to, err := newEndpoint("notify.ntfy.url", s.Ntfy.URL)
	if err != nil {
		return nil, err
	}
	if strings.Trim(to.url.Path, "/") == "" {
		return nil, errors.New("notify.ntfy.url: it names no topic: write it as https://ntfy.sh/TOPIC")
	}
	if !headerValue().MatchString(s.Ntfy.Token) {
		return nil, errors.New("notify.ntfy.token: it has a character that no token has")
	}
	return ntfy{to, s.Ntfy.Token}, nil
}

// ntfyTags are pictures beside the title.
var ntfyTags = map[Kind]string{
	Done: "white_check_mark", Exhausted: "hourglass", Aborted: "x", Stopped: "stop_sign", Failed: "x",
	Waiting: "zzz", Person: "wave", Budget: "moneybag", Test: "bell",
}

// The priorities of ntfy that are used. A low one makes no sound.
const (
	ntfyLow    = 2
	ntfyNormal = 3
	ntfyHigh   = 4
)

// Notify posts the message.
func (n ntfy) Notify(ctx context.Context, m Message) error {
	priority := ntfyNormal
	switch {
	case m.Silent:
		priority = ntfyLow
	case m.Urgent:
		priority = ntfyHigh
	}
	header := http.Header{
		"Content-Type": {"text/plain; charset=utf-8"},
		"Title":        {mime.QEncoding.Encode("utf-8", text.Shorten(cleanLine(m.Title), maxTitle))},
		"Priority":     {fmt.Sprint(priority)},
		"Tags":         {ntfyTags[m.Kind]},
	}
	if n.token != "" {
		header.Set("Authorization", "Bearer "+n.token)
	}
	return n.post(ctx, header, []byte(text.Shorten(m.Text, maxText)))
}
