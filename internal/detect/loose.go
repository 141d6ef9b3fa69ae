package detect

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// tagRule hears a whole tag anywhere in the agent's text, quoted or not.
type tagRule struct {
	want wanted
	ear  *ear
	open string // from an opening half that is not closed yet
}

func (r *tagRule) line(line string) {
	if r.open != "" {
		line = r.open + " " + line
	}
	open, _ := eachTag(line, func(t tag) {
		if r.ear.misworded(r.want, t, true) {
			return
		}
		kind, _ := r.want.kind(t.text)
		r.ear.hear(kind)
	})
	r.open = strings.Clone(open)
	if len(open) > maxSpan {
		r.pause()
	}
}

func (r *tagRule) pause() {
	if r.open != "" {
		r.ear.miss(loop.ClaimDone, "", halfTag)
	}
	r.open = ""
}

// substringRule hears the promise's text anywhere, in any case, tag or no tag.
type substringRule struct {
	text string
	ear  *ear
	tail string // the end of what came before, where the text may have begun
}

func (r *substringRule) line(line string) {
	promise, line := strings.ToLower(r.text), strings.ToLower(text.Fold(line))
	if promise == "" || line == "" || r.ear.heard(loop.ClaimDone) {
		return
	}
	seen := r.tail + " " + line
	if strings.Contains(seen, promise) {
		r.ear.hear(loop.ClaimDone)
	}
	r.tail = strings.Clone(seen[max(0, len(seen)-len(promise)):])
}

func (r *substringRule) pause() { r.tail = "" }
