package loop

// Streaks count in a row.
type Streaks struct {
	Failures     int `json:"failures"`
	RedGates     int `json:"red_gates"`
	TestFailures int `json:"test_failures"`
	NoProgress   int `json:"no_progress"`
}

// Tries counts attempts that went wrong, and what the last one was.
type Tries struct {
	Attempts  int  `json:"attempts,omitempty"`  // ended attempts at the next number, none of which counted
	Lost      int  `json:"lost,omitempty"`      // of these, the lost ones
	Overflows int  `json:"overflows,omitempty"` // context overflows in a row
	Skips     int  `json:"skips,omitempty"`     // skipped attempts in a row
	LastOK    bool `json:"last_ok,omitempty"`   // the last counted iteration was ok
}

// effect is what an attempt does to a streak.
type effect int

const (
	keep             effect = iota
	reset                   // to 0
	up                      // +1
	byProgress              // reset with progress, else +1
	upUnlessProgress        // +1, or unchanged with progress
)

// row is one line of the table below.
type row struct {
	ended    string
	counts   bool
	failures effect
	red      effect
	stuck    effect
}

// What an attempt does to the counters, by how it ended.
var (
	rowOK          = row{"ok", true, reset, reset, byProgress}
	rowAgent       = row{"failed by the agent", true, up, keep, byProgress}
	rowGateBetter  = row{"failed by a gate, better than the best", true, reset, reset, byProgress}
	rowGate        = row{"failed by a gate, or a refused claim", true, reset, up, byProgress}
	rowGateFailure = row{"the same, with stop.gates_are_failures", true, up, up, byProgress}
	rowTimeout     = row{"timed out, idle", true, upUnlessProgress, keep, byProgress}
	rowOverflow    = row{"first context overflow", true, keep, keep, byProgress}
	rowSkipped     = row{"skipped", true, keep, keep, keep}
	rowSkippedFree = row{"skipped, with loop.skips_count = false", false, keep, keep, keep}
	rowAway        = row{"limited, unavailable, signed out", false, keep, keep, keep}
	rowInterrupted = row{"interrupted, lost", false, keep, keep, keep}
)

// rowFor finds the line for outcome o.
func (s State) rowFor(o Outcome) row {
	if s.HeldByProvider(o) {
		return rowAway
	}
	switch o.Result {
	case Interrupted, Lost:
		return rowInterrupted
	case Skipped:
		if s.Counting.SkipsAreFree {
			return rowSkippedFree
		}
		return rowSkipped
	case TimedOut, Idle:
		return rowTimeout
	}
	agentFailed := o.Result == Failed && !o.Unfinished() && (o.Error != nil || !o.Exit.Zero())
	switch {
	case agentFailed && o.Error != nil && o.Error.Kind == ErrContextOverflow && s.Overflows == 0:
		return rowOverflow
	case agentFailed:
		return rowAgent
	case (o.Red() || o.Claim.Refused()) && o.counted() && s.Better(o.Tests) && !o.Claim.Doubted():
		return rowGateBetter
	case o.Red() || o.Claim.Refused():
		if s.Counting.GatesAreFailures {
			return rowGateFailure
		}
		return rowGate
	}
	return rowOK
}

// apply updates each counter once.
func (r row) apply(s State, o Outcome, undone bool) State {
	progress := o.MadeProgress() && !undone
	s.Streaks.Failures = r.failures.on(s.Streaks.Failures, progress)
	s.Streaks.RedGates = r.red.on(s.Streaks.RedGates, progress)
	s.Streaks.NoProgress = r.stuck.on(s.Streaks.NoProgress, progress)

	s.Tries = s.Tries.add(o, r.counts)
	if !r.counts {
		return s
	}
	s.Totals.Iterations++
	s.Talk = s.Talk.sumUp(s.Totals.Iterations, o.Summary)
	switch o.Result {
	case OK:
		s.Totals.OK++
	case TimedOut, Idle:
		s.Totals.TimedOut++
	case Skipped:
		s.Totals.Skipped++
	default:
		s.Totals.Failed++
	}
	return s
}

func (e effect) on(streak int, progress bool) int {
	switch {
	case e == reset, e == byProgress && progress:
		return 0
	case e == up, e == byProgress, e == upUnlessProgress && !progress:
		return streak + 1
	}
	return streak
}

func (t Tries) add(o Outcome, counts bool) Tries {
	if t.Overflows++; o.Error == nil || o.Error.Kind != ErrContextOverflow {
		t.Overflows = 0
	}
	if t.Skips++; o.Result != Skipped {
		t.Skips = 0
	}
	switch {
	case counts:
		t.Attempts, t.Lost = 0, 0
		t.LastOK = o.Result == OK && len(o.green()) == len(o.Gates)
	case o.Result == Lost:
		t.Attempts++
		t.Lost++
	default:
		t.Attempts++
	}
	return t
}
