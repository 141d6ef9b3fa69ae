package main

import (
	"strings"
	"testing"
)

func TestASmallHouse(t *testing.T) {
	h, err := load("testdata/small")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	h.print(&b, true)
	got := b.String()
	for _, want := range []string{
		"source lines                                   46, of which 0 only tests use\n",
		"packages (median lines)                        2 (13)\n",
		"import layers                                  2: (root) → in\n",
		"file: median / p90 / max                       13 / 13 / 30\n",
		"cyclomatic above 10; max                       0.0 %; 5\n",
		"deepest nesting                                2\n",
		"exported names documented                      66.7 %\n", // Wide and Sum, and not Twice
		"direct dependencies                            1\n",
		"helpers used once: called from another file    50.0 % of 4\n", // far and one; near and add
		"functions with the same body in two places     1\n    (root)/small.go Sum = in/in.go add\n",
		"     2 / 2   (root).Wide\n",
		"     2  (root).Wide\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

func TestNoHouse(t *testing.T) {
	if _, err := load(t.TempDir()); err == nil {
		t.Error("an empty folder was read")
	}
}
