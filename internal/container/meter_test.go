package container

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever uses more than a twentieth of a processor works.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		used, broken := 100, error(nil)
		m := meter{usage: func() (string, error) {
			return fmt.Sprintf("1 (x) S 0 1 1 0 -1 4194560 1 2 3 4 %d 0 7 8", used), broken
		}}
		if m.active() {
			t.Error("active at the first look, which has nothing to compare with")
		}
		for _, tt := range []struct {
			name   string
			more   int
			broken error
			want   bool
		}{
			{"nothing was used", 0, nil, false},
			{"a fiftieth", 20, nil, false},
			{"a tenth", 100, nil, true},
			{"nobody can tell", 1000, errors.New("gone"), false},
			{"less, for somebody has ended", -1100, nil, false},
		} {
			time.Sleep(10 * time.Second)
			used, broken = used+tt.more, tt.broken
			if got := m.active(); got != tt.want {
				t.Errorf("%s: active = %v, want %v", tt.name, got, tt.want)
			}
		}
	})
}

func TestUsedTicks(t *testing.T) {
	for _, tt := range []struct {
		name, stats string
		want        int
	}{
		{"nothing", "", 0},
		{"two processes", "1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0\n12 (a) S) R 1 1 1 0 -1 4194560 1 2 3 4 100 20 7 8 20 0\n", 131},
		{"half a line", "1 (init) S 0 1", 0},
		{"no number", "1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 x 6 7 8", 6},
	} {
		if got := usedTicks(tt.stats); got != tt.want {
			t.Errorf("%s: %d ticks, want %d", tt.name, got, tt.want)
		}
	}
}

func FuzzUsedTicks(f *testing.F) {
	f.Add("1 (x) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8")
	f.Fuzz(func(t *testing.T, stats string) {
		if usedTicks(stats) < 0 && len(stats) < 100 {
			t.Error("less than nothing was used")
		}
	})
}
