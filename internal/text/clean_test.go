package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
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

func TestPrinted(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text stays", "hello, 世界\tand\n", "hello, 世界\tand\n"},
		{"colours go", "\x1b[1;31mred\x1b[0m", "red"},
		{"what was written over is not seen", "10 %\r50 %\rdone\nnext", "done\nnext"},
		{"DOS line ends become line ends", "a\r\nb\r\r\n", "a\nb\n"},
		{"control characters go", "a\x00\a\bb\u202ec", "abc"},
		{"broken UTF-8 is marked", "a\xffb", "a\uFFFDb"},
	}
	for _, tt := range tests {
		if got := Printed(tt.in); got != tt.want {
			t.Errorf("%s: Printed(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestValid(t *testing.T) {
	for in, want := range map[string]string{"as it is\x1b[1m": "as it is\x1b[1m", "a\xffb": "a\uFFFDb", "a\x00b": "ab"} {
		if got := Valid(in); got != want {
			t.Errorf("Valid(%q) = %q, want %q", in, got, want)
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
		if line := Line(s); strings.Contains(line, "\n") || Line(line) != line {
			t.Errorf("Line(%q) = %q", s, line)
		}
		if again := Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, and cleaned again %q", s, got, again)
		}
	})
}
