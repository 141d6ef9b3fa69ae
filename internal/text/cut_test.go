package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"plain", 9, "plain"},
		{"plain", 3, "pla"},
		{"aé", 2, "a"},
		{"aé", 3, "aé"},
		{"日本", 4, "日"},
		{"日本", 2, ""},
		{"any", 0, ""},
		{"any", -5, ""},
	}
	for _, tt := range tests {
		if got := Cut(tt.text, tt.n); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"12345678", 8, "12345678"},
		{"123456789", 8, "12345…"},
		{"1234ä6789", 8, "1234…"},
		{"1234", 3, "…"},
		{"123", 2, ""},
		{"1", -1, ""},
	}
	for _, tt := range tests {
		if got := Shorten(tt.text, tt.n); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestLastLines(t *testing.T) {
	tests := []struct {
		name, text string
		n          int
		want       string
	}{
		{"all of it fits", "a\nb\n", 10, "a\nb"},
		{"blank lines at the ends go", "\n\n  a\n\n", 10, "  a"},
		{"a line that does not fit goes", "aaaa\nbb\ncc", 7, "bb\ncc"},
		{"the limit is between two lines", "aaaa\nbb\ncc", 5, "bb\ncc"},
		{"the last line is too long", "aaaa\nbbbbbbbb", 6, "…bbb"},
		{"never half a character", "ääääää", 8, "…ää"},
		{"nothing", "", 5, ""},
		{"no room", "aaaa", 2, ""},
	}
	for _, tt := range tests {
		if got := LastLines(tt.text, tt.n); got != tt.want {
			t.Errorf("%s: LastLines(%q, %d) = %q, want %q", tt.name, tt.text, tt.n, got, tt.want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for in, want := range map[string]string{"one": "one", " one \n\n ": "one", "one\ntwo": "one …", "": ""} {
		if got := FirstLine(in); got != want {
			t.Errorf("FirstLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	if got := Fold(" a\t\nb  c "); got != "a b c" {
		t.Errorf("Fold = %q", got)
	}
}

func FuzzCut(f *testing.F) {
	f.Add("aé日本", 3)
	f.Add("\xff\xff", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		for name, got := range map[string]string{"Cut": Cut(s, n), "Shorten": Shorten(s, n), "Last": Last(s, n), "LastLines": LastLines(s, n)} {
			if len(got) > max(n, 0) {
				t.Errorf("%s(%q, %d) = %q is too long", name, s, n, got)
			}
			if utf8.ValidString(s) && !utf8.ValidString(got) {
				t.Errorf("%s(%q, %d) = %q has half a character", name, s, n, got)
			}
		}
		if end := strings.TrimPrefix(LastLines(s, n), Ellipsis); !strings.HasSuffix(strings.TrimRight(s, " \t\n"), end) {
			t.Errorf("LastLines(%q, %d) ends with %q", s, n, end)
		}
	})
}
