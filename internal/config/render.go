package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// render writes a value so that it is valid both as TOML and as JSON.
func render(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case Auto:
		if v == Automatic {
			return quote(string(v))
		}
		return string(v)
	case time.Duration:
		return quote(text.Setting(v))
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case []PromptPart:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = part.render()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Branch:
		if v.Name != "" {
			return quote(v.Name)
		}
		return fmt.Sprint(v.New)
	case Command:
		if v.Argv != nil {
			return render(v.Argv)
		}
		return quote(v.Line)
	}
	return fmt.Sprint(v)
}

// inlineTable writes a table of rendered values on one line, the keys of a
// gate in their order and all others after them.
func inlineTable(values map[string]string) string {
	var keys []string
	for _, r := range gateSettings {
		if _, ok := values[r.key]; ok {
			keys = append(keys, r.key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	var parts []string
	for _, key := range keys {
		parts = append(parts, joinKey([]string{key})+" = "+values[key])
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// quote writes a text as a basic string of TOML, which JSON reads alike.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// joinKey writes a path as a dotted key, with quotes where TOML wants them.
func joinKey(path []string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		if parts[i] = part; !bareKey(part) {
			parts[i] = quote(part)
		}
	}
	return strings.Join(parts, ".")
}

func bareKey(s string) bool {
	for _, c := range s {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != ""
}
