package text

import "testing"

func TestWords(t *testing.T) {
	tests := []struct {
		name string
		of   func(string) string
		in   string
		want string
	}{
		{"Sentence", Sentence, "école is out", "École is out"},
		{"Sentence", Sentence, "", ""},
		{"Within", Within, "Éclat", "éclat"},
		{"Within", Within, "", ""},
		{"Words", Words, "no_progress", "no progress"},
		{"Words", Words, "a_\x1b[1mb", "a b"},
		{"Path", Path, "dir/a file.go", "dir/a file.go"},
		{"Path", Path, "a\nb", `"a\nb"`},
		{"Path", Path, " a", `" a"`},
	}
	for _, tt := range tests {
		if got := tt.of(tt.in); got != tt.want {
			t.Errorf("%s(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}
