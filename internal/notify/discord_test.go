package notify

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDiscord(t *testing.T) {
	s := serve(t, nil)
	if err := (discord{at(t, s.URL+secret)}).Notify(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	_, body := s.only(t)
	const want = `{"embeds":[{"title":"refrain: build-7 was aborted","description":"3 failures in a row\nGrüße \u003c!channel\u003e @everyone","color":13574702}],"allowed_mentions":{"parse":[]}}`
	if body != want {
		t.Errorf("body %s, want %s", body, want)
	}
}

func TestDiscordWithoutASoundAndWithinItsLimits(t *testing.T) {
	s := serve(t, nil)
	long := strings.Repeat("ä", 5000)
	if err := (discord{at(t, s.URL)}).Notify(t.Context(), Message{Kind: Done, Title: long, Text: long, Silent: true}); err != nil {
		t.Fatal(err)
	}
	_, body := s.only(t)
	var got discordBody
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Flags != 4096 {
		t.Errorf("flags %d", got.Flags)
	}
	if e := got.Embeds[0]; utf8.RuneCountInString(e.Title) > 256 || utf8.RuneCountInString(e.Description) > 4096 {
		t.Errorf("title of %d characters, text of %d", utf8.RuneCountInString(e.Title), utf8.RuneCountInString(e.Description))
	}
}

func TestEveryKindHasItsPicture(t *testing.T) {
	for _, k := range append(Kinds(), Test) {
		if discordColours[k] == 0 || ntfyTags[k] == "" || k != Test && verbs[k] == "" {
			t.Errorf("%s: colour %x, tag %q, verb %q", k, discordColours[k], ntfyTags[k], verbs[k])
		}
	}
}
