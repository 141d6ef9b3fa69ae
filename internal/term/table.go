package term

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Table is rows of cells below each other. It knows how wide the screen is: where
// it does not fit, cells that may wrap go on below themselves, then columns are
// left out, those of the highest rank first, and at last each row is told cell by
// cell. Words are never broken: paths and commands are there to be copied. Where
// nobody knows the width, as in a pipe, every row is one line and complete.
type Table struct {
	Columns []Column
	Indent  int // of every line

	rows [][]string
}

// Column is one column of a table.
type Column struct {
	Name  string // its head; a table in which none has one gets no line of heads
	Rank  int    // 0 stays; of the others the highest is left out first
	Wraps bool   // a cell that is too long goes on below itself
	Right bool   // numbers, to be compared
}

// Heads are columns of which none wraps and none may be left out.
func Heads(names ...string) []Column {
	var list []Column
	for _, name := range names {
		list = append(list, Column{Name: name})
	}
	return list
}

// Add adds a row. Cells that are not given are empty.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(t.Columns))
	copy(row, cells)
	t.rows = append(t.rows, row)
}

const (
	betweenColumns = 2
	// Prose in a narrower column is no longer read but spelled.
	narrowestProse = 24
	// How far the rest of a row that is told cell by cell stands to the right.
	cellIndent = 4
)

// String is the table on a screen.
func (t *Table) String(opt Options) string {
	lines := t.rows
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name != "" }) {
		heads := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			heads[i] = c.Name
		}
		lines = append([][]string{heads}, lines...)
	}
	var b strings.Builder
	room := opt.width()
	if room > 0 {
		room = max(1, room-t.Indent)
	}
	shown := t.fit(lines, room)
	if shown == nil {
		for _, row := range t.rows {
			t.tell(&b, row, room)
		}
		return b.String()
	}
	for _, row := range lines {
		t.line(&b, row, shown)
	}
	return b.String()
}

// place is a column that is shown, and how wide.
type place struct {
	column       int
	width, whole int // as it is shown; and with nothing wrapped
}

// fit finds columns and widths for the room; nil: there are none.
func (t *Table) fit(lines [][]string, room int) []place {
	var shown []place
	for i, c := range t.Columns {
		p := place{column: i}
		longest := 0
		for _, row := range lines {
			p.whole = max(p.whole, widthOf(row[i]))
			for word := range strings.FieldsSeq(row[i]) {
				longest = max(longest, widthOf(word))
			}
		}
		if p.width = p.whole; c.Wraps && room > 0 {
			p.width = min(p.whole, max(longest, narrowestProse))
		}
		shown = append(shown, p)
	}
	if room == 0 {
		return shown
	}
	free := func() int {
		n := room - betweenColumns*(len(shown)-1)
		for _, p := range shown {
			n -= p.width
		}
		return n
	}
	for free() < 0 {
		last := slices.MaxFunc(shown, func(a, b place) int { return cmp.Compare(t.Columns[a.column].Rank, t.Columns[b.column].Rank) })
		if t.Columns[last.column].Rank == 0 {
			return nil
		}
		shown = slices.DeleteFunc(shown, func(p place) bool { return p.column == last.column })
	}
	for n := free(); n > 0; n-- { // to whom it helps most
		widest := 0
		for i, p := range shown {
			if p.whole-p.width > shown[widest].whole-shown[widest].width {
				widest = i
			}
		}
		if shown[widest].width == shown[widest].whole {
			break
		}
		shown[widest].width++
	}
	return shown
}

// line writes one row, with what is wrapped below it.
func (t *Table) line(b *strings.Builder, row []string, shown []place) {
	cells := make([][]string, len(shown))
	height := 1
	for i, p := range shown {
		cells[i] = []string{row[p.column]}
		if widthOf(row[p.column]) > p.width {
			cells[i] = Fold(row[p.column], p.width)
		}
		height = max(height, len(cells[i]))
	}
	for y := range height {
		line := strings.Repeat(" ", t.Indent)
		for i, p := range shown {
			cell := ""
			if y < len(cells[i]) {
				cell = cells[i][y]
			}
			pad := strings.Repeat(" ", max(0, p.width-widthOf(cell)))
			if t.Columns[p.column].Right {
				line += pad + cell
			} else {
				line += cell + pad
			}
			line += strings.Repeat(" ", betweenColumns)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// tell writes a row cell by cell: the first by itself, the others below it, each
// with its head.
func (t *Table) tell(b *strings.Builder, row []string, room int) {
	indent := 0
	for i, cell := range row {
		if cell == "" {
			continue
		}
		if name := t.Columns[i].Name; name != "" && indent > 0 {
			cell = strings.ToLower(name) + ": " + cell
		}
		width := room - indent
		if widthOf(cell) > width {
			width = room - cellIndent // where its rest will stand
		}
		for _, line := range Fold(cell, width) {
			b.WriteString(strings.Repeat(" ", t.Indent+indent) + line + "\n")
			indent = cellIndent
		}
	}
}

// Fold breaks a text into lines of a width, at spaces only. A word that is wider
// has a line of its own; 0 is one line for all.
func Fold(text string, width int) []string {
	if width <= 0 || widthOf(text) <= width {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case widthOf(line)+1+widthOf(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// Hang is a text that goes on below itself, beside its label.
func Hang(label, text string, opt Options) string {
	indent := widthOf(label)
	width := opt.width()
	if width > 0 {
		if width -= indent; width < narrowestProse {
			indent, width = cellIndent, opt.width()-cellIndent
			label += "\n" + strings.Repeat(" ", indent)
		}
	}
	return label + strings.Join(Fold(text, width), "\n"+strings.Repeat(" ", indent)) + "\n"
}

// width is how wide a text is on a screen. Most cells are plain letters and digits, and
// to look for what belongs together in those takes longer than all else in a long list.
func widthOf(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Strong sets a heading off.
func (o Options) Strong(text string) string { return o.paint(bold, text) }
