package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLost(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		want                []string
	}{
		{"nothing changed", "- [ ] a\n- [~] b", "- [ ] a\n- [~] b", nil},
		{"a ticked task is not lost", "- [ ] a", "- [x] a", nil},
		{"a task that moved is not lost", "# A\n- [ ] a\n- [ ] b", "# B\n- [ ] b\n# C\n- [ ] a", nil},
		{"case and white space do not matter", "- [ ] Add the parser", "- [ ] add  the PARSER", nil},
		{"an open task that is gone", "- [ ] a\n- [ ] b", "- [ ] a", []string{"b"}},
		{"a task in progress that is gone", "- [~] a\n- [x] b", "- [x] b", []string{"a"}},
		{"a done task may go", "- [x] a\n- [ ] b", "- [ ] b", nil},
		{"everything is gone", "- [ ] a\n- [x] b", "", []string{"a"}},
		{"the same text twice is two tasks", "- [ ] a\n- [ ] a", "- [ ] a", []string{"a"}},
		{"a done one does not stand for an open one", "- [x] a\n- [ ] a", "- [x] a", []string{"a"}},
		{"an open one is still there when the done one goes", "- [x] a\n- [ ] a", "- [ ] a", nil},
		{"now in a fence", "- [ ] a\n- [x] b", "```\n- [ ] a\n```\n- [x] b", []string{"a"}},
		{"reworded in its section", "# A\n- [ ] add unit tests for login", "# A\n- [x] add tests for login", nil},
		{"said in more words", "- [ ] add login", "- [x] add login (by session, see docs/login.md)", nil},
		{"cut down", "- [ ] add login by session and by token", "- [ ] add login", []string{"add login by session and by token"}},
		{"reworded, in another section", "# A\n- [ ] add unit tests for login", "# B\n- [ ] add tests for login", []string{"add unit tests for login"}},
		{"replaced by another task", "- [ ] write the lexer", "- [ ] fix the printer", []string{"write the lexer"}},
		{"a new task stands for one old one", "- [ ] test the left side\n- [ ] test the right side", "- [ ] test the side", []string{"test the right side"}},
		{"the nearest wording is taken", "- [ ] test the right side\n- [ ] test the left side", "- [ ] test the left side now\n- [ ] test the right side now", nil},
		{"no words to compare", "- [ ] ?", "- [ ] !", []string{"?"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, task := range Lost(Parse([]byte(tt.before)), Parse([]byte(tt.after))) {
				got = append(got, task.Text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Lost(%q, %q) = %q, want %q", tt.before, tt.after, got, tt.want)
			}
		})
	}
}

func TestLostOfVeryMany(t *testing.T) {
	var before, after strings.Builder
	for n := range 2 * maxReworded {
		fmt.Fprintf(&before, "- [ ] build part %d\n", n)
		fmt.Fprintf(&after, "- [ ] build part %d again\n", n)
	}
	if got := len(Lost(Parse([]byte(before.String())), Parse([]byte(after.String())))); got != maxReworded {
		t.Errorf("lost %d, want the %d that are not compared", got, maxReworded)
	}
}
