// Package setting is what a part of the program says of its own settings.
//
// A Row is the only place that knows a key, its kind, its default and its
// meaning. Parts declare the rows of what they use; package config collects
// them, reads files, variables and flags by them, checks and explains values,
// and makes the schema and the manual of them. A row knows how its value is
// written and shown, and nothing of where it stood.
package setting

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Row is one setting.
type Row struct {
	Key         string
	Kind        *Kind
	At          any // where the value goes: a pointer into the settings of a part; nil: into Values
	Default     any // nil is none
	Conditional []ConditionalDefault
	Choices     []string // what a text, or each text of a list, may be
	Required    bool     // neither a blank text nor a list with a blank in it
	Check       func(v any) (what, hint string)
	Secret      bool // its value is never shown
	File        bool // its texts are paths: those that a project names must lie in the project
	Doc         string

	// A table of the user's naming has no value of its own, but one for each
	// name, so that layers merge per name.
	Each *Row                                  // the row of one name
	Name func(name string) (what, hint string) // in that row: what is wrong with a name
}

// ConditionalDefault is a default for some runs only.
type ConditionalDefault struct {
	When  When
	Value any
}

// When is in which runs a default holds, in words.
type When string

// The runs that have defaults of their own.
const (
	ForPrompt    When = "for an ad-hoc prompt"
	ForCommand   When = "for an ad-hoc command"
	WhenPromised When = "when done.promise is set"
)

// Values is settings by their keys: those that only the part which declares the
// row asks for, so that they need no field anywhere.
type Values map[string]any

// Int is the number of a key; 0 when it has none.
func (v Values) Int(key string) int { n, _ := v[key].(int); return n }

// Number is the same for any number.
func (v Values) Number(key string) float64 { n, _ := v[key].(float64); return n }

// Defaults is every default of the row in words, each put as show puts it.
func (r Row) Defaults(show func(v any) string) string {
	if r.Default == nil {
		return "none"
	}
	words := show(r.Default)
	for _, d := range r.Conditional {
		words += "; " + show(d.Value) + " " + string(d.When)
	}
	return words
}

// Type is how a value is written, in words.
func (r Row) Type() string {
	switch {
	case r.Choices == nil:
		return r.Kind.Name
	case r.Kind == List:
		return "list of " + either(r.Choices)
	}
	return either(r.Choices)
}

// either joins the choices in words. The empty one is not worth naming.
func either(choices []string) string {
	var quoted []string
	for _, c := range choices {
		if c != "" {
			quoted = append(quoted, Quote(c))
		}
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// Schema is the JSON Schema of the row's values.
func (r Row) Schema() map[string]any {
	s := maps.Clone(r.Kind.Schema)
	s["description"] = r.Doc
	if r.Default != nil && r.Default != "" {
		s["default"] = json.RawMessage(Render(r.Default))
	}
	item := map[string]any{"type": "string"}
	switch {
	case r.Choices != nil:
		item["enum"] = r.Choices
	case r.Required:
		item["pattern"] = `\S`
	}
	if r.Kind == List {
		s["items"] = item
	} else if r.Kind == Text || r.Kind == Line {
		maps.Copy(s, item)
	}
	return s
}

// Files is the paths that a value of the row names.
func (r Row) Files(value any) []string {
	if !r.File {
		return nil
	}
	named := texts(value)
	if v, ok := value.(interface{ Files() []string }); ok {
		named = v.Files()
	}
	return slices.DeleteFunc(slices.Clone(named), func(path string) bool { return path == "" })
}
