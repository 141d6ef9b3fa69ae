package config

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/refrain-loop/refrain/internal/foreign"
	"github.com/refrain-loop/refrain/internal/setting"
)

// found is what a path leads to.
type found int

const (
	foundNothing found = iota
	foundTable
	foundTables // a list of them
	foundSetting
)

// family is the tables of the user's naming that have the same rows, such as
// [agents.NAME].
type family struct {
	name string // the first part of their keys
	def  string // what one is called in the schema
	doc  string
	rows []setting.Row
	bad  func(name string) (what, hint string) // what is wrong with a name
}

// families is all of them, in the order in which people are shown them.
// Procedures name folders and runs, so their names are plain, and those of agents
// alike. Models have the names that others gave them.
var families = sync.OnceValue(func() []family {
	return []family{
		{"agents", "agent", "agents of your own, and settings of the built-in ones", agentSettings(), plainName("agents")},
		{"prices", "price", pricesDoc, priceSettings(), modelName},
		{"procedures", "procedure", "named loops, each with settings that hold when it is run", procedureSettings(), plainName("procedures")},
	}
})

// familyOf is the family that a path leads into, if it is one.
func familyOf(path []string) (family, bool) {
	i := slices.IndexFunc(families(), func(f family) bool { return f.name == path[0] })
	if i < 0 {
		return family{}, false
	}
	return families()[i], true
}

// find tells what path leads to and, if it is a setting, its row.
func find(path []string) (setting.Row, found) {
	if at := gateAt(path); at >= 0 {
		switch rest := path[at+1:]; len(rest) {
		case 0:
			return setting.Row{}, foundTables
		case 1:
			return gateRow, foundSetting
		default:
			return findIn(gateSettings(), setting.JoinKey(rest[1:]))
		}
	}
	f, named := familyOf(path)
	switch {
	case !named:
		return findBelow(settings(), path)
	case len(path) < 3:
		return setting.Row{}, foundTable
	}
	return findBelow(f.rows, path[2:])
}

// findBelow is findIn for a path that may end with a name of the user's.
func findBelow(rows []setting.Row, path []string) (setting.Row, found) {
	last := len(path) - 1
	for _, r := range rows {
		if r.Each != nil && r.Key == setting.JoinKey(path[:last]) {
			return *r.Each, foundSetting
		}
	}
	return findIn(rows, setting.JoinKey(path))
}

func findIn(rows []setting.Row, key string) (setting.Row, found) {
	for _, r := range rows {
		switch {
		case r.Key == key && r.Each != nil:
			return setting.Row{}, foundTable
		case r.Key == key:
			return r, foundSetting
		}
	}
	for _, r := range rows {
		if strings.HasPrefix(r.Key, key+".") {
			return setting.Row{}, foundTable
		}
	}
	return setting.Row{}, foundNothing
}

// unknown complains about a path that leads to nothing.
func unknown(path []string) (what, hint string) {
	what = "unknown key " + setting.Quote(setting.JoinKey(path))
	if path[0] == "procedures" && len(path) > 2 {
		if _, atTop := find(path[2:]); atTop != foundNothing {
			return what, setting.Quote(setting.JoinKey(path[2:])) + " can only stand at the top of the file"
		}
	}
	if model, key := unquotedModel(path); model != "" {
		return what, "write the model's name in quotes: prices." + setting.Quote(model) + key
	}
	if hint = foreign.Key(path); hint == "" {
		hint = suggestKey(path)
	}
	if hint == "" {
		hint = `"refrain config show" lists every key`
	}
	return what, hint
}

// suggestKey compares only with what can stand beside the path.
func suggestKey(path []string) string {
	at, rows := 0, settings()
	var keys []string
	f, named := familyOf(path)
	switch gate := gateAt(path); {
	case gate >= 0:
		at, rows = gate+2, gateSettings()
	case named:
		at, rows = 2, f.rows
	default:
		keys = []string{gateKey, "agents", "prices", "procedures"}
	}
	if path[0] == "procedures" {
		keys = []string{gateKey}
	}
	at = min(at, len(path)-1)
	word := setting.JoinKey(path[at:])
	if word == gateKey+"s" && slices.Contains(keys, gateKey) { // its last part is that of done.gates, too
		return "did you mean [[" + setting.JoinKey(append(path[:at:at], gateKey)) + "]], or done.gates?"
	}
	for _, r := range rows {
		keys = append(keys, r.Key)
		for group := range tablesOf(r.Key) {
			if !slices.Contains(keys, group) {
				keys = append(keys, group)
			}
		}
	}
	best := setting.Nearest(word, keys)
	if best == "" {
		best = elsewhere(path[len(path)-1], keys)
	}
	if best == "" {
		return ""
	}
	if at > 0 {
		best = setting.JoinKey(path[:at]) + "." + best
	}
	return "did you mean " + setting.Quote(best) + "?"
}

// tablesOf is the tables around a key, such as hooks and hooks.run.
func tablesOf(key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, c := range key {
			if c == '.' && !yield(key[:i]) {
				return
			}
		}
	}
}

// elsewhere is the key of the same name in another table.
func elsewhere(name string, keys []string) string {
	i := slices.IndexFunc(keys, func(key string) bool { return strings.HasSuffix(key, "."+name) })
	if i < 0 {
		return ""
	}
	return keys[i]
}

// inNamed tells whether path is, or is in, a table that the user named.
func inNamed(path []string) bool {
	_, named := familyOf(path)
	return named && len(path) >= 2
}

// badName complains about what the user named.
func badName(path []string) (what, hint string) {
	if f, named := familyOf(path); named && len(path) >= 2 {
		return f.bad(path[1])
	}
	return "", ""
}

func plainName(family string) func(name string) (what, hint string) {
	return func(name string) (what, hint string) {
		if !setting.BareKey(name) || name[0] == '-' || name[0] == '_' {
			return setting.Quote(name) + " is not a name for one of the " + family, "use letters, digits, - and _, and begin with a letter or a digit"
		}
		return "", ""
	}
}

// procedureSettings is the rows that can stand in a procedure's table.
func procedureSettings() []setting.Row {
	inside := slices.Clone(promptSettings())
	for _, r := range settings() {
		if !onlyAtTop(r.Key) {
			inside = append(inside, r)
		}
	}
	return inside
}

// modelName complains about a name that no model has.
func modelName(name string) (what, hint string) {
	if name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
		return setting.Quote(name) + " is not a name for a model", "write it as the agent does"
	}
	return "", ""
}

// unquotedModel is the name of a model that was split at its dots for want of
// quotes, and what follows it; else empty.
func unquotedModel(path []string) (model, key string) {
	last := len(path) - 1
	if path[0] != "prices" || last < 2 {
		return "", ""
	}
	parts := path[1:]
	if _, is := findIn(priceSettings(), path[last]); is == foundSetting {
		parts, key = path[1:last], "."+path[last]
	} else if last == 2 && setting.Nearest(path[last], priceKeys()) != "" {
		return "", "" // misspelt
	}
	return strings.Join(parts, "."), key
}

func priceKeys() []string {
	var keys []string
	for _, r := range priceSettings() {
		keys = append(keys, r.Key)
	}
	return keys
}
