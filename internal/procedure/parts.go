package procedure

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

// FragmentPrefix begins a built-in fragment where a file could stand, too.
const FragmentPrefix = "builtin:"

// PartKeys is what a part can say, as a table.
var PartKeys = []string{"section", "file", "text", "builtin"}

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

// Files is the files among them.
func (p Parts) Files() []string {
	var all []string
	for _, part := range p {
		all = append(all, part.File)
	}
	return all
}

// ReadParts reads a list of them; ok is false when one cannot be read.
func ReadParts(v any) (any, bool) {
	list, ok := v.([]any)
	parts := Parts{}
	for _, item := range list {
		part, what, _ := readPart(item)
		ok = ok && what == ""
		parts = append(parts, part)
	}
	return parts, ok
}

// WrongPart says which part of a list cannot be read, and why.
func WrongPart(v any) (what, hint string) {
	list, _ := v.([]any)
	for i, item := range list {
		if _, what, hint := readPart(item); what != "" {
			return fmt.Sprintf("has %s in part %d", what, i+1), hint
		}
	}
	return "", ""
}

// HowAPartLooks is a hint for what is none.
const HowAPartLooks = `write a file, "builtin:NAME", or a table such as { section = "ACT", text = "…" }`

// readPart reads one part, or says what it has instead.
func readPart(v any) (p PromptPart, what, hint string) {
	switch v := v.(type) {
	case string:
		return partOf(v)
	case map[string]any:
		return partIn(v)
	}
	return p, "neither text nor a table", HowAPartLooks
}

func partOf(s string) (p PromptPart, what, hint string) {
	name, fragment := strings.CutPrefix(s, FragmentPrefix)
	switch {
	case strings.TrimSpace(name) == "":
		return p, "no name", HowAPartLooks
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
			if hint = setting.DidYouMean(key, PartKeys); hint == "" {
				hint = HowAPartLooks
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

// SomeParts is the check of a list that must not be empty.
func SomeParts(v any) (what, hint string) {
	if len(v.(Parts)) > 0 {
		return "", ""
	}
	return "is empty, so there would be no prompt", HowAPartLooks
}

// NoSections is the check of a key that stands for a section itself.
func NoSections(v any) (what, hint string) {
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
	case p.Section == "" && p.File != "" && !strings.HasPrefix(p.File, FragmentPrefix):
		return setting.Quote(p.File)
	case p.Section == "" && p.Builtin != "":
		return setting.Quote(FragmentPrefix + p.Builtin)
	}
	values := map[string]string{}
	for key, text := range map[string]string{"section": p.Section, "file": p.File, "text": p.Text, "builtin": p.Builtin} {
		if text != "" {
			values[key] = setting.Quote(text)
		}
	}
	return setting.InlineTable(values, nil)
}
