package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/wellformed"
)

// gateKey is the list of tables in which gates stand.
const gateKey = "gate"

const gatesDoc = "the runner's own checks, in their order; a claim is proven when they pass"

// gateRow is one gate as a whole. A layer above replaces it as a whole, too:
// half of one gate and half of another would be a check that nobody wrote.
var gateRow = setting.Row{Key: "NAME", Kind: gateTable, Doc: "one of the runner's own checks: a command, or an agent with a prompt that reviews the work"}

// gateTable is never read as one value, but key by key.
var gateTable = &setting.Kind{Name: "table"}

// gateRows is every setting of one gate, below [[gate]].
func gateRows(g *Gate) []setting.Row {
	return []setting.Row{
		{
			Key: "name", Kind: setting.Text, At: &g.Name, Required: true, Check: gateName,
			Doc: "what it is called, also in another layer that replaces it",
		},
		{
			Key: "run", Kind: setting.Line, At: &g.Run, Required: true,
			Doc: "the command, for the shell; exit 0 passes",
		},
		{
			Key: "agent", Kind: setting.Text, At: &g.Agent, Required: true,
			Doc: "instead of run: the agent that reviews the work, as in the key agent",
		},
		{
			Key: "prompt", Kind: setting.Text, At: &g.Prompt, Required: true,
			Doc: "what that agent is asked to judge; it must print <verdict>pass</verdict> or <verdict>fail: WHY</verdict>",
		},
		{
			Key: "dir", Kind: setting.Text, At: &g.Dir, Default: "", Check: wellformed.Below,
			Doc: "the folder below the work tree in which it runs, such as that of one part of the project; empty is loop.dir",
		},
		{
			Key: "timeout", Kind: setting.Duration, At: &g.Timeout, Default: 10 * time.Minute,
			Doc: "how long it may take; \"0s\" is no limit",
		},
		{
			Key: "when", Kind: setting.Text, At: &g.When, Default: "always", Choices: []string{"always", "claim"},
			Doc: "after every attempt that ended well, or only to judge a claim",
		},
		{
			Key: "min_tests", Kind: setting.Int, At: &g.MinTests, Default: 0,
			Doc: "it passes only if at least this many tests ran",
		},
		{
			Key: "pin", Kind: setting.List, At: &g.Pin, Default: []string{}, Required: true,
			Doc: "files that the clean checkout has as they were when the run began, as patterns of a .gitignore file",
		},
		{
			Key: "require", Kind: setting.Text, At: &g.Require, Default: "pass", Choices: []string{"pass", "no_worse"},
			Doc: "pass, or only no test failing that did not fail before the first iteration",
		},
		{
			Key: "retries", Kind: setting.Int, At: &g.Retries, Default: 2,
			Doc: "how often it runs again when it passed and failed on the same tree; it must pass each time, and proves nothing then",
		},
	}
}

var gateSettings = sync.OnceValue(func() []setting.Row { return gateRows(new(Gate)) })

// Names are also names of files; a longer one may not fit.
const namePattern = `^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`

var (
	goodGateName = text.NewPattern(namePattern)
	flagGateName = text.NewPattern(`^gate-[0-9]+$`)
)

func gateName(v any) (what, hint string) { return CheckGateName(v.(string)) }

// CheckGateName says what is wrong with the name of a gate, and what to do; both
// are empty when nothing is.
func CheckGateName(name string) (what, hint string) {
	switch {
	case !goodGateName().MatchString(name):
		return "must not be " + setting.Quote(name), "use letters, digits, ., - and _, 64 at most, and begin with a letter or a digit"
	case strings.EqualFold(name, "protect"):
		return "must not be " + setting.Quote(name) + ": the check of git.protect is called so", "give the gate another name"
	case flagGateName().MatchString(strings.ToLower(name)):
		return "must not be " + setting.Quote(name) + ": gates of " + gateFlag + " are called so", "give the gate another name"
	}
	return "", ""
}

// fields is what one table of a list says, by key.
type fields map[string]entry

// field is what a gate says about one key, or the default, which may be none.
func (e entry) field(r setting.Row) entry {
	all, _ := e.value.(fields) // a blank has none
	f, ok := all[r.Key]
	if !ok {
		return entry{row: r, value: r.Default, layer: builtIn}
	}
	f.layer = e.layer // it may stand in a procedure's table
	return f
}

// masked renders what differs from the defaults. The name stands in the key.
func (f fields) masked() string {
	shown := map[string]string{}
	for key, e := range f {
		if key != "name" && setting.Render(e.value) != setting.Render(e.row.Default) {
			shown[key] = e.row.Masked(e.value)
		}
	}
	return setting.InlineTable(shown, gateSettings())
}

// lost tells whether one of them was masked, so that it is there no more.
func (f fields) lost() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(f)), entry.lost)
}

