package detect

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// maxSummary is in bytes: a paragraph or two, not a report.
const maxSummary = 2000

// Summaries reads what the agent says of its work: the section that it calls
// a summary, else its last paragraph.
func Summaries() Detector { return &summaries{} }

type summaries struct {
	text   notes
	result notes
}

func (d *summaries) Hear(said loop.Payload) []loop.Payload {
	switch p := said.(type) {
	case *loop.AgentText:
		d.text.read(p.Text)
	case *loop.AgentTool:
		d.text.pause()
	case *loop.AgentResult:
		d.result = notes{}
		d.result.read(p.Text)
	}
	return nil
}

func (d *summaries) Report(o *loop.Outcome) []loop.Payload {
	o.Summary = cmp.Or(d.text.section.String(), d.result.section.String(),
		d.result.paragraph.String(), d.text.paragraph.String())
	return nil
}

// notes are the parts of a text that sum it up. The last of each wins: the
// first may be the agent's plan, or repeat its prompt.
type notes struct {
	section   excerpt
	paragraph excerpt
	page      page
	inSection bool
	between   bool // paragraphs
}

var (
	summaryHeading = text.NewPattern(`(?i)^#{2,3}[ \t]+summary:?$`)
	summaryLabel   = text.NewPattern(`(?i)^(?:summary:|\*\*summary(?::\*\*|\*\*:))(?:[ \t]+(.*))?$`)
	anyHeading     = text.NewPattern(`^#{1,6}[ \t]`)
)

func (n *notes) read(text string) {
	for line := range lines(text) {
		n.line(line)
	}
}

func (n *notes) line(line string) {
	where, bare := n.page.place(line), strings.TrimSpace(line)
	if strings.HasPrefix(bare, "<") && isClaim(bare) {
		return // claims have their own place, and must not be repeated in the next prompt
	}
	heading := where == prose && strings.HasPrefix(bare, "#") && anyHeading().MatchString(bare)
	n.addToParagraph(line, bare == "" || heading)
	switch label := labelOf(bare); {
	case heading && summaryHeading().MatchString(bare):
		n.section, n.inSection = excerpt{}, true
	case heading:
		n.inSection = false
	case where == prose && label != nil:
		n.section, n.inSection = excerpt{}, true
		n.section.add(label[1])
	case n.inSection:
		n.section.add(line)
	}
}

// labelOf is what summaryLabel finds. Most lines show with their first character that
// they have none; one beyond ASCII may be an s in another case.
func labelOf(bare string) []string {
	if bare == "" || bare[0] < utf8.RuneSelf && strings.IndexByte("sS*", bare[0]) < 0 {
		return nil
	}
	return summaryLabel().FindStringSubmatch(bare)
}

// pause ends a message: what the agent says after its next tool call belongs
// to no section of this one.
func (n *notes) pause() { n.page, n.inSection, n.between = page{}, false, true }

func (n *notes) addToParagraph(line string, isBreak bool) {
	if isBreak {
		n.between = true
		return
	}
	if n.between {
		n.paragraph.text, n.between = n.paragraph.text[:0], false
	}
	n.paragraph.add(line)
}

// isClaim tells whether a trimmed line is a tag, or half of one, and nothing
// else.
func isClaim(bare string) bool {
	if strings.EqualFold(bare, opening) || strings.EqualFold(bare, closing) {
		return true
	}
	alone := false
	eachTag(bare, func(t tag) { alone = alone || t.alone() })
	return alone
}

// excerpt is the beginning of a text.
type excerpt struct{ text []byte }

func (e *excerpt) add(line string) {
	if len(e.text) > maxSummary || len(e.text) == 0 && strings.TrimSpace(line) == "" {
		return
	}
	line = text.Shorten(line, 2*maxSummary) // a line may be endless
	if !utf8.ValidString(line) {
		line = strings.ToValidUTF8(line, "\uFFFD")
	}
	e.text = append(append(e.text, line...), '\n')
}

func (e *excerpt) String() string { return text.Shorten(strings.TrimSpace(string(e.text)), maxSummary) }
