package engine_test

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

// A time that no clock of ours can show is waited for once.
func TestALimitThatEndsBetweenTwoMillisecondsIsWaitedForOnce(t *testing.T) {
	bubble(t, "an hour and a bit", func(t *testing.T) {
		s := newStage(t, limited(time.Hour), says("<promise>DONE</promise>"))
		s.cast(false, "agent")
		s.settings = stop.Settings{Iterations: 3, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour, Margin: time.Second + time.Microsecond}}
		if end := s.run(nil); end.State != loop.Done || end.Totals.Waits != 1 {
			t.Errorf("end = %+v, want done after one wait", end)
		}
	})
}
