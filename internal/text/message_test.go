package text

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	values := map[string]string{"iteration": "3", "run": "build-7", "summary": "uses {run} and $1"}
	tests := []struct{ template, want string }{
		{"loop: iteration {iteration}", "loop: iteration 3"},
		{"{run}/{iteration}{iteration}", "build-7/33"},
		{"{summary}", "uses {run} and $1"},
		{"no names", "no names"},
		{"a lone } or {, and {\n}", "a lone } or {, and {\n}"},
		{"", ""},
	}
	for _, tt := range tests {
		if got, err := Expand(tt.template, values); got != tt.want || err != nil {
			t.Errorf("Expand(%q) = %q, %v, want %q", tt.template, got, err, tt.want)
		}
	}
	for _, template := range []string{"{Iteration}", "a {} b", "{run} {nope}"} {
		_, err := Expand(template, values)
		if err == nil || !strings.Contains(err.Error(), "is not known, only {iteration} {run} {summary}") {
			t.Errorf("Expand(%q) = %v, want an error with what is known", template, err)
		}
	}
}

func TestTrailersAreTheLastParagraph(t *testing.T) {
	tests := []struct{ name, message, want string }{
		{"after a subject", "subject", "subject\n\nA: 1\nB: 2\n"},
		{"after a subject that looks like one", "loop: iteration 3", "loop: iteration 3\n\nA: 1\nB: 2\n"},
		{"after a text", "subject\n\ntext\n\n", "subject\n\ntext\n\nA: 1\nB: 2\n"},
		{"beside others", "subject\n\nCo-authored-by: X\n", "subject\n\nCo-authored-by: X\nA: 1\nB: 2\n"},
		{"after a text that mentions one", "subject\n\nnote: x\nand more", "subject\n\nnote: x\nand more\n\nA: 1\nB: 2\n"},
	}
	for _, tt := range tests {
		if got := WithTrailers(tt.message, []string{"A: 1", "B: 2"}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := WithTrailers(" subject\n", nil); got != "subject\n" {
		t.Errorf("without trailers: %q", got)
	}
}
