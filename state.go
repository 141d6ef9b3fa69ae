package refrain

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// RunState is the sum of a run so far: what its rules and hooks go by. What the
// runner keeps for itself beside it is not there.
type RunState struct {
	Totals  Totals  `json:"totals"`  // what counts over the whole run
	Streaks Streaks `json:"streaks"` // what counts in a row
	Limits  Limits  `json:"limits"`  // what will end the run at the latest; 0 is none
	Live    Span    `json:"live_ms"` // how long it has been alive at the last event, waits included

	Plan     *PlanState `json:"plan,omitempty"`     // as it was last read; nil: there is none
	Best     *BestTests `json:"best,omitempty"`     // the best test counts so far; nil: no tests were seen
	Net      *Changes   `json:"net,omitempty"`      // since the run began; nil: not known
	Refusals []Refusal  `json:"refusals,omitempty"` // the last claims that were not taken
	Session  *Session   `json:"session,omitempty"`  // that the next attempt goes on with; nil: a fresh one
	Attempts int        `json:"attempts,omitempty"` // that were made at the next iteration, none of which counted
}

type (
	PlanState = loop.Tally   // how far a plan has come
	BestTests = loop.Best    // the most that passed, and the fewest that failed
	Refusal   = loop.Refusal // a claim that was not taken
	Session   = loop.Session // the agent's own conversation
)

// Next is the number of the iteration that comes next.
func (s RunState) Next() int { return s.Totals.Iterations + 1 }

func runState(s loop.State) RunState {
	return RunState{
		Totals: s.Totals, Streaks: s.Streaks, Limits: s.Limits, Live: s.Live, Plan: s.Tasks.Plan, Best: s.Best, Net: s.Net,
		Refusals: s.Refusals, Session: s.Session, Attempts: s.Attempts,
	}
}

// Facts are what a rule may look at.
type Facts struct {
	State   RunState
	Outcome *Outcome // nil before a step, and while the run waits
	Now     time.Time
	Asked   *StopRequest // nil when nobody asked to stop
	Hurry   bool         // a person wants no more waiting
	// Noted is which agents of this run others have found turned away by their provider.
	Noted []ProviderHold

	live time.Duration
}

type (
	StopRequest  = loop.StopRequest  // a person's wish to stop
	ProviderHold = loop.ProviderHold // an agent that its provider turns away, and since when
)

// Live is how long the run has been alive, waits included.
func (f Facts) Live() time.Duration { return f.live }

func facts(f loop.Facts) Facts {
	return Facts{State: runState(f.State), Outcome: f.Outcome, Now: f.Now, Asked: f.Asked, Hurry: f.Hurry, Noted: f.Noted, live: f.Live()}
}
