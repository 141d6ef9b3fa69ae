package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// Resolved is a configuration that knows where each value came from.
type Resolved struct {
	Config  Config
	values  *layered
	user    source // what the user's own file says
	project source // what the project's own file says
}

// Setting is a key with its value, where it came from and what it overrode.
// Values are TOML, with secrets masked.
type Setting struct {
	Key string `json:"key"`
	Origin
	Overrode []Origin `json:"overrode,omitempty"` // the nearest layer first
}

// Origin is a value and its source.
type Origin struct {
	Value Value  `json:"value,omitzero"`
	Blank bool   `json:"blank,omitempty"` // the layer takes back what is below it; the value is the default, if there is one
	Layer string `json:"layer"`           // "flag", "environment", "procedure build", "prompt", "procedure build (built-in)", "project", "user", "profile rooda" or "built-in"
	Where string `json:"where,omitempty"` // "refrain.toml:12", "REFRAIN_LOOP_BACKOFF", "--set"; for a built-in value, when it holds
}

// Value is a setting's value as TOML.
type Value string

// MarshalJSON gives the value itself, not its text.
func (v Value) MarshalJSON() ([]byte, error) {
	value, ok := tomlfile.Value(string(v))
	if !ok {
		return nil, fmt.Errorf("write %s as JSON: it is not TOML", string(v))
	}
	return json.Marshal(value)
}

// Explanation is all that there is to know about a key.
type Explanation struct {
	Setting
	Type    string   `json:"type"`
	Default string   `json:"default"`       // in words, as TOML
	Env     string   `json:"env,omitempty"` // the variable that sets it; "" is none
	Choices []string `json:"choices,omitempty"`
	Doc     string   `json:"doc"`
}

// Settings is every key with a value: the fixed ones in their order, then those
// of gates, agents, prices and procedures.
func (r *Resolved) Settings() []Setting {
	var all []Setting
	for _, key := range r.values.keys() {
		all = append(all, r.values.history(key))
	}
	return all
}

// history is a key with its entries.
func (r *layered) history(key string) Setting {
	s := history(key, r.entries[key])
	if top, holds := r.top(key); holds && (s.Blank || key == hideKey) {
		s.Value = Value(top.masked())
	}
	return s
}

// history is a key with these entries, lowest layer first.
func history(key string, entries []entry) Setting {
	s := Setting{Key: key}
	for i, e := range entries {
		origin := Origin{Blank: e.blank(), Layer: e.layer, Where: e.place.String()}
		if !e.blank() {
			origin.Value = Value(e.masked())
		}
		if i > 0 {
			s.Overrode = slices.Insert(s.Overrode, 0, s.Origin)
		}
		s.Origin = origin
	}
	return s
}

// Secrets is the value of every key whose value is never shown. The variables of
// agents are not among them: they have a place of their own in a Config.
func (r *Resolved) Secrets() map[string]string {
	values := map[string]string{}
	for key := range r.values.entries {
		top, ok := r.values.top(key)
		if value, text := top.value.(string); ok && text && value != "" && top.row.Secret && !strings.HasPrefix(key, "agents.") {
			values[key] = value
		}
	}
	return values
}

// IsSet tells whether anyone has set a key, so that its value is not built in.
func (r *Resolved) IsSet(key string) bool {
	top, ok := r.values.top(key)
	entries := r.values.entries[key]
	return ok && top.layer != builtIn && !entries[len(entries)-1].blank()
}

// AddedToProcedure tells whether a file asks at its top for what the built-in
// procedure that is run does without, and where.
func (r *Resolved) AddedToProcedure(key string) (Origin, bool) {
	s := r.values.history(key)
	without := slices.ContainsFunc(s.Overrode, func(o Origin) bool { return o.Blank && o.Layer == builtinLayer(r.values.procedure) })
	top, _ := r.values.top(key)
	asked := (s.Layer == "user" || s.Layer == "project") && setting.Render(top.value) != setting.Render(top.row.Default)
	return s.Origin, without && asked
}

// Explain tells all about one key. A key below agents, prices or procedures that
// nobody set has no value and no layer. The error for a key that does not exist
// is an *Errors with a suggestion.
func (r *Resolved) Explain(key string) (Explanation, error) {
	path, ok := tomlfile.SplitKey(key)
	if !ok {
		return Explanation{}, &Errors{[]Problem{{Key: key, What: setting.Quote(key) + " is not a key", Hint: "write it like loop.max_iterations"}}}
	}
	row, is := find(path)
	switch is {
	case foundNothing:
		what, hint := unknown(path)
		return Explanation{}, &Errors{[]Problem{{Key: key, What: what, Hint: hint}}}
	case foundTable:
		return Explanation{}, &Errors{[]Problem{{Key: key, What: setting.Quote(key) + " is a table, not a key", Hint: `"refrain config show" lists the keys in it`}}}
	case foundTables:
		return r.explainGates(setting.JoinKey(path)), nil
	}
	told := r.values.history(setting.JoinKey(path))
	if at := gateAt(path); at >= 0 {
		list, name := setting.JoinKey(path[:at+1]), path[at+1]
		if !slices.Contains(r.values.gates[list], name) {
			return Explanation{}, &Errors{[]Problem{r.noGate(key, list, name)}}
		}
		if len(path) == at+3 {
			told = history(setting.JoinKey(path), fieldOf(r.values.entries[setting.JoinKey(path[:at+2])], row))
		}
	}
	e := Explanation{
		Setting: told,
		Type:    row.Kind.Name,
		Default: row.Defaults(setting.Render),
		Choices: row.Choices,
		Doc:     row.Doc,
	}
	if _, is := findIn(settings(), setting.JoinKey(path)); is == foundSetting {
		e.Env = envName(row.Key)
	}
	return e, nil
}

// explainGates tells of a list of gates what it holds. They may be from
// several layers.
func (r *Resolved) explainGates(list string) Explanation {
	e := Explanation{Setting: Setting{Key: list}, Type: "list of tables", Default: "none", Doc: gatesDoc}
	var names, layers []string
	for _, key := range r.values.gatesHeld(list) {
		path, _ := tomlfile.SplitKey(key)
		names = append(names, path[len(path)-1])
		if top, _ := r.values.top(key); !slices.Contains(layers, top.layer) {
			layers = append(layers, top.layer)
		}
	}
	if len(names) > 0 {
		e.Origin = Origin{Value: Value(setting.Render(names)), Layer: strings.Join(layers, " and ")}
	}
	return e
}

// fieldOf is what each of the entries of a gate says about one key. An entry
// without it takes away what those below it say.
func fieldOf(entries []entry, r setting.Row) []entry {
	var list []entry
	for _, e := range entries {
		if list = append(list, e.field(r)); list[len(list)-1].value == nil {
			list = nil
		}
	}
	return list
}

func (r *Resolved) noGate(key, list, name string) Problem {
	hint := setting.DidYouMean(name, r.values.gates[list])
	if hint == "" {
		hint = "add [[" + list + "]] to " + FileName
	}
	return Problem{Key: key, What: "no gate is called " + setting.Quote(name), Hint: hint}
}
