package config

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
)

// kind is how a value is written.
type kind struct {
	name  string // in the reference
	words string // after "must be"
	plain bool   // what a flag or a variable says is taken word for word
	// read turns a TOML value into the setting's own type.
	read func(v any) (any, bool)
	// remedy says how to write what was probably meant by a value that read
	// refused; "" when it cannot tell.
	remedy func(v any) string
	// wrong says what is wrong inside a value that read refused, if the words
	// do not tell.
	wrong  func(v any) (what, hint string)
	schema map[string]any
}

// command tells whether values are commands, in which there may be secrets.
func (k *kind) command() bool { return k == command || k == setup || k == line }

// The kinds of values. All numbers and durations are 0 or more: a negative
// limit means nothing.
var (
	textKind = &kind{
		name: "text", words: "text", plain: true,
		read:   func(v any) (any, bool) { s, ok := v.(string); return s, ok },
		remedy: textRemedy,
		schema: map[string]any{"type": "string"},
	}
	// A line is for the shell, and may hold a secret.
	line = &kind{
		name: "text", words: "text", plain: true,
		read:   textKind.read,
		remedy: textRemedy,
		schema: textKind.schema,
	}
	truth = &kind{
		name: "true or false", words: "true or false",
		read:   func(v any) (any, bool) { b, ok := v.(bool); return b, ok },
		remedy: truthRemedy,
		schema: map[string]any{"type": "boolean"},
	}
	whole = &kind{
		name: "whole number", words: "a whole number, 0 or more",
		read:   readWhole,
		remedy: unquoted,
		schema: map[string]any{"type": "integer", "minimum": 0},
	}
	counting = &kind{
		name: "whole number, 1 or more", words: "a whole number, 1 or more",
		read:   readCounting,
		remedy: unquoted,
		schema: map[string]any{"type": "integer", "minimum": 1},
	}
	percent = &kind{
		name: "whole number, 1 to 100", words: "a whole number from 1 to 100",
		read:   readPercent,
		remedy: percentRemedy,
		schema: map[string]any{"type": "integer", "minimum": 1, "maximum": 100},
	}
	iterations = &kind{
		name: `whole number, "none" or "unlimited"`, words: `a whole number, 0 or more, or "none" or "unlimited"`,
		read:   readIterations,
		remedy: unquoted,
		schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "integer", "minimum": 0},
			map[string]any{"enum": []string{"none", "unlimited"}},
		}},
	}
	number = &kind{
		name: "number", words: "a number, 0 or more",
		read:   readNumber,
		remedy: unquoted,
		schema: map[string]any{"type": "number", "minimum": 0},
	}
	duration = &kind{
		name: "duration", words: `a duration such as "90s" or "30m"`, plain: true,
		read:   readDuration,
		remedy: durationRemedy,
		schema: map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*$`},
	}
	auto = &kind{
		name: `"auto", true or false`, words: `"auto", true or false`,
		read:   readAuto,
		remedy: unquoted,
		schema: map[string]any{"enum": []any{"auto", true, false}},
	}
	branch = &kind{
		name: "true, false or a name", words: "true, false or the name of a branch",
		read:   readBranch,
		remedy: unquoted,
		schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "boolean"},
			map[string]any{"type": "string", "pattern": `^\S+$`},
		}},
	}
	list = &kind{
		name: "list of text", words: "a list of text",
		read:   readList,
		remedy: listRemedy,
		schema: map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	}
	command = &kind{
		name: "list of text, or text", words: "a list of text, or text, that begins with a program",
		read:   readCommand,
		remedy: func(any) string { return `write command = ["program", "argument"]` },
		schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1},
			map[string]any{"type": "string", "pattern": `\S`},
		}},
	}
	setup = &kind{
		name: "list of text, or text", words: `a list of text that begins with a program, or text, "" or "none"`,
		read:   readSetup,
		remedy: func(any) string { return `write setup = "npm ci", or "none" for no setup` },
		schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1},
			map[string]any{"type": "string"},
		}},
	}
	// A table of variables is only ever read name by name.
	variables = &kind{
		name:   "table of text",
		schema: map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}},
	}
)

func readWhole(v any) (any, bool) {
	n, ok := v.(int64)
	if !ok || n < 0 || n > math.MaxInt {
		return nil, false
	}
	return int(n), true
}

func readCounting(v any) (any, bool) {
	n, ok := readWhole(v)
	return n, ok && n != 0
}

func readPercent(v any) (any, bool) {
	n, ok := readCounting(v)
	return n, ok && n.(int) <= 100
}

func readIterations(v any) (any, bool) {
	if v == "none" || v == "unlimited" {
		return 0, true
	}
	return readWhole(v)
}

func readNumber(v any) (any, bool) {
	f, ok := v.(float64)
	if n, isWhole := v.(int64); isWhole {
		f, ok = float64(n), true
	}
	if !ok || f < 0 || math.IsNaN(f) || math.IsInf(f, 1) {
		return nil, false
	}
	return f, true
}

func readDuration(v any) (any, bool) {
	s, ok := v.(string)
	if !ok || s == "0" { // the one number that ParseDuration takes without a unit
		return nil, false
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return nil, false
	}
	return d, true
}

func readAuto(v any) (any, bool) {
	switch v {
	case "auto":
		return Automatic, true
	case true:
		return Yes, true
	case false:
		return No, true
	}
	return nil, false
}

func readBranch(v any) (any, bool) {
	switch v := v.(type) {
	case bool:
		return Branch{New: v}, true
	case string:
		named := v != "" && v != "true" && v != "false" && !strings.ContainsFunc(v, unicode.IsSpace)
		return Branch{New: true, Name: v}, named
	}
	return nil, false
}

func readList(v any) (any, bool) {
	items, ok := v.([]any)
	if !ok {
		return nil, false
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], ok = item.(string); !ok {
			return nil, false
		}
	}
	return texts, true
}

func readCommand(v any) (any, bool) {
	if line, ok := v.(string); ok {
		return Command{Line: line}, strings.TrimSpace(line) != ""
	}
	argv, ok := readList(v)
	if !ok || len(argv.([]string)) == 0 || strings.TrimSpace(argv.([]string)[0]) == "" {
		return nil, false
	}
	return Command{Argv: argv.([]string)}, true
}

func readSetup(v any) (any, bool) {
	if v == "" {
		return Command{}, true
	}
	return readCommand(v)
}

func textRemedy(v any) string {
	switch v.(type) {
	case []any, map[string]any:
		return "write one text in quotes"
	}
	return "put it in quotes"
}

func truthRemedy(v any) string {
	switch strings.ToLower(fmt.Sprint(v)) {
	case "1", "yes", "on", "true":
		return "write true"
	case "0", "no", "off", "false":
		return "write false"
	}
	return ""
}

func unquoted(v any) string {
	s, ok := v.(string)
	if ok && (s == "true" || s == "false" || digits(s)) {
		return "write " + s + " without quotes"
	}
	return ""
}

func percentRemedy(v any) string {
	if s, ok := v.(string); ok {
		return unquoted(strings.TrimSuffix(s, "%"))
	}
	return ""
}

func durationRemedy(v any) string {
	if s := fmt.Sprint(v); digits(s) {
		return `write "` + s + `s"`
	}
	return `write it like "90s", "30m" or "1h30m"`
}

func listRemedy(v any) string {
	if s, ok := v.(string); ok {
		return "write [" + quote(s) + "]"
	}
	return ""
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
