package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Resolved is a configuration that knows where each value came from.
type Resolved struct {
	Config Config

	procedure  string              // that is run; "" is none
	entries    map[string][]entry  // lowest layer first: the last one holds
	gates      map[string][]string // the names in each list of gates, in their order
	agents     map[string]place    // the [agents.NAME] tables
	prices     map[string]place    // the [prices.MODEL] tables
	procedures map[string]place    // the [procedures.NAME] tables
}

// add lays a source over those before it.
func (r *Resolved) add(src source) {
	for _, a := range src.assignments {
		key := setting.JoinKey(a.path)
		r.entries[key] = append(r.entries[key], a.entry)
		if at := gateAt(a.path); at >= 0 && len(r.entries[key]) == 1 {
			list := setting.JoinKey(a.path[:at+1])
			r.gates[list] = append(r.gates[list], a.path[at+1])
		}
	}
}

// name notes the agents, models and procedures that the sources name, and
// where they are first named.
func (r *Resolved) name(sources ...source) {
	r.agents, r.prices, r.procedures = map[string]place{}, map[string]place{}, map[string]place{}
	tables := map[string]map[string]place{"agents": r.agents, "prices": r.prices, "procedures": r.procedures}
	for _, src := range sources {
		for _, t := range src.tables {
			if _, again := tables[t.kind][t.name]; !again {
				tables[t.kind][t.name] = t.place
			}
		}
	}
}

// addDefaults lays the defaults below everything else.
func (r *Resolved) addDefaults(kind Kind) {
	promise, set := r.top("done.promise")
	promised := set && promise.value != ""
	holds := map[setting.When]bool{
		setting.ForPrompt:    kind == AdHocPrompt,
		setting.ForCommand:   kind == AdHocCommand,
		setting.WhenPromised: promised,
	}
	for _, row := range rows(&r.Config) {
		if row.Each != nil {
			continue
		}
		builtin := entry{row: row, value: row.Default, layer: builtIn}
		for _, s := range row.Conditional {
			if holds[s.When] {
				builtin.value, builtin.place.file = s.Value, string(s.When)
			}
		}
		r.entries[row.Key] = slices.Insert(r.entries[row.Key], 0, builtin)
	}
	for name := range r.agents {
		if _, defined := r.top(agentKey(name, "command")); !defined {
			continue // the settings of a built-in agent are its own
		}
		for _, row := range agentSettings {
			if key := agentKey(name, row.Key); row.Default != nil {
				r.entries[key] = slices.Insert(r.entries[key], 0, entry{row: row, value: row.Default, layer: builtIn})
			}
		}
	}
}

func agentKey(name, key string) string { return "agents." + name + "." + key }

// top is the entry that holds.
func (r *Resolved) top(key string) (entry, bool) {
	entries := r.entries[key]
	if len(entries) == 0 {
		return entry{}, false
	}
	return entries[len(entries)-1], true
}

// fill puts the values that hold into the Config.
func (r *Resolved) fill(s Sources) {
	for _, row := range rows(&r.Config) {
		r.put(row, row.Key)
	}
	r.fillGates()
	r.Config.Agents = map[string]Agent{}
	for name := range r.agents {
		var a Agent
		for _, row := range agentRows(&a) {
			r.put(row, agentKey(name, row.Key))
		}
		r.Config.Agents[name] = a
	}
	r.fillPrices()
	r.Config.Procedures = map[string]ProcedureTable{}
	for name := range r.procedures {
		r.Config.Procedures[name] = r.procedureTable(name, s)
	}
}

// put puts the value of a key in its place.
func (r *Resolved) put(row setting.Row, key string) {
	if row.Each != nil {
		*row.At.(*map[string]string) = r.variables(key)
		return
	}
	if top, ok := r.top(key); ok {
		reflect.ValueOf(row.At).Elem().Set(reflect.ValueOf(top.value))
	}
}

// variables is the names in a table of variables; nil when there are none.
func (r *Resolved) variables(table string) map[string]string {
	var values map[string]string
	for _, key := range r.keysAt(table) {
		if values == nil {
			values = map[string]string{}
		}
		path, _ := splitKey(key)
		top, _ := r.top(key)
		values[path[len(path)-1]] = top.value.(string)
	}
	return values
}

// keys is every key that has a value, as people are shown them: the rows in
// their order, then what gates, agents, prices and procedures set.
func (r *Resolved) keys() []string {
	var keys []string
	for _, row := range settings {
		keys = append(keys, r.keysAt(row.Key)...)
	}
	keys = append(keys, r.gateKeys(gateKey)...)
	for _, name := range slices.Sorted(maps.Keys(r.agents)) {
		for _, row := range agentSettings {
			keys = append(keys, r.keysAt(agentKey(name, row.Key))...)
		}
	}
	for _, model := range slices.Sorted(maps.Keys(r.prices)) {
		for _, row := range priceSettings {
			keys = append(keys, r.keysAt(priceKey(model, row.Key))...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.procedures)) {
		for _, row := range slices.Concat(promptSettings, settings) {
			keys = append(keys, r.keysAt(procedureKey(name, row.Key))...)
		}
		keys = append(keys, r.gateKeys(procedureKey(name, gateKey))...)
	}
	return keys
}

// gateKeys is the gates of a list, each a key.
func (r *Resolved) gateKeys(list string) []string {
	var keys []string
	for _, name := range r.gates[list] {
		keys = append(keys, list+"."+setting.JoinKey([]string{name}))
	}
	return keys
}

// keysAt is the key itself, or the names below it, where they have a value.
func (r *Resolved) keysAt(key string) []string {
	var keys []string
	below := key + "."
	for k := range r.entries {
		if k == key || strings.HasPrefix(k, below) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
