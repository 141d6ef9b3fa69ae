package prompt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// inline reads a value that stands on one line.
func (r row) inline(text string) (node, *Error) {
	n, rest, err := r.scan(text, "")
	if err != nil {
		return n, err
	}
	if after := strings.TrimLeft(rest, " \t"); after != "" && (after[0] != '#' || after == rest) {
		return n, r.refuse(fmt.Sprintf("%q follows a value that has ended", Preview(after, 40)), "put the whole text in quotes")
	}
	return n, nil
}

// scan reads one value at the beginning of text; a text without quotes ends
// before any of the stops.
func (r row) scan(text, stops string) (n node, rest string, err *Error) {
	switch text[0] {
	case '"':
		return r.doubleQuoted(text)
	case '\'':
		return r.singleQuoted(text)
	case '[':
		if stops != "" {
			return node{}, "", r.refuse("a list in a list is not read here", "write [one, two]")
		}
		return r.brackets(text)
	}
	return r.bare(text, stops)
}

func (r row) doubleQuoted(text string) (node, string, *Error) {
	quoted, err := strconv.QuotedPrefix(text)
	value, _ := strconv.Unquote(quoted)
	if err != nil || !utf8.ValidString(value) {
		return node{}, "", r.refuse("a text in quotes does not end, or has an escape that is not known", `write \\ for \ and \" for "`)
	}
	return node{line: r.number, text: value, value: value}, text[len(quoted):], nil
}

func (r row) singleQuoted(text string) (node, string, *Error) {
	var value strings.Builder
	for rest := text[1:]; ; {
		part, after, ended := strings.Cut(rest, "'")
		if !ended {
			return node{}, "", r.refuse("a text in quotes does not end", "close it, and write '' for a quote in it")
		}
		value.WriteString(part)
		if !strings.HasPrefix(after, "'") {
			return node{line: r.number, text: value.String(), value: value.String()}, after, nil
		}
		value.WriteByte('\'')
		rest = after[1:]
	}
}

func (r row) brackets(text string) (node, string, *Error) {
	n := node{line: r.number, kind: aList}
	rest := strings.TrimLeft(text[1:], " \t")
	for !strings.HasPrefix(rest, "]") {
		if rest == "" {
			return n, "", r.refuse("a list does not end on its line", `close it with "]"`)
		}
		item, after, err := r.scan(rest, ",]")
		if err != nil {
			return n, "", err
		}
		n.items = append(n.items, item)
		after = strings.TrimLeft(after, " \t")
		next, comma := strings.CutPrefix(after, ",")
		if !comma && !strings.HasPrefix(after, "]") {
			return n, "", r.refuse("a list lacks a comma, or its end", "write [one, two]")
		}
		rest = strings.TrimLeft(next, " \t")
	}
	return n, rest[1:], nil
}

// bare reads a text without quotes.
func (r row) bare(text, stops string) (node, string, *Error) {
	end := len(text)
	if stops != "" {
		if i := strings.IndexAny(text, stops+"[{}"); i >= 0 {
			end = i
		}
	}
	if i := strings.Index(text[:end], " #"); i >= 0 {
		end = i
	}
	value := strings.TrimRight(text[:end], " \t")
	switch {
	case value == "":
		return node{}, "", r.refuse("a value is missing", `write "" for an empty text`)
	case strings.ContainsRune("&*!|>%@`{}?,]#", rune(value[0])), strings.HasPrefix(value, "- "):
		return node{}, "", r.refuse(fmt.Sprintf("a value that begins with %q is not read here", value[0]), "write it on one line, in quotes")
	case strings.Contains(value, ": "), strings.HasSuffix(value, ":"):
		return node{}, "", r.refuse("a colon in a text without quotes could be a key", "put the text in quotes")
	case isNothing[value]:
		return node{}, "", r.refuse(value+" is no value", `write "" for an empty text, or put it in quotes`)
	}
	return node{line: r.number, text: value, value: meaning(value)}, text[end:], nil
}

var (
	isNothing = map[string]bool{"~": true, "null": true, "Null": true, "NULL": true}
	isBool    = map[string]bool{"true": true, "True": true, "TRUE": true, "false": false, "False": false, "FALSE": false}

	isInt   = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})$`)
	isFloat = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})\.[0-9]{1,18}$`)
)

// meaning is what a text without quotes stands for. Numbers are those that can
// be read in one way only: 007 and 1_000 are texts.
func meaning(text string) any {
	if value, ok := isBool[text]; ok {
		return value
	}
	if isInt.MatchString(text) {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	if isFloat.MatchString(text) {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	}
	return text
}
