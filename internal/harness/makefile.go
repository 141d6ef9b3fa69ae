package harness

import (
	"path"
	"slices"
	"strings"
)

// stanza is a piece of a makefile: a rule with its recipe, a variable, or
// another line.
type stanza struct {
	text    string   // as it is written
	targets []string // of a rule
	needs   []string // what it depends on
	recipe  []string // its lines
	name    string   // of a variable
	op      string   // what is between the name and the value
	value   string   // of a variable
}

func (s stanza) rule() bool { return len(s.targets) > 0 }

// like tells whether two stanzas say the same, but for comments and empty lines.
func (s stanza) like(other stanza) bool { return s.bare() == other.bare() }

func (s stanza) bare() string {
	var b strings.Builder
	for line := range strings.Lines(s.text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line != "" && line[0] != '#' {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// stanzas cuts a makefile into its pieces.
func stanzas(text string) []stanza {
	var all []stanza
	start, at := 0, 0 // of the stanza, and of the line
	for at < len(text) {
		line := longLine(text[at:])
		s, isNew := readStanza(line)
		switch n := len(all); {
		case n > 0 && (!isNew || line[0] == '\t' && all[n-1].rule()):
			all[n-1].text = text[start : at+len(line)]
			if bare := oneLine(line); isNew {
				all[n-1].recipe = append(all[n-1].recipe, bare)
			}
		case isNew:
			start = at
			all = append(all, s)
		}
		at += len(line)
	}
	return all
}

// longLine is the first line of a text, with those in which it goes on.
func longLine(text string) string {
	end := 0
	for line := range strings.Lines(text) {
		end += len(line)
		if !strings.HasSuffix(strings.TrimRight(line, "\r\n"), "\\") {
			break
		}
	}
	return text[:end]
}

func oneLine(line string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(line, "\\\r\n", " "), "\\\n", " "))
}

// readStanza reads the first line of a stanza. It gives false for a comment and
// an empty line.
func readStanza(line string) (stanza, bool) {
	bare := oneLine(line)
	if bare == "" || bare[0] == '#' {
		return stanza{}, false
	}
	s := stanza{text: line}
	if name, op, value, ok := assignment(bare); ok {
		s.name, s.op, s.value = name, op, value
	} else if targets, rest, ok := cutRule(bare); ok {
		s.targets = strings.Fields(targets)
		needs, recipe, found := strings.Cut(rest, ";")
		s.needs = strings.Fields(strings.TrimPrefix(needs, ":"))
		if found {
			s.recipe = []string{strings.TrimSpace(recipe)}
		}
	}
	return s, true
}

// assignment knows "NAME = value" in all its forms.
func assignment(line string) (name, op, value string, ok bool) {
	i := strings.IndexByte(line, '=')
	if i <= 0 {
		return
	}
	left := strings.TrimRight(line[:i], ":+?!")
	name = strings.TrimSpace(left)
	if name == "" || strings.ContainsAny(name, " \t:#$()") {
		return
	}
	return name, strings.TrimSpace(line[len(left) : i+1]), strings.TrimSpace(line[i+1:]), true
}

// cutRule cuts "targets: needs" at the colon that is not within $(…).
func cutRule(line string) (targets, rest string, ok bool) {
	depth := 0
	for i, ch := range line {
		switch {
		case ch == '(' || ch == '{':
			depth++
		case ch == ')' || ch == '}':
			depth--
		case ch == ':' && depth <= 0:
			return line[:i], line[i+1:], strings.TrimSpace(line[:i]) != ""
		}
	}
	return
}

// blendMake blends a makefile. What the product is made of is honest work: the
// lists of its sources, and rules for what nobody asked for before. All the rest
// decides. A makefile that is new decides nothing that was decided before.
func blendMake(old, now []byte) ([]byte, bool) {
	if old == nil {
		return now, true
	}
	was, is := stanzas(string(old)), stanzas(string(now))
	known := words(strings.Map(wordsOnly, string(old)))
	there := map[string]bool{}
	for _, s := range was {
		there[s.bare()] = true
	}

	var before, after, lists, extra []stanza
	for _, s := range was {
		if !s.lists() && !s.phony() {
			before = append(before, s)
		}
	}
	for _, s := range is {
		switch {
		case s.lists():
			lists = append(lists, s)
		case s.phony() || !there[s.bare()] && s.adds(was, known):
			extra = append(extra, s)
		default:
			after = append(after, s)
		}
	}
	same := slices.EqualFunc(before, after, stanza.like)

	var b strings.Builder
	write := func(s stanza) {
		b.WriteString(strings.TrimRight(s.text, "\r\n") + "\n")
	}
	placed := map[string]bool{}
	for _, s := range was {
		if !s.lists() {
			write(s)
			continue
		}
		if placed[s.name] {
			continue
		}
		placed[s.name] = true
		for _, l := range lists {
			if l.name == s.name {
				write(l)
			}
		}
	}
	for _, s := range slices.Concat(lists, extra) {
		if s.rule() || !placed[s.name] {
			write(s)
		}
	}
	return []byte(b.String()), same
}

func wordsOnly(r rune) rune {
	if r == '_' || r == '.' || r == '/' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127 {
		return r
	}
	return ' '
}

var (
	listNames = []string{"SRC", "SOURCE", "OBJ", "HEADER", "HDR", "INCLUDES", "DEPS", "LIBS", "VERSION", "MODULES"}
	testNames = []string{"TEST", "CHECK", "SPEC", "SHELL", "LINT"}
)

// lists tells whether a stanza is a variable that lists what the product is made
// of. One that runs something while the makefile is read is none.
func (s stanza) lists() bool {
	name := strings.ToUpper(s.name)
	in := func(part string) bool { return strings.Contains(name, part) }
	return slices.ContainsFunc(listNames, in) && !slices.ContainsFunc(testNames, in) && s.op != "!=" &&
		!strings.Contains(s.value, "$(shell") && !strings.Contains(s.value, "${shell") &&
		!strings.Contains(s.value, "$(eval") && !strings.Contains(s.value, "$(file") && !strings.Contains(s.value, "$(call")
}

func (s stanza) phony() bool { return len(s.targets) == 1 && s.targets[0] == ".PHONY" }

// adds tells whether a stanza is a rule for targets that the makefile, as it was,
// had no word of.
func (s stanza) adds(was []stanza, known set) bool {
	if !s.rule() {
		return false
	}
	for _, target := range s.targets {
		if strings.ContainsAny(target, "%$*?()[]") || strings.HasPrefix(target, ".") || known.has(target) || strings.ContainsAny(target, "./") && Of(target) != Product {
			return false
		}
		if len(s.recipe) > 0 && slices.ContainsFunc(was, func(w stanza) bool { return w.wouldMake(target) }) {
			return false
		}
	}
	return true
}

// wouldMake tells whether a stanza has a pattern for a target.
func (s stanza) wouldMake(target string) bool {
	return slices.ContainsFunc(s.targets, func(pattern string) bool {
		front, back, ok := strings.Cut(pattern, "%")
		return ok && len(target) > len(front)+len(back) && (strings.HasPrefix(target, front) || front == "" || strings.HasPrefix(path.Base(target), front)) && strings.HasSuffix(target, back)
	})
}
