package control

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFeedKeepsTheLatestEventsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 8).Draw(t, "most events")
		f := NewFeed(most, nil)
		f.maxWeight = rapid.IntRange(1, 8<<10).Draw(t, "most weight")
		var all []int64
		seq := int64(0)
		for range rapid.IntRange(0, 30).Draw(t, "events") {
			seq += rapid.Int64Range(1, 3).Draw(t, "step")
			f.Add(text(seq, strings.Repeat("x", rapid.IntRange(0, 2<<10).Draw(t, "length"))))
			all = append(all, seq)
		}
		kept := f.end - f.first
		if kept > most || len(all) > 0 && kept == 0 || kept > 1 && f.weight > f.maxWeight {
			t.Fatalf("the feed keeps %d events of weight %d, want 1 to %d of at most %d", kept, f.weight, most, f.maxWeight)
		}
		all = all[len(all)-kept:]

		at := rapid.Int64Range(0, seq+1).Draw(t, "after")
		if kept == 0 || at < all[0]-1 {
			if got := f.after(at, nil); len(got) != 0 {
				t.Fatalf("after(%d) = %d events, but the first of them is gone", at, len(got))
			}
			return
		}
		for len(all) > 0 && all[0] <= at {
			all = all[1:]
		}
		got := f.after(at, nil)
		if len(got) > len(all) || len(got) == 0 && len(all) > 0 {
			t.Fatalf("after(%d) = %d events, want some of %v", at, len(got), all)
		}
		for i, e := range got {
			if e.event.Seq != all[i] {
				t.Fatalf("after(%d)[%d] = %d, want %d", at, i, e.event.Seq, all[i])
			}
		}
	})
}

func TestFeedGivesABatchAtATime(t *testing.T) {
	f := NewFeed(100, nil)
	for seq := range int64(10) {
		f.Add(text(seq+1, strings.Repeat("x", batchSize/2)))
	}
	if got := len(f.after(0, nil)); got != 2 {
		t.Errorf("a batch has %d events of half its size, want 2", got)
	}
}

func TestFeedTakesNoEventTwiceAndNoneAfterItsEnd(t *testing.T) {
	f := NewFeed(8, nil)
	f.Add(text(2, ""))
	f.Add(text(2, ""))
	f.Add(text(1, ""))
	f.Close()
	f.Add(text(3, ""))
	f.Wake()
	if oldest, newest := f.span(); oldest != 2 || newest != 2 {
		t.Errorf("the feed holds %d to %d, want 2 only", oldest, newest)
	}
}

func TestAFeedStaysSmall(t *testing.T) {
	const most = 64
	f := NewFeed(most, nil)
	seq := int64(0)
	for range 100 {
		seq++
		f.Add(text(seq, strings.Repeat("x", maxWeight/10)))
	}
	if kept := f.end - f.first; f.weight > maxWeight || kept > 10 {
		t.Errorf("%d events of %d bytes are kept", kept, f.weight)
	}
	for range 10 * most {
		seq++
		f.Add(text(seq, ""))
	}
	if kept := f.end - f.first; kept > most || f.weight < 0 {
		t.Errorf("%d events of weight %d are kept", kept, f.weight)
	}
}
