package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

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
	if !ok {
		key := setting.JoinKey(path)
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
		r, is := findIn(gateSettings, setting.JoinKey([]string{name}))
		if is == nothing {
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
	run, _ := findIn(gateSettings, "run")
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
		r, _ := findIn(gateSettings, key)
		f[key] = entry{r, value, run.layer, run.place}
	}
	return entry{gateRow, f, run.layer, run.place}
}

// addCommandGates makes gates of the project's commands, before all others and
// below them: one of the same name that somebody wrote is the one that is meant.
func (r *Resolved) addCommandGates() {
	if asGates, _ := r.top("commands.as_gates"); asGates.value != true {
		return
	}
	var names []string
	for _, name := range []string{"build", "lint", "test"} {
		run, _ := r.top("commands." + name)
		key := gateKey + "." + name
		if run.value == "" || len(r.entries[key]) > 0 {
			continue
		}
		r.entries[key] = []entry{commandGate(name, run)}
		names = append(names, name)
	}
	r.gates[gateKey] = append(names, r.gates[gateKey]...)
}

// fillGates puts the gates that hold into the Config, in their order.
func (r *Resolved) fillGates() {
	for _, name := range r.gates[gateKey] {
		top, _ := r.top(setting.JoinKey([]string{gateKey, name}))
		var g Gate
		for _, row := range gateRows(&g) {
			if e := top.field(row); e.value != nil {
				reflect.ValueOf(row.At).Elem().Set(reflect.ValueOf(e.value))
			}
		}
		r.Config.Gates = append(r.Config.Gates, g)
	}
}
