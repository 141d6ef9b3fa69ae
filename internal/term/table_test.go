package term

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func wide(n int) Options { return Options{Width: func() int { return n }} }

func TestTable(t *testing.T) {
	table := Table{Columns: []Column{{Name: "RUN"}, {Name: "COST", Rank: 1, Right: true}, {Name: "STARTED", Rank: 2}, {Name: "WHY", Wraps: true}}}
	table.Add("run-1", "$1", "2026-11-01", "every gate passed in a clean checkout")
	table.Add("run-22", "$13", "2026-11-02", "")
	tests := []struct {
		name  string
		width int
		want  string
	}{
		{"nobody knows the width: one line each", 0, `
RUN     COST  STARTED     WHY
run-1     $1  2026-11-01  every gate passed in a clean checkout
run-22   $13  2026-11-02
`},
		{"prose wraps first", 60, `
RUN     COST  STARTED     WHY
run-1     $1  2026-11-01  every gate passed in a clean
                          checkout
run-22   $13  2026-11-02
`},
		{"then the highest rank goes", 45, `
RUN     COST  WHY
run-1     $1  every gate passed in a clean
              checkout
run-22   $13
`},
		{"and the next", 33, `
RUN     WHY
run-1   every gate passed in a
        clean checkout
run-22
`},
		{"at last each row is told cell by cell", 24, `
run-1
    cost: $1
    started: 2026-11-01
    why: every gate
    passed in a clean
    checkout
run-22
    cost: $13
    started: 2026-11-02
`},
	}
	for _, tt := range tests {
		if got := table.String(wide(tt.width)); got != tt.want[1:] {
			t.Errorf("%s, at %d columns:\n%s\nwant:%s", tt.name, tt.width, got, tt.want)
		}
	}
}

// Whatever is in a table, no line is wider than the screen, unless one word is, and
// no word is broken.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table
		for i := range rapid.IntRange(1, 6).Draw(t, "columns") {
			table.Columns = append(table.Columns, Column{
				Name:  rapid.SampledFrom([]string{"", "HEAD", "TWO WORDS"}).Draw(t, "head"),
				Rank:  rapid.IntRange(0, 3).Draw(t, "rank") * min(i, 1),
				Wraps: rapid.Bool().Draw(t, "wraps"), Right: rapid.Bool().Draw(t, "right"),
			})
		}
		table.Indent = rapid.IntRange(0, 4).Draw(t, "indent")
		words := map[string]bool{}
		for r := range rapid.IntRange(1, 5).Draw(t, "rows") {
			var row []string
			for c := range table.Columns {
				var cell []string
				for w := range rapid.IntRange(0, 12).Draw(t, "words") {
					word := fmt.Sprintf("%d.%d.%d", r, c, w) + rapid.StringMatching(`[a-zé世]{0,9}`).Draw(t, "word")
					cell, words[word] = append(cell, word), true
				}
				row = append(row, strings.Join(cell, " "))
			}
			table.Add(row...)
		}
		width := rapid.IntRange(45, 130).Draw(t, "width")
		shown := table.String(wide(width))
		for line := range strings.Lines(shown) {
			if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns at %d: %q", n, width, line)
			}
			for word := range strings.FieldsSeq(line) {
				if strings.ContainsAny(word[:1], "0123456789") && !words[word] {
					t.Errorf("%q is a part of a word, in %q", word, line)
				}
			}
		}
		whole := table.String(Options{})
		for word := range words {
			if !strings.Contains(whole, word) {
				t.Errorf("%q is lost where the width is not known", word)
			}
		}
	})
}
