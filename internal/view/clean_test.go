package view

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text stays", "hello, 世界 👩‍💻\n", "hello, 世界 👩‍💻\n"},
		{"colours go", "\x1b[1;31mred\x1b[0m", "red"},
		{"cursor moves and screen wipes go", "a\x1b[2J\x1b[10;10Hb", "ab"},
		{"the one-character form goes too", "a\u009b2Jb", "ab"},
		{"a window title goes", "a\x1b]0;owned\ab", "ab"},
		{"a link leaves its text", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"a string without an end hides nothing", "a\x1b]0;the rest is shown", "a0;the rest is shown"},
		{"a terminal reset goes", "a\x1bcb", "ab"},
		{"a lone escape goes", "a\x1b", "a"},
		{"what escapes leave behind is no escape", "\x1b\x1b[m[31mx", "[31mx"},
		{"DOS line ends become line ends", "a\r\nb", "a\nb"},
		{"a carriage return cannot overwrite a line", "safe\revil", "safe\nevil"},
		{"Unicode line ends become line ends", "a\u2028b\u2029c", "a\nb\nc"},
		{"a tab is four spaces", "a\tb", "a    b"},
		{"NUL, bell and backspace go", "a\x00\a\bb\x7f", "ab"},
		{"the direction of text cannot be turned", "a\u202eb\u2066c\u200fd", "abcd"},
		{"broken UTF-8 is marked", "a\xffb", "a\uFFFDb"},
	}
	for _, tt := range tests {
		if got := Clean(tt.in); got != tt.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestLine(t *testing.T) {
	if got := Line("  go\ttest\r\n\x1b[31m ./...  \n"); got != "go test ./..." {
		t.Errorf("Line = %q, want %q", got, "go test ./...")
	}
}

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

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a\x1b[31mb", "\x1b]0;t\a", "\x1b\x1b[m[1m", "a\r\nb\rc", "\u202e\u009b1m", "\xff\x9b1m", "\t\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is not UTF-8", s, got)
		}
		for _, r := range got {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("Clean(%q) = %q keeps %U", s, got, r)
			}
		}
		if again := Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, and cleaned again %q", s, got, again)
		}
	})
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
