package config

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
	"github.com/refrain-loop/refrain/internal/wellformed"
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
			Key: "title", Kind: setting.Text, At: &p.Title, Required: true, Check: wellformed.OneLine,
			Doc: "the first line of the prompt",
		},
		{
			Key: "summary", Kind: setting.Text, At: &p.Summary, Required: true, Check: wellformed.OneLine,
			Doc: "what it is for, in a line, for the list of procedures",
		},
		{
			Key: "parts", Kind: partList, At: &p.Parts, Check: procedure.SomeParts, File: true,
			Doc: "what the prompt is made of, in this order: files, built-in fragments as \"builtin:NAME\", and tables with one of file, text and builtin, and perhaps a section",
		},
		{
			Key: "observe", Kind: partList, At: &p.Observe, Check: procedure.NoSections, File: true,
			Doc: "the parts of the section OBSERVE, instead of those that it has; empty is none",
		},
		{
			Key: "orient", Kind: partList, At: &p.Orient, Check: procedure.NoSections, File: true,
			Doc: "the same for the section ORIENT",
		},
		{
			Key: "decide", Kind: partList, At: &p.Decide, Check: procedure.NoSections, File: true,
			Doc: "the same for the section DECIDE",
		},
		{
			Key: "act", Kind: partList, At: &p.Act, Check: procedure.NoSections, File: true,
			Doc: "the same for the section ACT",
		},
	}
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

// PromptPart is one part of a prompt.
type PromptPart = procedure.PromptPart

// Parts is parts of a prompt, in their order.
type Parts = procedure.Parts

var partList = &setting.Kind{
	Name: "list of parts", Words: "a list of parts",
	Read:     procedure.ReadParts,
	Remedy:   setting.List.Remedy,
	Wrong:    procedure.WrongPart,
	FromText: partsText,
	Schema:   map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/part"}},
}

// partsText is what a flag says, as a value of TOML: a list, or one part. A list
// that can be read has been read already.
func partsText(s string) any {
	if v, ok := tomlfile.Value(s); ok {
		if list, ok := v.([]any); ok {
			return list
		}
	}
	if strings.HasPrefix(strings.TrimSpace(s), "[") {
		return s // a list that is broken
	}
	return []any{s}
}
