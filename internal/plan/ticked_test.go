package plan

import (
	"strings"
	"testing"
)

func TestTheTasksThatWereTickedOff(t *testing.T) {
	for _, tt := range []struct{ name, before, after, want string }{
		{"one that was open", "- [ ] a\n- [ ] b", "- [x] a\n- [ ] b", "a"},
		{"one that was in progress", "- [~] a", "- [x] A", "A"},
		{"none that was done", "- [x] a\n- [ ] b", "- [x] a\n- [ ] b", ""},
		{"one text that stands twice", "- [x] a\n- [ ] a", "- [x] a\n- [x] a", "a"},
		{"one that is new", "- [x] a", "- [x] a\n- [x] b", "b"},
		{"none that is only reworded", "- [x] a\n- [ ] c", "- [x] a, in other words\n- [x] c", "c"},
		{"all of a plan that was not there", "", "- [x] a\n- [x] b\n- [ ] c", "a, b"},
	} {
		var got []string
		for _, task := range Ticked(Parse([]byte(tt.before)), Parse([]byte(tt.after))) {
			got = append(got, task.Text)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: ticked %q, want %q", tt.name, s, tt.want)
		}
	}
}

func TestTheTaskAtHand(t *testing.T) {
	for plan, want := range map[string]string{
		"- [x] a\n- [ ] b\n- [~] c": "c",
		"- [x] a\n- [ ] b\n- [ ] c": "b",
		"- [x] a":                   "",
	} {
		if got := Parse([]byte(plan)).AtHand(); got != want {
			t.Errorf("%q: %q is at hand, want %q", plan, got, want)
		}
	}
}
