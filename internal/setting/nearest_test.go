package setting

import "testing"

func TestNearest(t *testing.T) {
	keys := []string{"loop.dir", "loop.max_iterations", "done.promise", "plan", "build"}
	tests := []struct{ name, word, want string }{
		{"a letter too few", "loop.max_iteration", "loop.max_iterations"},
		{"a dash for a line", "loop.max-iterations", "loop.max_iterations"},
		{"two letters swapped", "biuld", "build"},
		{"another case", "BUILD", "build"},
		{"only the last part", "promise", "done.promise"},
		{"nothing like it", "loop.max", ""},
		{"nothing at all", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Nearest(tt.word, keys); got != tt.want {
				t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
			}
		})
	}
}
