package text

import (
	"regexp"
	"testing"
)

// escapes says the same in another language.
var escapes = regexp.MustCompile(
	"(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" +
		"|\x1b[\\]PX^_][^\a\x1b\n]*(?:\a|\x1b\\\\)" +
		"|\x1b[ -/]*[0-~]")

func FuzzStripEscapes(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "a\x1b[1;31mb\x1b[0m", "\x1b]0;t\ax", "\x1b]8;;http://x\x1b\\text", "\x1b]0;no end", "\x1b]0;line\nend\a", "\x1b\x1b[m[1m", "a\u009b2Jb", "\u009b",
		"\x1b[1 q", "\x1b(B", "\x1b", "\x1b[", "\x1b[\x01", "\x1bP1\x1b", "\x1b \x7f", "\xff\x9b1m",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := StripEscapes(s), escapes.ReplaceAllString(s, ""); got != want {
			t.Errorf("StripEscapes(%q) = %q, want %q", s, got, want)
		}
	})
}
