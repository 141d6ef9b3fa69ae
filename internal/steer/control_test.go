package steer

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Asking again changes nothing, except that "at once" overtakes "after this
// iteration".
func TestWishesToStop(t *testing.T) {
	c := NewControl()
	if c.Asked() != nil || c.StopsNow() || closed(c.Stopping()) || closed(c.AtOnce()) || closed(c.Pushed()) {
		t.Fatal("a wish that nobody had")
	}
	c.Stop(loop.StopRequest{Signal: "INT"})
	if c.Asked().Signal != "INT" || c.StopsNow() || !closed(c.Stopping()) || closed(c.AtOnce()) || closed(c.Pushed()) {
		t.Errorf("after a wish to stop: %+v", c.Asked())
	}
	c.Stop(loop.StopRequest{Signal: "TERM"})
	if c.Asked().Signal != "INT" {
		t.Errorf("the second wish counts: %+v", c.Asked())
	}
	c.Stop(loop.StopRequest{Now: true, Signal: "HUP"})
	if c.Asked().Signal != "HUP" || !c.StopsNow() || !closed(c.AtOnce()) || !closed(c.Pushed()) {
		t.Errorf("after a wish to stop at once: %+v", c.Asked())
	}
	if closed(c.Pushed()) {
		t.Error("one push is two")
	}
	c.Stop(loop.StopRequest{Now: true})
	c.Stop(loop.StopRequest{Now: true})
	if !closed(c.Pushed()) || closed(c.Pushed()) {
		t.Error("who pushes again is not heard, or twice")
	}
	if c.Asked().Signal != "HUP" || len(c.orders) != 2 {
		t.Errorf("wish %+v, %d orders; want the first that says at once, and two", c.Asked(), len(c.orders))
	}
}

// A desk that has too much to do misses a line, and not the wish.
func TestAWishToStopIsNeverLost(t *testing.T) {
	c := NewControl()
	for range cap(c.orders) {
		c.orders <- order{}
	}
	c.Stop(loop.StopRequest{Now: true})
	if !c.StopsNow() {
		t.Error("the wish is lost")
	}
}

func TestDoing(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		before func(*Control)
		ctx    context.Context
		cmd    Command
		want   Answer
		err    error
	}{
		{"stop, and no waiting for it", nil, t.Context(), Command{Name: "stop", NoWait: true}, Answer{OK: true, Effect: "stopping"}, nil},
		{"stop twice", func(c *Control) { c.Stop(loop.StopRequest{}) }, t.Context(), Command{Name: "stop"}, Answer{Effect: "the run is stopping already"}, nil},
		{"stop at once after stop", func(c *Control) { c.Stop(loop.StopRequest{}) }, t.Context(), Command{Name: "stop_now", NoWait: true}, Answer{OK: true, Effect: "stopping"}, nil},
		{"the caller is gone", nil, over, Command{Name: "stop"}, Answer{}, context.Canceled},
		{"the run is over", (*Control).End, t.Context(), Command{Name: "pause"}, Answer{Effect: "the run has ended", Late: true}, nil},
		{"stop of a run that is over", (*Control).End, t.Context(), Command{Name: "stop"}, Answer{Effect: "the run has ended", Late: true}, nil},
		{"nobody listens, and the caller leaves", func(c *Control) {
			for range cap(c.orders) {
				c.orders <- order{}
			}
		}, over, Command{Name: "pause"}, Answer{}, context.Canceled},
	} {
		c := NewControl()
		if tt.before != nil {
			tt.before(c)
		}
		got, err := c.Do(tt.ctx, tt.cmd)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %+v, %v; want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

// An answer that came with the end is the answer.
func TestAnAnswerThatComesWithTheEnd(t *testing.T) {
	run, d := newFake()
	stop := d.Listen()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		<-d.Stopping()
		stop()
		run.Record(&loop.RunFinished{State: loop.Stopped})
		d.End()
		d.End() // once is enough
	})
	a, err := d.Do(t.Context(), Command{Name: "stop"})
	if err != nil || !a.OK || a.Effect != "stopping now" || a.State != loop.Stopped {
		t.Errorf("answer %+v, %v", a, err)
	}
}

// To be left at once and to be stopped get along, whichever comes first.
func TestLeave(t *testing.T) {
	closed := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	stop := func(now bool) func(*Control) {
		return func(c *Control) { c.Stop(loop.StopRequest{Now: now}) }
	}
	for _, order := range [][]func(*Control){
		{(*Control).Leave},
		{(*Control).Leave, (*Control).Leave},
		{(*Control).Leave, stop(false), stop(true)},
		{stop(false), (*Control).Leave, stop(true)},
		{stop(false), stop(true), (*Control).Leave},
		{stop(true), (*Control).Leave},
	} {
		c := NewControl()
		if c.Leaving() || c.StopsNow() || closed(c.AtOnce()) || closed(c.Stopping()) {
			t.Error("nobody has wished anything")
		}
		for _, wish := range order {
			wish(c)
		}
		if !c.Leaving() || !c.StopsNow() || !closed(c.AtOnce()) || !closed(c.Stopping()) {
			t.Errorf("leaving %v, now %v", c.Leaving(), c.StopsNow())
		}
	}
}
