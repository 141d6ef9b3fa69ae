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

// now is the time as the journal writes it: what is added up from the journal
// later must equal what is added up here.
func (e *Engine) now() time.Time { return e.Clock.Now().UTC().Truncate(time.Millisecond) }
