package hook

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSaid(t *testing.T) {
	for _, tt := range []struct {
		name           string
		stdout, stderr string
		want           string
	}{
		{"nothing", "", "", ""},
		{"the last line", "one\ntwo\n", "", "two"},
		{"a line without an end", "one\ntwo", "", "two"},
		{"stderr before stdout", "one\n", "two\n", "two"},
		{"stdout when stderr is blank", "one\n", "\n \n", "one"},
		{"blank lines are passed over", "one\n\n\t\n", "", "one"},
		{"colours are left out", "\x1b[1;31mone\x1b[0m\n\x1b[0m\n", "", "one"},
		{"control characters are left out", "o\x07n\x00e\n\x00\n", "", "one"},
		{"a line that is written over", "10 %\r99 %\r", "", "99 %"},
		{"broken characters are marked", "on\xffe\n", "", "on\uFFFDe"},
		{"a long line is cut", strings.Repeat("x", 2*maxSaid), "", strings.Repeat("x", maxSaid-len("…")) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var o output
			_, _ = o.stream(&o.stdout).Write([]byte(tt.stdout))
			_, _ = o.stream(&o.stderr).Write([]byte(tt.stderr))
			if got := o.said(nil); got != tt.want {
				t.Errorf("said %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzLastLine(f *testing.F) {
	f.Add([]byte("one\ntwo\n"))
	f.Add([]byte("\x1b[31mred\x1b[0m\r\n"))
	f.Add([]byte("\x1b\x1b[0m[2J\u202e\xff"))
	f.Fuzz(func(t *testing.T, out []byte) {
		line := lastLine(string(out))
		if !utf8.ValidString(line) || len(line) > maxSaid || line != strings.TrimSpace(line) {
			t.Errorf("last line of %q is %q", out, line)
		}
		if strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("last line of %q has control characters: %q", out, line)
		}
	})
}
