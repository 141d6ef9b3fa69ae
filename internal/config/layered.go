package config

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// layers is what each source says.
type layers struct {
	profile, user, project, builtin, ownPrompt, front, environ, flags source
}

// inOrder is the layers, the lowest first: what Refrain brings along, then what
// people have written, and of both what is for one procedure over what is for all.
func (l layers) inOrder(procedure string) []source {
	return []source{
		l.profile,
		l.builtin,
		l.profile.about(procedure),
		l.user,
		l.project,
		l.ownPrompt,
		l.front,
		l.user.procedure(procedure),
		l.project.procedure(procedure),
		l.flags.procedure(procedure),
		l.environ,
		l.flags,
	}
}

// resolve lays them over each other.
func (l layers) resolve(s Sources) *Resolved {
	r := &layered{procedure: s.Procedure, entries: map[string][]entry{}, gates: map[string][]string{}}
	for _, src := range l.inOrder(s.Procedure) {
		r.add(src)
	}
	r.name(l.profile, l.user, l.project, l.environ, l.flags)
	r.addDefaults(s.Kind)
	r.leaveModel()
	r.addCommandGates()
	resolved := &Resolved{values: r, user: l.user, project: l.project}
	r.fill(&resolved.Config, s)
	return resolved
}

// layered is what all sources say, over each other. A key has an entry for each
// layer that sets it:
//
//	flag  environment  [procedures.NAME]  prompt  project  user  built-in procedure  profile  default
//
// An entry may be a blank: then the key is as if no layer had set it.
//
// Of a gate the whole table is one entry, for half of one and half of another
// would be a check that nobody wrote.
type layered struct {
	procedure string                      // that is run; "" is none
	entries   map[string][]entry          // lowest layer first: the last one holds
	gates     map[string][]string         // the names in each list of gates, in their order
	named     map[string]map[string]place // the tables of each family, and where they are first named
}

// add lays a source over those before it.
func (r *layered) add(src source) {
	for _, a := range src.assignments {
		key, at := setting.JoinKey(a.path), gateAt(a.path)
		if at >= 0 && at == len(a.path)-1 { // all gates are taken back
			for _, gate := range r.gateKeys(key) {
				r.entries[gate] = append(r.entries[gate], a.entry)
			}
			continue
		}
		r.entries[key] = append(r.entries[key], a.entry)
		if at >= 0 && len(r.entries[key]) == 1 {
			list := setting.JoinKey(a.path[:at+1])
			r.gates[list] = append(r.gates[list], a.path[at+1])
		}
	}
}

// name notes the tables that the sources name, and where they are first named.
func (r *layered) name(sources ...source) {
	r.named = map[string]map[string]place{}
	for _, f := range families() {
		r.named[f.name] = map[string]place{}
	}
	for _, src := range sources {
		for _, t := range src.tables {
			if _, again := r.named[t.family][t.name]; !again {
				r.named[t.family][t.name] = t.place
			}
		}
	}
}

