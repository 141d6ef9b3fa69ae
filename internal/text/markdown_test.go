package text

import "testing"

func TestIndent(t *testing.T) {
	tests := []struct {
		s      string
		from   int
		column int
		rest   string
	}{
		{"a", 0, 0, "a"},
		{"  a b", 0, 2, "a b"},
		{"\ta", 0, 4, "a"},
		{" \ta", 0, 4, "a"},
		{" \ta", 3, 8, "a"},
		{" \t", 0, 4, ""},
	}
	for _, tt := range tests {
		if column, rest := Indent(tt.s, tt.from); column != tt.column || rest != tt.rest {
			t.Errorf("Indent(%q, %d) = %d, %q, want %d, %q", tt.s, tt.from, column, rest, tt.column, tt.rest)
		}
	}
}

func TestFence(t *testing.T) {
	tests := []struct {
		s      string
		mark   byte
		length int
		info   string
		opens  bool
	}{
		{"```", '`', 3, "", true},
		{"````go ", '`', 4, "go", true},
		{"~~~~ a`b", '~', 4, "a`b", true},
		{"```a``` b", '`', 3, "a``` b", false},
		{"``", 0, 0, "", false},
		{"", 0, 0, "", false},
		{" ```", 0, 0, "", false},
	}
	for _, tt := range tests {
		mark, length, info := Fence(tt.s)
		if mark != tt.mark || length != tt.length || info != tt.info || OpensFence(mark, info) != tt.opens {
			t.Errorf("Fence(%q) = %q, %d, %q, opens: %v", tt.s, mark, length, info, OpensFence(mark, info))
		}
	}
}

func TestUnsaid(t *testing.T) {
	var u Unsaid
	for _, tt := range []struct {
		line      string
		has, open bool
	}{
		{"said", false, false},
		{" <think> so", true, true},
		{"and <pre> so", true, true},
		{"on</think> and", true, false},
		{"said <think>", false, false},
		{"<!-- in one line -->", true, false},
		{"<example>", true, true},
		{"</pre>", true, true},
	} {
		if has := u.Has(tt.line); has != tt.has || u.Open() != tt.open {
			t.Errorf("%q: has %v, open %v", tt.line, has, u.Open())
		}
	}
}
