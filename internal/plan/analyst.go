package plan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/text"
)

// ParseSpec finds the requirements in a markdown text: boxes, sentences with a
// word of RFC 2119, and the headings below which there is neither of them.
// Code, comments and quotes ask for nothing.
func ParseSpec(path string, text []byte) Spec {
	a := analyst{spec: Spec{Path: path, places: map[string]int{}}, slugs: map[string]int{}}
	tell(string(text), &a)
	a.flush()
	a.finish()
	return a.spec
}

// analyst makes requirements of what a spec says.
type analyst struct {
	spec   Spec
	within []int          // the indices of the headings around the current line
	slugs  map[string]int // how many headings have each anchor

	// The open paragraph.
	line  int
	lines []string
	boxed bool
}

func (a *analyst) heading(line, level int, text string) {
	if line == a.line { // what looked like a paragraph was underlined
		a.lines = nil
	}
	a.flush()
	if a.spec.Title == "" {
		a.spec.Title = text
	}
	for len(a.within) > 0 && a.spec.headings[a.within[len(a.within)-1]].level >= level {
		a.within = a.within[:len(a.within)-1]
	}
	n := len(a.spec.headings)
	a.within = append(slices.Clip(a.within), n)
	h := specHeading{level: level, line: line, text: text, within: a.within}
	if found := chapterNumber().FindStringSubmatch(text); found != nil {
		h.id = found[1]
		a.place("§"+h.id, n)
		a.place("§"+slug(found[2]), n)
	} else {
		h.id = idIn(text, headingID())
	}
	a.spec.headings = append(a.spec.headings, h)
	a.anchor(text, n)
}

// anchor gives a heading the anchor that forges make of it: the second of the
// same name has a number.
func (a *analyst) anchor(text string, n int) {
	name := slug(linkTarget().ReplaceAllString(text, "]"))
	if count := a.slugs[name]; count > 0 {
		a.place(fmt.Sprintf("#%s-%d", name, count), n)
	} else {
		a.place("#"+name, n)
	}
	a.slugs[name]++
}

func (a *analyst) place(name string, heading int) {
	if _, taken := a.spec.places[name]; !taken {
		a.spec.places[name] = heading
	}
}

func (a *analyst) item(line, _ int, text string) {
	a.flush()
	_, after, ok := boxed(text)
	if ok {
		text = after
	}
	a.line, a.lines, a.boxed = line, []string{comments().ReplaceAllString(text, "")}, ok
}

func (a *analyst) text(line, _ int, text string, begins bool) {
	for _, found := range htmlAnchor().FindAllStringSubmatch(text, -1) {
		if len(a.within) > 0 {
			a.place("#"+strings.ToLower(found[1]), a.within[len(a.within)-1])
		}
	}
	text = comments().ReplaceAllString(text, "")
	if begins || strings.HasPrefix(text, "|") { // a row of a table stands for itself
		a.flush()
		a.line = line
	}
	a.lines = append(a.lines, text)
}

// flush takes the requirements out of the paragraph that has ended.
func (a *analyst) flush() {
	line, text := a.line, strings.Join(a.lines, "\n")
	boxed := a.boxed
	a.line, a.lines, a.boxed = 0, nil, false
	if boxed {
		a.require(line, text, cmp.Or(levelOf(text), Box))
		return
	}
	for text != "" {
		one, rest := sentence(text)
		if level := levelOf(one); level != "" {
			blank := len(one) - len(strings.TrimLeft(one, " \t\n"))
			a.require(line+strings.Count(one[:blank], "\n"), one, level)
		}
		line += strings.Count(one, "\n")
		text = rest
	}
}

func (a *analyst) require(line int, text string, level Level) {
	text = strings.Trim(fold(text), " |")
	if text == "" {
		return
	}
	a.spec.Requirements = append(a.spec.Requirements, Requirement{
		ID: idIn(text, leadingID()), Text: text, Level: level, Line: line, within: a.within,
	})
}

// finish adds the headings that ask for something by themselves. The title does
// not: it is what the whole spec is about.
func (a *analyst) finish() {
	a.spec.Title = cmp.Or(a.spec.Title, a.spec.Name())
	if a.spec.Index() {
		a.spec.Requirements = nil
		return
	}
	more := map[int]bool{} // the headings with something below them that is stated more exactly
	for n, h := range a.spec.headings {
		for _, around := range h.within {
			more[around] = more[around] || around != n
		}
	}
	for _, r := range a.spec.Requirements {
		for _, around := range r.within {
			more[around] = true
		}
	}
	for n, h := range a.spec.headings {
		if title := n == 0 && h.level == 1; title || more[n] && levelOf(h.text) == "" || h.text == "" {
			continue
		}
		a.spec.Requirements = append(a.spec.Requirements, Requirement{
			ID: h.id, Text: h.text, Level: cmp.Or(levelOf(h.text), Heading), Line: h.line, within: h.within,
		})
	}
	slices.SortStableFunc(a.spec.Requirements, func(x, y Requirement) int { return x.Line - y.Line })
}

var (
	must   = text.NewPattern(`\b(?:MUST|SHALL|REQUIRED)\b`)
	should = text.NewPattern(`\b(?:SHOULD|RECOMMENDED)\b`)
	may    = text.NewPattern(`\b(?:MAY|OPTIONAL)\b`)
	legend = text.NewPattern(`\b(?:RFC ?(?:2119|8174)|BCP ?14)\b`) // explains the words, and asks for nothing
)

// levelOf is the strongest word of a sentence, or nothing.
func levelOf(text string) Level {
	text = codeSpan().ReplaceAllString(text, " ")
	switch {
	case legend().MatchString(text):
		return ""
	case must().MatchString(text):
		return Must
	case should().MatchString(text):
		return Should
	case may().MatchString(text):
		return May
	}
	return ""
}

// The repetitions are bounded, so that a text of full stops is not read over
// and over.
var sentenceEnd = text.NewPattern(`([.!?][)"'*_]{0,4})\s{1,4}[^\pL]{0,8}\p{Lu}`)

// sentence cuts the first sentence off a text.
func sentence(text string) (one, rest string) {
	at := sentenceEnd().FindStringSubmatchIndex(text)
	if at == nil {
		return text, ""
	}
	return text[:at[3]], text[at[3]:]
}

var (
	chapterNumber = text.NewPattern(`^([0-9]+(?:\.[0-9]+)*)[.):]?\s+(\S.*)`)
	headingID     = text.NewPattern("^[\\[(*_`]*((?:[A-Z][A-Z0-9]*-)+[0-9]+[a-z]?)\\b|^[\\[(*_`]*([A-Z]{1,4}[0-9]{1,4})[\\])*_`]*[:.|]")
	leadingID     = text.NewPattern("^[\\[(*_`]*((?:[A-Z][A-Z0-9]*-)+[0-9]+[a-z]?|[A-Z]{1,4}[0-9]{1,4})(?:[\\])*_`]*\\s*[:|]|[\\])*_`]+|\\.\\s)")
	linkTarget    = text.NewPattern(`\]\([^()]*\)`)
	htmlAnchor    = text.NewPattern(`<[a-zA-Z]+\s[^>]*\b(?:id|name)\s*=\s*["']?([^"'\s>]+)`)
)

// idIn is the ID that a text begins with, or nothing. In a sentence it is set
// off, for "UTF-8 is used" begins with none.
func idIn(text string, pattern *regexp.Regexp) string {
	found := pattern.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return strings.Join(found[1:], "")
}

// slug is the anchor that forges give to a heading.
func slug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
