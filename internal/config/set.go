package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Set gives a file of settings in which a key has another value. Everything else
// stays as it is, comments too. The value is written as a flag has it.
func Set(file []byte, shown, key, value string) ([]byte, error) {
	read, err := Load(Sources{Flags: []Flag{{Name: setFlag, Key: key, Value: value}}})
	if err != nil {
		return nil, err
	}
	path, _ := splitKey(key)
	row, is := find(path)
	if is != foundSetting || gateAt(path) >= 0 {
		return nil, unsettable(key, "only a single setting can be set so", "write it into "+shown+" yourself")
	}
	if row.Secret {
		return nil, unsettable(key, "it is a secret, and "+shown+" is for everybody to read", "set it in the environment, or in your own settings")
	}
	explained, err := read.Explain(key)
	if err != nil {
		return nil, err
	}
	doc, problem := parseDocument(file, shown)
	if problem != nil {
		return nil, &Errors{[]Problem{*problem}}
	}
	changed := change(string(file), doc, path, string(explained.Value))
	if !onlyChanged(doc.values, []byte(changed), path, string(explained.Value)) {
		return nil, unsettable(key, "where it stands in "+shown+" it cannot be changed without touching something else", "change it there yourself")
	}
	return []byte(changed), nil
}

func unsettable(key, what, hint string) error {
	return &Errors{[]Problem{{Key: key, What: setting.Quote(key) + " was not set: " + what, Hint: hint}}}
}

// change writes the value in the place of the one that is there, or at the end of
// the head of its table, or as a new table.
func change(file string, doc document, path []string, value string) string {
	lines := strings.SplitAfter(file, "\n")
	if at := doc.at(path).line; at > 0 && at <= len(lines) {
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

// onlyChanged tells whether a file says what another did, but for one value.
func onlyChanged(before map[string]any, file []byte, path []string, value string) bool {
	want, ok := tomlValue(value)
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
