// Package stop holds the rules that end a run, or make it wait, one per file.
//
// A rule reads facts and gives a verdict with its name and its evidence, or
// none. Rules are pure: the engine has run the scripts, matched the patterns
// and looked at the clock before it asks. Which rule wins is their order in
// Rules and nothing else.
package stop

import (
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Settings are the numbers that the rules go by. A zero limit is no limit.
type Settings struct {
	Done  Completion
	Limit ProviderPolicy
	Pace  Pacing

	Failures     int
	RedGates     int
	TestFailures int
	NoProgress   int
	Repeats      int
	Unrewarded   float64 // dollars since the last progress

	Iterations int
	Time       time.Duration
	CostUSD    float64
	Tokens     int

	Session Sessions

	Own []loop.Rule // that the program brings along

	PermissionsFix string // what to do when the agent may not run commands
}

// Rules lists every rule in the order in which they win.
func Rules(s Settings) []loop.Rule {
	return slices.Concat([]loop.Rule{
		AskedNow(),
		Fatal(),
		ProviderLimit(s.Limit),
		Blocked(),
		Person(),
		Finished(s.Done),
		AskedAfter(),
		Hook(),
		Script(),
		Pattern(),
		Permissions(s.PermissionsFix),
		Failures(s.Failures),
		RedGates(s.RedGates),
		TestFailures(s.TestFailures),
		NoProgress(s.NoProgress),
		Repeats(s.Repeats),
		Unrewarded(s.Unrewarded),
		Iterations(s.Iterations, s.Done.Asked()),
		Time(s.Time),
		Cost(s.CostUSD),
		Tokens(s.Tokens),
	}, s.Own, []loop.Rule{
		AwaitProvider(s.Limit),
		Session(s.Session),
		Pace(s.Pace),
	})
}

// none is no opinion.
var none loop.Verdict

// end stops the run; the rule's name is its reason.
func end(state loop.Status, reason loop.Reason, why string) loop.Verdict {
	return loop.Verdict{Action: loop.Stop, Rule: string(reason), State: state, Reason: reason, Why: why}
}
