package stop

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Time stops a run that has been alive for long enough, waits included.
func Time(s *Settings) Rule {
	return Rule{
		Name: "time", Decide: maxTime(s.Time), Redecidable: true, CanEnd: s.Time > 0,
		Limit: func(l *loop.Limits) { l.Time = loop.Millis(s.Time) },
		Rows: []setting.Row{{
			Key: "loop.max_time", Kind: setting.Duration, At: &s.Time, Default: time.Duration(0),
			Doc: "how long the whole run may live, waits included; \"0s\" is no limit",
		}},
		Ends: []End{{
			Reason: loop.ByTime, State: loop.Exhausted, Key: "loop.max_time",
			When:  "the run has lasted `loop.max_time`, waits included; or a wait would last longer",
			Short: "time used up", Setting: "`loop.max_time`, `--max-time`", Default: "no limit",
			Raise: "--max-time D",
		}},
	}
}

func maxTime(most time.Duration) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.Live() < most {
			return none
		}
		return end(loop.Exhausted, loop.ByTime, fmt.Sprintf("the run has lasted %s (loop.max_time %s)", f.Live().Round(100*time.Millisecond), most))
	}
}
