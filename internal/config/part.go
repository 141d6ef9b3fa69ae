package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// PromptPart is one part of a prompt: a file, a text or a built-in fragment.
// One of the three is set.
type PromptPart struct {
	Section string // its heading; "" is none
	File    string // as it was written
	Text    string
	Builtin string // a fragment's name, such as "observe/plan"

	Dir string // where a relative File begins: the folder of what names it
	Key string // the key that it stands in, for messages
}

// fragmentPrefix begins a built-in fragment where a file could stand, too.
const fragmentPrefix = "builtin:"

// partKeys is what a part can say, as a table.
var partKeys = []string{"section", "file", "text", "builtin"}

var partList = &setting.Kind{
	Name: "list of parts", Words: "a list of parts",
	Read:     readParts,
	Remedy:   setting.List.Remedy,
	Wrong:    wrongPart,
	FromText: partsText,
	Schema:   map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/part"}},
}

// Parts is parts of a prompt, in their order.
type Parts []PromptPart

// TOML writes each part as short as it can be.
func (p Parts) TOML() string {
	parts := make([]string, len(p))
	for i, part := range p {
		parts[i] = part.render()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Texts is every text in them.
func (p Parts) Texts() []string {
	var all []string
	for _, part := range p {
		all = append(all, part.Section, part.File, part.Text, part.Builtin)
	}
	return all
}

func readParts(v any) (any, bool) {
	list, ok := v.([]any)
	parts := Parts{}
	for _, item := range list {
		part, what, _ := readPart(item)
		ok = ok && what == ""
		parts = append(parts, part)
	}
	return parts, ok
}

// wrongPart says which part of a list cannot be read, and why.
func wrongPart(v any) (what, hint string) {
	list, _ := v.([]any)
	for i, item := range list {
		if _, what, hint := readPart(item); what != "" {
			return fmt.Sprintf("has %s in part %d", what, i+1), hint
		}
	}
	return "", ""
}

// partsText is what a flag says, as a value of TOML: a list, or one part. A list
// that can be read has been read already.
func partsText(s string) any {
	if v, ok := tomlValue(s); ok {
		if list, ok := v.([]any); ok {
			return list
		}
	}
	if strings.HasPrefix(strings.TrimSpace(s), "[") {
		return s // a list that is broken
	}
	return []any{s}
}

// howAPartLooks is a hint for what is none.
const howAPartLooks = `write a file, "builtin:NAME", or a table such as { section = "ACT", text = "…" }`

// readPart reads one part, or says what it has instead.
func readPart(v any) (p PromptPart, what, hint string) {
	switch v := v.(type) {
	case string:
		return partOf(v)
	case map[string]any:
		return partIn(v)
	}
	return p, "neither text nor a table", howAPartLooks
}

func partOf(s string) (p PromptPart, what, hint string) {
	name, fragment := strings.CutPrefix(s, fragmentPrefix)
	switch {
	case strings.TrimSpace(name) == "":
		return p, "no name", howAPartLooks
	case strings.ContainsAny(s, "\r\n"):
		return p, "a name of several lines", "write { text = … } for a text"
	case fragment:
		return PromptPart{Builtin: name}, "", ""
	}
	return PromptPart{File: s}, "", ""
}

func partIn(values map[string]any) (p PromptPart, what, hint string) {
	places := map[string]*string{"section": &p.Section, "file": &p.File, "text": &p.Text, "builtin": &p.Builtin}
	var content []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		place, known := places[key]
		if !known {
			if hint = setting.DidYouMean(key, partKeys); hint == "" {
				hint = howAPartLooks
			}
			return p, "an unknown key " + setting.Quote(key), hint
		}
		text, ok := values[key].(string)
		switch {
		case !ok:
			return p, "a " + key + " without quotes", "write one text in quotes"
		case strings.TrimSpace(text) == "":
			return p, "a blank " + key, "write a text, or leave it out"
		case key != "text" && strings.ContainsAny(text, "\r\n"):
			return p, "a " + key + " of several lines", "write it on one line"
		case key == "section" && strings.HasPrefix(text, "#"):
			return p, "a section that begins with #", "write its words alone: the heading is made of them"
		}
		if *place = text; key != "section" {
			content = append(content, key)
		}
	}
	switch len(content) {
	case 0:
		return p, "nothing", "add one of file, text and builtin"
	case 1:
		return p, "", ""
	}
	return p, "both " + content[0] + " and " + content[1], "make it two parts"
}

func someParts(v any) (what, hint string) {
	if len(v.(Parts)) > 0 {
		return "", ""
	}
	return "is empty, so there would be no prompt", howAPartLooks
}

// noSections is the check of a key that stands for a section itself.
func noSections(v any) (what, hint string) {
	for i, part := range v.(Parts) {
		if part.Section != "" {
			return fmt.Sprintf("has a section in part %d, but is one itself", i+1), "leave the section out, or write the part in parts"
		}
	}
	return "", ""
}

// render writes the part as short as it can be.
func (p PromptPart) render() string {
	switch {
	case p.Section == "" && p.File != "" && !strings.HasPrefix(p.File, fragmentPrefix):
		return setting.Quote(p.File)
	case p.Section == "" && p.Builtin != "":
		return setting.Quote(fragmentPrefix + p.Builtin)
	}
	values := map[string]string{}
	for key, text := range map[string]string{"section": p.Section, "file": p.File, "text": p.Text, "builtin": p.Builtin} {
		if text != "" {
			values[key] = setting.Quote(text)
		}
	}
	return setting.InlineTable(values, gateSettings)
}

// partSchema is the schema of one part.
func partSchema() map[string]any {
	table := emptyObject()
	for _, key := range partKeys {
		table["properties"].(map[string]any)[key] = map[string]any{"type": "string", "pattern": `\S`}
	}
	table["oneOf"] = []any{
		map[string]any{"required": []string{"file"}},
		map[string]any{"required": []string{"text"}},
		map[string]any{"required": []string{"builtin"}},
	}
	return map[string]any{"anyOf": []any{map[string]any{"type": "string", "pattern": `\S`}, table}}
}
