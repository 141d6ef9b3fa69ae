package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// ProcedureTable is what one [procedures.NAME] table says of the prompt: all of
// it for a procedure of the user's, or what differs in a built-in one. The
// settings in the table hold when the procedure is run, and are not here.
type ProcedureTable struct {
	Title   string // the prompt's first line; "" is not set
	Summary string // one line for lists; "" is not set
	Parts   []PromptPart

	// The parts of one section each. Nil is not set, empty takes it away.
	Observe []PromptPart
	Orient  []PromptPart
	Decide  []PromptPart
	Act     []PromptPart
}

// procedureRows is every key of a procedure's table that is none of the
// settings.
func procedureRows(p *ProcedureTable) []row {
	return []row{
		{
			key: "title", kind: textKind, at: &p.Title, required: true, check: oneLine,
			doc: "the first line of the prompt",
		},
		{
			key: "summary", kind: textKind, at: &p.Summary, required: true, check: oneLine,
			doc: "what it is for, in a line, for the list of procedures",
		},
		{
			key: "parts", kind: partList, at: &p.Parts, check: someParts,
			doc: "what the prompt is made of, in this order: files, built-in fragments as \"builtin:NAME\", and tables with one of file, text and builtin, and perhaps a section",
		},
		{
			key: "observe", kind: partList, at: &p.Observe, check: noSections,
			doc: "the parts of the section OBSERVE, instead of those that it has; empty is none",
		},
		{
			key: "orient", kind: partList, at: &p.Orient, check: noSections,
			doc: "the same for the section ORIENT",
		},
		{
			key: "decide", kind: partList, at: &p.Decide, check: noSections,
			doc: "the same for the section DECIDE",
		},
		{
			key: "act", kind: partList, at: &p.Act, check: noSections,
			doc: "the same for the section ACT",
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
func (p ProcedureTable) Prompt(builtin []PromptPart) []PromptPart {
	all := slices.Clone(builtin)
	if p.Parts != nil {
		all = slices.Clone(p.Parts)
	}
	for i, parts := range [][]PromptPart{p.Observe, p.Orient, p.Decide, p.Act} {
		if parts != nil {
			all = replaceSection(all, phases[i:], parts)
		}
	}
	return all
}

// replaceSection puts parts in the place of those of the section that the first
// of the phases stands for.
func replaceSection(all []PromptPart, phases []string, parts []PromptPart) []PromptPart {
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

func procedureKey(name, key string) string { return "procedures." + name + "." + key }

// procedureTable puts together what all layers say in one table.
func (r *Resolved) procedureTable(name string, s Sources) ProcedureTable {
	var p ProcedureTable
	for _, row := range procedureRows(&p) {
		key := procedureKey(name, row.key)
		r.put(row, key)
		parts, ok := row.at.(*[]PromptPart)
		if !ok || *parts == nil {
			continue
		}
		top, _ := r.top(key)
		folder := s.Tree
		if top.layer == "user" {
			folder = filepath.Dir(s.UserFile)
		}
		*parts = slices.Clone(*parts)
		for i := range *parts {
			part := &(*parts)[i]
			part.Key, part.Dir = key, folder
			if section := sectionOf(row.key); section != "" {
				part.Section = section
			}
		}
	}
	return p
}
