package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Resolved is a configuration that knows where each value came from.
type Resolved struct {
	Config Config

	procedure  string              // that is run; "" is none
	entries    map[string][]entry  // lowest layer first: the last one holds
	gates      map[string][]string // the names in each list of gates, in their order
	agents     map[string]place    // the [agents.NAME] tables
	procedures map[string]place    // the [procedures.NAME] tables
}

// add lays a source over those before it.
func (r *Resolved) add(src source) {
	for _, a := range src.assignments {
		key := joinKey(a.path)
		r.entries[key] = append(r.entries[key], a.entry)
		if at := gateAt(a.path); at >= 0 && len(r.entries[key]) == 1 {
			list := joinKey(a.path[:at+1])
			r.gates[list] = append(r.gates[list], a.path[at+1])
		}
	}
}

// name notes the agents and procedures that the sources name, and where they
// are first named.
func (r *Resolved) name(sources ...source) {
	r.agents, r.procedures = map[string]place{}, map[string]place{}
	for _, src := range sources {
		for _, t := range src.tables {
			tables := r.procedures
			if t.kind == "agents" {
				tables = r.agents
			}
			if _, again := tables[t.name]; !again {
				tables[t.name] = t.place
			}
		}
	}
}

// addDefaults lays the defaults below everything else.
func (r *Resolved) addDefaults(kind Kind) {
	promise, set := r.top("done.promise")
	promised := set && promise.value != ""
	holds := map[circumstance]bool{
		forPrompt:    kind == AdHocPrompt,
		forCommand:   kind == AdHocCommand,
		whenPromised: promised,
	}
	for _, row := range rows(&r.Config) {
		builtin := entry{row: row, value: row.builtin, layer: builtIn}
		for _, s := range row.special {
			if holds[s.when] {
				builtin.value, builtin.place.file = s.value, string(s.when)
			}
		}
		r.entries[row.key] = slices.Insert(r.entries[row.key], 0, builtin)
	}
	for name := range r.agents {
		if _, defined := r.top(agentKey(name, "command")); !defined {
			continue // the settings of a built-in agent are its own
		}
		for _, row := range agentSettings {
			if key := agentKey(name, row.key); row.builtin != nil {
				r.entries[key] = slices.Insert(r.entries[key], 0, entry{row: row, value: row.builtin, layer: builtIn})
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
		r.put(row, row.key)
	}
	r.fillGates()
	r.Config.Agents = map[string]Agent{}
	for name := range r.agents {
		var a Agent
		for _, row := range agentRows(&a) {
			r.put(row, agentKey(name, row.key))
		}
		a.Env = r.environment(name)
		r.Config.Agents[name] = a
	}
	r.Config.Procedures = map[string]ProcedureTable{}
	for name := range r.procedures {
		r.Config.Procedures[name] = r.procedureTable(name, s)
	}
}

func (r *Resolved) put(row row, key string) {
	if top, ok := r.top(key); ok {
		reflect.ValueOf(row.at).Elem().Set(reflect.ValueOf(top.value))
	}
}

// environment is the variables of an agent; nil when it has none.
func (r *Resolved) environment(agent string) map[string]string {
	var env map[string]string
	for key := range r.entries {
		if !strings.HasPrefix(key, agentKey(agent, "env.")) {
			continue
		}
		if env == nil {
			env = map[string]string{}
		}
		path, _ := splitKey(key)
		top, _ := r.top(key)
		env[path[3]] = top.value.(string)
	}
	return env
}

// keys is every key that has a value, as people are shown them: the rows in
// their order, then what gates, agents and procedures set.
func (r *Resolved) keys() []string {
	var keys []string
	for _, row := range settings {
		keys = append(keys, row.key)
	}
	keys = append(keys, r.gateKeys(gateKey)...)
	for _, name := range slices.Sorted(maps.Keys(r.agents)) {
		for _, row := range agentSettings {
			keys = append(keys, r.keysAt(agentKey(name, row.key))...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.procedures)) {
		for _, row := range slices.Concat(promptSettings, settings) {
			keys = append(keys, r.keysAt(procedureKey(name, row.key))...)
		}
		keys = append(keys, r.gateKeys(procedureKey(name, gateKey))...)
	}
	return keys
}

// gateKeys is the gates of a list, each a key.
func (r *Resolved) gateKeys(list string) []string {
	var keys []string
	for _, name := range r.gates[list] {
		keys = append(keys, list+"."+joinKey([]string{name}))
	}
	return keys
}

// keysAt is the key itself, or the names below it, where they have a value.
func (r *Resolved) keysAt(key string) []string {
	var keys []string
	for k := range r.entries {
		if k == key || strings.HasPrefix(k, key+".") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
