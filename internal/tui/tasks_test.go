package tui

import (
	"strings"
	"testing"
)

func TestTheTaskAtHand(t *testing.T) {
	for _, tt := range []struct {
		name string
		list []Task
		want int
	}{
		{"the first that is open", []Task{{Done: true}, {}, {}}, 1},
		{"the one that is said to be", []Task{{Done: true}, {}, {Doing: true}}, 2},
		{"none when all are done", []Task{{Done: true}}, -1},
	} {
		if got := (&tasks{list: tt.list}).hand(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	many := &tasks{list: make([]Task, 50)}
	for i := range 40 {
		many.list[i].Done = true
	}
	many.list[40].Text = "at hand"
	if got := strings.Join(many.show(newPalette(false), nil, 40, 9), "\n"); !strings.Contains(got, "▸ at hand") {
		t.Errorf("the task at hand is out of sight:\n%s", got)
	}
}
