package view

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhatARunChangedIsNotTheSumOfItsIterations(t *testing.T) {
	sum := loop.Totals{Files: 5, LinesAdded: 21, LinesRemoved: 16, Commits: 5}
	net := &loop.Changes{Modified: 1, LinesAdded: 7, LinesRemoved: 2}
	early := &loop.Changes{Created: 2, Deleted: 1}
	finished := &loop.RunFinished{State: loop.Done, Net: net}
	for _, tt := range []struct {
		name string
		run  Run
		want Figures
	}{
		{"now", Run{Sum: loop.State{Totals: sum, Net: early}}, Figures{Files: 3, Commits: 5}},
		{"at its end", Run{Sum: loop.State{Totals: sum, Net: early}, Finished: finished}, Figures{1, 7, 2, 5}},
		{"all was taken back", Run{Sum: loop.State{Totals: sum, Net: &loop.Changes{}}}, Figures{Commits: 5}},
		{"where only the sum is known", Run{Sum: loop.State{Totals: sum}, Finished: &loop.RunFinished{}}, Figures{5, 21, 16, 5}},
	} {
		if got := tt.run.Changed(); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
