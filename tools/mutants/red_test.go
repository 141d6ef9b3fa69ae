package main

import (
	"slices"
	"testing"
)

func TestPatterns(t *testing.T) {
	var places []place
	for _, test := range []string{"TestStories/rooda/ends", "TestScripts/talk", "TestStories/fresher/ends", "TestStories/rooda/ends", "TestStories/rooda/a.b", "TestScripts/bad-agent", "TestRun", "ExampleRun"} {
		places = append(places, place{test: test})
	}
	for i, want := range [][]string{
		{`^TestStories$/^rooda$/^(ends|a\.b)$`, `^TestStories$/^fresher$/^(ends)$`},
		{`^TestScripts$/^(talk|bad-agent)$`},
		{`^(TestRun|ExampleRun)$`},
	} {
		if got := packages[i].patterns(places); !slices.Equal(got, want) {
			t.Errorf("%s: patterns = %q, want %q", packages[i].dir, got, want)
		}
	}
	if got := packages[1].patterns(places[:1]); got != nil {
		t.Errorf("patterns = %q, want none", got)
	}
}

func TestReadRed(t *testing.T) {
	for _, tt := range []struct {
		pkg        int
		said, want string
	}{
		{1, "--- FAIL: TestScripts (1s)\n    > stdout x\n    FAIL: testdata/script/talk.txtar:7: no match\n", "talk.txtar:7"},
		{0, " FAIL: testdata/rooda/ends.txtar:12: exit\n FAIL: testdata/rooda/ends.txtar:15: no match\n", "rooda/ends.txtar:12, rooda/ends.txtar:15"},
		{0, " FAIL: testdata/rooda/ends.txtar:12: test timed out while running command\n", "a story hangs"},
		{1, "panic: test timed out after 4m0s\n", "a story hangs"},
		{2, "--- FAIL: TestRun (0s)\n    --- FAIL: TestRun/twice (0s)\n", "TestRun"},
		{2, "exit status 2\n", "the test program itself"},
	} {
		if got := packages[tt.pkg].readRed(tt.said).String(); got != tt.want {
			t.Errorf("readRed(%q) = %q, want %q", tt.said, got, tt.want)
		}
	}
}

// A row is noticed by the lines that show it, and not by its neighbours.
func TestWithin(t *testing.T) {
	shown, err := readPlaces("FAIL-01  conformance/testdata/rooda/ends.txtar:10-14 TestStories/rooda/ends\nAPI-14   own_test.go:30 TestOwn\n")
	if err != nil {
		t.Fatal(err)
	}
	const ends = "conformance/testdata/rooda/ends.txtar"
	for _, tt := range []struct {
		row  string
		line redLine
		want string
	}{
		{"FAIL-01", redLine{file: ends, line: 12}, "rooda/ends.txtar:12"},
		{"FAIL-01", redLine{file: ends, line: 14}, "rooda/ends.txtar:14"},
		{"FAIL-01", redLine{file: ends, line: 15}, ""},
		{"FAIL-01", redLine{file: ends, line: 9}, ""},
		{"FAIL-01", redLine{file: "conformance/testdata/fresher/ends.txtar", line: 12}, ""},
		{"FAIL-01", redLine{test: "TestOwn"}, ""},
		{"API-14", redLine{test: "TestOwn"}, "TestOwn"},
		{"API-14", redLine{test: "the test program itself"}, ""},
	} {
		if got := (redness{lines: []redLine{tt.line}}).within(shown[tt.row]); got != tt.want {
			t.Errorf("%s: %v is within %q, want %q", tt.row, tt.line, got, tt.want)
		}
	}
	if _, err := readPlaces("FAIL-01 somewhere\n"); err == nil {
		t.Error("a line that is no place is no error")
	}
}
