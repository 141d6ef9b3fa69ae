package tomlfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Document is a TOML file: its values, and where each key stands.
type Document struct {
	Values map[string]any
	places map[string]Place
}

// Place is where a key stands: a line, and a byte of it, both from 1. The zero
// Place is nowhere.
type Place struct {
	Line, Col int
}

// At is the place of a key. What is in a list of tables has the number of its
// table, from 0, as a part of its path.
func (d Document) At(path []string) Place { return d.places[setting.JoinKey(path)] }

// SyntaxError is why a file is no TOML.
type SyntaxError struct {
	Place
	What string
	Hint string
}

func (e *SyntaxError) Error() string { return e.What }

// Parse reads TOML. A byte order mark, which some editors leave, is passed over.
func Parse(data []byte) (Document, *SyntaxError) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	starts := newLines(data)
	if i := invalid(data); i >= 0 {
		return Document{}, &SyntaxError{starts.place(i), fmt.Sprintf("byte 0x%02x is not UTF-8", data[i]), "save the file as UTF-8"}
	}
	d := Document{Values: map[string]any{}, places: map[string]Place{}}
	if err := toml.Unmarshal(data, &d.Values); err != nil {
		at := Place{1, 1}
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			at.Line, at.Col = bad.Position()
		}
		return Document{}, &SyntaxError{at, "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: "), "texts need quotes, keys need an = sign, and no key or table may come twice"}
	}
	d.locate(data, starts)
	return d, nil
}

// locate notes where each key stands. The document is known to be valid.
func (d Document) locate(data []byte, starts lines) {
	l := locator{Document: d, lines: starts, lengths: map[string]int{}}
	var parser unstable.Parser
	parser.Reset(data)
	var inTable []string
	for parser.NextExpression() {
		switch e := parser.Expression(); e.Kind {
		case unstable.Table:
			inTable, _ = l.note(nil, e.Key())
		case unstable.ArrayTable:
			path, at := l.note(nil, e.Key())
			l.lengths[setting.JoinKey(path)]++
			inTable = l.last(path)
			l.places[setting.JoinKey(inTable)] = at
		case unstable.KeyValue:
			l.noteValue(inTable, e)
		}
	}
}

// locator notes the places of one document.
type locator struct {
	Document
	lines   lines
	lengths map[string]int // of the lists written as [[list]], so far
}

// last is the path of the last table, if path is a list of tables.
func (l locator) last(path []string) []string {
	if n := l.lengths[setting.JoinKey(path)]; n > 0 {
		return child(path, strconv.Itoa(n-1))
	}
	return path
}

func (l locator) noteValue(table []string, e *unstable.Node) {
	path, at := l.note(table, e.Key())
	switch inner := e.Value().Children(); e.Value().Kind {
	case unstable.InlineTable:
		l.noteValues(path, inner)
	case unstable.Array:
		for i := 0; inner.Next() && len(path) < deepest; i++ {
			if item := inner.Node(); item.Kind == unstable.InlineTable {
				inList := child(path, strconv.Itoa(i))
				l.places[setting.JoinKey(inList)] = at
				l.noteValues(inList, item.Children())
			}
		}
	}
}

func (l locator) noteValues(table []string, values unstable.Iterator) {
	for values.Next() {
		l.noteValue(table, values.Node())
	}
}

// deepest is one part more than the longest key has; what is below the first
// unknown part of a key is of no interest.
const deepest = 7

// note keeps the place of a written key, which is also that of the tables that
// it is the first to name.
func (l locator) note(table []string, key unstable.Iterator) ([]string, Place) {
	path, at := table, Place{}
	for key.Next() && len(path) < deepest {
		if at.Line == 0 {
			at = l.lines.place(int(key.Node().Raw.Offset))
		} else {
			path = l.last(path)
		}
		path = child(path, string(key.Node().Data))
		if name := setting.JoinKey(path); l.places[name].Line == 0 {
			l.places[name] = at
		}
	}
	return path, at
}

// child is the path of what is called name below path.
func child(path []string, name string) []string { return append(slices.Clone(path), name) }

// lines is the offset of each line of a text.
type lines []int

// newLines finds the lines of a text.
func newLines(data []byte) lines {
	starts := lines{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// place is where a byte stands.
func (l lines) place(offset int) Place {
	line := sort.SearchInts(l, offset+1)
	return Place{line, offset - l[line-1] + 1}
}

// invalid is the offset of the first byte that is not UTF-8, or -1.
func invalid(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
