// Package conformance holds Refrain against the four systems that it takes up:
// tachikoma, rooda, fresher and descartes.
//
// What they ask for is in rows.txt, a line each. A story is a script that does
// what a person would do and names the rows that it shows; the stories here are
// told per system, and those of the command line count as well. A row without a
// story is in left-out.txt with the reason, so that nothing is forgotten and
// nothing is claimed: the scoreboard counts a row only if a story that names it
// has passed.
package conformance

import (
	"bufio"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Systems are the four, in the order of the table.
var Systems = []string{"tachikoma", "rooda", "fresher", "descartes"}

// specs are the pages that the rows were taken from, and whose they are.
var specs = map[string]string{
	"T96": "tachikoma", // the loop runner
	"T97": "tachikoma", // one iteration
	"RD":  "rooda",
	"FR":  "fresher",
	"DE":  "descartes",
}

// Row is one thing that a system asks for.
type Row struct {
	ID    string
	Specs []string
	Text  string
}

// Of tells whether the system is one of those that ask for it.
func (r Row) Of(system string) bool {
	return slices.ContainsFunc(r.Specs, func(spec string) bool { return specs[spec] == system })
}

// Kind is why a row has no story.
type Kind string

// The kinds.
const (
	Later  Kind = "later"  // Refrain does not do it yet
	Apart  Kind = "apart"  // no story can show it, or Refrain does not want it
	Broken Kind = "broken" // Refrain does it wrongly
)

// Kinds are in the order of the table.
var Kinds = []Kind{Later, Apart, Broken}

// LeftOut is a row without a story.
type LeftOut struct {
	ID   string
	Kind Kind
	Why  string
}

//go:embed rows.txt
var rowsText string

//go:embed left-out.txt
var leftOutText string

// Rows reads the list of rows.
func Rows() ([]Row, error) {
	var rows []Row
	err := eachLine("rows.txt", rowsText, rowLine, func(part []string) error {
		row := Row{ID: part[1], Specs: strings.Split(part[2], ","), Text: part[3]}
		if slices.ContainsFunc(rows, func(r Row) bool { return r.ID == row.ID }) {
			return fmt.Errorf("%s is there twice", row.ID)
		}
		for _, spec := range row.Specs {
			if specs[spec] == "" {
				return fmt.Errorf("%s has no spec %q", row.ID, spec)
			}
		}
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// LeftOuts reads the list of rows without a story.
func LeftOuts() ([]LeftOut, error) {
	var list []LeftOut
	err := eachLine("left-out.txt", leftOutText, leftOutLine, func(part []string) error {
		list = append(list, LeftOut{ID: part[1], Kind: Kind(part[2]), Why: part[3]})
		return nil
	})
	return list, err
}

var (
	rowLine     = regexp.MustCompile(`^([A-Z]+-[0-9]+) +([A-Z0-9,]+) +(\S.*)$`)
	leftOutLine = regexp.MustCompile(`^([A-Z]+-[0-9]+) +(later|apart|broken): +(\S.*)$`)
)

// eachLine takes a list apart. Empty lines and those with a # are for people.
func eachLine(name, text string, form *regexp.Regexp, take func(part []string) error) error {
	scan := bufio.NewScanner(strings.NewReader(text))
	for n := 1; scan.Scan(); n++ {
		if line := scan.Text(); line != "" && !strings.HasPrefix(line, "#") {
			part := form.FindStringSubmatch(line)
			if part == nil {
				return fmt.Errorf("%s:%d: not a line of this list: %s", name, n, line)
			}
			if err := take(part); err != nil {
				return fmt.Errorf("%s:%d: %w", name, n, err)
			}
		}
	}
	return scan.Err()
}
