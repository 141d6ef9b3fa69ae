// Package procedure holds the built-in procedures: named loops, each with the
// fragments that make its prompt and the settings that suit it.
//
// It is data and a lookup. Fragments are short texts with one idea each, so
// that procedures share them and a user can replace one without copying the
// rest; they are templates, and never show how a claim is written, for the
// runner says that itself. What the settings mean, and how parts become a
// prompt, is left to others.
package procedure

import (
	"slices"
	"strings"
)

// Procedure is a named loop.
type Procedure struct {
	Name     string
	Family   string   // the heading under which it is listed
	Summary  string   // one line
	Aliases  []string // names that it has in other systems
	Title    string   // the first line of its prompt
	Parts    []Part   // the rest of its prompt, in order
	Settings string   // its defaults, as TOML
}

// Part is one fragment of a prompt and the section it stands in.
type Part struct {
	Section  string // empty before the first section
	Fragment string // see Fragment
}

// The families, in the order of listing.
const (
	everyday  = "Plan and build"
	direct    = "Direct"
	audits    = "Audits"
	specPlans = "Plans for specs"
	codePlans = "Plans for code"
)

// All is every procedure in the order of listing. The caller may change it.
func All() []Procedure {
	all := slices.Concat(everydayLoops(), directLoops(), auditLoops(), specDrafts(), codeDrafts())
	for i := range all {
		all[i].Title = "# OODA Loop Iteration"
	}
	return all
}

// Find gives the procedure of that name or alias.
func Find(name string) (Procedure, bool) {
	for _, p := range All() {
		if p.Name == name || slices.Contains(p.Aliases, name) {
			return p, true
		}
	}
	return Procedure{}, false
}

// Names is the name of every procedure in the order of listing.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// parts puts each fragment into the section of its folder.
func parts(fragments ...string) []Part {
	var list []Part
	for _, name := range fragments {
		folder, _, _ := strings.Cut(name, "/")
		section := strings.ToUpper(folder)
		if folder == "common" {
			section = ""
		}
		list = append(list, Part{Section: section, Fragment: name})
	}
	return list
}
