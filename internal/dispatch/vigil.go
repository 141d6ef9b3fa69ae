package dispatch

import (
	"context"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// vigil says of runs that somebody waits for what keeps them, once each time that it
// changes.
type vigil struct {
	look func(context.Context) []fleet.Row
	why  func(context.Context, fleet.Row) holdup
	say  func(run string, h holdup)
	said map[string]holdup
}

// vigilPace is how often it is looked.
const vigilPace = 10 * time.Second

// round looks once.
func (v *vigil) round(ctx context.Context) {
	if v.said == nil {
		v.said = map[string]holdup{}
	}
	for _, row := range v.look(ctx) {
		h := v.why(ctx, row)
		if ctx.Err() == nil && h != v.said[row.Run] {
			v.said[row.Run] = h
			v.say(row.Run, h)
		}
	}
}

// keep looks again and again until its end is called.
func (v *vigil) keep(ctx context.Context) (end func()) {
	ctx, enough := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(vigilPace):
			}
			v.round(ctx)
		}
	})
	return func() {
		enough()
		wg.Wait()
	}
}
