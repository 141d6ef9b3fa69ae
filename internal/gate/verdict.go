package gate

import (
	"regexp"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

const (
	noVerdict      = "the reviewer gave no verdict"
	unclearVerdict = "the reviewer gave no clear verdict"
	noReason       = "the reviewer: failed, without a reason"
)

var (
	// verdictLine is a verdict alone on its line. It must begin the line: the
	// lines of a diff that a reviewer quotes have a space, a plus or a minus
	// before them.
	verdictLine = regexp.MustCompile(`(?i)^<verdict>(.*)</verdict>[ \t\r]*$`)
	failure     = regexp.MustCompile(`(?i)^fail(?:[ \t]*:(.*))?$`)
)

// judgement reads a reviewer's verdict from its own text. It gives why the gate
// does not pass, or nothing when it does. Of several verdicts that agree the
// last one counts; those that do not agree are none.
func judgement(said string) string {
	var passes, fails, others int
	var why string
	var c cover
	for line := range strings.SplitSeq(said, "\n") {
		found := verdictLine.FindStringSubmatch(line)
		if c.hides(line) || found == nil {
			continue
		}
		verdict := strings.TrimSpace(found[1])
		switch reason := failure.FindStringSubmatch(verdict); {
		case strings.EqualFold(verdict, "pass"):
			passes++
		case reason != nil:
			fails++
			why = oneLine(reason[1], maxWhy)
		default:
			others++
		}
	}
	switch {
	case passes+fails+others == 0:
		return noVerdict
	case others > 0 || passes > 0 && fails > 0 || c.open():
		return unclearVerdict
	case passes > 0:
		return ""
	case why == "":
		return noReason
	}
	return "the reviewer: " + why
}

// cover follows what a reviewer does not say to anybody: code, and blocks such
// as its thoughts. What is never closed covers the rest.
type cover struct {
	fence  byte // what the open fence is made of; 0 when none is open
	length int
	unsaid text.Unsaid
}

// beforeFence is what may stand before a fence: items of a list, however deep.
var beforeFence = regexp.MustCompile("^[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*")

// hides tells whether a line is covered. The lines that open and close are.
func (c *cover) hides(line string) bool {
	if c.unsaid.Open() {
		return c.unsaid.Has(line)
	}
	mark, length, info := text.Fence(line[len(beforeFence.FindString(line)):])
	switch {
	case c.fence != 0:
		if mark == c.fence && length >= c.length && info == "" {
			c.fence = 0
		}
		return true
	case text.OpensFence(mark, info):
		c.fence, c.length = mark, length
		return true
	}
	return c.unsaid.Has(line)
}

// open tells whether something is covered to the end of the text, where a second
// verdict may stand.
func (c *cover) open() bool { return c.fence != 0 || c.unsaid.Open() }
