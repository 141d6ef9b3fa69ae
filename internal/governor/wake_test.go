package governor

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestReserve(t *testing.T) {
	const s = time.Second
	at := func(run string, after time.Duration) wake { return wake{"a", run, noon.Add(after)} }
	tests := []struct {
		name     string
		others   []wake
		from     time.Duration // after noon, which is now
		want     time.Duration
		wantLeft int
	}{
		{"nobody else", nil, 10 * s, 10 * s, 1},
		{"the past is over", nil, -10 * s, 0, 1},
		{"after another", []wake{at("x", 10*s)}, 10 * s, 12 * s, 2},
		{"not just before another", []wake{at("x", 11*s)}, 10 * s, 13 * s, 2},
		{"well before another", []wake{at("x", 12*s)}, 10 * s, 10 * s, 2},
		{"in a gap", []wake{at("z", 16*s), at("x", 10*s), at("y", 12*s)}, 10 * s, 14 * s, 4},
		{"not in a gap that is too small", []wake{at("x", 10*s), at("y", 13*s)}, 10 * s, 15 * s, 3},
		{"again", []wake{at("x", 10*s), at("me", 12*s)}, 10 * s, 12 * s, 2},
		{"who has just woken counts", []wake{at("x", -s)}, 0, s, 2},
		{"who woke long ago does not", []wake{at("x", -3*s)}, 0, 0, 1},
		{"nor do other accounts", []wake{{"b", "x", noon}}, 0, 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			left, got := reserve(slices.Clone(tt.others), "a", "me", noon.Add(tt.from), noon)
			if !got.Equal(noon.Add(tt.want)) || len(left) != tt.wantLeft {
				t.Errorf("reserve = noon + %v with %d left, want %v with %d", got.Sub(noon), len(left), tt.want, tt.wantLeft)
			}
		})
	}
}

func TestOnlyTheLastWakesAreKept(t *testing.T) {
	var list []wake
	for n := range maxWakes + 5 {
		list, _ = reserve(list, "a", fmt.Sprint(n), noon, noon)
	}
	if len(list) != maxWakes || list[0].Run != "5" {
		t.Errorf("%d wakes from %s on, want %d from 5 on", len(list), list[0].Run, maxWakes)
	}
}

// Whatever runs ask for: each gets the first time that suits it, and no two of
// an account get times that are close.
func TestReservedTimesAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []wake
		now := noon
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "pass")) * time.Millisecond)
			from := now.Add(time.Duration(rapid.IntRange(-5000, 20000).Draw(t, "from")) * time.Millisecond)
			account := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "account")
			run := rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6"}).Draw(t, "run")
			var got time.Time
			list, got = reserve(list, account, run, from, now)

			if got.Before(from) || got.Before(now) {
				t.Fatalf("got %v, before %v or %v", got, from, now)
			}
			first := got.Equal(from) || got.Equal(now)
			for _, w := range list {
				if w.Account != account || w.Run == run {
					continue
				}
				if got.Sub(w.At).Abs() < apart {
					t.Fatalf("got %v, close to %v", got, w.At)
				}
				first = first || got.Equal(w.At.Add(apart))
			}
			if !first {
				t.Fatalf("got %v: an earlier time was free", got)
			}
		}
	})
}
