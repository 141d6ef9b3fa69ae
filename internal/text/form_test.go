package text

import (
	"regexp"
	"slices"
	"testing"
)

// A form says the same as its regular expression, whatever is told without it.
func TestFormIsItsExpression(t *testing.T) {
	forms := []string{`^$`, `^ok$`, `^ok`, `^ok (.*)`, `^ok (.+)$`, `^(.*): done$`, `^(\d+) (ok|no)t?$`, `^[^a-z]`, `^ *✓ (.*)$`, `^(?:✓|×) x$`, `^a*b`, `^(?:a|b)+ .* end$`, `^\S+ - (.*)`}
	lines := []string{"", "ok", "ok ", "ok x", "okay", "x: done", ": done", "12 ok", "12 not", "12", "A", "é", "✓ x", "  ✓ y", "× x", "✗ x", "aab", "b", "ab x end", "ab end", "x - y", " - ", "o", "\xff"}
	for _, text := range forms {
		f, expression := NewForm(text), regexp.MustCompile(text)
		for _, line := range lines {
			want := expression.FindStringSubmatch(line)
			var got []string
			if f.MayBegin(FirstByte(line)) && f.May(line) {
				got = f.Match(line)
			}
			if want != nil {
				want[0] = line // all of it, wherever the form ends
			}
			if len(want) == 1 && len(got) == 2 { // a form without brackets may give what is between its ends
				got = got[:1]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s on %q = %q, want %q", text, line, got, want)
			}
		}
	}
}
