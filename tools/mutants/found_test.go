package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	of := func(row string) mutant { return mutant{row: row, file: "f.go", what: "it is wrong"} }
	blind := of("A-03")
	blind.unseen = "no story has a clock"
	found := []finding{
		{mutant: of("A-01"), Seen: true, By: "x.txtar:3"},
		{mutant: of("A-02")},
		{mutant: blind},
		{mutant: of("A-04"), By: "x.txtar:9"},
		{mutant: of("A-05"), Hung: true},
	}
	var b strings.Builder
	report(&b, found)
	want := `
Not noticed:
  A-02      f.go: it is wrong
            every story is green: one is missing
  A-03      f.go: it is wrong
            no story has a clock
  A-04      f.go: it is wrong
            only x.txtar:9 is red, and does not show this row: a line that does is missing
  A-05      f.go: it is wrong
            a story hangs, and says nothing: it should end, and say what is wrong

5 tried, 1 noticed (20.0 %)
`
	if got := b.String(); got != want {
		t.Errorf("the report is\n%s\nwant\n%s", got, want)
	}
}

func TestPassed(t *testing.T) {
	var found []finding
	for range 19 {
		found = append(found, finding{Seen: true})
	}
	if one := append(found, finding{}); !passed(one) {
		t.Error("95 of 100 are not enough")
	}
	if two := append(found, finding{}, finding{}); passed(two) {
		t.Error("90 of 100 are enough")
	}
	if none := append(found, finding{NoProgram: true}); passed(none) {
		t.Error("one that does not compile is let through")
	}
}

func TestTheBookGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "found.out")
	for _, goOn := range []bool{false, true} {
		b, err := openBook(path, goOn)
		if err != nil {
			t.Fatal(err)
		}
		if b.has("1") != goOn {
			t.Errorf("goes on: %v, and has what was noted: %v", goOn, b.has("1"))
		}
		if err := b.note(finding{Key: "1", Seen: true, By: "x.txtar:3"}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := openBook(path, true)
	if err != nil || !b.found["1"].Seen || b.found["1"].By != "x.txtar:3" {
		t.Errorf("the book has %+v, %v", b, err)
	}
	if b, err = openBook(path, false); err != nil || b.has("1") {
		t.Errorf("a new book has %+v, %v", b, err)
	}
}
