package config

import (
	"fmt"
	"slices"
	"strings"
)

// read turns a TOML value into the row's own type and checks it. With a
// complaint, what completes the sentence that begins with the key.
func (r row) read(v any) (value any, what, hint string) {
	value, ok := r.kind.read(v)
	if !ok && r.kind.wrong != nil {
		what, hint = r.kind.wrong(v)
	}
	if what != "" {
		return nil, what, hint
	}
	if !ok {
		return nil, "must be " + r.expected() + ", not " + r.said(v), r.kind.remedy(v)
	}
	if what, hint = r.complaint(value); what != "" {
		return nil, what, hint
	}
	return value, "", ""
}

// readText does the same for what a flag or a variable says. With asTOML the
// text is a TOML value if it is one, and plain text otherwise.
func (r row) readText(s string, asTOML bool) (value any, what, hint string) {
	if r.kind == partList {
		return r.read(partsText(s))
	}
	if asTOML || !r.kind.plain {
		if v, ok := tomlValue(s); ok {
			if _, ok := r.kind.read(v); ok {
				return r.read(v)
			}
		}
	}
	if r.kind == list && !strings.HasPrefix(s, `["`) && !strings.HasPrefix(s, `['`) {
		return r.read(commaSeparated(s))
	}
	return r.read(s)
}

func commaSeparated(s string) []any {
	items := []any{}
	if strings.TrimSpace(s) == "" {
		return items
	}
	for item := range strings.SplitSeq(s, ",") {
		items = append(items, strings.TrimSpace(item))
	}
	return items
}

// complaint says what is wrong with a value of the right kind.
func (r row) complaint(value any) (what, hint string) {
	for _, s := range texts(value) {
		if strings.ContainsRune(s, 0) {
			return "must not contain a NUL character", "no program can be given one"
		}
		if r.required && strings.TrimSpace(s) == "" {
			return "must not be blank", "write a text, or leave the key out"
		}
		if r.choices != nil && !slices.Contains(r.choices, s) {
			return "must be " + r.expected() + ", not " + quote(s), didYouMean(s, r.choices)
		}
	}
	if r.check != nil {
		return r.check(value)
	}
	return "", ""
}

func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case Command:
		return append([]string{v.Line}, v.Argv...)
	case []PromptPart:
		var all []string
		for _, part := range v {
			all = append(all, part.Section, part.File, part.Text, part.Builtin)
		}
		return all
	}
	return nil
}

func (r row) expected() string {
	switch {
	case r.choices == nil:
		return r.kind.words
	case r.kind == list:
		return "a list of " + either(r.choices)
	}
	return either(r.choices)
}

// either joins the choices in words. The empty one is not worth naming.
func either(choices []string) string {
	var quoted []string
	for _, c := range choices {
		if c != "" {
			quoted = append(quoted, quote(c))
		}
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// said is a value in words: as it is, unless it may be secret.
func (r row) said(v any) string {
	switch v := v.(type) {
	case string:
		if r.secret || r.kind.command() {
			return "this text"
		}
		return quote(v)
	case int64, float64:
		if r.secret {
			return "a number"
		}
		return fmt.Sprint(v)
	case bool:
		return fmt.Sprint(v)
	case []any:
		return "this list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}
