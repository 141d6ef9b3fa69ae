package config

import (
	"iter"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// found is what a path leads to.
type found int

const (
	nothing found = iota
	table
	tables // a list of them
	aSetting
)

// find tells what path leads to and, if it is a setting, its row.
func find(path []string) (setting.Row, found) {
	switch {
	case path[0] == "agents":
		return findInAgents(path[1:])
	case gateAt(path) >= 0:
		return findInGates(path[gateAt(path)+1:])
	case path[0] == "prices":
		return findInPrices(path[1:])
	case path[0] == "procedures":
		return findInProcedures(path[1:])
	}
	return findBelow(settings, path)
}

func findInGates(path []string) (setting.Row, found) {
	switch len(path) {
	case 0:
		return setting.Row{}, tables
	case 1:
		return gateRow, aSetting
	}
	return findIn(gateSettings, setting.JoinKey(path[1:]))
}

func findInAgents(path []string) (setting.Row, found) {
	if len(path) < 2 {
		return setting.Row{}, table
	}
	return findBelow(agentSettings, path[1:])
}

func findInPrices(path []string) (setting.Row, found) {
	if len(path) < 2 {
		return setting.Row{}, table
	}
	return findIn(priceSettings, setting.JoinKey(path[1:]))
}

func findInProcedures(path []string) (setting.Row, found) {
	if len(path) < 2 {
		return setting.Row{}, table
	}
	key := setting.JoinKey(path[1:])
	if onlyAtTop(key) || key == "log" {
		return setting.Row{}, nothing
	}
	if r, is := findIn(promptSettings, key); is != nothing {
		return r, is
	}
	return findBelow(settings, path[1:])
}

// findBelow is findIn for a path that may end with a name of the user's.
func findBelow(rows []setting.Row, path []string) (setting.Row, found) {
	last := len(path) - 1
	for _, r := range rows {
		if r.Each != nil && r.Key == setting.JoinKey(path[:last]) {
			return *r.Each, aSetting
		}
	}
	return findIn(rows, setting.JoinKey(path))
}

func findIn(rows []setting.Row, key string) (setting.Row, found) {
	for _, r := range rows {
		switch {
		case r.Key == key && r.Each != nil:
			return setting.Row{}, table
		case r.Key == key:
			return r, aSetting
		}
	}
	for _, r := range rows {
		if strings.HasPrefix(r.Key, key+".") {
			return setting.Row{}, table
		}
	}
	return setting.Row{}, nothing
}

// unknown complains about a path that leads to nothing.
func unknown(path []string) (what, hint string) {
	what = "unknown key " + setting.Quote(setting.JoinKey(path))
	if path[0] == "procedures" && len(path) > 2 {
		if _, atTop := find(path[2:]); atTop != nothing {
			return what, setting.Quote(setting.JoinKey(path[2:])) + " can only stand at the top of the file"
		}
	}
	if model, key := unquotedModel(path); model != "" {
		return what, "write the model's name in quotes: prices." + setting.Quote(model) + key
	}
	if hint = suggestKey(path); hint == "" {
		hint = `"refrain config show" lists every key`
	}
	return what, hint
}

// suggestKey compares only with what can stand beside the path.
func suggestKey(path []string) string {
	at, rows := 0, settings
	var keys []string
	switch {
	case path[0] == "agents":
		at, rows = 2, agentSettings
	case gateAt(path) >= 0:
		at, rows = gateAt(path)+2, gateSettings
	case path[0] == "prices":
		at, rows = 2, priceSettings
	case path[0] == "procedures":
		at, keys = 2, []string{gateKey}
		rows = slices.Concat(promptSettings, settings)
	default:
		keys = []string{gateKey, "agents", "prices", "procedures"}
	}
	at = min(at, len(path)-1)
	word := setting.JoinKey(path[at:])
	if word == gateKey+"s" && slices.Contains(keys, gateKey) { // its last part is that of done.gates, too
		return "did you mean [[" + setting.JoinKey(append(path[:at:at], gateKey)) + "]], or done.gates?"
	}
	for _, r := range rows {
		if at == 0 || !onlyAtTop(r.Key) {
			keys = append(keys, r.Key)
		}
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
	return len(path) >= 2 && slices.Contains([]string{"agents", "prices", "procedures"}, path[0])
}

// badName complains about what the user named. Procedures name folders and
// runs, so their names are plain, and those of agents alike. Models have the
// names that others gave them.
func badName(path []string) (what, hint string) {
	if !inNamed(path) {
		return "", ""
	}
	name := path[1]
	if path[0] == "prices" {
		return modelName(name)
	}
	if !setting.BareKey(name) || name[0] == '-' || name[0] == '_' {
		return setting.Quote(name) + " is not a name for one of the " + path[0], "use letters, digits, - and _, and begin with a letter or a digit"
	}
	return "", ""
}

func variableName(name string) (what, hint string) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return setting.Quote(name) + " is not a name for a variable", "use letters, digits and _"
	}
	return "", ""
}
