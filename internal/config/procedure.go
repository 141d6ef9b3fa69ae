package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// ProcedureTable is what one [procedures.NAME] table says of the prompt: all of
// it for a procedure of the user's, or what differs in a built-in one. The
// settings in the table hold when the procedure is run, and are not here.
type ProcedureTable struct {
	Title   string // the prompt's first line; "" is not set
	Summary string // one line for lists; "" is not set
	Parts   Parts

	// The parts of one section each. Nil is not set, empty takes it away.
	Observe Parts
	Orient  Parts
	Decide  Parts
	Act     Parts
}

// procedureRows is every key of a procedure's table that is none of the
// settings.
func procedureRows(p *ProcedureTable) []setting.Row {
	return []setting.Row{
		{
			Key: "title", Kind: setting.Text, At: &p.Title, Required: true, Check: oneLine,
			Doc: "the first line of the prompt",
		},
		{
			Key: "summary", Kind: setting.Text, At: &p.Summary, Required: true, Check: oneLine,
			Doc: "what it is for, in a line, for the list of procedures",
		},
		{
			Key: "parts", Kind: partList, At: &p.Parts, Check: someParts, File: true,
			Doc: "what the prompt is made of, in this order: files, built-in fragments as \"builtin:NAME\", and tables with one of file, text and builtin, and perhaps a section",
		},
		{
			Key: "observe", Kind: partList, At: &p.Observe, Check: noSections, File: true,
			Doc: "the parts of the section OBSERVE, instead of those that it has; empty is none",
		},
		{
			Key: "orient", Kind: partList, At: &p.Orient, Check: noSections, File: true,
			Doc: "the same for the section ORIENT",
		},
		{
			Key: "decide", Kind: partList, At: &p.Decide, Check: noSections, File: true,
			Doc: "the same for the section DECIDE",
		},
		{
			Key: "act", Kind: partList, At: &p.Act, Check: noSections, File: true,
			Doc: "the same for the section ACT",
		},
	}
}

func oneLine(v any) (what, hint string) {
	if !strings.ContainsAny(v.(string), "\r\n") {
		return "", ""
	}
	return "must be on one line", "shorten it"
}

// phases is the keys that stand for a section, in the order of the sections.
var phases = []string{"observe", "orient", "decide", "act"}

// sectionOf is the section that a key stands for; "" for any other key.
func sectionOf(key string) string {
	if slices.Contains(phases, key) {
		return strings.ToUpper(key)
	}
	return ""
}

// Prompt is the parts of the whole prompt: the table's own, or else those of
// the built-in procedure, with what the table says of single sections. One that
// is new comes before the sections that follow it.
func (p ProcedureTable) Prompt(builtin Parts) Parts {
	all := slices.Clone(builtin)
	if p.Parts != nil {
		all = slices.Clone(p.Parts)
	}
	for i, parts := range []Parts{p.Observe, p.Orient, p.Decide, p.Act} {
		if parts != nil {
			all = replaceSection(all, phases[i:], parts)
		}
	}
	return all
}

// replaceSection puts parts in the place of those of the section that the first
// of the phases stands for.
func replaceSection(all Parts, phases []string, parts Parts) Parts {
	for _, phase := range phases {
		at := slices.IndexFunc(all, func(p PromptPart) bool { return p.Section == sectionOf(phase) })
		if at >= 0 {
			all = slices.Insert(all, at, parts...)
			section := sectionOf(phases[0])
			rest := slices.DeleteFunc(all[at+len(parts):], func(p PromptPart) bool { return p.Section == section })
			return all[:at+len(parts)+len(rest)]
		}
	}
	return append(all, parts...)
}

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

// Files is the files among them.
func (p Parts) Files() []string {
	var all []string
	for _, part := range p {
		all = append(all, part.File)
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
