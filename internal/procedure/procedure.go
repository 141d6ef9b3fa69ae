// Package procedure holds the built-in procedures: named loops, each with the
// fragments that make its prompt and the settings that suit it.
//
// It is data and a lookup. Fragments are short texts with one idea each, so
// that procedures share them and a user can replace one without copying the
// rest; they are templates, and never show how a claim is written, for the
// runner says that itself. What the settings mean, and how parts become a
// prompt, is left to others.
package procedure

import "slices"

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
