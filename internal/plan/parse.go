package plan

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Parse finds the tasks in a markdown text: list items, by a bullet or a
// number, that begin with a box. Code, comments and quotes hold no tasks.
func Parse(text []byte) Tasks {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	p := parser{page: newPage(string(text)), paragraph: none}
	for p.at < len(p.lines) {
		p.read(p.lines[p.at])
		p.at++
	}
	return p.tasks
}

// parser follows the blocks of a markdown text, line by line, as far as tasks
// depend on them.
type parser struct {
	page
	at        int   // the index of the current line
	items     []int // the columns at which the text of the open list items begins
	paragraph int   // the index of the line with which the open paragraph began, or none
	section   string
	tasks     Tasks
}

const none = -1

// read takes the current line, and more of them when it opens a block.
func (p *parser) read(l line) {
	if l.rest == "" {
		p.paragraph = none
		return
	}
	items := p.items
	for len(items) > 0 && l.indent < items[len(items)-1] {
		items = items[:len(items)-1]
	}
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
	} // else the line goes on with the paragraph, even when it is set in less than its item
}

// open reads a line that begins a block of its own, or tells that it does not.
// A line that is set in deep, within a paragraph, begins at most a list item:
// markdown has it otherwise, but who writes so means a task.
func (p *parser) open(l line, items []int, column int, deep bool) bool {
	if !deep && underline(l.rest) && p.paragraph != none && len(items) == len(p.items) {
		p.head(p.text(p.paragraph, p.at), items)
		return true
	}
	if mark := itemMark(l.rest); mark != "" {
		p.item(l, mark, items)
		return true
	}
	if deep {
		return false
	}
	if found := heading.FindStringSubmatch(l.rest); found != nil {
		p.head(found[1], items)
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
func (p *parser) head(text string, items []int) {
	if len(items) == 0 {
		p.section = fold(text)
	}
	p.items, p.paragraph = items, none
}

// maxNested is how many list items may begin on one line.
const maxNested = 16

// item takes a list item, and those that begin within it on the same line.
func (p *parser) item(l line, mark string, items []int) {
	for n := 0; mark != "" && n < maxNested; n++ {
		end := l.indent + len(mark)
		column, rest := columns(l.rest[len(mark):], end)
		p.box(rest, len(items))
		l = line{indent: column, rest: rest}
		if rest == "" || column-end > 4 { // its text comes later, or is set in
			column = end + 1
		}
		items = append(items, column)
		mark = itemMark(rest)
	}
	p.items, p.paragraph = items, p.at
	if end, ok := p.hidden(p.at, l.rest, items[len(items)-1]); ok {
		p.at, p.paragraph = end, none
	}
}

// box takes the text of a list item, which may be a task.
func (p *parser) box(text string, depth int) {
	found := box.FindStringSubmatch(text)
	if found == nil {
		return
	}
	mark, after := strings.TrimSpace(found[1]), found[2]
	if utf8.RuneCountInString(mark) > 1 || link(found[1], after) {
		return
	}
	p.tasks = append(p.tasks, Task{
		Text: fold(comments.ReplaceAllString(after, " ")), Status: marks[mark],
		Line: p.at + 1, Depth: depth, Section: p.section,
	})
}

// marks are what a box may hold besides nothing. A mark that is not here, such
// as a question mark, says that something is left to do.
var marks = map[string]Status{"~": InProgress, "x": Done, "X": Done}

var (
	box      = regexp.MustCompile(`^\[([^\]\[]{0,8})\](.*)$`)
	bullet   = regexp.MustCompile(`^(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)`)
	heading  = regexp.MustCompile(`^#{1,6}(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$`)
	comments = regexp.MustCompile(`<!--.*?-->`)
)

// link tells whether brackets belong to a link rather than being a box.
func link(inside, after string) bool {
	blank := inside != "" && strings.TrimSpace(inside) == "" // no link is called so
	return !blank && after != "" && strings.ContainsRune("([:", rune(after[0]))
}

// itemMark gives what begins a list item, or nothing.
func itemMark(rest string) string {
	mark := bullet.FindString(rest)
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

// underline tells whether a line makes a heading of the paragraph above it.
func underline(rest string) bool {
	return strings.Trim(rest, "=") == "" || strings.Trim(rest, "-") == ""
}

// fold makes every run of white space one space, and none at the ends.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }
