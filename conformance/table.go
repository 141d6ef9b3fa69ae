package conformance

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Score is what the results make of the books.
type Score struct {
	Books
	results Results
}

// Score adds up which rows have a story that passed.
func (b Books) Score(r Results) Score { return Score{Books: b, results: r} }

// Wrong says why the suite as a whole has failed; nothing is that it has not.
func (s Score) Wrong() []string {
	wrong := s.Check()
	for _, story := range s.Stories {
		switch s.results[story.Test] {
		case "fail":
			wrong = append(wrong, fmt.Sprintf("%s failed", story.Path))
		case "":
			wrong = append(wrong, fmt.Sprintf("%s was not told", story.Path))
		}
	}
	for _, row := range s.Rows {
		out, left := s.LeftOut[row.ID]
		switch told := s.tellers(row.ID); {
		case left && out.Kind == Broken && s.covered(row):
			wrong = append(wrong, fmt.Sprintf("%s is called broken, but its story passes", row.ID))
		case !left && len(told) > 0 && !s.covered(row):
			wrong = append(wrong, fmt.Sprintf("%s has no story that passed: %s", row.ID, row.Text))
		}
	}
	return wrong
}

// covered tells whether a story that names the row has passed.
func (s Score) covered(row Row) bool {
	return slices.ContainsFunc(s.tellers(row.ID), func(story Story) bool { return s.results[story.Test] == "pass" })
}

// Print writes the table, and below it the rows that are left out, with their
// reasons, and those that are missing.
func (s Score) Print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\trows\tcovered\t")
	for _, kind := range Kinds {
		fmt.Fprintf(table, "%s\t", kind)
	}
	fmt.Fprint(table, "missing\tshare\t\n")
	for _, system := range Systems {
		s.line(table, system, func(r Row) bool { return r.Of(system) })
	}
	s.line(table, "all", func(Row) bool { return true })
	_ = table.Flush() // who reads the table has gone away

	for _, kind := range Kinds {
		s.list(w, kind)
	}
}

func (s Score) line(w io.Writer, name string, of func(Row) bool) {
	rows, covered, missing := 0, 0, 0
	left := map[Kind]int{}
	for _, row := range s.Rows {
		if !of(row) {
			continue
		}
		rows++
		out, isLeft := s.LeftOut[row.ID]
		switch {
		case isLeft:
			left[out.Kind]++
		case s.covered(row):
			covered++
		default:
			missing++
		}
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t", name, rows, covered)
	for _, kind := range Kinds {
		fmt.Fprintf(w, "%d\t", left[kind])
	}
	fmt.Fprintf(w, "%d\t%.1f %%\t\n", missing, 100*float64(covered)/float64(max(rows, 1)))
}

func (s Score) list(w io.Writer, kind Kind) {
	title := fmt.Sprintf("\nLeft out, %s:\n", kind)
	for _, row := range s.Rows {
		if out, left := s.LeftOut[row.ID]; left && out.Kind == kind {
			fmt.Fprintf(w, "%s  %-8s  %s → %s\n", title, row.ID, row.Text, out.Why)
			title = ""
		}
	}
}
