package setting

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Command is a program with its arguments, as it was written: either a list
// or one line that is yet to be split as a shell would.
type Command struct {
	Argv []string
	Line string
}

// IsZero tells whether there is no command.
func (c Command) IsZero() bool { return len(c.Argv) == 0 && c.Line == "" }

// TOML is the command as it was written.
func (c Command) TOML() string {
	if c.Argv != nil {
		return Render(c.Argv)
	}
	return Quote(c.Line)
}

// Texts is every text in it.
func (c Command) Texts() []string { return append([]string{c.Line}, c.Argv...) }

// Auto is yes, no, or whatever fits the kind of run.
type Auto string

// The values of Auto.
const (
	Automatic Auto = "auto"
	Yes       Auto = "true"
	No        Auto = "false"
	Alone     Auto = "alone" // where nothing else could answer
)

// Or is the answer, where fits is what automatic comes to.
func (a Auto) Or(fits bool) bool {
	if a == Automatic {
		return fits
	}
	return a == Yes
}

// TOML is the value as a file has it.
func (a Auto) TOML() string {
	if a == Automatic || a == Alone {
		return Quote(string(a))
	}
	return string(a)
}

// Branch is whether the run works on a branch of its own, and what that is
// called; without a name the template gives it one.
type Branch struct {
	New  bool
	Name string
}

// TOML is the name, if it has one, else whether there is a branch.
func (b Branch) TOML() string {
	if b.Name != "" {
		return Quote(b.Name)
	}
	return fmt.Sprint(b.New)
}

// Render writes a value so that it is valid both as TOML and as JSON. Types of
// more than one word write themselves.
func Render(v any) string {
	switch v := v.(type) {
	case interface{ TOML() string }:
		return v.TOML()
	case string:
		return Quote(v)
	case time.Duration:
		return Quote(Time(v))
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// InlineTable writes a table of rendered values on one line, the keys of the
// rows in their order and all others after them.
func InlineTable(values map[string]string, rows []Row) string {
	var keys []string
	for _, r := range rows {
		if _, ok := values[r.Key]; ok {
			keys = append(keys, r.Key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	var parts []string
	for _, key := range keys {
		parts = append(parts, JoinKey([]string{key})+" = "+values[key])
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// Quote writes a text as a basic string of TOML, which JSON reads alike.
func Quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// JoinKey writes a path as a dotted key, with quotes where TOML wants them.
func JoinKey(path []string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		if parts[i] = part; !BareKey(part) {
			parts[i] = Quote(part)
		}
	}
	return strings.Join(parts, ".")
}

// BareKey tells whether TOML takes s for a key without quotes.
func BareKey(s string) bool {
	for _, c := range s {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != ""
}

// Time writes a duration as people set it: exact, without parts that are
// zero: 1h30m, 250ms.
func Time(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
