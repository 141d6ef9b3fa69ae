package gate

import (
	"regexp"
	"strings"
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
func judgement(text string) string {
	var passes, fails, others int
	var why string
	var c cover
	for line := range strings.SplitSeq(text, "\n") {
		found := verdictLine.FindStringSubmatch(line)
		if c.hides(line) || found == nil {
			continue
		}
		said := strings.TrimSpace(found[1])
		switch reason := failure.FindStringSubmatch(said); {
		case strings.EqualFold(said, "pass"):
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
	fence  string // what the open fence is made of; empty when none is open
	length int
	until  string // what ends the open block; empty when none is open
}

var (
	fenceLine = regexp.MustCompile("^[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(```+|~~~+)(.*)$")
	blocks    = map[string]string{"<think>": "</think>", "<thinking>": "</thinking>", "<!--": "-->", "<pre>": "</pre>", "<example>": "</example>"}
)

// hides tells whether a line is covered. The lines that open and close are.
func (c *cover) hides(line string) bool {
	if c.until != "" {
		if strings.Contains(line, c.until) {
			c.until = ""
		}
		return true
	}
	found := fenceLine.FindStringSubmatch(line)
	if c.fence != "" {
		if found != nil && found[1][:1] == c.fence && len(found[1]) >= c.length && strings.TrimSpace(found[2]) == "" {
			c.fence = ""
		}
		return true
	}
	if found != nil && (found[1][0] == '~' || !strings.Contains(found[2], "`")) { // else it is code within a line
		c.fence, c.length = found[1][:1], len(found[1])
		return true
	}
	return c.opens(strings.TrimSpace(line))
}

// open tells whether something is covered to the end of the text, where a second
// verdict may stand.
func (c *cover) open() bool { return c.fence != "" || c.until != "" }

// opens tells whether a line begins a block.
func (c *cover) opens(line string) bool {
	for open, end := range blocks {
		if rest, ok := strings.CutPrefix(line, open); ok {
			if !strings.Contains(rest, end) {
				c.until = end
			}
			return true
		}
	}
	return false
}
