package detect

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

const (
	opening = "<promise>"
	closing = "</promise>"
)

// maxSpan is how much text may stand between the two halves of a tag on
// different lines. Promises are short; a half tag must not hold on to the rest
// of a long attempt.
const maxSpan = 4096

// half is an opening or a closing tag, in any case, so that a wrong case can
// be pointed out.
var half = text.NewPattern(`(?i)</?promise>`)

// tag is a whole tag found in a line.
type tag struct {
	text   string // between the halves, folded
	exact  bool   // both halves are in lower case, as they must be
	before string // the rest of the line
	after  string
}

func newTag(open, between, close string) tag {
	return tag{text: text.Fold(between), exact: open == opening && close == closing}
}

// alone tells whether nothing else is on the line.
func (t tag) alone() bool {
	return strings.TrimSpace(t.before) == "" && strings.TrimSpace(t.after) == ""
}

// inBackticks tells whether the tag is within code on its line.
func (t tag) inBackticks() bool {
	return strings.Count(t.before, "`")%2 == 1 && strings.Contains(t.after, "`")
}

// inQuotes tells whether the tag has quotation marks around it.
func (t tag) inQuotes() bool {
	before, after := strings.TrimSpace(t.before), strings.TrimSpace(t.after)
	for _, pair := range []string{`""`, `''`, "“”", "‘’", "«»", "„“"} {
		marks := []rune(pair)
		if strings.HasSuffix(before, string(marks[0])) && strings.HasPrefix(after, string(marks[1])) {
			return true
		}
	}
	return false
}

// eachTag calls f for every whole tag in a line. It gives the part that begins
// with an opening half that is left open, and whether a closing half had no
// opening.
func eachTag(line string, f func(tag)) (open string, stray bool) {
	if strings.IndexByte(line, '<') < 0 {
		return "", false
	}
	from, after := -1, 0 // the last opening half, from its start to its end
	for at := 0; ; {
		found := half().FindStringIndex(line[at:])
		if found == nil {
			break
		}
		start, end := at+found[0], at+found[1]
		at = end
		switch {
		case line[start+1] != '/':
			from, after = start, end
		case from < 0:
			stray = true
		default:
			t := newTag(line[from:after], line[after:start], line[start:end])
			t.before, t.after = line[:from], line[end:]
			f(t)
			from = -1
		}
	}
	if from >= 0 {
		open = line[from:]
	}
	return open, stray
}

// wanted is what the tag must say, folded. An empty text is not wanted.
type wanted struct{ done, blocked string }

func (w wanted) text(kind loop.ClaimKind) string {
	if kind == loop.ClaimBlocked {
		return w.blocked
	}
	return w.done
}

// likeness is how near a text comes to one that is wanted.
type likeness int

const (
	other likeness = iota
	otherCase
	same
)

// kind tells which claim a folded text makes, and how well. What is like
// neither counts as a try at done.
func (w wanted) kind(text string) (loop.ClaimKind, likeness) {
	switch {
	case text == "":
		return loop.ClaimDone, other
	case text == w.blocked:
		return loop.ClaimBlocked, same
	case text == w.done:
		return loop.ClaimDone, same
	case strings.EqualFold(text, w.blocked):
		return loop.ClaimBlocked, otherCase
	case strings.EqualFold(text, w.done):
		return loop.ClaimDone, otherCase
	}
	return loop.ClaimDone, other
}
