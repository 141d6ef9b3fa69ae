package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// document is a TOML file: its values, and where each key stands.
type document struct {
	file   string // as people are shown it
	values map[string]any
	places map[string]place
}

// at is the place of a key of the document.
func (d document) at(path []string) place { return d.places[setting.JoinKey(path)] }

// maxFileSize is more than any file of settings has.
const maxFileSize = 4 << 20

// readDocument reads a file that may be missing; then the document is empty.
func readDocument(path, shown string) (document, *Problem) {
	data, err := files.ReadFile(context.Background(), path, maxFileSize)
	if errors.Is(err, os.ErrNotExist) {
		return document{file: shown}, nil
	}
	if err != nil {
		var failed *os.PathError
		if errors.As(err, &failed) {
			err = failed.Err // the path is shown already
		}
		p := place{file: shown}.problem("", fmt.Sprintf("cannot be read: %v", err), "make it a file that you may read, or move it away")
		return document{}, &p
	}
	return parseDocument(data, shown)
}

// parseDocument reads TOML. A byte order mark, which some editors leave, is
// passed over.
func parseDocument(data []byte, shown string) (document, *Problem) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	lines := tomlfile.NewLines(data)
	if i := tomlfile.Invalid(data); i >= 0 {
		p := placeAt(lines, shown, i).problem("", fmt.Sprintf("byte 0x%02x is not UTF-8", data[i]), "save the file as UTF-8")
		return document{}, &p
	}
	d := document{file: shown, values: map[string]any{}, places: map[string]place{}}
	if err := toml.Unmarshal(data, &d.values); err != nil {
		at := place{file: shown, line: 1, col: 1}
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			at.line, at.col = bad.Position()
		}
		p := at.problem("", "not valid TOML: "+strings.TrimPrefix(err.Error(), "toml: "), "texts need quotes, keys need an = sign, and no key or table may come twice")
		return document{}, &p
	}
	d.locate(data, lines)
	return d, nil
}

// locate notes where each key stands. The document is known to be valid.
func (d document) locate(data []byte, lines tomlfile.Lines) {
	l := locator{document: d, lines: lines, lengths: map[string]int{}}
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

// locator notes the places of one document. What is in a list of tables has
// the number of its table, from 0, as a part of its path.
type locator struct {
	document
	lines   tomlfile.Lines
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
func (l locator) note(table []string, key unstable.Iterator) ([]string, place) {
	path, at := table, place{}
	for key.Next() && len(path) < deepest {
		if at.line == 0 {
			at = placeAt(l.lines, l.file, int(key.Node().Raw.Offset))
		} else {
			path = l.last(path)
		}
		path = child(path, string(key.Node().Data))
		if name := setting.JoinKey(path); l.places[name].line == 0 {
			l.places[name] = at
		}
	}
	return path, at
}

func placeAt(lines tomlfile.Lines, file string, offset int) place {
	line, col := lines.Position(offset)
	return place{file: file, line: line, col: col}
}
