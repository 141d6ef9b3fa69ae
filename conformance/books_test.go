package conformance

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Every row is told or left out, no story names what is no row, and nothing
// that is left out is told all the same.
func TestTheBooksAreInOrder(t *testing.T) {
	books, err := Open(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range books.Check() {
		t.Error(wrong)
	}
}

// shelf is a small set of books: one row of two systems, one of another.
func shelf(stories []Story, leftOut ...LeftOut) Books {
	b := Books{
		Rows: []Row{
			{ID: "LIM-01", Specs: []string{"RD", "T96"}, Text: "no limit"},
			{ID: "HOOK-01", Specs: []string{"FR"}, Text: "hooks"},
		},
		LeftOut: map[string]LeftOut{},
		Stories: stories,
	}
	for _, out := range leftOut {
		b.LeftOut[out.ID] = out
	}
	return b
}

func TestCheck(t *testing.T) {
	limits := Story{Path: "limits", Test: "TestStories/rooda/limits", System: "rooda", Shown: []Shown{{Row: "LIM-01", Line: 1}}}
	hooks := Story{Path: "hooks", Test: "TestScripts/hooks", Shown: []Shown{{Row: "HOOK-01", Line: 1}}}
	later := LeftOut{ID: "HOOK-01", Kind: Later, Why: "soon"}
	broken := LeftOut{ID: "HOOK-01", Kind: Broken, Why: "oh"}
	tests := []struct {
		name  string
		books Books
		want  []string
	}{
		{"every row is told", shelf([]Story{limits, hooks}), nil},
		{"one is told and the other left out", shelf([]Story{limits}, later), nil},
		{"a row is forgotten", shelf([]Story{limits}), []string{"HOOK-01 has no story and is not left out: hooks"}},
		{"a row is told and left out", shelf([]Story{limits, hooks}, later), []string{"HOOK-01 is left out, but hooks tells of it"}},
		{
			"too many are apart", shelf([]Story{limits}, LeftOut{ID: "HOOK-01", Kind: Apart, Why: "no"}),
			[]string{"1 of 2 rows are apart, and that must be less than 3 of 100"},
		},
		{"a broken row needs its story", shelf([]Story{limits}, broken), []string{"HOOK-01 is called broken, and no story shows it"}},
		{"a broken row with its story", shelf([]Story{limits, hooks}, broken), nil},
		{
			"what is left out is a row", shelf([]Story{limits, hooks}, LeftOut{ID: "API-01", Kind: Later, Why: "soon"}),
			[]string{"left-out.txt: API-01 is no row"},
		},
		{
			"a story names what is no row", shelf([]Story{limits, {Path: "x", Shown: []Shown{{Row: "HOOK-01", Line: 1}, {Row: "HOOK-99", Line: 1}}}}),
			[]string{"x:1: HOOK-99 is no row"},
		},
		{
			"a story names what its system does not ask for", shelf([]Story{limits, {Path: "x", System: "rooda", Shown: []Shown{{Row: "HOOK-01", Line: 1}}}}),
			[]string{"x:1: HOOK-01 is nothing that rooda asks for"},
		},
		{
			"a story names another spec than the row's", shelf([]Story{limits, hooks, {Path: "x", Shown: []Shown{{Row: "LIM-01", Spec: "DE", Line: 3}, {Row: "LIM-01", Spec: "T96", Line: 5}}}}),
			[]string{"x:3: LIM-01 is no row of DE"},
		},
		{"a story of a system names a row", shelf([]Story{limits, hooks, {Path: "x", System: "rooda"}}), []string{"x names no row"}},
		{"a story names them wrongly", shelf([]Story{limits, hooks, {Path: "x", Wrong: []string{"7: oh"}}}), []string{"x:7: oh"}},
		{"one of the command line need not", shelf([]Story{limits, hooks, {Path: "x"}}), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.books.Check(); !slices.Equal(got, tt.want) {
				t.Errorf("Check() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	var b strings.Builder
	shelf([]Story{
		{Path: "x", Test: "TestScripts/x", Shown: []Shown{{Row: "HOOK-01", Line: 4}, {Row: "LIM-01", Line: 9}, {Row: "HOOK-01", Line: 20, Last: 24}}},
		{Path: "y", Test: "TestScripts/y", Shown: []Shown{{Row: "LIM-01", Line: 1}}},
	}).Places(&b)
	want := "LIM-01   x:9 TestScripts/x\nLIM-01   y:1 TestScripts/y\nHOOK-01  x:4 TestScripts/x\nHOOK-01  x:20-24 TestScripts/x\n"
	if got := b.String(); got != want {
		t.Errorf("Places() wrote\n%s\nwant\n%s", got, want)
	}
}
