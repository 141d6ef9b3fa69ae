package detect

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Match is how strictly a claim must be written.
type Match int

// The ways to match.
const (
	Line      Match = iota // the tag alone on its line, outside fences and quotes
	Tag                    // the tag anywhere in the agent's text
	Substring              // the promise's text anywhere, in any case, without the tag
)

// ClaimSettings say what a claim looks like.
type ClaimSettings struct {
	Promise string // the text that claims done; empty: nothing does
	Failure string // the text that says blocked; empty: nothing does
	Match   Match
	Gates   bool // the runner has gates that can judge a claim
	AnyExit bool // the promise counts whatever the exit status
	// Own is a check of the program's own: it finds a claim of done in what the agent
	// said, and in which words; nil: there is none.
	Own func(said string, o loop.Outcome) (words string, done bool)
}

// Claims listens for the agent's claim of done or blocked, in the agent's own
// text and nowhere else.
func Claims(c ClaimSettings) Detector {
	ear := &ear{}
	want := wanted{done: text.Fold(c.Promise), blocked: text.Fold(c.Failure)}
	return &claims{want: want, gates: c.Gates, anyExit: c.AnyExit, ear: ear, rules: rulesFor(c.Match, want, ear), own: c.Own}
}

// BareTag tells whether a prompt holds the tag in a way that an agent which
// only repeats its prompt would be heard as done.
func BareTag(prompt, promise string) bool {
	ear := &ear{}
	rule := &lineRule{want: wanted{done: text.Fold(promise)}, ear: ear}
	for line := range lines(prompt) {
		rule.line(line)
	}
	return ear.heard(loop.ClaimDone)
}

// rule is one way to find claims in text.
type rule interface {
	line(line string)
	pause() // the message is over: what it left open stays open no longer
}

func rulesFor(m Match, want wanted, ear *ear) []rule {
	switch {
	case want == wanted{}:
		return nil
	case m == Tag:
		return []rule{&tagRule{want: want, ear: ear}}
	case m == Substring:
		// Only done is matched loosely. "Nothing is blocked" would otherwise
		// end the run, and it would win over done.
		return []rule{
			&substringRule{text: want.done, ear: ear},
			&lineRule{want: wanted{blocked: want.blocked}, ear: ear},
		}
	}
	return []rule{&lineRule{want: want, ear: ear}}
}

type claims struct {
	want    wanted
	gates   bool
	anyExit bool
	ear     *ear
	rules   []rule
	own     func(said string, o loop.Outcome) (words string, done bool)
	said    strings.Builder // for that
}

// maxSaid is how much of what an agent says a check of the program's own is given.
const maxSaid = 1 << 20

func (c *claims) Hear(said loop.Payload) []loop.Payload {
	switch p := said.(type) {
	case *loop.AgentText:
		c.keep(p.Text)
		if len(c.rules) == 0 {
			return nil
		}
		text := p.Text
		if p.Cut {
			text += "…" // what followed on the last line is not known, so nothing stands alone there
		}
		for line := range lines(text) {
			for _, r := range c.rules {
				r.line(line)
			}
		}
	case *loop.AgentTool:
		c.pause()
	}
	return nil
}

// keep takes down what the agent says, for who wants to look at it as a whole.
func (c *claims) keep(said string) {
	if c.own == nil {
		return
	}
	if c.said.Len() > 0 {
		c.said.WriteByte('\n')
	}
	c.said.WriteString(said)
	if c.said.Len() > 2*maxSaid {
		end := text.Last(c.said.String(), maxSaid)
		c.said.Reset()
		c.said.WriteString(end)
	}
}

// claim is what the agent claims of this kind; nil: nothing.
func (c *claims) claim(kind loop.ClaimKind, o *loop.Outcome) *loop.Claim {
	if c.ear.heard(kind) {
		return &loop.Claim{Kind: kind, Text: c.want.text(kind), By: loop.ByPromise}
	}
	if kind != loop.ClaimDone || c.own == nil || o.Result != loop.OK {
		return nil
	}
	words, done := c.own(text.Last(c.said.String(), maxSaid), *o)
	if !done {
		return nil
	}
	return &loop.Claim{Kind: kind, Text: text.Shorten(text.Line(words), 200), By: loop.ByCheck}
}

func (c *claims) pause() {
	for _, r := range c.rules {
		r.pause()
	}
}

func (c *claims) Report(o *loop.Outcome) []loop.Payload {
	c.pause()
	o.PromiseChecked = c.want.done != ""
	if c.anyExit && c.ear.heard(loop.ClaimDone) && failedByStatus(o) {
		o.Result, o.Error = loop.OK, nil
	}
	deaf, blocked := c.unheard(o), false
	var events []loop.Payload
	for _, kind := range []loop.ClaimKind{loop.ClaimBlocked, loop.ClaimDone} {
		claim := c.claim(kind, o)
		switch {
		case claim == nil:
		case deaf != "":
			events = append(events, &loop.ClaimRefused{Kind: kind, Text: claim.Text, Why: deaf})
		case blocked:
			events = append(events, &loop.ClaimRefused{
				Kind: kind, Text: claim.Text,
				Why: "the agent also said that it is blocked, and that wins",
			})
		default:
			blocked = kind == loop.ClaimBlocked
			o.Claim = claim
			events = append(events, &loop.ClaimHeard{Kind: kind, Text: claim.Text})
		}
	}
	if o.Claim != nil {
		return events // the agent knows how to claim: nothing to learn from a near miss
	}
	return append(events, c.ear.nearMisses()...)
}

// failedByStatus tells whether only the exit status speaks against an agent that
// came to its own end.
func failedByStatus(o *loop.Outcome) bool {
	return o.Result == loop.Failed && o.Error != nil && o.Error.ByExit && o.Exit != nil && o.Exit.Code != nil
}

// unheard says why no claim of this attempt can count, or nothing.
func (c *claims) unheard(o *loop.Outcome) string {
	switch {
	case o.Result != loop.OK:
		return "the agent did not end well: " + badEnd(o)
	case o.Unfinished():
		return fmt.Sprintf("the agent was cut short (%s) and may have had more to do; claim again in an iteration that ends by itself", cutShortBy(o))
	case o.Pending && !c.gates:
		return "background work was still running, and there is no gate to judge by; let it end, look at what came of it, then claim"
	}
	return ""
}

func cutShortBy(o *loop.Outcome) string {
	if o.Error != nil {
		return string(o.Error.Kind)
	}
	return string(o.Exit.Cause)
}

func badEnd(o *loop.Outcome) string {
	switch {
	case o.Result == loop.TimedOut:
		return "it ran out of time"
	case o.Result == loop.Idle:
		return "it was silent for too long"
	case o.Result == loop.Interrupted:
		return "it was interrupted"
	case o.Error != nil && o.Error.Kind != loop.ErrAgent:
		return text.Shorten(text.Fold(string(o.Error.Kind)+" "+o.Error.Message), 200)
	case o.Exit != nil && !o.Exit.Zero():
		return exitWords(o.Exit)
	case o.Error != nil && o.Error.Message != "":
		return text.Shorten(text.Fold(o.Error.Message), 200)
	}
	return string(o.Result)
}
