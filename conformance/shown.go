package conformance

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Shown is a place in a story that shows a row: the paragraph below a comment that
// names it, up to the next empty line or comment.
type Shown struct {
	Row  string
	Spec string // that the comment says it is from; empty when it does not say
	Line int    // of the comment
	Last int    // of the paragraph; 0 for a test of the library, which shows it as a whole
}

// lines are the number of the first, or of the first and the last.
func (s Shown) lines() string {
	if s.Last == 0 {
		return strconv.Itoa(s.Line)
	}
	return fmt.Sprintf("%d-%d", s.Line, s.Last)
}

// mostRows is how many rows one paragraph can show. Nobody can say of more than
// these which line is for which.
const mostRows = 3

// A comment names rows at the beginning of a line, after the spec that they are
// from, perhaps, and before what it says of them: "# RD: FAIL-01 FAIL-02",
// "# EMIT-12: the page is told".
var (
	namesRows = regexp.MustCompile(`^(?:([A-Z0-9]+): )?([A-Z]+-[A-Z]?[0-9]+(?: [A-Z]+-[A-Z]?[0-9]+)*)(?:: \S.*)?$`)
	meansTo   = regexp.MustCompile(`^(T96|T97|RD|FR|DE):`)
)

// elsewhere are the first letters of ids that are no rows: contradictions
// between the systems and how they are settled (X), mistakes in them (W) and
// wishes of their other pages (S).
var elsewhere = []string{"X", "W", "S"}

var isEnd = regexp.MustCompile(`^(?:stop|skip)(?: |$)`)

// shown gives the rows that a script shows and where, but for the files that it
// brings along; and what is wrong with how it names them.
func shown(script string) (all []Shown, wrong []string) {
	script, _, _ = strings.Cut("\n"+script, "\n-- ")
	lines := strings.Split(strings.TrimPrefix(script, "\n"), "\n")
	if end := slices.IndexFunc(lines, isEnd.MatchString); end >= 0 {
		lines = lines[:end] // what is below is never read
	}
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "#") {
			continue
		}
		first := i
		var rows []Shown
		for ; i < len(lines) && strings.HasPrefix(lines[i], "#"); i++ {
			these, err := named(strings.TrimPrefix(lines[i], "# "))
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%d: %v", i+1, err))
			}
			rows = append(rows, these...)
		}
		last := i
		for last < len(lines) && lines[last] != "" && !strings.HasPrefix(lines[last], "#") {
			last++
		}
		switch {
		case len(rows) > mostRows:
			wrong = append(wrong, fmt.Sprintf("%d: %d rows for one paragraph, and %d is the most: %s", first+1, len(rows), mostRows, ids(rows)))
		case len(rows) > 0 && !slices.ContainsFunc(lines[i:last], expects):
			wrong = append(wrong, fmt.Sprintf("%d: nothing below can fail to show %s", first+1, ids(rows)))
		}
		for _, row := range rows {
			row.Line, row.Last = first+1, last
			all = append(all, row)
		}
		i = last - 1
	}
	return all, wrong
}

func ids(rows []Shown) string {
	var list []string
	for _, row := range rows {
		list = append(list, row.Row)
	}
	return strings.Join(list, " ")
}

// named gives the rows that a line of a comment begins with.
func named(comment string) ([]Shown, error) {
	part := namesRows.FindStringSubmatch(comment)
	switch {
	case part == nil && meansTo.MatchString(comment):
		return nil, fmt.Errorf("names no rows: %s", comment)
	case part == nil:
		return nil, nil
	case part[1] != "" && specs[part[1]] == "":
		return nil, fmt.Errorf("no spec is called %s: %s", part[1], comment)
	}
	var rows []Shown
	for id := range strings.FieldsSeq(part[2]) {
		if family, _, _ := strings.Cut(id, "-"); !slices.Contains(elsewhere, family) {
			rows = append(rows, Shown{Row: id, Spec: part[1]})
		}
	}
	return rows, nil
}

// What a line of a script expects. That a command of ours ends well is no more
// than a beginning: who means the exit status says "exits 0". That something is
// not there shows nothing alone, since a program that does nothing would do; nor
// does a line under a condition, which may never be read, or any text at all.
var (
	expectation = regexp.MustCompile(`^(?:stdout|stderr|ttyout|grep|cmp|cmpenv|exists|exits|refuses|tells|ended|gone) |^! exec .*[^&]$|^exec (?:test|grep|cmp|diff|sh -c '(?:test|! ?grep|grep|cmp|diff)) `)
	anything    = regexp.MustCompile(`^(?:stdout|stderr|ttyout|grep) (?:'' *|'?\.[*+]?'?)(?: |$)`)
)

func expects(line string) bool {
	return expectation.MatchString(line) && !anything.MatchString(line)
}

// A test of the library shows the rows that its comment names, as a script does.
var test = regexp.MustCompile(`^func ((?:Test|Example)\w*)\(`)

// libraryStories are the tests in the root of the repository that name rows.
func libraryStories(repository fs.FS) ([]Story, error) {
	paths, err := fs.Glob(repository, "*_test.go")
	if err != nil {
		return nil, err
	}
	var list []Story
	for _, p := range paths {
		text, err := fs.ReadFile(repository, p)
		if err != nil {
			return nil, err
		}
		var rows []Shown
		for n, line := range strings.Split(string(text), "\n") {
			if comment, is := strings.CutPrefix(line, "// "); is {
				these, err := named(comment)
				if err != nil {
					return nil, fmt.Errorf("%s:%d: %w", p, n+1, err)
				}
				for _, row := range these {
					row.Line = n + 1
					rows = append(rows, row)
				}
				continue
			}
			part := test.FindStringSubmatch(line)
			if part != nil && len(rows) > 0 {
				list = append(list, Story{Path: p, Test: part[1], Shown: rows})
			}
			if part == nil && len(rows) > 0 {
				return nil, fmt.Errorf("%s:%d: the comment names rows, and no test follows", p, n)
			}
			rows = nil
		}
	}
	return list, nil
}
