package config

import (
	"path/filepath"
	"slices"
)

// Kind is what is run. Some defaults depend on it.
type Kind int

// The kinds of run.
const (
	Procedure    Kind = iota // a named loop
	AdHocPrompt              // a prompt given on the command line
	AdHocCommand             // a command given on the command line
)

// Sources is where settings come from.
type Sources struct {
	Tree      string   // the work tree, where refrain.toml may be; "" is none
	UserFile  string   // the user's own file, see UserFile; "" is none
	Environ   []string // as os.Environ gives it
	Flags     []Flag   // later ones win
	Procedure string   // the procedure that is run; "" is none
	Kind      Kind

	// The names that exist without being configured. With nil Agents no
	// agent's name is checked.
	Agents     []string
	Procedures []string
}

// FileName is the project's configuration, at the root of its work tree.
const FileName = "refrain.toml"

// Load resolves the settings. The error is an *Errors with every problem found.
func Load(s Sources) (*Resolved, error) {
	var l loader
	var user, project source
	if s.UserFile != "" {
		user = l.file("user", s.UserFile, s.UserFile)
	}
	if s.Tree != "" {
		project = l.file("project", filepath.Join(s.Tree, FileName), FileName)
	}
	environ := l.environ(s.Environ)
	flags := l.flags(s.Flags)
	profile := l.profile(user, project, environ, flags)
	if len(l.problems) > 0 {
		return nil, &Errors{l.problems}
	}

	r := &Resolved{entries: map[string][]entry{}, gates: map[string][]string{}}
	for _, src := range []source{profile, user, project} { // lowest first
		r.add(src)
	}
	for _, src := range []source{user, project, flags} {
		r.add(src.procedure(s.Procedure))
	}
	r.add(environ)
	r.add(flags)
	r.name(user, project, flags)
	r.addDefaults(s.Kind)
	r.addCommandGates()
	r.fill()
	if problems := r.check(s); len(problems) > 0 {
		return nil, &Errors{problems}
	}
	return r, nil
}

// source is what one place says: settings, and the tables that it opens, for
// an empty [procedures.NAME] is a procedure too.
type source struct {
	assignments []assignment
	tables      []named
}

// assignment is one setting as one source has it.
type assignment struct {
	path  []string
	entry entry
}

// builtIn is the layer of the defaults.
const builtIn = "built-in"

// entry is a value and where it came from.
type entry struct {
	row   row
	value any
	layer string
	place place
}

// named is a table that the user named: agents.NAME or procedures.NAME.
type named struct {
	kind, name string
	place      place
}

// open notes that path is, or is in, a table of the user's naming.
func (s *source) open(path []string, at place) {
	if inNamed(path) {
		s.tables = append(s.tables, named{path[0], path[1], at})
	}
}

// procedure is what the source says in the table of the procedure that is run,
// as if it said so at the top.
func (s source) procedure(name string) source {
	var inside source
	for _, a := range s.assignments {
		if name != "" && a.path[0] == "procedures" && a.path[1] == name {
			a.path = a.path[2:]
			a.entry.layer = "procedure " + name
			inside.assignments = append(inside.assignments, a)
		}
	}
	return inside
}

// loader reads sources and collects their problems.
type loader struct {
	problems []Problem
}

func (l *loader) complain(p Problem) { l.problems = append(l.problems, p) }

// lookUp finds what path leads to, and complains when that is nothing.
func (l *loader) lookUp(path []string, at place) (row, found, bool) {
	what, hint := badName(path)
	r, is := find(path)
	if is == nothing {
		what, hint = unknown(path)
	}
	if what != "" {
		l.complain(at.problem(joinKey(path), what, hint))
		return row{}, nothing, false
	}
	return r, is, true
}

// keep adds a setting to its source, unless there is something to say about it.
func (l *loader) keep(src *source, path []string, e entry, what, hint string) {
	if what != "" {
		key := joinKey(path)
		l.complain(e.place.problem(key, key+" "+what, hint))
		return
	}
	src.assignments = append(src.assignments, assignment{path, e})
}

// file reads a TOML file; one that is missing says nothing.
func (l *loader) file(layer, path, shown string) source {
	doc, problem := readDocument(path, shown)
	if problem != nil {
		l.complain(*problem)
		return source{}
	}
	return l.document(layer, doc)
}

// document turns a document into a source, top to bottom.
func (l *loader) document(layer string, doc document) source {
	before := len(l.problems)
	w := walker{loader: l, doc: doc, layer: layer}
	w.table(nil, doc.values)
	slices.SortStableFunc(l.problems[before:], func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	return w.source
}
