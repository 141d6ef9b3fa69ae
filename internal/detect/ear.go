package detect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// ear keeps what the rules found: claims, and what was nearly one.
type ear struct {
	claims []loop.ClaimKind
	misses []miss
}

type miss struct {
	kind   loop.ClaimKind
	reason reason
	text   string
	why    string
}

// reason is why a text that resembles a claim is none, and what to write
// instead, with room for the words in question.
type reason string

// The reasons. They go into the next prompt, so none holds a tag: an agent that
// repeats its prompt must not be heard, nor advised on our own words.
const (
	sharesLine  reason = "the tag shares its line with other words; it must stand alone on its line"
	inBackticks reason = "the tag was inside backticks; write it as plain text, alone on its line"
	inQuotes    reason = "the tag was quoted; write it without quotes, alone on its line"
	inFence     reason = "the tag was inside a code fence; write it outside, alone on its line"
	inBlock     reason = "the tag was inside a block that is not addressed to anybody, such as thoughts or a comment; write it outside, alone on its line"
	asCode      reason = "the tag was indented like code; write it at the start of its line"
	wrongCase   reason = "the tag says %q where the promise is %q; write it with the same capitals"
	tagCase     reason = "the tag itself had capital letters; write promise in lower case, in both halves of the tag"
	otherText   reason = "the tag says %q, which is not the promise %q; use the promise's own words"
	halfTag     reason = "only half of the tag was there; write its opening, the text and its closing together, alone on one line"
	noTag       reason = "the text %q stood alone without the promise tag around it; write the whole tag, alone on its line"
)

// maxNearMisses is how many are worth telling: the next agent needs to know
// what to do, not everything that was tried.
const maxNearMisses = 4

func (e *ear) hear(kind loop.ClaimKind) {
	if !e.heard(kind) {
		e.claims = append(e.claims, kind)
	}
}

func (e *ear) heard(kind loop.ClaimKind) bool { return slices.Contains(e.claims, kind) }

// miss notes a near miss, the first of each reason.
func (e *ear) miss(kind loop.ClaimKind, text string, r reason, words ...any) {
	if slices.ContainsFunc(e.misses, func(m miss) bool { return m.kind == kind && m.reason == r }) {
		return
	}
	e.misses = append(e.misses, miss{kind, r, text, fmt.Sprintf(string(r), words...)})
}

// nearMisses are the events for what was nearly a claim. Whoever made the claim
// properly too needs no advice on it.
func (e *ear) nearMisses() []loop.Payload {
	var told []reason
	var events []loop.Payload
	for _, m := range e.misses {
		if e.heard(m.kind) || slices.Contains(told, m.reason) || len(told) == maxNearMisses {
			continue
		}
		told = append(told, m.reason)
		events = append(events, &loop.ClaimRefused{Kind: m.kind, Text: m.text, Why: m.why, NearMiss: true})
	}
	return events
}

// misworded notes a tag that does not say what it should, and tells whether it
// is one. A text that is like nothing we want is worth a word only when it was
// meant, not mentioned.
func (e *ear) misworded(w wanted, t tag, meant bool) bool {
	kind, like := w.kind(t.text)
	said := shown(t.text)
	switch {
	case like == other:
		if meant && w.done != "" {
			e.miss(kind, said, otherText, said, w.done)
		}
		return true
	case like == otherCase:
		e.miss(kind, said, wrongCase, said, w.text(kind))
		return true
	case !t.exact:
		e.miss(kind, said, tagCase)
		return true
	}
	return false
}

// shown is a text from the agent, short enough to repeat, in memory of its own.
func shown(s string) string { return strings.Clone(text.Shorten(s, 80)) }
