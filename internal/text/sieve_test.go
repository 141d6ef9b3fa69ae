package text

import (
	"regexp"
	"testing"
)

var sieved = []string{
	`^$`, `^ok$`, `^ok`, `^ok (.*)`, `^(.*): done$`, `^(\d+) (ok|no)t?$`, `^[^a-z]`, `^ *✓ (.*)$`, `^(?:✓|×) x$`, `^a*b`, `^a*`, `^(?:a|b)+ .* end$`,
	`^\S+ - (.*)`, `^ +--> .*$`, `^\s*$`, `^(?:  )?[^ ()]+ \(`, `^x{2,3}$`, `^(?:x{0,2}|y)z?$`, `^ *(?:not )?ok \d`, `^(?i)fail(?:ed)?$`, `^(?i)done`, `^\bword\b`, `^a$`, `^é?$`, `^.$`, `^(?:> )?(?:\d+ [a-z]+(?:, )?)+$`, `^[^\s>].* (PASS|FAIL)ED$`,
}

// A line that an expression matches is never said to be of another form.
func FuzzSieve(f *testing.F) {
	for _, line := range []string{"", " ", "   ", "ok", "ok x", "a: done", "12 ok", "12 not", "✓", "  ✓ y", "× x", "aab", "b", "a b end", "x - y", "  --> z", "  a (", "xx", "yz", "z", "  not ok 1", "FAIL", "fAiLEd", "word", "é", "\xff", "> 1 a, 2 b", "x PASSED", "\u212a"} {
		f.Add(line)
	}
	var forms []*Form
	for _, text := range sieved {
		forms = append(forms, NewForm(text))
	}
	s := NewSieve(forms)
	f.Fuzz(func(t *testing.T, line string) {
		line = Valid(line)
		may := May(s, line)
		for i, text := range sieved {
			if !regexp.MustCompile(text).MatchString(line) {
				continue
			}
			if may[i/64]&(1<<(i%64)) == 0 {
				t.Errorf("%q is of the form %s, and held back", line, text)
			} else if !s.Likely(i, line) && text[:4] != `^(?i` {
				t.Errorf("%q is of the form %s, and not likely", line, text)
			}
		}
	})
}

// What it is for: it holds back nearly all lines.
func TestSieveHoldsBack(t *testing.T) {
	s := NewSieve([]*Form{NewForm(`^ok \d+$`), NewForm(`^ +(\d+)\) (.+):$`), NewForm(`^(.+) \(FAILED\)$`)})
	for line, want := range map[string]Forms{
		"ok 12": {1}, "  1) x:": {2}, "x (FAILED)": {4}, "okay": {}, "ok x": {}, "  x:": {}, "1) x:": {}, "": {}, "  ": {},
	} {
		if got := May(s, line); got != want {
			t.Errorf("of %q it may be %b, want %b", line, got, want)
		}
	}
}