// gateComplaint says what is wrong between the keys of one gate.
func (f fields) gateComplaint() (what, hint string) {
	has := func(key string) bool { _, ok := f[key]; return ok }
	switch {
	case !has("name"):
		return "has no name", `add name = "test"`
	case has("run") && has("agent"):
		return "has both run and agent", "make it two gates: a command and a reviewer"
	case has("run") && has("prompt"):
		return "has both run and prompt", "leave out the prompt, or write agent instead of run"
	case has("run"):
		return "", ""
	case !has("agent") && !has("prompt"):
		return "has nothing to run", `add run = "COMMAND", or agent and prompt for a reviewer`
	case !has("prompt"):
		return "has an agent but no prompt", "add prompt, to say what the agent is to judge"
	case !has("agent"):
		return "has a prompt but no agent", `add agent = "NAME", or agent = "auto"`
	}
	for _, key := range []string{"min_tests", "require", "retries"} {
		if has(key) {
			return fmt.Sprintf("has %s, but a reviewer runs no tests", key), "leave it out, or make a gate of its own with run"
		}
	}
	return "", ""
}

// gateFlag adds a gate from the command line.
const gateFlag = "--gate"

// gateAt is the part of a path that is the list of gates, or -1.
func gateAt(path []string) int {
	switch {
	case path[0] == gateKey:
		return 0
	case path[0] == "procedures" && len(path) > 2 && path[2] == gateKey:
		return 2
	}
	return -1
}

// child is the path of what is called name below path.
func child(path []string, name string) []string { return append(slices.Clone(path), name) }

// gates reads the tables of a list of gates.
func (w *walker) gates(path []string, v any, at place) {
	list, ok := v.([]any)
	names := map[string]string{}
	for i, v := range list {
		var values map[string]any
		if values, ok = v.(map[string]any); !ok {
			break
		}
		w.gate(path, child(path, strconv.Itoa(i)), values, names)
	}
	key := setting.JoinKey(path)
	if ok && len(list) == 0 { // it takes back all those below
		w.keep(&w.source, path, entry{gateRow, blank{}, w.layer, at}, "", "")
	}
	if !ok {
		w.complain(at.problem(key, key+" must be a list of tables", "write [["+key+"]], with a name and the other keys below it"))
	}
}

// gate reads the gate that stands at inFile and keeps it by its name. Problems
// of one without a good name go without. The names are those taken, by how they
// look as names of files where case does not count.
func (w *walker) gate(list, inFile []string, values map[string]any, names map[string]string) {
	at, path, before := w.doc.at(inFile), list, len(w.problems)
	name, _ := values["name"].(string)
	if what, _ := gateName(name); what == "" {
		path = child(list, name)
	}
	if run, given := values["run"]; given && run == "" && len(values) == 2 && name != "" { // it takes back the one below
		w.keep(&w.source, path, entry{gateRow, blank{}, w.layer, at}, "", "")
		return
	}
	f := w.fields(path, inFile, values)
	if len(w.problems) > before {
		return
	}
	key, folded := setting.JoinKey(path), strings.ToLower(name)
	if what, hint := f.gateComplaint(); what != "" {
		w.complain(at.problem(key, key+" "+what, hint))
		return
	}
	if other, twice := names[folded]; twice {
		w.complain(f["name"].place.problem(key, "another gate is called "+setting.Quote(other)+" already", "give each gate a name of its own"))
		return
	}
	names[folded] = name
	w.source.assignments = append(w.source.assignments, assignment{path, entry{gateRow, f, w.layer, at}})
}

// fields reads the keys of a gate.
func (w *walker) fields(path, inFile []string, values map[string]any) fields {
	f := fields{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at, path := w.doc.at(child(inFile, name)), child(path, name)
		key := setting.JoinKey(path)
		r, is := findIn(gateSettings(), setting.JoinKey([]string{name}))
		if is == foundNothing {
			what, hint := unknown(path)
			w.complain(at.problem(key, what, hint))
			continue
		}
		value, what, hint := r.Read(values[name])
		if what != "" {
			w.complain(at.problem(key, key+" "+what, hint))
			continue
		}
		f[name] = entry{r, value, w.layer, at}
	}
	return f
}

// gate reads a command from the command line. Its gate is called by its number.
func (l *loader) gate(src *source, f Flag, at place) {
	run, _ := findIn(gateSettings(), "run")
	value, what, _ := readText(run, f.Value, false)
	if what != "" {
		l.complain(at.problem(gateKey, "the command of a gate "+what, "write it like "+gateFlag+` "go test ./..."`))
		return
	}
	number := 1
	for _, a := range src.assignments {
		if gateAt(a.path) == 0 {
			number++
		}
	}
	name := fmt.Sprintf("gate-%d", number)
	src.assignments = append(src.assignments, assignment{[]string{gateKey, name}, commandGate(name, entry{run, value, "flag", at})})
}

// commandGate is a gate that has nothing but a name and a command.
func commandGate(name string, run entry) entry {
	f := fields{}
	for key, value := range map[string]any{"name": name, "run": run.value} {
		r, _ := findIn(gateSettings(), key)
		f[key] = entry{r, value, run.layer, run.place}
	}
	return entry{gateRow, f, run.layer, run.place}
}
