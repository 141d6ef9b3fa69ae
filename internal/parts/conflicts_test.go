package parts

import (
	"strings"
	"testing"
)

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
		{"as Windows writes lines", "<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> other\r\n", true},
		{"with a heading in one side", "<<<<<<< HEAD\nTitle\n=======\n=======\nc\n>>>>>>> other\n", true},
		{"a second one, after one without an end", "<<<<<<< HEAD\nb\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n", true},
		{"a long one", "<<<<<<< HEAD\n" + strings.Repeat("b\n", 400) + "=======\nc\n>>>>>>> other\n", true},
		{"a longer line between them", "<<<<<<< HEAD\nb\n========\nc\n>>>>>>> other\n", false},
		{"words behind the line between them", "<<<<<<< HEAD\nb\n======= or so\nc\n>>>>>>> other\n", false},
		{"pages apart", "<<<<<<< HEAD\n" + strings.Repeat("b\n", 600) + "Title\n=======\nc\n>>>>>>> other\n", false},
		{"the end pages apart", "<<<<<<< HEAD\nTitle\n=======\n" + strings.Repeat("b\n", 600) + ">>>>>>> other\n", false},
		{"an end before the line between them", "<<<<<<< HEAD\n>>>>>>> other\nTitle\n=======\nc\n>>>>>>> other\n", false},
		{"the line between them only before", "Title\n=======\n<<<<<<< HEAD\nb\n>>>>>>> other\n", false},
		{"markers that name nobody", "<<<<<<< \nb\n=======\nc\n>>>>>>> \n", false},
		{"a line of eight", "<<<<<<<< HEAD\nb\n=======\nc\n>>>>>>>> other\n", false},
	} {
		if got := inConflict([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
