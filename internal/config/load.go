package config

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/setting"
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

	// Builtin is the settings of the procedure that is run, as TOML, if it is
	// one that is built in; else "".
	Builtin string

	// The names that exist without being configured. With nil Agents no
	// agent's name is checked, and with nil Fragments no fragment's.
	Agents     []string
	Procedures []string
	Aliases    map[string]string // other names of these procedures
	Fragments  []string

	// OwnGates says that there are gates which no setting names.
	OwnGates bool

	// Front gives what the prompt says of settings. It is asked when all the
	// others are known, for they tell which prompt it is. Nil is nothing.
	Front func(*Resolved) ([]Front, *Problem)
}

// FileName is the project's configuration, at the root of its work tree.
const FileName = "refrain.toml"

// Load resolves the settings. The error is an *Errors with every problem found.
func Load(s Sources) (*Resolved, error) {
	s.Procedure = cmp.Or(s.Aliases[s.Procedure], s.Procedure)
	var l loader
	var from layers
	if s.UserFile != "" {
		from.user = l.file("user", s.UserFile, s.UserFile)
	}
	if s.Tree != "" {
		from.project = l.file("project", filepath.Join(s.Tree, FileName), FileName)
	}
	from.environ = l.environ(s.Environ)
	from.flags = l.flags(s.Flags)
	from.profile = l.profile(from.user, from.project, from.environ, from.flags)
	from.builtin = l.builtin(s.Procedure, s.Builtin)
	if len(l.problems) > 0 {
		return nil, &Errors{l.problems}
	}
	r := from.resolve(s)
	if s.Front != nil {
		if from.front = l.front(s.Front(r)); len(l.problems) > 0 {
			return nil, &Errors{l.problems}
		}
		r = from.resolve(s)
	}
	if problems := r.check(s); len(problems) > 0 {
		return nil, &Errors{problems}
	}
	return r, nil
}

// layers is what each source says.
type layers struct {
	profile, user, project, builtin, front, environ, flags source
}

// resolve lays them over each other, the lowest first.
func (l layers) resolve(s Sources) *Resolved {
	r := &Resolved{procedure: s.Procedure, entries: map[string][]entry{}, gates: map[string][]string{}}
	for _, src := range []source{l.profile, l.user, l.project, l.builtin, l.front} {
		r.add(src)
	}
	for _, src := range []source{l.user, l.project, l.flags} {
		r.add(src.procedure(s.Procedure))
	}
	r.add(l.environ)
	r.add(l.flags)
	r.name(l.profile, l.user, l.project, l.flags)
	r.leaveModel()
	r.addDefaults(s.Kind)
	r.addCommandGates()
	r.fill(s)
	return r
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
	row   setting.Row
	value any
	layer string
	place place
}

// masked renders the value without what is secret in it.
func (e entry) masked() string {
	if f, ok := e.value.(fields); ok {
		return f.masked()
	}
	return e.row.Masked(e.value)
}

// lost tells whether the value was masked, so that it is there no more.
func (e entry) lost() bool {
	if f, ok := e.value.(fields); ok {
		return f.lost()
	}
	return e.row.Lost(e.value)
}

// named is a table that the user named: agents.NAME, prices.MODEL or
// procedures.NAME.
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
		if name == "" || a.path[0] != "procedures" || a.path[1] != name {
			continue
		}
		a.path = a.path[2:]
		a.entry.layer = "procedure " + name
		if _, is := findIn(promptSettings, setting.JoinKey(a.path)); is == nothing {
			inside.assignments = append(inside.assignments, a)
		} else if a.entry.row.Kind == partList && !inside.sets("prompt") {
			inside.assignments = append(inside.assignments, noFile(a.entry))
		}
	}
	return inside
}

// sets tells whether the source sets a key.
func (s source) sets(key string) bool {
	return slices.ContainsFunc(s.assignments, func(a assignment) bool { return setting.JoinKey(a.path) == key })
}

// loader reads sources and collects their problems.
type loader struct {
	problems []Problem
}

func (l *loader) complain(p Problem) { l.problems = append(l.problems, p) }

// lookUp finds what path leads to, and complains when that is nothing.
func (l *loader) lookUp(path []string, at place) (setting.Row, found, bool) {
	what, hint := badName(path)
	r, is := find(path)
	switch {
	case is == nothing:
		what, hint = unknown(path)
	case what == "" && r.Name != nil:
		what, hint = r.Name(path[len(path)-1])
	}
	if what != "" {
		l.complain(at.problem(setting.JoinKey(path), what, hint))
		return setting.Row{}, nothing, false
	}
	return r, is, true
}

// keep adds a setting to its source, unless there is something to say about it.
func (l *loader) keep(src *source, path []string, e entry, what, hint string) {
	if what != "" {
		key := setting.JoinKey(path)
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
