package engine

import "time"

// Clock is the time that a run goes by. A rehearsal has its own, on which hours
// pass at once.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f when d has passed, unless it is stopped before.
	AfterFunc(d time.Duration, f func()) (stop func())
	// Sleep returns when d has passed, or when there is something in wake.
	Sleep(d time.Duration, wake <-chan struct{})
}

// slice is the longest sleep in one piece. Timers stand still while a laptop
// is suspended, so a long wait looks at the clock again and again.
const slice = 30 * time.Second

// wall is the clock on the wall.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) AfterFunc(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

func (wall) Sleep(d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	}
}
