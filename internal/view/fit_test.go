package view

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestFit(t *testing.T) {
	tests := []struct {
		name, in string
		width    int
		want     string
	}{
		{"what fits stays", "hello", 5, "hello"},
		{"what does not is cut", "hello", 4, "hel…"},
		{"a wide character counts two", "世界", 4, "世界"},
		{"and is never halved", "世界", 3, "世…"},
		{"an accent stays on its letter", "e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"one cell", "hello", 1, "…"},
		{"no room", "hello", 0, ""},
		{"less than no room", "hello", -3, ""},
		{"lines become one", "a\nb", 10, "a b"},
	}
	for _, tt := range tests {
		if got := Fit(tt.in, tt.width); got != tt.want {
			t.Errorf("%s: Fit(%q, %d) = %q, want %q", tt.name, tt.in, tt.width, got, tt.want)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add("hello\nworld", 7)
	f.Add("世界世界", 3)
	f.Add("👩‍💻👩‍💻", 3)
	f.Add("\x1b[31mred\x1b[0m", 2)
	f.Add("e\u0301\u0301", 1)
	f.Fuzz(func(t *testing.T, s string, width int) {
		got := Fit(s, width)
		if w := ansi.StringWidth(got); w > max(width, 0) {
			t.Errorf("Fit(%q, %d) = %q is %d wide", s, width, got, w)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("Fit(%q, %d) = %q is not one clean line", s, width, got)
		}
	})
}
