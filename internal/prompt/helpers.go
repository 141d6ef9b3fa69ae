package prompt

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"
)

// helpers are the functions of templates that only work on values. The value
// comes last, so that it can come through a pipe.
var helpers = template.FuncMap{
	"upper":   func(v any) string { return strings.ToUpper(fmt.Sprint(v)) },
	"lower":   func(v any) string { return strings.ToLower(fmt.Sprint(v)) },
	"trim":    func(v any) string { return strings.TrimSpace(fmt.Sprint(v)) },
	"date":    func(layout string) string { return time.Now().Format(layout) },
	"default": fallback,
	"length":  length,
	"join":    joinList,
	"indent":  indent,
}

// fallback is the value, or another one when it is empty.
func fallback(other, value any) any {
	if truth, _ := template.IsTrue(value); truth {
		return value
	}
	return other
}

// length counts characters, items or keys.
func length(v any) (int, error) {
	if text, ok := v.(string); ok {
		return utf8.RuneCountInString(text), nil
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Slice, reflect.Map:
		return r.Len(), nil
	}
	return 0, errors.New("only a text or a list has a length")
}

func joinList(between string, list any) (string, error) {
	r := reflect.ValueOf(list)
	if r.Kind() != reflect.Slice {
		return "", errors.New("only a list can be joined")
	}
	words := make([]string, r.Len())
	for i := range words {
		words[i] = fmt.Sprint(r.Index(i))
	}
	return strings.Join(words, between), nil
}

// widest is further than any text needs to be set in.
const widest = 100

func indent(by int, v any) (string, error) {
	if by < 0 || by > widest {
		return "", fmt.Errorf("a text is set in by 0 to %d spaces", widest)
	}
	space := strings.Repeat(" ", by)
	var out strings.Builder
	for line := range strings.Lines(fmt.Sprint(v)) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(space)
		}
		out.WriteString(line)
	}
	return out.String(), nil
}
