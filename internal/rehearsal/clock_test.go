package rehearsal

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var evening = time.Date(2026, 11, 15, 22, 0, 0, 0, time.UTC)

func TestASleepMakesHappenWhatIsDue(t *testing.T) {
	c := NewClock(evening)
	var seen []string
	note := func(what string) func() {
		return func() { seen = append(seen, what+" "+c.Now().Format("15:04")) }
	}
	c.AfterFunc(3*time.Hour, note("late"))
	c.AfterFunc(time.Hour, func() {
		note("first")()
		c.AfterFunc(time.Minute, note("after the first"))
	})
	c.AfterFunc(time.Hour, note("second"))
	stop := c.AfterFunc(30*time.Minute, note("never"))
	stop()
	if c.Sleep(2*time.Hour, nil); !c.Now().Equal(evening.Add(2 * time.Hour)) {
		t.Errorf("after two hours it is %s", c.Now())
	}
	if want := []string{"first 23:00", "second 23:00", "after the first 23:01"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
}

func TestASleepEndsWhereItIsWoken(t *testing.T) {
	c, wake := NewClock(evening), make(chan struct{})
	c.AfterFunc(time.Minute, func() { close(wake) })
	c.Sleep(time.Hour, wake)
	if got := c.Now().Sub(evening); got != time.Minute {
		t.Errorf("slept %s, want a minute", got)
	}
	c.Sleep(time.Hour, wake)
	if got := c.Now().Sub(evening); got != time.Minute {
		t.Errorf("slept on to %s with something in wake", got)
	}
}

// Whatever is to happen, and whenever: it happens at its time, and in its order.
func TestTimersFireInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := NewClock(evening)
		var fired []time.Duration
		for _, d := range rapid.SliceOf(rapid.Int64Range(0, 1000)).Draw(t, "timers") {
			after := time.Duration(d) * time.Second
			c.AfterFunc(after, func() {
				if got := c.Now().Sub(evening); got != after {
					t.Fatalf("a timer of %s fired after %s", after, got)
				}
				fired = append(fired, after)
			})
		}
		var slept time.Duration
		for _, d := range rapid.SliceOf(rapid.Int64Range(0, 500)).Draw(t, "sleeps") {
			c.Sleep(time.Duration(d)*time.Second, nil)
			slept += time.Duration(d) * time.Second
		}
		if got := c.Now().Sub(evening); got != slept {
			t.Fatalf("it is %s later, want %s", got, slept)
		}
		if !slices.IsSorted(fired) {
			t.Fatalf("fired %v", fired)
		}
	})
}
