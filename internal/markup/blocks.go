package markup

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// kind is what a block is.
type kind int

const (
	paragraph kind = iota
	heading
	rule
	code
	blockquote
	bullets
	numbers
	item
	grid
)

// block is a piece of a text that stands by itself.
type block struct {
	kind  kind
	text  string     // of paragraphs, headings and code
	info  string     // the language of code, the first number of a list
	level int        // of a heading
	tight bool       // no empty line parts the items of a list, nor what is in them
	inner []block    // of quotes, lists and items
	rows  [][]string // of tables
}

// maxDepth is how deep quotes and lists lie in each other; below that a text is
// words. Each line is looked at once for each level.
const maxDepth = 16

// blocksOf tells the blocks of lines apart.
func blocksOf(lines []string, depth int) (list []block) {
	for i := 0; i < len(lines); {
		b, n := blockAt(lines[i:], depth)
		if n == 0 {
			i++ // empty
			continue
		}
		list = append(list, b)
		i += n
	}
	return list
}

// blockAt is the block that lines begin with, and how many it has; none when the first
// is empty.
func blockAt(lines []string, depth int) (block, int) {
	line := lines[0]
	if blank(line) {
		return block{}, 0
	}
	columns, rest := indentOf(line)
	if columns >= 4 {
		return indented(lines)
	}
	if f, ok := fenceAt(line); ok {
		return f.block(lines)
	}
	if level, words := headingAt(rest); level > 0 {
		return block{kind: heading, level: level, text: words}, 1
	}
	if isRule(rest) {
		return block{kind: rule}, 1
	}
	if depth < maxDepth {
		if rest[0] == '>' {
			return quoteOf(lines, depth)
		}
		if m, ok := markerAt(line); ok {
			return listOf(lines, m, depth)
		}
	}
	if b, n := gridAt(lines); n > 0 {
		return b, n
	}
	return paragraphOf(lines, depth)
}

// paragraphOf is the words up to what ends them, or the heading that is underlined.
func paragraphOf(lines []string, depth int) (block, int) {
	n := 1
	for ; n < len(lines); n++ {
		columns, rest := indentOf(lines[n])
		if level := underline(rest); level > 0 && columns < 4 {
			return block{kind: heading, level: level, text: strings.TrimSpace(joined(lines[:n]))}, n + 1
		}
		if _, rows := gridAt(lines[n:]); rows > 0 || interrupts(lines[n], depth) {
			break
		}
	}
	return block{kind: paragraph, text: joined(lines[:n])}, n
}

// joined is the lines of a paragraph, without what they are indented by.
func joined(lines []string) string {
	bare := make([]string, len(lines))
	for i, l := range lines {
		bare[i] = strings.TrimLeft(l, " \t")
	}
	return strings.TrimRight(strings.Join(bare, "\n"), " \t")
}

// interrupts tells whether a line ends the paragraph above it.
func interrupts(line string, depth int) bool {
	if blank(line) {
		return true
	}
	columns, rest := indentOf(line)
	if columns >= 4 {
		return false
	}
	if _, ok := fenceAt(line); ok {
		return true
	}
	if level, _ := headingAt(rest); level > 0 || isRule(rest) {
		return true
	}
	if depth >= maxDepth {
		return false
	}
	m, ok := markerAt(line)
	return rest[0] == '>' || ok && !m.empty && (m.number == "" || m.number == "1")
}

// underline is the level of the heading that a line below words makes of them.
func underline(rest string) int {
	bare := strings.TrimRight(rest, " \t")
	switch {
	case bare == "":
		return 0
	case strings.Trim(bare, "=") == "":
		return 1
	case strings.Trim(bare, "-") == "":
		return 2
	}
	return 0
}

// headingAt is the level and the words of a heading.
func headingAt(rest string) (level int, words string) {
	words = strings.TrimLeft(rest, "#")
	level = len(rest) - len(words)
	if level == 0 || level > 6 || words != "" && words[0] != ' ' && words[0] != '\t' {
		return 0, ""
	}
	words = strings.TrimSpace(words)
	if bare := strings.TrimRight(words, "#"); bare == "" || strings.HasSuffix(bare, " ") || strings.HasSuffix(bare, "\t") {
		words = strings.TrimSpace(bare)
	}
	return level, words
}

// isRule tells whether a line is drawn across the page.
func isRule(rest string) bool {
	return rest != "" && strings.IndexByte("-*_", rest[0]) >= 0 && strings.Count(rest, rest[:1]) >= 3 && strings.Trim(rest, rest[:1]+" \t") == ""
}

