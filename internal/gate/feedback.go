package gate

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/tests"
	"github.com/refrain-loop/refrain/internal/text"
)

const (
	maxNamed   = 20  // failing tests that the next agent is told by name
	maxMessage = 400 // bytes of what one of them said
	leastTail  = 200 // bytes of output below which it tells nothing
)

// Feedback is what the next agent should hear of a red gate: why it is red, the
// failing tests with what they said, then as much of the end of its output as
// fits. It is at most room bytes long, and nothing in it can be taken for a
// claim.
func Feedback(r Result, room int) string {
	said := fmt.Sprintf("gate %s failed: %s", r.Name, r.Why)
	if len(said) > room {
		return text.Shorten(said, room)
	}
	said += failing(r.Report, room-len(said))
	const heading = "\nThe end of its output:\n"
	left := room - len(said) - len(heading)
	if r.Tail == "" || left < leastTail {
		return said
	}
	return said + heading + text.LastLines(quiet(r.Tail), left)
}

// failing lists failing tests, as many as fit.
func failing(r *tests.Report, room int) string {
	if r == nil || len(r.Failing) == 0 {
		return ""
	}
	const heading, more = "\nFailing tests:", "\n- and %d more"
	room -= len(heading) + len(more) + 8 // digits
	text, n := "", 0
	for _, test := range r.Failing[:min(len(r.Failing), maxNamed)] {
		item := "\n- " + quiet(describe(test))
		if len(text)+len(item) > room {
			break
		}
		text += item
		n++
	}
	if n == 0 {
		return ""
	}
	if rest := max(r.Failed, len(r.Failing)) - n; rest > 0 {
		text += fmt.Sprintf(more, rest)
	}
	return heading + text
}

// describe is a failing test with what it said, set in below its name.
func describe(t tests.Test) string {
	name := oneLine(t.Name, maxWhy)
	message := firstLines(strings.Trim(text.Printed(t.Message), "\n"), maxMessage)
	if message == "" {
		return name
	}
	return name + "\n    " + strings.ReplaceAll(message, "\n", "\n    ")
}

// tagHalf is a part of what an agent says to be heard by a runner.
var tagHalf = text.NewPattern(`(?im)^.*</?(?:promise|verdict|test-changed)[ >]`)

// quiet sets lines with such a tag in as code is, so that an agent which repeats
// them is not heard.
func quiet(text string) string { return tagHalf().ReplaceAllString(text, "    $0") }
