package notify

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "plain", "a\x1b[31mb\x1b]0;c\ad", "\xff\x9b1m", "a\r\nb\tc\u2028d\u202ee", strings.Repeat("ä", 2000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, line := cleanText(s), cleanLine(s)
		if !utf8.ValidString(text) || len(text) > maxText || len(line) > maxText {
			t.Errorf("cleanText(%q) = %q", s, text)
		}
		for _, r := range text {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("cleanText(%q) = %q has %U", s, text, r)
			}
		}
		if strings.Contains(line, "\n") || cleanLine(line) != line {
			t.Errorf("cleanLine(%q) = %q", s, line)
		}
	})
}
