package parts

import "testing"

func TestInConflict(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"both sides", "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n", true},
		{"with the line they come from", "<<<<<<< a\n||||||| b\n=======\n>>>>>>> c", true},
		{"the end is missing", "<<<<<<< HEAD\nb\n=======\nc\n", false},
		{"in another order", ">>>>>>> other\n=======\n<<<<<<< HEAD\n", false},
		{"a heading", "Title\n=======\n", false},
		{"not at the start of a line", "x <<<<<<< HEAD\nx =======\nx >>>>>>> other\n", false},
		{"nothing", "", false},
	} {
		if got := inConflict([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
