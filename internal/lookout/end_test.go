package lookout

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// fading has a glimpse of a run so many times, and then its remote is gone.
type fading struct{ left int }

func (f *fading) See(context.Context, carry.Sight) (*carry.Glimpse, error) {
	if f.left--; f.left < 0 {
		return nil, &carry.UnreachableError{}
	}
	return &carry.Glimpse{}, nil
}

func (f *fading) Files(context.Context, carry.Sight) error { return nil }

// A run that is over, and whose end nobody can see any more, is not followed for ever.
func TestTheEndOfARunThatNobodyCanSeeIsNotWaitedForForEver(t *testing.T) {
	for name, tt := range map[string]struct{ seen int }{
		"that was seen before": {1}, "that nobody has seen": {0}, "that can be seen": {99},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				row := fleet.Row{Run: "x", ID: "loop_1", State: loop.Running, Live: true, Place: fleet.Place{At: "a"}}
				f := &fakeFleet{rows: map[string]fleet.Row{"x": row}}
				l := New(f, &fading{tt.seen})
				r, err := l.Find(ctx, "x")
				if err != nil {
					t.Fatal(err)
				}
				row.State, row.Live, row.At, row.EndedAt = loop.Done, false, "b", time.Now()
				f.say(row)
				if begun := l.Await(ctx, r); begun != (tt.seen > 0) {
					t.Errorf("it has records: %v, want %v", begun, tt.seen > 0)
				}
				l.Keep(ctx, r)
				if ctx.Err() != nil {
					t.Fatal("it was looked at for an hour")
				}
				if _, held := r.holder(); held {
					t.Error("whoever follows it would go on")
				}
				if trouble := r.Trouble(); (trouble == nil) != (tt.seen > 1) {
					t.Errorf("trouble = %v", trouble)
				}
			})
		})
	}
}