// indented is the code that lines are when they are indented.
func indented(lines []string) (block, int) {
	var all []string
	n := 0
	for i, l := range lines {
		columns, _ := indentOf(l)
		switch {
		case columns >= 4 && !blank(l):
			n = i + 1
		case !blank(l):
			return block{kind: code, text: strings.Join(all[:n], "\n")}, n
		}
		all = append(all, unindented(l, 4))
	}
	return block{kind: code, text: strings.Join(all[:n], "\n")}, n
}

// fence is the line that opens a block of code.
type fence struct {
	mark     string // all of it
	columns  int    // it is indented by
	language string
}

func fenceAt(line string) (fence, bool) {
	columns, rest := indentOf(line)
	if columns >= 4 || !strings.HasPrefix(rest, "```") && !strings.HasPrefix(rest, "~~~") {
		return fence{}, false
	}
	info := strings.TrimLeft(rest, rest[:1])
	if rest[0] == '`' && strings.Contains(info, "`") {
		return fence{}, false // words in code
	}
	f := fence{mark: rest[:len(rest)-len(info)], columns: columns}
	if words := strings.Fields(info); len(words) > 0 {
		f.language = words[0]
	}
	return f, true
}

// closes tells whether a line is the end of the code.
func (f fence) closes(line string) bool {
	columns, rest := indentOf(line)
	rest = strings.TrimRight(rest, " \t")
	return columns < 4 && strings.HasPrefix(rest, f.mark) && strings.Trim(rest, f.mark[:1]) == ""
}

// block is the code, up to its end or that of the lines.
func (f fence) block(lines []string) (block, int) {
	var all []string
	n := 1
	for ; n < len(lines); n++ {
		if f.closes(lines[n]) {
			n++
			break
		}
		all = append(all, unindented(lines[n], f.columns))
	}
	return block{kind: code, info: f.language, text: strings.Join(all, "\n")}, n
}

// quoteOf is the quote that lines begin with.
func quoteOf(lines []string, depth int) (block, int) {
	var all []string
	var lazy laziness
	n := 0
	for ; n < len(lines); n++ {
		columns, rest := indentOf(lines[n])
		switch {
		case columns < 4 && strings.HasPrefix(rest, ">"):
			rest = rest[1:]
			if rest != "" {
				rest = unindented(rest, 1)
			}
			all = append(all, rest)
			lazy.note(rest)
		case lazy.goesOn(lines[n], depth):
			all = append(all, strings.TrimLeft(lines[n], " \t"))
		default:
			return block{kind: blockquote, inner: blocksOf(all, depth+1)}, n
		}
	}
	return block{kind: blockquote, inner: blocksOf(all, depth+1)}, n
}

// laziness knows whether the words of a quote or an item may go on without its mark.
type laziness struct {
	open  fence
	words bool
}

// note takes in a line that has the mark.
func (z *laziness) note(line string) {
	z.words = false
	if z.open.mark != "" {
		if z.open.closes(line) {
			z.open = fence{}
		}
		return
	}
	columns, rest := indentOf(line)
	if f, ok := fenceAt(line); ok {
		z.open = f
		return
	}
	level, _ := headingAt(rest)
	z.words = !blank(line) && columns < 4 && level == 0 && !isRule(rest)
}

func (z *laziness) goesOn(line string, depth int) bool {
	_, next := markerAt(line) // any number goes on with a list
	return z.words && !next && !interrupts(line, depth)
}

// marker is what an item of a list begins with.
type marker struct {
	sign    byte   // what the items of one list have alike
	number  string // of those that are counted
	columns int    // where its words begin
	first   string // the rest of its line
	empty   bool   // nothing follows
}

func markerAt(line string) (m marker, ok bool) {
	columns, rest := indentOf(line)
	if columns >= 4 || rest == "" {
		return m, false
	}
	width := 1
	if m.sign = rest[0]; !strings.ContainsRune("-*+", rune(m.sign)) {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == 0 || digits > 9 || digits == len(rest) || rest[digits] != '.' && rest[digits] != ')' {
			return m, false
		}
		m.sign, width = rest[digits], digits+1
		if m.number = strings.TrimLeft(rest[:digits], "0"); m.number == "" {
			m.number = "0"
		}
	}
	after := rest[width:]
	gap, words := indentOf(after)
	switch {
	case words == "":
		m.empty, m.columns = true, columns+width+1
	case gap == 0:
		return m, false
	case gap > 4: // code stands in it
		m.columns, m.first = columns+width+1, unindented(after, 1)
	default:
		m.columns, m.first = columns+width+gap, words
	}
	return m, true
}

