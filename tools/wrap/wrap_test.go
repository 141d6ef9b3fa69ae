package main

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 30) + "end"
	a, b := strings.TrimSpace(strings.Repeat("word ", 20)), strings.TrimSpace(strings.Repeat("word ", 10)+"end")
	for name, tt := range map[string]struct{ in, want string }{
		"a paragraph":             {long + "\n\nnext\n", a + "\n" + b + "\n\nnext\n"},
		"one that fits":           {"short\nlines\nstay\n", "short\nlines\nstay\n"},
		"a table":                 {"| " + long + " |\n", "| " + long + " |\n"},
		"code":                    {"```\n" + long + "\n```\n", "```\n" + long + "\n```\n"},
		"code by its indentation": {"text\n\n    " + long + "\n", "text\n\n    " + long + "\n"},
		"a heading":               {"# " + long + "\n", "# " + long + "\n"},
		"a list item":             {"- " + strings.Repeat("x ", 60) + "end\n- two\n", "- " + strings.TrimSpace(strings.Repeat("x ", 49)) + "\n  " + strings.Repeat("x ", 11) + "end\n- two\n"},
		"a code span is one word": {strings.Repeat("y", 90) + " `one two three`\n", strings.Repeat("y", 90) + "\n`one two three`\n"},
		"no mark begins a line":   {strings.Repeat("y", 100) + " - z\n", strings.Repeat("y", 100) + " -\nz\n"},
		"line ends that are hard": {long + "  \nnext\n", long + "  \nnext\n"},
	} {
		got := wrap(tt.in)
		if got != tt.want {
			t.Errorf("%s: wrap(%q) =\n%s\nwant\n%s", name, tt.in, got, tt.want)
		}
		if again := wrap(got); again != got {
			t.Errorf("%s: wrapped again it changes:\n%s", name, again)
		}
	}
}
