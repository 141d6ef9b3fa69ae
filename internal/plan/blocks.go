package plan

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// listener is told what a markdown text says, from the top down. Code, comments
// and quotes are not said. Lines count from 1, and depth is the number of list
// items around what is said.
//
// The listeners are planner and inquirer, for plans, and analyst, for specs.
type listener interface {
	heading(line, level int, text string)
	item(line, depth int, text string) // the first line of a list item; its paragraph may go on
	text(line, depth int, text string, begins bool)
}

// tell reads a markdown text to a listener.
func tell(text string, to listener) {
	p := parser{page: newPage(strings.TrimPrefix(text, "\uFEFF")), paragraph: none, to: to}
	for p.at < len(p.lines) {
		p.read(p.lines[p.at])
		p.at++
	}
}

// parser follows the blocks of a markdown text, line by line, as far as tasks
// and requirements depend on them.
type parser struct {
	page
	to        listener
	at        int   // the index of the current line
	items     []int // the columns at which the text of the open list items begins
	paragraph int   // the index of the line with which the open paragraph began, or none
}

const none = -1

// read takes the current line, and more of them when it opens a block.
func (p *parser) read(l line) {
	if l.rest == "" {
		p.paragraph = none
		return
	}
	within, _ := slices.BinarySearch(p.items, l.indent+1)
	items := p.items[:within]
	column := 0
	if len(items) > 0 {
		column = items[len(items)-1]
	}
	deep := l.indent-column > 3
	switch {
	case deep && p.paragraph == none: // indented code
		p.items = items
	case p.open(l, items, column, deep):
	case p.paragraph == none:
		p.items, p.paragraph = items, p.at
		p.to.text(p.at+1, len(items), l.rest, true)
	default: // the line goes on with the paragraph, even when it is set in less than its item
		p.to.text(p.at+1, len(p.items), l.rest, false)
	}
}

// open reads a line that begins a block of its own, or tells that it does not.
// A line that is set in deep, within a paragraph, begins at most a list item:
// markdown has it otherwise, but who writes so means a task.
func (p *parser) open(l line, items []int, column int, deep bool) bool {
	if level := underline(l.rest); !deep && level > 0 && p.paragraph != none && len(items) == len(p.items) {
		p.head(p.paragraph, level, p.text(p.paragraph, p.at), items)
		return true
	}
	if mark := itemMark(l.rest); mark != "" {
		p.item(l, mark, items)
		return true
	}
	if deep {
		return false
	}
	if found := heading().FindStringSubmatch(l.rest); found != nil {
		p.head(p.at, len(found[1]), found[2], items)
		return true
	}
	end, hidden := p.hidden(p.at, l.rest, column)
	if hidden {
		p.at = end
	}
	if !hidden && !rule(l.rest) && l.rest[0] != '>' {
		return false
	}
	p.items, p.paragraph = items, none
	return true
}

// head takes a heading. One within a list item is part of the item.
func (p *parser) head(at, level int, text string, items []int) {
	if len(items) == 0 {
		p.to.heading(at+1, level, plain(text))
	}
	p.items, p.paragraph = items, none
}

// maxNested is how many list items may begin on one line.
const maxNested = 16

// item takes a list item, and those that begin within it on the same line.
func (p *parser) item(l line, mark string, items []int) {
	for n := 0; mark != "" && n < maxNested; n++ {
		if n > 0 { // all that the item around this one says is this one
			p.to.item(p.at+1, len(items)-1, "")
		}
		end := l.indent + len(mark)
		column, rest := text.Indent(l.rest[len(mark):], end)
		l = line{indent: column, rest: rest}
		if rest == "" || column-end > 4 { // its text comes later, or is set in
			column = end + 1
		}
		items = append(items, column)
		mark = itemMark(rest)
	}
	p.items = items
	end, hidden := p.hidden(p.at, l.rest, items[len(items)-1])
	if hidden {
		p.to.item(p.at+1, len(items)-1, "")
		p.at, p.paragraph = end, none
		return
	}
	p.to.item(p.at+1, len(items)-1, l.rest)
	p.paragraph = p.at
}

var (
	bullet  = text.NewPattern(`^(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)`)
	heading = text.NewPattern(`^(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$`)
)

// itemMark gives what begins a list item, or nothing.
func itemMark(rest string) string {
	mark := bullet().FindString(rest)
	if mark == "" || rule(rest) {
		return ""
	}
	return strings.TrimRight(mark, " \t")
}

// rule tells whether a line is a thematic break, which may look like an item.
func rule(rest string) bool {
	if rest == "" || strings.IndexByte("-*_", rest[0]) < 0 {
		return false
	}
	bare := blanks.Replace(rest)
	return len(bare) >= 3 && strings.Trim(bare, bare[:1]) == ""
}

var blanks = strings.NewReplacer(" ", "", "\t", "")

// underline gives the level of the heading that a line makes of the paragraph
// above it, or 0.
func underline(rest string) int {
	switch {
	case strings.Trim(rest, "=") == "":
		return 1
	case strings.Trim(rest, "-") == "":
		return 2
	}
	return 0
}

var comments = text.NewPattern(`<!--.*?-->`)

// plain is a text without comments, and with every run of white space made one
// space.
func plain(text string) string { return fold(comments().ReplaceAllString(text, " ")) }

// fold makes every run of white space one space, and none at the ends.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }
