package notify

import (
	"context"

	"github.com/refrain-loop/refrain/internal/text"
)

// discord posts to a webhook of Discord's.
type discord struct{ endpoint }

func newDiscord(s Settings) (Notifier, error) {
	if s.Discord == "" {
		return nil, nil
	}
	to, err := newEndpoint("notify.discord.url", s.Discord)
	if err != nil {
		return nil, err
	}
	return discord{to}, nil
}

// silently is Discord's flag for a message without a sound.
const silently = 1 << 12

// discordBody is the part of Discord's message that is used. An empty list of
// mentions keeps a text from calling everyone.
type discordBody struct {
	Embeds   []discordEmbed `json:"embeds"`
	Mentions struct {
		Parse []string `json:"parse"`
	} `json:"allowed_mentions"`
	Flags int `json:"flags,omitempty"`
}

type discordEmbed struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Color       int    `json:"color"`
}

var discordColours = map[Kind]int{
	Done: 0x2da44e, Exhausted: 0xd4a72c, Aborted: 0xcf222e, Stopped: 0x6e7781, Failed: 0xcf222e,
	Waiting: 0x0969da, Person: 0xcf222e, Budget: 0xd4a72c, Test: 0x0969da,
}

// Notify posts the message.
func (d discord) Notify(ctx context.Context, m Message) error {
	body := discordBody{Embeds: []discordEmbed{{text.Shorten(m.Title, maxTitle), text.Shorten(m.Text, maxText), discordColours[m.Kind]}}}
	body.Mentions.Parse = []string{}
	if m.Silent {
		body.Flags = silently
	}
	return d.postJSON(ctx, body)
}
