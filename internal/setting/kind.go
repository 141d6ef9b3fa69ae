package setting

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// Kind is how a value is written.
type Kind struct {
	Name  string // in the reference
	Words string // after "must be"
	Plain bool   // what a flag or a variable says is taken word for word
	// Read turns a TOML value into the setting's own type.
	Read func(v any) (any, bool)
	// Remedy says how to write what was probably meant by a value that Read
	// refused; "" when it cannot tell.
	Remedy func(v any) string
	// Wrong says what is wrong inside a value that Read refused, if the words
	// do not tell.
	Wrong func(v any) (what, hint string)
	// FromText makes a TOML value of what a flag or a variable says, where it is
	// none by itself.
	FromText func(s string) any
	Schema   map[string]any

	secrets pattern // finds those in a command that is one line; nil: it is no command
}

// Command tells whether values are commands, in which there may be secrets.
func (k *Kind) Command() bool { return k.secrets != nil }

// The kinds of values. All numbers and durations are 0 or more: a negative
// limit means nothing.
var (
	Text = &Kind{
		Name: "text", Words: "text", Plain: true,
		Read:   readText,
		Remedy: textRemedy,
		Schema: map[string]any{"type": "string"},
	}
	// A Line is for the shell, and may hold a secret.
	Line = &Kind{
		Name: "text", Words: "text", Plain: true,
		Read:    readText,
		Remedy:  textRemedy,
		Schema:  map[string]any{"type": "string"},
		secrets: secretInShell,
	}
	Bool = &Kind{
		Name: "true or false", Words: "true or false",
		Read:   readBool,
		Remedy: boolRemedy,
		Schema: map[string]any{"type": "boolean"},
	}
	Int = &Kind{
		Name: "whole number", Words: "a whole number, 0 or more",
		Read:   readInt,
		Remedy: unquoted,
		Schema: map[string]any{"type": "integer", "minimum": 0},
	}
	Positive = &Kind{
		Name: "whole number, 1 or more", Words: "a whole number, 1 or more",
		Read:   readPositive,
		Remedy: unquoted,
		Schema: map[string]any{"type": "integer", "minimum": 1},
	}
	Percent = &Kind{
		Name: "whole number, 1 to 100", Words: "a whole number from 1 to 100",
		Read:   readPercent,
		Remedy: percentRemedy,
		Schema: map[string]any{"type": "integer", "minimum": 1, "maximum": 100},
	}
	Iterations = &Kind{
		Name: `whole number, "none" or "unlimited"`, Words: `a whole number, 0 or more, or "none" or "unlimited"`,
		Read:   readIterations,
		Remedy: unquoted,
		Schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "integer", "minimum": 0},
			map[string]any{"enum": []string{"none", "unlimited"}},
		}},
	}
	Number = &Kind{
		Name: "number", Words: "a number, 0 or more",
		Read:   readNumber,
		Remedy: unquoted,
		Schema: map[string]any{"type": "number", "minimum": 0},
	}
	Duration = &Kind{
		Name: "duration", Words: `a duration such as "90s" or "30m"`, Plain: true,
		Read:   readDuration,
		Remedy: durationRemedy,
		Schema: map[string]any{"type": "string", "pattern": durationPattern},
	}
	AutoKind = &Kind{
		Name: `"auto", true or false`, Words: `"auto", true or false`,
		Read:   readAuto,
		Remedy: unquoted,
		Schema: map[string]any{"enum": []any{"auto", true, false}},
	}
	// ExitKind is AutoKind for what may also hold where nothing else does.
	ExitKind = &Kind{
		Name: `"auto", "alone", true or false`, Words: `"auto", "alone", true or false`,
		Read:   readExit,
		Remedy: unquoted,
		Schema: map[string]any{"enum": []any{"auto", "alone", true, false}},
	}
	BranchKind = &Kind{
		Name: "true, false or a name", Words: "true, false or the name of a branch",
		Read:   readBranch,
		Remedy: unquoted,
		Schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "boolean"},
			map[string]any{"type": "string", "pattern": `^\S+$`},
		}},
	}
	List = &Kind{
		Name: "list of text", Words: "a list of text",
		Read:     readList,
		Remedy:   listRemedy,
		Schema:   map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		FromText: commaSeparated,
	}
	CommandKind = &Kind{
		Name: "list of text, or text", Words: "a list of text, or text, that begins with a program",
		Read:   readCommand,
		Remedy: func(any) string { return `write command = ["program", "argument"]` },
		Schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1},
			map[string]any{"type": "string", "pattern": `\S`},
		}},
		secrets: secretInLine,
	}
	Setup = &Kind{
		Name: "list of text, or text", Words: `a list of text that begins with a program, or text, "" or "none"`,
		Read:   readSetup,
		Remedy: func(any) string { return `write setup = "npm ci", or "none" for no setup` },
		Schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1},
			map[string]any{"type": "string"},
		}},
		secrets: secretInShell,
	}
	// A table of Variables is only ever read name by name.
	Variables = &Kind{
		Name:   "table of text",
		Schema: map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}},
	}
)

func readText(v any) (any, bool) { s, ok := v.(string); return s, ok }

func readBool(v any) (any, bool) { b, ok := v.(bool); return b, ok }

func readInt(v any) (any, bool) {
	n, ok := v.(int64)
	if !ok || n < 0 || n > math.MaxInt {
		return nil, false
	}
	return int(n), true
}

func readPositive(v any) (any, bool) {
	n, ok := readInt(v)
	return n, ok && n != 0
}

func readPercent(v any) (any, bool) {
	n, ok := readPositive(v)
	return n, ok && n.(int) <= 100
}

func readIterations(v any) (any, bool) {
	if v == "none" || v == "unlimited" {
		return 0, true
	}
	return readInt(v)
}

func readNumber(v any) (any, bool) {
	f, ok := v.(float64)
	if n, isInt := v.(int64); isInt {
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
	d, err := ReadDuration(s)
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

func readExit(v any) (any, bool) {
	if v == "alone" {
		return Alone, true
	}
	return readAuto(v)
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

func boolRemedy(v any) string {
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
		return "write [" + Quote(s) + "]"
	}
	return ""
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// commaSeparated is how a flag or a variable writes a list, unless it begins
// like one of TOML.
func commaSeparated(s string) any {
	if strings.HasPrefix(s, `["`) || strings.HasPrefix(s, `['`) {
		return s
	}
	items := []any{}
	if strings.TrimSpace(s) == "" {
		return items
	}
	for item := range strings.SplitSeq(s, ",") {
		items = append(items, strings.TrimSpace(item))
	}
	return items
}
