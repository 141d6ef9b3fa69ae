package markdown

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMarkdownIsRendered(t *testing.T) {
	for _, tt := range []struct {
		name, said string
		width      int
		want       []string
	}{
		{"a heading has no marks", "## What I do ##", 40, []string{"What I do"}},
		{"words that are set off", "a **bold** and `code` word", 40, []string{"a bold and code word"}},
		{"a list", "- one\n* two\n  - three", 40, []string{"• one", "• two", "  • three"}},
		{"a task", "- [x] one\n- [ ] two", 40, []string{"☑ one", "☐ two"}},
		{"a list goes on below its text", "- one two three four", 12, []string{"• one two", "  three four"}},
		{"numbers stay", "1. one\n2) two", 40, []string{"1. one", "2) two"}},
		{"a quote", "> said", 40, []string{"│ said"}},
		{"code is not touched", "```go\n# a **b**\n- c\n```\nafter", 40, []string{"  # a **b**", "  - c", "after"}},
		{"code that has no end", "```\nx", 40, []string{"  x"}},
		{"a star alone", "2 * 3 * 4, a*b*c and __init__.py", 40, []string{"2 * 3 * 4, a*b*c and __init__.py"}},
		{"a mark without an end", "a **b and `c", 40, []string{"a **b and `c"}},
	} {
		var got []string
		for _, l := range Lay(tt.said, tt.width) {
			got = append(got, l.Text)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	l := Lay("a **bold** word", 40)[0]
	if want := []Span{{"a ", Plain}, {"bold", Strong}, {" word", Plain}}; !slices.Equal(l.Spans, want) {
		t.Errorf("spans %v, want %v", l.Spans, want)
	}
}

// What is set off is the text itself: in pieces it says the same, wherever it breaks.
func TestMarkdownLosesNothing(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "**b c**", "`d`", "日本", "*", "`", "x\u0301", "-", "1.", "  ", "\n", "long words of all kinds", "```", ">", "#"})
	rapid.Check(t, func(t *rapid.T) {
		said := strings.Join(rapid.SliceOfN(word, 0, 20).Draw(t, "said"), " ")
		for _, l := range Lay(said, rapid.IntRange(1, 60).Draw(t, "width")) {
			if l.Spans == nil {
				continue
			}
			var all strings.Builder
			for _, s := range l.Spans {
				all.WriteString(s.Text)
			}
			if all.String() != l.Text {
				t.Fatalf("the pieces of %q are %q", l.Text, all.String())
			}
		}
	})
}
