package migrate

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// readTOML reads a file into a struct, and gives the keys that it does not have.
func readTOML(file string, text []byte, to any) (unknown []string, err error) {
	parsed, wrong := tomlfile.Parse(text)
	if wrong != nil {
		return nil, &Error{file, wrong.Line, wrong.What}
	}
	return document{file: file, values: parsed.Values, line: func(path []string) int {
		for ; len(path) > 0; path = path[:len(path)-1] {
			if at := parsed.At(path); at.Line > 0 {
				return at.Line
			}
		}
		return 0
	}}.fit(to)
}

// TOML is the settings as a file, with a head that says where they are from.
func (im *Import) TOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by \"refrain import\" from %s.\n", strings.Join(im.Read, ", "))
	b.WriteString("# \"refrain config show --changed\" shows what holds.\n")
	if im.masked {
		b.WriteString("# Where a secret was, there is " + setting.Mask + " now: see to it that the command gets it in another way.\n")
	}
	var tables [][]string
	lines := map[string][]string{}
	for _, s := range im.Settings {
		at := tableOf(s.Key)
		name := setting.JoinKey(s.Key[:at])
		if _, known := lines[name]; !known && at > 0 {
			tables = append(tables, s.Key[:at])
		}
		lines[name] = append(lines[name], setting.JoinKey(s.Key[at:])+" = "+tomlValue(s.Value))
	}
	if top := lines[""]; len(top) > 0 {
		b.WriteString("\n" + strings.Join(top, "\n") + "\n")
	}
	for _, table := range tables {
		name := setting.JoinKey(table)
		fmt.Fprintf(&b, "\n[%s]\n%s\n", name, strings.Join(lines[name], "\n"))
	}
	for _, g := range im.Gates {
		fmt.Fprintf(&b, "\n[[gate]]\nname = %s\nrun = %s\n", setting.Quote(g.Name), setting.Quote(g.Run))
	}
	return b.String()
}

// tableOf is how many parts of a key stand in the head of its table: those of an
// agent or a procedure have one each, others one for each part of the settings.
func tableOf(key []string) int {
	switch {
	case key[0] == "procedures":
		return 2
	default:
		return len(key) - 1
	}
}

func tomlValue(v any) string {
	switch v := v.(type) {
	case string:
		return setting.Quote(v)
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = setting.Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case []part:
		var list []string
		for _, p := range v {
			if p.text != "" {
				list = append(list, "{ text = "+setting.Quote(p.text)+" }")
			} else {
				list = append(list, setting.Quote(p.file))
			}
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return fmt.Sprint(v) // a number, true or false
}
