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

func TestPattern(t *testing.T) {
	tests := []string{"TestStories/rooda/ends", "TestScripts/talk", "TestStories/fresher/ends", "TestScripts/bad-agent", "TestRun"}
	for i, want := range []string{
		"^(TestStories)$/^(fresher|rooda)$/^(ends)$",
		"^(TestScripts)$/^(bad-agent|talk)$",
		"^(TestRun)$",
	} {
		if got := packages[i].pattern(tests); got != want {
			t.Errorf("%s: pattern = %s, want %s", packages[i].path, got, want)
		}
	}
	if got := packages[1].pattern(tests[:1]); got != "" {
		t.Errorf("pattern = %s, want none", got)
	}
}

func TestRedAt(t *testing.T) {
	for said, want := range map[string]string{
		"--- FAIL: TestScripts (1s)\n  FAIL: testdata/script/talk.txtar:7: no match\n": "talk.txtar:7",
		"--- FAIL: TestStories\n FAIL: testdata/rooda/ends.txtar:12: exit\n":           "rooda/ends.txtar:12",
		"panic: test timed out after 6m0s\n":                                           "by hanging",
		"--- FAIL: TestRun (0s)\n":                                                     "TestRun",
		"exit status 2\n":                                                              "by dying",
	} {
		if got := redAt(said); got != want {
			t.Errorf("redAt(%q) = %q, want %q", said, got, want)
		}
	}
}
