package gate

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOutputKeepsItsEnd(t *testing.T) {
	o := newOutput(nil)
	for range 3000 {
		o.line(bytes.Repeat([]byte("x"), 99), false)
	}
	o.line([]byte("the last"), false)
	got := o.end()
	if len(got) > tailSize || !strings.HasSuffix(got, "\nthe last") {
		t.Errorf("end is %d bytes and ends with %q", len(got), lastBytes(got, 20))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(got, "\nthe last"), "\n") {
		if len(line) != 99 {
			t.Errorf("a line of %d bytes is not whole", len(line))
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := newOutput(nil)
	piece := bytes.Repeat([]byte("ab"), 1<<20)
	for range 8 {
		o.line(piece, true)
	}
	o.line([]byte("end"), false)
	if n := cap(o.head) + cap(o.tail); n > 8*keptSize {
		t.Errorf("%d bytes are held", n)
	}
	if got := o.end(); len(got) > tailSize || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "abend") {
		t.Errorf("end of one long line = %d bytes, %q", len(got), lastBytes(got, 20))
	}
}

func TestLastLines(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"all of it fits", "a\nb\n", 10, "a\nb"},
		{"blank lines at the ends go", "\n\n  a\n\n", 10, "  a"},
		{"a line that does not fit goes", "aaaa\nbb\ncc", 7, "bb\ncc"},
		{"the limit is between two lines", "aaaa\nbb\ncc", 5, "bb\ncc"},
		{"the last line is too long", "aaaa\nbbbbbbbb", 6, "…bbb"},
		{"never half a character", "ääääää", 8, "…ää"},
		{"nothing", "", 5, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lastLines(tt.text, tt.limit); got != tt.want {
				t.Errorf("lastLines(%q, %d) = %q, want %q", tt.text, tt.limit, got, tt.want)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"colours", "\x1b[1;31mred\x1b[0m", "red"},
		{"links", "\x1b]8;;http://a\x1b\\text\x1b]8;;\a", "text"},
		{"a line written over", "10 %\r20 %\rdone\nnext", "done\nnext"},
		{"Windows line ends", "a\r\nb\r\n", "a\nb\n"},
		{"control characters", "a\x00\x07b\tc", "ab\tc"},
		{"text turned around", "a\u202eb", "ab"},
		{"broken bytes", "a\xffb", "a\uFFFDb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plain(tt.text); got != tt.want {
				t.Errorf("plain(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzEndOfOutput(f *testing.F) {
	f.Add("a\nb\n", 3)
	f.Add("\x1b[31mred\r\n\xff\xfe", 7)
	f.Add("ä\rb\u202e", 0)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(limit%100, 10) % 100
		text = plain(text)
		got := lastLines(text, limit)
		if len(got) > limit || !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\r") {
			t.Errorf("lastLines(%q, %d) = %q", text, limit, got)
		}
		if end := strings.TrimPrefix(got, ellipsis); !strings.HasSuffix(strings.TrimRight(text, " \t\n"), end) {
			t.Errorf("lastLines(%q, %d) = %q is not its end", text, limit, got)
		}
	})
}
