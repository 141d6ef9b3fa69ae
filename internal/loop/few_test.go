package loop

import "testing"

func TestFew(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"a"}, "a"},
		{[]string{"a", "b", "c", "d", "e"}, "a, b, c, d, e"},
		{[]string{"a", "b", "c", "d", "e", "f", "g"}, "a, b, c, d, e and 2 more"},
	} {
		if got := Few(tt.names); got != tt.want {
			t.Errorf("Few(%q) = %q, want %q", tt.names, got, tt.want)
		}
	}
}
