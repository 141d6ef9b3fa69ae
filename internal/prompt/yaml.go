package prompt

import (
	"fmt"
	"regexp"
	"strings"
)

// What is read here is the part of YAML that people write into front matter:
// tables and lists by indentation, lists in brackets, texts on one line, numbers,
// true and false. All else is refused by its line rather than taken for text.

type kind int

const (
	aScalar kind = iota
	aList
	aTable
)

// node is a value and where it stands.
type node struct {
	line   int
	kind   kind
	text   string // a scalar as it is written, without its quotes
	value  any    // a scalar as it is meant
	items  []node
	fields []field
}

type field struct {
	key string
	node
}

func (n node) refuse(what, hint string) *Error { return &Error{Line: n.line, What: what, Hint: hint} }

// word takes a scalar as a text, whatever it looks like.
func (n node) word(to *string) *Error {
	if n.kind != aScalar {
		return n.refuse("this must be a text", "write it on one line, in quotes if need be")
	}
	*to = n.text
	return nil
}

// words takes a list of texts. One text alone is a list of one.
func (n node) words(to *[]string) *Error {
	if n.kind == aTable {
		return n.refuse("this must be a list of texts", "write [one, two], or a line with a dash for each")
	}
	if n.kind == aScalar && n.text != "" {
		n.items = []node{n}
	}
	for _, item := range n.items {
		*to = append(*to, item.text)
	}
	return nil
}

// plain is the value of a scalar or a list.
func (n node) plain() any {
	if n.kind == aScalar {
		return n.value
	}
	values := make([]any, len(n.items))
	for i, item := range n.items {
		values[i] = item.value
	}
	return values
}

// row is a line that says something.
type row struct {
	number int
	indent int
	text   string
}

func (r row) refuse(what, hint string) *Error { return &Error{Line: r.number, What: what, Hint: hint} }

func (r row) isItem() bool { return r.text == "-" || strings.HasPrefix(r.text, "- ") }

// parseYAML reads lines as a table; first is the number of the first one.
func parseYAML(lines []string, first int) (node, *Error) {
	var p yaml
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		r := row{number: first + i, indent: len(line) - len(text), text: strings.TrimRight(text, " \t")}
		switch {
		case strings.HasPrefix(text, "\t"):
			return node{}, r.refuse("a tab cannot indent", "use spaces")
		case r.text != "" && r.text[0] != '#':
			p.rows = append(p.rows, r)
		}
	}
	if len(p.rows) == 0 {
		return node{kind: aTable, line: first}, nil
	}
	if r := p.rows[0]; r.indent > 0 {
		return node{}, r.refuse("this line is set in too far", "begin it at the left margin")
	}
	return p.table(0)
}

type yaml struct {
	rows []row
}

// next is the row to read, if it is set in by at least that much.
func (p *yaml) next(indent int) (row, bool) {
	if len(p.rows) == 0 || p.rows[0].indent < indent {
		return row{}, false
	}
	return p.rows[0], true
}

// table reads the keys that stand at an indent, and what stands below them.
func (p *yaml) table(indent int) (node, *Error) {
	n := node{kind: aTable, line: p.rows[0].number}
	seen := map[string]int{}
	for r, ok := p.next(indent); ok; r, ok = p.next(indent) {
		if r.indent > indent {
			return n, r.refuse("this line is set in too far", "let it begin where the line above begins")
		}
		key, rest, err := r.key()
		if err != nil {
			return n, err
		}
		if before, twice := seen[key]; twice {
			return n, r.refuse(fmt.Sprintf("%q stands here a second time, after line %d", key, before), "keep one of them")
		}
		seen[key] = r.number
		p.rows = p.rows[1:]
		value, err := p.value(r, rest)
		if err != nil {
			return n, err
		}
		n.fields = append(n.fields, field{key, value})
	}
	return n, nil
}

// value reads what belongs to the key in row r: the rest of the row, or the
// rows below it.
func (p *yaml) value(r row, rest string) (node, *Error) {
	if rest != "" {
		return r.inline(rest)
	}
	below, ok := p.next(r.indent)
	switch {
	case ok && below.isItem():
		return p.list(below.indent)
	case ok && below.indent > r.indent:
		return p.table(below.indent)
	}
	return node{line: r.number, value: ""}, nil
}

// list reads the rows with a dash that stand at an indent.
func (p *yaml) list(indent int) (node, *Error) {
	n := node{kind: aList, line: p.rows[0].number}
	for r, ok := p.next(indent); ok; r, ok = p.next(indent) {
		if r.indent == indent && !r.isItem() {
			return n, nil // the next key, when dashes stand below its first letter
		}
		text := strings.TrimSpace(strings.TrimPrefix(r.text, "-"))
		if r.indent > indent || text == "" || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "- ") {
			return n, r.refuse("an item of this list is not one text on one line", "write each after a dash of its own")
		}
		item, err := r.inline(text)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
		p.rows = p.rows[1:]
	}
	return n, nil
}

var isKey = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.-]*)\s*:(?:\s+(.*))?$`)

// key parts a row into its key and what follows; a comment alone is nothing.
func (r row) key() (key, rest string, err *Error) {
	m := isKey.FindStringSubmatch(r.text)
	if m == nil {
		return "", "", r.refuse(fmt.Sprintf("%q is not a key with a value", Preview(r.text, 40)), `write "key: value"; `+noFence)
	}
	if strings.HasPrefix(m[2], "#") {
		return m[1], "", nil
	}
	return m[1], m[2], nil
}
