package config

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

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

// blank is the value of an entry that takes back what is below it.
type blank struct{}

// TOML is how a blank is written.
func (blank) TOML() string { return `""` }

// take reads a value for a layer.
func take(r setting.Row, v any) (value any, what, hint string) {
	value, isBlank, what, hint := r.Take(v)
	if isBlank {
		value = blank{}
	}
	return value, what, hint
}

// blank tells whether the entry takes back what is below it.
func (e entry) blank() bool { return e.value == any(blank{}) }

// meant is the value, or what holds in its place if it is a blank.
func (e entry) meant() any {
	if e.blank() {
		return e.row.Default
	}
	return e.value
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

// named is a table that the user named, of one of the families.
type named struct {
	family, name string
	place        place
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
		if _, is := findIn(promptSettings(), setting.JoinKey(a.path)); is == foundNothing {
			inside.assignments = append(inside.assignments, a)
		} else if a.entry.row.Kind == partList && !a.entry.blank() && !inside.sets("prompt") {
			inside.assignments = append(inside.assignments, noFile(a.entry))
		}
	}
	return inside
}

// about is procedure for what a profile says of the procedure that is run: it stays
// the word of the profile.
func (s source) about(procedure string) source {
	inside := s.procedure(procedure)
	if len(s.assignments) == 0 {
		return inside
	}
	for i := range inside.assignments {
		inside.assignments[i].entry.layer = s.assignments[0].entry.layer
	}
	return inside
}

// sets tells whether the source sets a key.
func (s source) sets(key string) bool {
	return slices.ContainsFunc(s.assignments, func(a assignment) bool { return setting.JoinKey(a.path) == key })
}

// loader reads sources and collects their problems.
type loader struct {
	tree     string // in which the files lie that the project names; "" is none
	problems []Problem
}

func (l *loader) complain(p Problem) { l.problems = append(l.problems, p) }

// lookUp finds what path leads to, and complains when that is nothing.
func (l *loader) lookUp(path []string, at place) (setting.Row, found, bool) {
	what, hint := badName(path)
	r, is := find(path)
	switch {
	case is == foundNothing:
		what, hint = unknown(path)
	case what == "" && r.Name != nil:
		what, hint = r.Name(path[len(path)-1])
	}
	if what != "" {
		l.complain(at.problem(setting.JoinKey(path), what, hint))
		return setting.Row{}, foundNothing, false
	}
	return r, is, true
}

// keep adds a setting to its source, unless there is something to say about it.
func (l *loader) keep(src *source, path []string, e entry, what, hint string) {
	if what == "" && e.ofProject() {
		what, hint = l.leavesProject(e)
	}
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
	w.table(nil, doc.Values)
	slices.SortStableFunc(l.problems[before:], func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	return w.source
}

// walker goes through the tables of one document.
type walker struct {
	*loader
	doc    document
	layer  string
	source source
}

func (w *walker) table(path []string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		w.value(append(slices.Clone(path), name), values[name])
	}
}

func (w *walker) value(path []string, v any) {
	at := w.doc.at(path)
	r, is, ok := w.lookUp(path, at)
	switch {
	case !ok:
	case is == foundSetting && w.layer == "project" && onlyByUser(setting.JoinKey(path)):
		key := setting.JoinKey(path)
		w.complain(at.problem(key, key+" cannot be set by a project", "set it in your own settings, ~/.config/refrain/config.toml"))
	case is == foundSetting:
		value, what, hint := take(r, v)
		w.keep(&w.source, path, entry{r, value, w.layer, at}, what, hint)
	case is == foundTables:
		w.gates(path, v, at)
	default:
		w.group(path, v, at)
	}
}

func (w *walker) group(path []string, v any, at place) {
	values, ok := v.(map[string]any)
	if !ok {
		key := setting.JoinKey(path)
		w.complain(at.problem(key, key+" must be a table", "write ["+key+"] with its keys below it"))
		return
	}
	w.source.open(path, at)
	w.table(path, values)
}

// builtin reads the settings of the built-in procedure that is run.
func (l *loader) builtin(name, toml string) source {
	if toml == "" {
		return source{}
	}
	layer := builtinLayer(name)
	doc, problem := parseDocument([]byte(toml), layer)
	if problem != nil {
		l.complain(*problem)
		return source{}
	}
	src := l.document(layer, doc)
	for i := range src.assignments {
		src.assignments[i].entry.place = place{} // of no file that anybody could look into
	}
	return src
}

