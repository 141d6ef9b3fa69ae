package dispatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhoWaitsIsToldOnceOfEachThingThatKeepsARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		row := func() fleet.Row {
			r := fleet.Row{Run: "x", State: loop.Running, Live: true}
			switch at := time.Since(begun); {
			case at >= 5*time.Minute:
				r.State, r.Live, r.Wrong = fleet.Failed, false, "the remote refuses"
			case at >= 3*time.Minute:
			case at >= time.Minute:
				r.State, r.Live = loop.Paused, false
			}
			return r
		}
		var told []string
		v := &vigil{
			look: func(context.Context) []fleet.Row { return []fleet.Row{row()} },
			why:  func(_ context.Context, r fleet.Row) holdup { return needs(r) },
			say: func(run string, h holdup) {
				if h != (holdup{}) {
					told = append(told, run+": "+h.what)
				}
			},
		}
		v.round(t.Context())
		end := v.keep(t.Context())
		time.Sleep(10 * time.Minute)
		end()
		want := []string{"x: it is paused", "x: its legs come to nothing, and none is tried any more: the remote refuses"}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}
