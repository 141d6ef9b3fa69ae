package stop

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Time stops a run that has been alive for long enough, waits included.
func Time(most time.Duration) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.Live() < most {
			return none
		}
		return end(loop.Exhausted, loop.ByTime, fmt.Sprintf("the run has lasted %s (loop.max_time %s)", f.Live().Round(100*time.Millisecond), most))
	}
}
