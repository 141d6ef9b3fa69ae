package agent

import (
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// limited reports a limit that has been reached. Its end is left out when it is
// not ahead: a reset in the past says nothing about the next one.
func (r *report) limited(limit loop.Limit) {
	if now := r.now(); !now.IsZero() && !limit.Until.After(now) {
		limit.Until = time.Time{}
	}
	if limit == r.limit {
		return
	}
	r.limit = limit
	r.add(&loop.AgentLimit{Limit: limit})
}

// wentOn takes in that a model has answered. What held the agent up before is over, and
// says nothing of the next limit.
func (r *report) wentOn() {
	r.trying, r.limit, r.named = nil, loop.Limit{}, false
}

// heldUp reports the limit behind an error, unless an event has told its end
// before. Of two texts the last one counts, as far as it tells an end.
func (r *report) heldUp(f fault, kind loop.ErrorKind) {
	if r.named && !r.limit.Until.IsZero() {
		return
	}
	text := f.text + "\n" + f.detail
	until := r.reset(text)
	if until.IsZero() {
		until = r.limit.Until
	}
	r.limited(loop.Limit{Kind: r.nameOf(text, kind), Until: until})
}

// nameOf is what a limit is called. An event's name for it stays, and a name that says
// more than the kind: texts say less.
func (r *report) nameOf(text string, kind loop.ErrorKind) string {
	name := limitIn(normal(text), kind)
	switch {
	case r.limit.Kind == "", !r.named && r.limit.Kind == string(loop.ErrRateLimit):
		return name
	case !r.named && name != string(loop.ErrRateLimit) && name != string(loop.ErrUsageLimit):
		return name
	}
	return r.limit.Kind
}

// soon is a wait that is over before anybody could make use of knowing of it.
const soon = time.Minute

// waits reports the limit for which an agent waits before it tries again. Its end is
// in the words for it, or it is when the agent will try; one that is near or unknown
// is told only if it turns out to be the agent's last word.
func (r *report) waits(f fault, kind loop.ErrorKind, after time.Duration) {
	now := r.now()
	if now.IsZero() || r.named && !r.limit.Until.IsZero() {
		return
	}
	words := f.text + "\n" + f.detail
	until := r.reset(words)
	if until.IsZero() {
		if r.limit.Until.After(now) { // words have told it
			return
		}
		until = now.Add(after).UTC()
	}
	if until.Sub(now) < soon || until.Sub(r.limit.Until).Abs() < soon { // or it is the same
		return
	}
	r.limited(loop.Limit{Kind: r.nameOf(words, kind), Until: until})
}

func (r *report) now() time.Time {
	if r.options.Now == nil {
		return time.Time{}
	}
	return r.options.Now()
}

// reset is the time at which a text says that a limit ends.
func (r *report) reset(text string) time.Time {
	now := r.now()
	if now.IsZero() {
		return time.Time{}
	}
	return resetIn(text, now)
}

// limitNames are the kinds of usage limit as texts put them. The first that is
// found counts, so that a week's limit of one model is not just a week's.
var limitNames = []struct{ text, kind string }{
	{"opus weekly", "weekly_opus"},
	{"weekly opus", "weekly_opus"},
	{"opus limit", "weekly_opus"},
	{"sonnet weekly", "weekly_sonnet"},
	{"weekly sonnet", "weekly_sonnet"},
	{"sonnet limit", "weekly_sonnet"},
	{"weekly", "weekly"},
	{"monthly", "monthly"},
	{"premium request", "monthly"}, // copilot
	{"specified api usage", "monthly"},
	{"daily", "daily"},
	{"per day", "daily"},
	{"per-day", "daily"},
	{"perday", "daily"}, // Google
	{"session limit", "five_hour"},
	{"5-hour", "five_hour"},
	{"5 hour", "five_hour"},
	{"five-hour", "five_hour"},
	{"5h limit", "five_hour"},
	{"extra usage", "overage"}, // claude, as its event calls it
}

// limitIn names the limit that a text in lower case tells of; without a name it
// is just that, a usage limit or a rate limit.
func limitIn(text string, kind loop.ErrorKind) string {
	if kind == loop.ErrUsageLimit {
		for _, name := range limitNames {
			if strings.Contains(text, name.text) {
				return name.kind
			}
		}
	}
	return string(kind)
}

// snake is a word of someone else's in small letters, digits and underlines.
func snake(word string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, word)
}