// addDefaults lays the defaults below everything else.
func (r *layered) addDefaults(kind Kind) {
	promise, set := r.top("done.promise")
	promised := set && promise.value != ""
	holds := map[setting.When]bool{
		setting.ForPrompt:    kind == AdHocPrompt,
		setting.ForCommand:   kind == AdHocCommand,
		setting.WhenPromised: promised,
	}
	for _, row := range settings() {
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
	for name := range r.named["agents"] {
		if _, defined := r.top(agentKey(name, "command")); !defined {
			continue // the settings of a built-in agent are its own
		}
		for _, row := range agentSettings() {
			if key := agentKey(name, row.Key); row.Default != nil {
				r.entries[key] = slices.Insert(r.entries[key], 0, entry{row: row, value: row.Default, layer: builtIn})
			}
		}
	}
}

// leaveModel takes the profile's model away when another agent than the
// profile's is chosen, which would not know it.
func (r *layered) leaveModel() {
	model, set := r.top("model")
	agent, _ := r.top("agent")
	if !set || !strings.HasPrefix(model.layer, profileLayer) || agent.layer == model.layer {
		return
	}
	for _, e := range r.entries["agent"] {
		if e.layer == model.layer && e.value != agent.value {
			r.entries["model"] = append(r.entries["model"], entry{model.row, "", agent.layer, agent.place})
			return
		}
	}
}

// addCommandGates makes gates of the project's commands, before all others and
// below them: one of the same name that somebody wrote is the one that is meant.
func (r *layered) addCommandGates() {
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

// top is the entry that holds. A blank holds with the value of the default, and not
// at all where there is none.
func (r *layered) top(key string) (entry, bool) {
	entries := r.entries[key]
	if len(entries) == 0 {
		return entry{}, false
	}
	top := entries[len(entries)-1]
	if key == hideKey {
		top.value = hidden(entries)
	}
	if !top.blank() {
		return top, true
	}
	if entries[0].layer != builtIn {
		return entry{}, false
	}
	top.value = entries[0].value
	return top, true
}

const hideKey = "sandbox.hide"

// hidden is what all layers hide. The project, which may be a stranger's, adds to what
// the user hides and takes nothing of it back: nobody is asked about it.
func hidden(entries []entry) []string {
	var list []string
	for _, e := range entries {
		said, _ := e.meant().([]string)
		if !e.ofProject() {
			list = said
			continue
		}
		for _, path := range said {
			if !slices.Contains(list, path) {
				list = append(slices.Clip(list), path)
			}
		}
	}
	return list
}

// fill puts the values that hold into a Config.
func (r *layered) fill(c *Config, s Sources) {
	c.Stop.Values = setting.Values{}
	for _, row := range rows(c) {
		if row.At == nil {
			top, _ := r.top(row.Key)
			c.Stop.Values[row.Key] = top.value
			continue
		}
		r.put(row, row.Key)
	}
	r.fillGates(c)
	c.Agents = map[string]agent.Table{}
	for name := range r.named["agents"] {
		var a agent.Table
		for _, row := range agent.Rows(&a) {
			r.put(row, agentKey(name, row.Key))
		}
		c.Agents[name] = a
	}
	r.fillPrices(c)
	c.Procedures = map[string]ProcedureTable{}
	for name := range r.named["procedures"] {
		c.Procedures[name] = r.procedureTable(name, s)
	}
}

// put puts the value of a key in its place.
func (r *layered) put(row setting.Row, key string) {
	if row.Each != nil {
		*row.At.(*map[string]string) = r.variables(key)
		return
	}
	if top, ok := r.top(key); ok {
		reflect.ValueOf(row.At).Elem().Set(reflect.ValueOf(top.value))
	}
}

// variables is the names in a table of variables; nil when there are none.
func (r *layered) variables(table string) map[string]string {
	var values map[string]string
	for _, key := range r.keysAt(table) {
		top, holds := r.top(key)
		if !holds {
			continue // somebody took it back
		}
		if values == nil {
			values = map[string]string{}
		}
		path, _ := tomlfile.SplitKey(key)
		values[path[len(path)-1]] = top.value.(string)
	}
	return values
}

// fillGates puts the gates that hold into the Config, in their order.
func (r *layered) fillGates(c *Config) {
	for _, key := range r.gatesHeld(gateKey) {
		top, _ := r.top(key)
		var g Gate
		for _, row := range gateRows(&g) {
			if e := top.field(row); e.value != nil {
				reflect.ValueOf(row.At).Elem().Set(reflect.ValueOf(e.value))
			}
		}
		c.Gates = append(c.Gates, g)
	}
}

// fillPrices puts the prices that hold into the Config.
func (r *layered) fillPrices(c *Config) {
	c.Prices = map[string]Price{}
	for model := range r.named["prices"] {
		var p Price
		for _, row := range priceRows(&p) {
			r.put(row, priceKey(model, row.Key))
		}
		for key, cache := range map[string]*float64{"cache_read": &p.CacheRead, "cache_write": &p.CacheWrite} {
			if _, set := r.top(priceKey(model, key)); !set {
				*cache = p.Input // rather too much than nothing
			}
		}
		c.Prices[model] = p
	}
}

// procedureTable puts together what all layers say in one table.
func (r *layered) procedureTable(name string, s Sources) ProcedureTable {
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

// keys is every key that has a value, as people are shown them: the rows in
// their order, then what gates and the tables of each family set.
func (r *layered) keys() []string {
	var keys []string
	for _, row := range settings() {
		keys = append(keys, r.keysAt(row.Key)...)
	}
	keys = append(keys, r.gateKeys(gateKey)...)
	for _, f := range families() {
		for _, name := range slices.Sorted(maps.Keys(r.named[f.name])) {
			table := setting.JoinKey([]string{f.name, name}) + "."
			for _, row := range f.rows {
				keys = append(keys, r.keysAt(table+row.Key)...)
			}
			keys = append(keys, r.gateKeys(table+gateKey)...)
		}
	}
	return keys
}

// gatesHeld is the gates of a list that nobody took back, each a key.
func (r *layered) gatesHeld(list string) []string {
	return slices.DeleteFunc(r.gateKeys(list), func(key string) bool { _, holds := r.top(key); return !holds })
}

// gateKeys is the gates of a list, each a key.
func (r *layered) gateKeys(list string) []string {
	var keys []string
	for _, name := range r.gates[list] {
		keys = append(keys, list+"."+setting.JoinKey([]string{name}))
	}
	return keys
}

// keysAt is the key itself, or the names below it, where they have a value.
func (r *layered) keysAt(key string) []string {
	var keys []string
	below := key + "."
	for k := range r.entries {
		if k != key && !strings.HasPrefix(k, below) {
			continue
		}
		if _, holds := r.top(k); holds {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func agentKey(name, key string) string { return "agents." + name + "." + key }

func priceKey(model, key string) string { return setting.JoinKey([]string{"prices", model, key}) }

func procedureKey(name, key string) string { return "procedures." + name + "." + key }
