package plan

import (
	"regexp"
	"strconv"
	"strings"
)

// label is a named detail of a task, as in "Dependencies: the parser".
type label struct{ name, value string }

// The names of labels, whatever they are called in the plan.
const (
	refsLabel       = "refs"
	dependsLabel    = "depends on"
	complexityLabel = "complexity"
	priorityLabel   = "priority"
)

var (
	// labelled finds a label at the beginning of a text, of a sentence or cell in
	// it, or in parentheses.
	labelled = regexp.MustCompile(`(?i)(?:^|(\()|[.;,|–—-]\s+)[*_]*(?:(refs?|references?|spec(?:ification)?s?)|(depends on|dependenc(?:y|ies))|(complexity)|(priority))[*_]*\s*:[*_]*`)
	depends  = regexp.MustCompile(`(?i)\((depends on)\s+`)
)

// labels finds the details in a text. Each reaches as far as its parentheses,
// or else to the next one.
func labels(text string) []label {
	if !strings.Contains(text, ":") && !strings.Contains(text, "(") {
		return nil
	}
	text = depends.ReplaceAllString(text, "($1: ")
	found := labelled.FindAllStringSubmatchIndex(text, -1)
	var list []label
	for n, at := range found {
		value := text[at[1]:]
		if n+1 < len(found) {
			value = text[at[1]:found[n+1][0]]
		}
		if at[2] >= 0 {
			value = closed(value)
		}
		list = append(list, label{nameOf(at), strings.Trim(value, " \t.;,|*_`")})
	}
	return list
}

func nameOf(at []int) string {
	for n, name := range []string{refsLabel, dependsLabel, complexityLabel} {
		if at[4+2*n] >= 0 {
			return name
		}
	}
	return priorityLabel
}

// closed is a text up to the parenthesis that was opened before it.
func closed(text string) string {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return text[:i]
		}
	}
	return text
}

// list is a value of several parts.
func (l label) list() []string {
	var list []string
	for part := range strings.FieldsFuncSeq(l.value, func(r rune) bool { return r == ',' || r == ';' }) {
		if part = strings.Trim(part, " \t*_`"); part != "" && !nothing[strings.ToLower(part)] {
			list = append(list, part)
		}
	}
	return list
}

// nothing is what people write where there is nothing to say.
var nothing = map[string]bool{"none": true, "nothing": true, "n/a": true, "na": true, "-": true, "–": true, "—": true, "tbd": true}

// word is the first word of a value, in small letters.
func (l label) word() string {
	word, _, _ := strings.Cut(l.value, " ")
	return strings.ToLower(strings.Trim(word, ".,;:*_`"))
}

var (
	priorityMark = regexp.MustCompile(`(?:^[^\pL\pN]*|[(\[])P([0-9]{1,2})\b`)
	priorityName = regexp.MustCompile(`(?i)\bpriority\s*[:#-]?\s*P?([0-9]{1,3})\b`)
)

// marked is the priority that a text states as P1 at its beginning or in
// brackets, or nil; within a sentence, P1 may be anything.
func marked(text string) *int { return number(priorityMark, text) }

// named is the priority that a text gives by name, or nil.
func named(text string) *int { return number(priorityName, text) }

func number(pattern *regexp.Regexp, text string) *int {
	found := pattern.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return nil
	}
	return &n
}
