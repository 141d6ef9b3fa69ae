package config

import "slices"

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
	Layer string `json:"layer"`           // "flag", "environment", "procedure build", "project", "user", "profile rooda" or "built-in"
	Where string `json:"where,omitempty"` // "refrain.toml:12", "REFRAIN_LOOP_BACKOFF", "--set"; for a built-in value, when it holds
}

// Value is a setting's value as TOML. What we write of it is JSON as well.
type Value string

// MarshalJSON gives the value itself, not its text.
func (v Value) MarshalJSON() ([]byte, error) { return []byte(v), nil }

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
// of agents and procedures.
func (r *Resolved) Settings() []Setting {
	var all []Setting
	for _, key := range r.keys() {
		all = append(all, r.setting(key))
	}
	return all
}

func (r *Resolved) setting(key string) Setting {
	s := Setting{Key: key}
	for i, e := range r.entries[key] {
		origin := Origin{Value: Value(e.row.masked(e.value)), Layer: e.layer, Where: e.place.String()}
		if i > 0 {
			s.Overrode = slices.Insert(s.Overrode, 0, s.Origin)
		}
		s.Origin = origin
	}
	return s
}

// IsSet tells whether anyone has set a key, so that its value is not built in.
func (r *Resolved) IsSet(key string) bool {
	top, ok := r.top(key)
	return ok && top.layer != "built-in"
}

// Explain tells all about one key. A key below agents or procedures that
// nobody set has no value and no layer. The error for a key that does not exist
// is an *Errors with a suggestion.
func (r *Resolved) Explain(key string) (Explanation, error) {
	path, ok := splitKey(key)
	if !ok {
		return Explanation{}, &Errors{[]Problem{{Key: key, What: quote(key) + " is not a key", Hint: "write it like loop.max_iterations"}}}
	}
	row, is := find(path)
	switch is {
	case nothing:
		what, hint := unknown(path)
		return Explanation{}, &Errors{[]Problem{{Key: key, What: what, Hint: hint}}}
	case table:
		return Explanation{}, &Errors{[]Problem{{Key: key, What: quote(key) + " is a table, not a key", Hint: `"refrain config show" lists the keys in it`}}}
	}
	e := Explanation{
		Setting: r.setting(joinKey(path)),
		Type:    row.kind.name,
		Default: row.defaults(),
		Choices: row.choices,
		Doc:     row.doc,
	}
	if path[0] != "agents" && path[0] != "procedures" {
		e.Env = envName(row.key)
	}
	return e, nil
}

// defaults is every default of the row, in words.
func (r row) defaults() string {
	if r.builtin == nil {
		return "none"
	}
	words := render(r.builtin)
	for _, s := range r.special {
		words += "; " + render(s.value) + " " + string(s.when)
	}
	return words
}
