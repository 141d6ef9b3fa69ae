package config

import (
	"path/filepath"
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
			Key: "parts", Kind: partList, At: &p.Parts, Check: someParts,
			Doc: "what the prompt is made of, in this order: files, built-in fragments as \"builtin:NAME\", and tables with one of file, text and builtin, and perhaps a section",
		},
		{
			Key: "observe", Kind: partList, At: &p.Observe, Check: noSections,
			Doc: "the parts of the section OBSERVE, instead of those that it has; empty is none",
		},
		{
			Key: "orient", Kind: partList, At: &p.Orient, Check: noSections,
			Doc: "the same for the section ORIENT",
		},
		{
			Key: "decide", Kind: partList, At: &p.Decide, Check: noSections,
			Doc: "the same for the section DECIDE",
		},
		{
			Key: "act", Kind: partList, At: &p.Act, Check: noSections,
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

func procedureKey(name, key string) string { return "procedures." + name + "." + key }

// procedureTable puts together what all layers say in one table.
func (r *Resolved) procedureTable(name string, s Sources) ProcedureTable {
	var p ProcedureTable
	for _, row := range procedureRows(&p) {
		key := procedureKey(name, row.Key)
		r.put(row, key)
		parts, ok := row.At.(*Parts)
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
			if section := sectionOf(row.Key); section != "" {
				part.Section = section
			}
		}
	}
	return p
}
