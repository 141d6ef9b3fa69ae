package governor

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestHowLongALimitHolds(t *testing.T) {
	hour := Entry{At: noon, Until: noon.Add(time.Hour)}
	tests := []struct {
		name  string
		entry Entry
		after time.Duration
		want  bool
	}{
		{"from the start", hour, 0, true},
		{"to just before its end", hour, time.Hour - 1, true},
		{"but not at its end", hour, time.Hour, false},
		{"nor when it was over before it was met", Entry{At: noon, Until: noon.Add(-1)}, 0, false},
		{"without an end it holds a little", Entry{At: noon}, unstated - 1, true},
		{"and no longer", Entry{At: noon}, unstated, false},
		{"a clock may be a little off", hour, -time.Minute, true},
		{"but what was noted in the future does not hold", hour, -time.Hour, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.entry.holds(noon.Add(tt.after)); got != tt.want {
				t.Errorf("%v after noon, %+v holds: %v, want %v", tt.after, tt.entry, got, tt.want)
			}
		})
	}
}

func TestWhichLimitsAreKept(t *testing.T) {
	limit := func(kind string, at, until time.Duration) Entry {
		e := Entry{Account: "a", Kind: kind, At: noon.Add(at)}
		if until != 0 {
			e.Until = noon.Add(until)
		}
		return e
	}
	const m = time.Minute
	tests := []struct {
		name  string
		notes []Entry
		want  []Entry
	}{
		{"each kind", []Entry{limit("five_hour", 0, 60*m), limit("weekly", 1*m, 600*m)}, []Entry{limit("five_hour", 0, 60*m), limit("weekly", 1*m, 600*m)}},
		{"the later of a kind", []Entry{limit("weekly", 0, 600*m), limit("weekly", 1*m, 500*m)}, []Entry{limit("weekly", 1*m, 500*m)}},
		{"however late it is told", []Entry{limit("weekly", 1*m, 500*m), limit("weekly", 0, 600*m)}, []Entry{limit("weekly", 0, 600*m), limit("weekly", 1*m, 500*m)}},
		{"a stated end beside a later one that is not stated", []Entry{limit("weekly", 0, 600*m), limit("weekly", 1*m, 0)}, []Entry{limit("weekly", 0, 600*m), limit("weekly", 1*m, 0)}},
		{"a stated end instead of an earlier one that is not", []Entry{limit("weekly", 0, 0), limit("weekly", 1*m, 600*m)}, []Entry{limit("weekly", 1*m, 600*m)}},
		{"not what is over", []Entry{limit("rate", 0, 1*m), limit("weekly", 2*m, 600*m)}, []Entry{limit("weekly", 2*m, 600*m)}},
		{"no end that nobody lives to see", []Entry{limit("weekly", 0, 100_000*60*m)}, []Entry{limit("weekly", 0, 0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var list []Entry
			for _, e := range tt.notes {
				list = add(list, e)
			}
			if diff := cmp.Diff(tt.want, list); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyTheNewestLimitsAreKept(t *testing.T) {
	var list []Entry
	for n := range maxEntries + 5 {
		list = add(list, Entry{Account: fmt.Sprint(n), At: noon.Add(time.Duration(n)), Until: noon.Add(time.Hour)})
	}
	if len(list) != maxEntries || list[0].Account != "5" {
		t.Errorf("%d entries from %s on, want %d from 5 on", len(list), list[0].Account, maxEntries)
	}
}

func TestTheLongestOfAnAccountHolds(t *testing.T) {
	short := Entry{Account: "a", Kind: "five_hour", At: noon, Until: noon.Add(time.Hour)}
	long := Entry{Account: "a", Kind: "weekly", At: noon, Until: noon.Add(2 * time.Hour)}
	other := Entry{Account: "b", Kind: "rate", At: noon}
	stranger := Entry{Account: "c", Kind: "rate", At: noon}
	got := holding([]Entry{long, short, other, stranger}, []string{"a", "b", "d"}, noon)
	if diff := cmp.Diff(map[string]Entry{"a": long, "b": other}, got); diff != "" {
		t.Errorf("holding (-want +got):\n%s", diff)
	}
}
