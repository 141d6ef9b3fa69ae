package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every edit of the table still finds what it breaks, and breaks it for a row.
func TestTheTableFits(t *testing.T) {
	rows := map[string]bool{}
	groups := map[string]bool{}
	text, err := os.ReadFile("../../conformance/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^([A-Z]+)-[0-9]+`).FindAllStringSubmatch(string(text), -1) {
		rows[m[0]], groups[m[1]] = true, true
	}
	for _, m := range table {
		if !rows[m.row] {
			t.Errorf("%s is no row", m.row)
		}
		group, _, _ := strings.Cut(m.row, "-")
		delete(groups, group)
		text, err := os.ReadFile(filepath.Join("../..", m.file))
		if err != nil {
			t.Error(err)
			continue
		}
		broken, err := m.apply(string(text))
		if err != nil {
			t.Error(err)
		} else if broken == string(text) {
			t.Errorf("%s: %s stays as it is", m.row, m.file)
		}
	}
	for group := range groups {
		t.Errorf("nothing is broken of %s", group)
	}
	if len(table) < 60 {
		t.Errorf("only %d places are broken", len(table))
	}
}

func TestApply(t *testing.T) {
	m := mutant{row: "A-01", file: "f", old: "< most", new: "<= most"}
	if got, err := m.apply("if n < most {"); got != "if n <= most {" || err != nil {
		t.Errorf("apply = %q, %v", got, err)
	}
	for _, text := range []string{"if n > most {", "n < most; n < most"} {
		if _, err := m.apply(text); err == nil {
			t.Errorf("apply(%q) is no error", text)
		}
	}
}
