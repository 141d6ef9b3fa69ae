package migrate

import (
	"bufio"
	"bytes"
	"strings"
)

// pair is a line of a file with KEY = VALUE on each.
type pair struct {
	line       int
	key, value string
}

// readPairs reads such a file: lines of an INI file, or what a shell would set. Nothing
// in it is run or expanded.
func readPairs(file string, text []byte) ([]pair, error) {
	var list []pair
	lines := bufio.NewScanner(bytes.NewReader(text))
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
		list = append(list, pair{n, key, unquoted(strings.TrimSpace(value))})
	}
	if err := lines.Err(); err != nil {
		return nil, &Error{file, 0, err.Error()}
	}
	return list, nil
}

// unquoted is a value without its quotes, or the comment behind it.
func unquoted(value string) string {
	for _, quote := range []string{`"`, "'"} {
		if inner, ok := strings.CutPrefix(value, quote); ok {
			if inner, _, ok := strings.Cut(inner, quote); ok {
				return inner
			}
		}
	}
	if words, _, ok := strings.Cut(value, " #"); ok {
		value = strings.TrimSpace(words)
	}
	return value
}
