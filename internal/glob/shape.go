package glob

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// compile is a pattern as a regular expression, which reads text as latin writes
// it.
func compile(pattern string) (*regexp.Regexp, error) {
	shape, err := translate(pattern)
	if err != nil {
		return nil, err
	}
	return regexp.Compile(shape)
}

// translate turns a pattern of git's into a regular expression that takes the
// same paths, in time linear to their length.
func translate(glob string) (string, error) {
	var out strings.Builder
	out.WriteString(`(?s)^`)
	for i := 0; i < len(glob); {
		switch glob[i] {
		case '*':
			shape, next := stars(glob, i)
			out.WriteString(shape)
			i = next
		case '?':
			out.WriteString(`[^/]`)
			i++
		case '[':
			set, next, err := parseSet(glob, i+1)
			if err != nil {
				return "", err
			}
			out.WriteString(set.String())
			i = next
		case '\\':
			if i++; i == len(glob) {
				return "", errors.New(`nothing follows the last \`)
			}
			fallthrough
		default:
			out.WriteString(regexp.QuoteMeta(latin(glob[i : i+1])))
			i++
		}
	}
	out.WriteString(`$`)
	return out.String(), nil
}

// stars reads the stars at i. Two that stand between slashes, or where the
// pattern begins or ends, are any number of folders; all others stay in one.
func stars(glob string, i int) (shape string, next int) {
	next = i
	for next < len(glob) && glob[next] == '*' {
		next++
	}
	bounded := next-i > 1 && (i == 0 || glob[i-1] == '/')
	switch {
	case bounded && next == len(glob):
		return `.*`, next
	case bounded && glob[next] == '/':
		return `(?:.*/)?`, next + 1
	}
	return `[^/]*`, next
}

// set is the bytes that a pattern in brackets stands for.
type set [256]bool

func (s *set) add(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		s[c] = true
	}
}

// String is the set as a regular expression.
func (s *set) String() string {
	var out strings.Builder
	for c, in := range s {
		if in {
			fmt.Fprintf(&out, `\x{%02x}`, c)
		}
	}
	return `[` + out.String() + `]`
}

var errOpen = errors.New("a bracket is not closed: write \\[ for the sign itself")

// parseSet reads what follows an opening bracket at i, and gives where it ends.
// It never matches a slash.
func parseSet(glob string, i int) (*set, int, error) {
	var s set
	negated := i < len(glob) && (glob[i] == '!' || glob[i] == '^')
	if negated {
		i++
	}
	for first := i; ; {
		switch {
		case i >= len(glob):
			return nil, 0, errOpen
		case glob[i] == ']' && i > first:
			s.finish(negated)
			if s == (set{}) {
				return nil, 0, errors.New("a bracket that matches nothing")
			}
			return &s, i + 1, nil
		}
		if name, ok := class(glob[i:]); ok {
			if err := s.addClass(name); err != nil {
				return nil, 0, err
			}
			i += len("[::]") + len(name)
			continue
		}
		var from, to byte
		var ok bool
		if from, i, ok = member(glob, i); !ok {
			return nil, 0, errOpen
		}
		s[from] = true
		// A minus at the end is one of the set.
		if i+1 < len(glob) && glob[i] == '-' && glob[i+1] != ']' {
			if to, i, ok = member(glob, i+1); !ok {
				return nil, 0, errOpen
			}
			s.add(from, to)
		}
	}
}

func (s *set) finish(negated bool) {
	for c := range s {
		s[c] = s[c] != negated
	}
	s['/'] = false
	s[0] = false // no path has it
}

// member reads one byte of a set, which a backslash may stand before.
func member(glob string, i int) (c byte, next int, ok bool) {
	if glob[i] == '\\' {
		i++
	}
	if i >= len(glob) {
		return 0, 0, false
	}
	return glob[i], i + 1, true
}

// class finds the name in [:name:] at the beginning of text. What looks like
// one and does not end like one is a set of plain signs.
func class(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "[:")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, "]")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, ":")
}

// classes are those that git knows.
var classes = map[string]string{
	"alnum": "09AZaz", "alpha": "AZaz", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09", "graph": "!~",
	"lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\n\r\r  ", "upper": "AZ", "xdigit": "09AFaf",
}

func (s *set) addClass(name string) error {
	ranges, ok := classes[name]
	if !ok {
		return fmt.Errorf("there is no character class [:%s:]", name)
	}
	for i := 0; i < len(ranges); i += 2 {
		s.add(ranges[i], ranges[i+1])
	}
	return nil
}
