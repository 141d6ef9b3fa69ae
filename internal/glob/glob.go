// Package glob says which paths a pattern of git's means. It knows patterns as in a
// .gitignore file, and finds the files that one path with stars in it names. What
// is done with them is for others to say.
package glob

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Patterns is a list of patterns as in a .gitignore file, which say what they
// match rather than what to ignore. The zero value matches nothing.
type Patterns []pattern

type pattern struct {
	negative bool           // begins with !: what it matches is not meant
	folder   bool           // ends with a slash: matches folders only
	anywhere bool           // has no other slash: matches a name at any depth
	shape    *regexp.Regexp // of the name, or of the path
}

// Parse reads patterns, each as a line of a .gitignore file, but for
// comments and for spaces at the end, which a list in a configuration has no
// need of. A pattern that could never match is an error: it would guard nothing
// and say so to nobody.
func Parse(lines []string) (Patterns, error) {
	var list Patterns
	for _, line := range lines {
		p, err := parsePattern(line)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", line, err)
		}
		list = append(list, p)
	}
	return list, nil
}

func parsePattern(line string) (pattern, error) {
	var p pattern
	line, p.negative = strings.CutPrefix(line, "!")
	line, p.folder = strings.CutSuffix(line, "/")
	p.anywhere = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	for part := range strings.SplitSeq(line, "/") {
		switch part {
		case "":
			return p, fmt.Errorf("a name is missing")
		case ".", "..":
			return p, fmt.Errorf("a path begins at the work tree: leave out %q", part+"/")
		}
	}
	var err error
	p.shape, err = compile(line)
	return p, err
}

// Match tells whether a file is meant, by its path from the root of the
// patterns, with slashes; a path that ends with a slash is a folder's. As in
// git, the last pattern that matches decides, and what is in a folder that is
// meant is meant too, whatever else is said about it.
func (list Patterns) Match(path string) bool {
	path = latin(path)
	for i := range len(path) {
		if path[i] == '/' && list.decide(path[:i], true) {
			return true
		}
	}
	return !strings.HasSuffix(path, "/") && list.decide(path, false)
}

// decide asks the patterns about one path, and not about those above it.
func (list Patterns) decide(path string, folder bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, p := range slices.Backward(list) {
		of := path
		if p.anywhere {
			of = name
		}
		if (folder || !p.folder) && p.shape.MatchString(of) {
			return !p.negative
		}
	}
	return false
}

// latin turns each byte into the character of the same number. A name on disk
// is bytes, and git compares bytes; a regular expression wants characters.
func latin(s string) string {
	if isASCII(s) {
		return s
	}
	wide := make([]rune, len(s))
	for i := range len(s) {
		wide[i] = rune(s[i])
	}
	return string(wide)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
