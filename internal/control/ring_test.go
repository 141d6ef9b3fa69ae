package control

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRingKeepsTheLatestEventsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 8).Draw(t, "most events")
		r := newRing(most, rapid.IntRange(1, 8<<10).Draw(t, "most weight"))
		var all []int64
		seq := int64(0)
		for range rapid.IntRange(0, 30).Draw(t, "events") {
			seq += rapid.Int64Range(1, 3).Draw(t, "step")
			r.add(text(seq, strings.Repeat("x", rapid.IntRange(0, 2<<10).Draw(t, "length"))))
			all = append(all, seq)
		}
		kept := r.end - r.first
		if kept > most || len(all) > 0 && kept == 0 || kept > 1 && r.weight > r.mostWeight {
			t.Fatalf("the ring keeps %d events of weight %d, want 1 to %d of at most %d", kept, r.weight, most, r.mostWeight)
		}
		all = all[len(all)-kept:]

		at := rapid.Int64Range(0, seq+1).Draw(t, "after")
		if kept == 0 || at < all[0]-1 {
			if got := r.after(at, nil); len(got) != 0 {
				t.Fatalf("after(%d) = %d events, but the first of them is gone", at, len(got))
			}
			return
		}
		for len(all) > 0 && all[0] <= at {
			all = all[1:]
		}
		got := r.after(at, nil)
		if len(got) > len(all) || len(got) == 0 && len(all) > 0 {
			t.Fatalf("after(%d) = %d events, want some of %v", at, len(got), all)
		}
		for i, e := range got {
			if e.seq != all[i] {
				t.Fatalf("after(%d)[%d] = %d, want %d", at, i, e.seq, all[i])
			}
		}
	})
}

func TestRingGivesABatchAtATime(t *testing.T) {
	r := newRing(mostEvents, mostWeight)
	for seq := range int64(10) {
		r.add(text(seq+1, strings.Repeat("x", batchSize/2)))
	}
	if got := len(r.after(0, nil)); got != 2 {
		t.Errorf("a batch has %d events of half its size, want 2", got)
	}
}

func TestRingTakesNoEventTwiceAndNoneAfterItsEnd(t *testing.T) {
	r := newRing(8, mostWeight)
	r.add(text(2, ""))
	r.add(text(2, ""))
	r.add(text(1, ""))
	r.close()
	r.add(text(3, ""))
	r.wake()
	if oldest, newest := r.span(); oldest != 2 || newest != 2 {
		t.Errorf("the ring holds %d to %d, want 2 only", oldest, newest)
	}
}
