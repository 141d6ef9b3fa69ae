package setting

import (
	"fmt"
	"slices"
	"strings"
)

// Read turns a TOML value into the row's own type and checks it. With a
// complaint, what completes the sentence that begins with the key.
func (r Row) Read(v any) (value any, what, hint string) {
	value, ok := r.Kind.Read(v)
	if !ok && r.Kind.Wrong != nil {
		what, hint = r.Kind.Wrong(v)
	}
	if what != "" {
		return nil, what, hint
	}
	if !ok {
		return nil, "must be " + r.expected() + ", not " + r.said(v), r.Kind.Remedy(v)
	}
	if what, hint = r.complaint(value); what != "" {
		return nil, what, hint
	}
	return value, "", ""
}

// Take is Read for one layer of several, in which a blank takes back what those
// below it say: then blank is true, and there is no value. Where a blank is
// itself a value, such as no model, it is that.
func (r Row) Take(v any) (value any, blank bool, what, hint string) {
	if v == "" {
		if r.Kind.FromText != nil {
			v = r.Kind.FromText("")
		}
		value, what, _ = r.Read(v)
		return value, what != "", "", ""
	}
	value, what, hint = r.Read(v)
	if s, ok := v.(string); ok && what != "" && r.Required && strings.TrimSpace(s) == "" {
		hint = `write a text, or "" to take back what other layers say`
	}
	return value, false, what, hint
}

// complaint says what is wrong with a value of the right kind.
func (r Row) complaint(value any) (what, hint string) {
	for _, s := range texts(value) {
		if strings.ContainsRune(s, 0) {
			return "must not contain a NUL character", "no program can be given one"
		}
		if r.Required && strings.TrimSpace(s) == "" {
			return "must not be blank", "write a text, or leave the key out"
		}
		if r.Choices != nil && !slices.Contains(r.Choices, s) {
			return "must be " + r.expected() + ", not " + Quote(s), DidYouMean(s, r.Choices)
		}
	}
	if r.Check != nil {
		return r.Check(value)
	}
	return "", ""
}

func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case interface{ Texts() []string }:
		return v.Texts()
	}
	return nil
}

func (r Row) expected() string {
	switch {
	case r.Choices == nil:
		return r.Kind.Words
	case r.Kind == List:
		return "a list of " + either(r.Choices)
	}
	return either(r.Choices)
}

// said is a value in words: as it is, unless it may be secret.
func (r Row) said(v any) string {
	switch v := v.(type) {
	case string:
		if r.Secret || r.Kind.Command() {
			return "this text"
		}
		return Quote(v)
	case int64, float64:
		if r.Secret {
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
