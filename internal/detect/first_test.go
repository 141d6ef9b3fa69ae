package detect

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// What the first character decides without an expression is what the expression says.
func FuzzFirstCharacter(f *testing.F) {
	for _, line := range []string{"", "Summary: done", "summary:", "**Summary:** x", "**summary**: y", "\u017fummary: long s", "- a", "1. - b", "12) c", "* d", "+ e", "plain", "é", "-", "1234567890. x", "\x80"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if got, want := labelOf(line), summaryLabel().FindStringSubmatch(line); !slices.Equal(got, want) {
			t.Errorf("labelOf(%q) = %q, want %q", line, got, want)
		}
		if got, want := bulletsOf(line), listItem().FindString(line); got != want {
			t.Errorf("bulletsOf(%q) = %q, want %q", line, got, want)
		}
		if got, want := isASCII(line), utf8.RuneCountInString(line) == len(line) && utf8.ValidString(line); got != want {
			t.Errorf("isASCII(%q) = %v", line, got)
		}
	})
}
