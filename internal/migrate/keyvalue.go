package migrate

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// pair is a line of a file with KEY = VALUE on each.
type pair struct {
	line       int
	key, value string
}

// readPairs reads such a file: lines of an INI file, or what a shell would set. Nothing
// in it is run or expanded.
func readPairs(file string, content []byte) ([]pair, error) {
	var list []pair
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, maxFile)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "[") {
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if key = strings.TrimSpace(key); !ok || key == "" || strings.ContainsAny(key, " \t\"'$(") {
			return nil, &Error{file, n, "this is no KEY = VALUE"}
		}
		if value, ok = unquoted(strings.TrimSpace(value)); !ok {
			return nil, &Error{file, n, key + ": something stands behind the closing quote"}
		}
		list = append(list, pair{n, key, value})
	}
	if err := lines.Err(); err != nil {
		return nil, &Error{file, 0, err.Error()}
	}
	return list, nil
}

// quoted is a value in quotes, and what stands behind it.
var quoted = text.NewPattern(`^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')(.*)$`)

// escaped is what a backslash keeps as it is between double quotes.
var escaped = text.NewPattern("\\\\([\"\\\\$`])")

// unquoted is a value without its quotes, or the comment behind it; not ok when
// something else stands behind it, which a shell would add to it or run.
func unquoted(value string) (_ string, ok bool) {
	if m := quoted().FindStringSubmatch(value); m != nil {
		switch rest := strings.TrimLeft(m[3], " \t"); {
		case rest == "" || rest != m[3] && strings.HasPrefix(rest, "#"):
			return escaped().ReplaceAllString(m[1], "$1") + m[2], true
		case strings.Contains(value, "$"): // so the quotes may be those of an inner one, and nothing is taken of it
			return value, true
		default:
			return "", false
		}
	}
	if words, _, ok := strings.Cut(value, " #"); ok {
		value = strings.TrimSpace(words)
	}
	return value, true
}
