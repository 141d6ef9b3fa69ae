package stop

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Sessions says when a kept session is given up for a fresh one.
type Sessions struct {
	Keep          bool
	Redline       int           // percent of the context that may be full
	MaxTime       time.Duration // 0 is none
	MaxIterations int           // 0 is none
	MinIterations int           // between two reboots for the context's sake
}

// Session asks for a fresh session when the kept one is full, old or broken.
func Session(s *Settings) Rule {
	return Rule{
		Decide: session(s.Session),
		Limit: func(l *loop.Limits) {
			if s.Session.Keep {
				l.Redline = s.Session.Redline
			}
		},
		Rows: []setting.Row{
			{
				Key: "session.max_time", Kind: setting.Duration, At: &s.Session.MaxTime, Default: time.Duration(0),
				Doc: "reboot a kept session that is older than this; \"0s\" is no limit",
			},
			{
				Key: "session.max_iterations", Kind: setting.Int, At: &s.Session.MaxIterations, Default: 0,
				Doc: "reboot a kept session after this many iterations; 0 is no limit",
			},
			{
				Key: "session.min_iterations", Kind: setting.Positive, At: &s.Session.MinIterations, Default: 1,
				Doc: "iterations at least between two reboots for the context's sake",
			},
			{
				Key: "context.redline", Kind: setting.Percent, At: &s.Session.Redline, Default: 85,
				Doc: "reboot a kept session that fills more of the model's window than this, in percent, by the agent's own figures",
			},
		},
	}
}

func session(s Sessions) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		held := f.State.Session
		if !s.Keep || held == nil {
			return none
		}
		switch {
		case f.State.Overflows > 0:
			return reboot("overflow", "the context is full")
		case held.Broken:
			return reboot("recover", "the agent failed, and its session may be why")
		case s.Redline > 0 && held.Percent > s.Redline && held.Iterations >= s.MinIterations:
			return reboot("redline", fmt.Sprintf("the context is %d%% full (context.redline is %d)", held.Percent, s.Redline))
		case s.MaxIterations > 0 && held.Iterations >= s.MaxIterations:
			return reboot("session_iterations", fmt.Sprintf("the session has lasted %s (session.max_iterations)", counted(held.Iterations)))
		case s.MaxTime > 0 && held.Age(f.Now) >= s.MaxTime:
			return reboot("session_time", fmt.Sprintf("the session has lasted %s (session.max_time is %s)", held.Age(f.Now).Round(time.Second), s.MaxTime))
		}
		return none
	}
}

func reboot(rule, why string) loop.Verdict {
	return loop.Verdict{Action: loop.Reboot, Rule: rule, Why: why}
}