// listOf is the list that lines begin with.
func listOf(lines []string, m marker, depth int) (block, int) {
	list := block{kind: bullets, tight: true}
	if m.number != "" {
		list.kind, list.info = numbers, m.number
	}
	sign, n := m.sign, 0
	for {
		all, took := m.item(lines[n:], depth)
		inner := blocksOf(all, depth+1)
		list.inner = append(list.inner, block{kind: item, inner: inner})
		list.tight = list.tight && !parted(all, len(inner))
		n += took
		next := n
		for next < len(lines) && blank(lines[next]) {
			next++
		}
		if next == len(lines) {
			return list, n
		}
		_, rest := indentOf(lines[next])
		var more bool
		if m, more = markerAt(lines[next]); !more || m.sign != sign || isRule(rest) {
			return list, n
		}
		list.tight = list.tight && next == n
		n = next
	}
}

// parted tells whether an empty line stands between blocks. Those within a block of
// code, or in a list further in, part nothing here.
func parted(lines []string, blocks int) bool {
	if blocks < 2 {
		return false
	}
	var open fence
	empty := false
	for _, l := range lines {
		columns, _ := indentOf(l)
		switch {
		case open.mark != "":
			if open.closes(l) {
				open = fence{}
			}
		case blank(l):
			empty = true
		case empty && columns < 2:
			return true
		default:
			empty = false
			if f, ok := fenceAt(l); ok {
				open = f
			}
		}
	}
	return false
}

// item is the lines of an item, without what they are indented by, and how many they
// are. Empty lines behind it are not its own.
func (m marker) item(lines []string, depth int) (all []string, n int) {
	var lazy laziness
	all, n = []string{m.first}, 1
	lazy.note(m.first)
	for i := 1; i < len(lines); i++ {
		l := lines[i]
		columns, _ := indentOf(l)
		switch {
		case blank(l):
			if m.empty && i == 1 {
				return all, n
			}
			all = append(all, "")
			lazy.note("")
			continue
		case columns >= m.columns:
			l = unindented(l, m.columns)
			lazy.note(l)
		case lazy.goesOn(l, depth):
			l = strings.TrimLeft(l, " \t")
		default:
			return all[:n], n
		}
		all, n = append(all, l), i+1
	}
	return all[:n], n
}

func blank(line string) bool { return strings.Trim(line, " \t") == "" }

// indentOf is how many columns a line is indented by, and the rest of it.
func indentOf(line string) (columns int, rest string) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns, line[i:]
		}
	}
	return columns, ""
}

// unindented is a line without its first columns, as far as they are empty.
func unindented(line string, columns int) string {
	at := 0
	for i := range len(line) {
		if at >= columns {
			return line[i:]
		}
		switch line[i] {
		case ' ':
			at++
		case '\t':
			if at += 4 - at%4; at > columns {
				return strings.Repeat(" ", at-columns) + line[i+1:]
			}
		default:
			return line[i:]
		}
	}
	return ""
}

// delimiter is the line below the head of a table.
var delimiter = text.NewPattern(`^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$`)

// gridAt is the table that lines begin with.
func gridAt(lines []string) (block, int) {
	if len(lines) < 2 || !strings.Contains(lines[0], "|") {
		return block{}, 0
	}
	columns, rest := indentOf(lines[1])
	if rest = strings.TrimRight(rest, " \t"); columns >= 4 || !delimiter().MatchString(rest) {
		return block{}, 0
	}
	head := cells(lines[0])
	if len(head) != len(cells(rest)) {
		return block{}, 0
	}
	b, n := block{kind: grid, rows: [][]string{head}}, 2
	for ; n < len(lines) && !interrupts(lines[n], 0); n++ {
		row := cells(lines[n])
		for len(row) < len(head) {
			row = append(row, "")
		}
		if over := len(row) - len(head); over > 0 { // what is too much stands in the last one
			row[len(head)-1] = strings.Join(row[len(head)-1:], " | ")
			row = row[:len(head)]
		}
		b.rows = append(b.rows, row)
	}
	return b, n
}

// cells is what stands between the lines of a table. A stroke behind a backslash is a
// letter, in code too.
func cells(line string) (list []string) {
	line = strings.Trim(line, " \t")
	line = strings.TrimPrefix(line, "|")
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
		case line[i] == '|':
			list = append(list, strings.Trim(cell.String(), " \t"))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	if last := strings.Trim(cell.String(), " \t"); last != "" || !strings.HasSuffix(line, "|") {
		list = append(list, last)
	}
	return list
}
