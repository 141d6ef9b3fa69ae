package engine

import (
	"sync"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
)

// hearing takes in what an agent prints on stdout and on stderr, and what it writes
// into its diary. They come from goroutines of their own, and are heard one at a time,
// in the order in which they come.
type hearing struct {
	engine  *Engine
	attempt *Attempt

	mu      sync.Mutex
	decoder agent.Decoder
	said    []loop.Payload // since the last pause
	words   []byte         // of lines that are nothing else, since the last of these: what is joined anyway is never apart
}

// line takes in a whole line of stdout.
func (h *hearing) line(line []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := len(h.words)
	words, ok := agent.Speak(h.decoder, h.words, line)
	if !ok {
		h.said = append(h.said, h.decoder.Decode(line)...)
		return
	}
	h.words = append(words, '\n')
	if before > 0 && len(words) >= joinedText {
		h.utter(before)
	}
}

// utter makes one text of the first n bytes of lines that were heard.
func (h *hearing) utter(n int) {
	if n > 0 {
		h.said = append(h.said, &loop.AgentText{Text: string(h.words[:n-1]), Plain: true})
		h.words = append(h.words[:0], h.words[n:]...)
	}
}

// pause follows the last line that there is for now.
func (h *hearing) pause() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell()
}

func (h *hearing) tell() {
	h.utter(len(h.words))
	h.engine.hear(h.attempt, joinTexts(h.said)...)
	h.said = h.said[:0]
}

// complain takes in a line of stderr.
func (h *hearing) complain(line []byte, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := h.attempt.complain(h.decoder, h.engine.Hide.Line(line), more)
	if len(found) > 0 {
		h.tell()
		h.engine.hear(h.attempt, found...)
	}
}

// overhear takes in a line of the diary.
func (h *hearing) overhear(line []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if found := agent.Overhear(h.decoder, h.engine.Hide.Line(line)); len(found) > 0 {
		h.tell()
		h.engine.hear(h.attempt, found...)
	}
}