func builtinLayer(procedure string) string { return "procedure " + procedure + " (built-in)" }

// ownPrompt says that the prompt of a built-in procedure is made of its parts.
// That is what was asked for by its name, as words after -p are: the file of other
// runs, which settings name, would turn it into another.
func ownPrompt(name, toml string) source {
	if toml == "" {
		return source{}
	}
	return source{assignments: []assignment{noFile(entry{layer: builtinLayer(name)})}}
}

// noFile says that the prompt is no file, but made of the parts that e names.
func noFile(e entry) assignment {
	e.row, _ = findIn(settings(), "prompt")
	e.value = ""
	return assignment{[]string{"prompt"}, e}
}

//go:embed profiles/*.toml
var profiles embed.FS

// Profiles is the names of the profiles, sorted.
func Profiles() []string {
	files, err := profiles.ReadDir("profiles")
	if err != nil {
		panic(err) // embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".toml"))
	}
	return names
}

// profileLayer begins the names of the layers that profiles are.
const profileLayer = "profile "

// profile reads the profile that the sources, lowest first, ask for. Its name
// is one of the row's choices, so it exists.
func (l *loader) profile(sources ...source) source {
	name := ""
	for _, src := range sources {
		for _, a := range src.assignments {
			if setting.JoinKey(a.path) == "profile" {
				name = a.entry.value.(string)
			}
		}
	}
	if name == "" {
		return source{}
	}
	data, err := profiles.ReadFile("profiles/" + name + ".toml")
	if err != nil {
		panic(fmt.Sprintf("profile %s: %v", name, err))
	}
	doc, problem := parseDocument(data, name+".toml")
	if problem != nil {
		l.complain(*problem)
		return source{}
	}
	return l.document(profileLayer+name, doc)
}

// Front is the settings that a prompt brings along, in the front matter of its
// file.
type Front struct {
	File     string         // as people are shown it
	Settings map[string]any // by dotted key: texts, truths, numbers, and lists of them
	Lines    map[string]int // where each of them stands
}

// front reads what the prompt's files say of settings. They may set what a
// procedure's table may, except for the prompt itself.
func (l *loader) front(list []Front, problem *Problem) source {
	if problem != nil {
		l.complain(*problem)
	}
	var src source
	for _, f := range list {
		keys := slices.SortedFunc(maps.Keys(f.Settings), func(a, b string) int {
			return cmp.Or(cmp.Compare(f.Lines[a], f.Lines[b]), cmp.Compare(a, b))
		})
		for _, key := range keys {
			l.frontSetting(&src, key, f.Settings[key], place{file: f.File, line: f.Lines[key]})
		}
	}
	return src
}

func (l *loader) frontSetting(src *source, key string, value any, at place) {
	path, ok := tomlfile.SplitKey(key)
	if !ok {
		l.complain(at.problem(key, setting.Quote(key)+" is not a key", "write it like loop.max_iterations"))
		return
	}
	r, is, ok := l.lookUp(path, at)
	if !ok {
		return
	}
	if is != foundSetting || gateAt(path) >= 0 || inNamed(path) || key == "prompt" || onlyAtTop(key) || executes(key) {
		l.complain(at.problem(key, key+" cannot be set in a prompt", "set it in "+settableIn(key)))
		return
	}
	v, what, hint := take(r, tomlLike(value))
	e := entry{r, v, "prompt", at}
	if what == "" && !harmless(key, e.meant()) {
		l.complain(at.problem(key, key+" cannot be set in a prompt", "set it in "+settableIn(key)))
		return
	}
	l.keep(src, path, e, what, hint)
}

// settableIn is where a key can be set that a prompt cannot.
func settableIn(key string) string {
	if onlyByUser(key) {
		return "your own settings, ~/.config/refrain/config.toml"
	}
	return FileName
}

// executes tells whether a key belongs to those that say what the runner runs,
// what it writes or sends and where, or what an agent may do: a prompt is a file
// that agents write to. What else is not harmless is refused by its value.
func executes(key string) bool {
	return beginsWith(key, "hooks.", "permissions.", "notify.", "trace.", "metrics.", "sandbox.")
}

// tomlLike is a value in the types that TOML's have.
func tomlLike(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = tomlLike(item)
		}
		return items
	}
	return v
}
