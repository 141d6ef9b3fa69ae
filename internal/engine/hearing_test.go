package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/redact"
)

// decoding hides that a decoder can say what is words and nothing else.
type decoding struct{ agent.Decoder }

// Lines that are put together as they come give the events that they give one by one.
func TestWordsAreJoinedAsTheirTextsAre(t *testing.T) {
	command, err := agent.New(agent.Options{Name: "command", Command: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	hide := redact.New([]redact.Secret{{Name: "A_KEY", Value: "sk-live-4f9A82cc1d0E77"}})
	rapid.Check(t, func(t *rapid.T) {
		var with *redact.Redactor
		if rapid.Bool().Draw(t, "hides") {
			with = hide
		}
		piece := rapid.SampledFrom([]string{"", "a", "sk-live-4f9A82cc1d0E77", "sk-live-4f9A\x1b[1m82cc1d0E77", "\xff", "\x00", "é世", "x y\r", string(make([]byte, 1500)), string(make([]byte, 5000))})
		lines := rapid.SliceOfN(piece, 0, 30).Draw(t, "lines")
		words := &hearing{decoder: Hiding(with, command.Decoder())}
		texts := &hearing{decoder: decoding{Hiding(with, command.Decoder())}}
		for _, line := range lines {
			words.line([]byte(line))
			texts.line([]byte(line))
		}
		words.utter(len(words.words))
		texts.utter(len(texts.words))
		got, want := joinTexts(words.said), joinTexts(texts.said)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("put together as they come (-one by one):\n%s", diff)
		}
		for _, p := range got {
			if _, ok := p.(*loop.AgentText); !ok {
				t.Fatalf("a %T of words", p)
			}
		}
	})
}
