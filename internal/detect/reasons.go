package detect

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Reasons listens for why the agent changed tests: a line with nothing but
//
//	<test-changed name="TestAdd">the task asks for it</test-changed>
//
// in its own text, outside code and quotes. Where no gates judge the work, nobody
// asks for reasons, and none are heard.
func Reasons(gates bool) Detector { return &reasons{gates: gates} }

type reasons struct {
	gates bool
	page  page
	list  []*loop.TestExplained
}

// maxReasons is how many of one attempt are heard.
const maxReasons = 200

var reasonTag = text.NewPattern(`^<test-changed +name=(?:"([^"]+)"|'([^']+)')>(.+)</test-changed>$`)

func (r *reasons) Hear(said loop.Payload) []loop.Payload {
	words, ok := said.(*loop.AgentText)
	if !ok || !r.gates {
		return nil
	}
	for line := range lines(words.Text) {
		where := r.page.place(line)
		if where != prose || !strings.Contains(line, "<test-changed") {
			continue
		}
		m := reasonTag().FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.TrimSpace(m[3]) == "" || len(r.list) == maxReasons {
			continue
		}
		r.list = append(r.list, &loop.TestExplained{Name: strings.Clone(text.Fold(m[1] + m[2])), Why: strings.Clone(text.Shorten(text.Fold(m[3]), maxReason))})
	}
	return nil
}

// maxReason is in bytes: a sentence or two.
const maxReason = 300

func (r *reasons) Report(o *loop.Outcome) []loop.Payload {
	if o.Result != loop.OK {
		return nil
	}
	var events []loop.Payload
	for _, one := range r.list {
		events = append(events, one)
	}
	return events
}
