// Package tomlfile reads TOML files with the places of their keys, and changes
// single values of them, where a file must stay as its writer has it. It knows no
// settings.
package tomlfile

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Value reads s as one TOML value.
func Value(s string) (any, bool) {
	var doc map[string]any
	if err := toml.Unmarshal([]byte("v = "+s), &doc); err != nil || len(doc) != 1 {
		return nil, false
	}
	return doc["v"], true
}

// SplitKey reads s as a dotted TOML key.
func SplitKey(s string) ([]string, bool) {
	if strings.ContainsAny(s, "=#\r\n") { // more than a key
		return nil, false
	}
	var parser unstable.Parser
	parser.Reset([]byte(s + " = 0"))
	if !parser.NextExpression() || parser.Expression().Kind != unstable.KeyValue {
		return nil, false
	}
	var path []string
	for key := parser.Expression().Key(); key.Next(); {
		path = append(path, string(key.Node().Data))
	}
	return path, true
}

// Change writes the value of a key in the place of the one that is there, on this
// line, from 1; where there is none, 0, at the head of its table, or as a new table.
// Comments stay.
func Change(file string, at int, path []string, value string) string {
	lines := strings.SplitAfter(file, "\n")
	if at > 0 && at <= len(lines) {
		lines[at-1] = withValue(lines[at-1], value)
		return strings.Join(lines, "")
	}
	table, assignment := path[:len(path)-1], setting.JoinKey(path[len(path)-1:])+" = "+value+"\n"
	if len(table) == 0 {
		return assignment + file
	}
	head := "[" + setting.JoinKey(table) + "]"
	for i, line := range lines {
		if words, _ := splitComment(line); strings.TrimSpace(words) == head {
			if !strings.HasSuffix(line, "\n") {
				line += "\n"
			}
			lines[i] = line + assignment
			return strings.Join(lines, "")
		}
	}
	if file != "" && !strings.HasSuffix(file, "\n") {
		file += "\n"
	}
	if file != "" {
		file += "\n"
	}
	return file + head + "\n" + assignment
}

// withValue is a line with another value, and with its comment.
func withValue(line, value string) string {
	words, comment := splitComment(line)
	key, _, _ := strings.Cut(words, "=")
	if end := len(strings.TrimRight(words, " \t\r\n")); end < len(words) {
		comment = words[end:] + comment
	}
	return strings.TrimRight(key, " \t") + " = " + value + comment
}

// splitComment cuts a line before its comment.
func splitComment(line string) (words, comment string) {
	var quote rune
	for i, r := range line {
		switch {
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == quote:
			quote = 0
		case r == '#' && quote == 0:
			return line[:i], line[i:]
		}
	}
	return line, ""
}

// OnlyChanged tells whether a file says what another did, but for one value.
func OnlyChanged(before map[string]any, file []byte, path []string, value string) bool {
	want, ok := Value(value)
	var after map[string]any
	if !ok || toml.Unmarshal(file, &after) != nil {
		return false
	}
	at := func(values map[string]any) (map[string]any, string) {
		for _, name := range path[:len(path)-1] {
			below, is := values[name].(map[string]any)
			if !is {
				below = map[string]any{}
				values[name] = below
			}
			values = below
		}
		return values, path[len(path)-1]
	}
	table, name := at(after)
	if fmt.Sprint(table[name]) != fmt.Sprint(want) {
		return false
	}
	delete(table, name)
	table, name = at(before)
	delete(table, name)
	return reflect.DeepEqual(before, after)
}
