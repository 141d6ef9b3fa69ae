package report

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// pageEnd is what ended the run, how far it was from its other ends, and what to
// type next.
type pageEnd struct {
	Ending   []fact
	Limits   []limit
	Commands []command
}

func endOf(d *Data) pageEnd {
	return pageEnd{Ending: ending(d), Limits: limits(d), Commands: commands(d)}
}

// setting is a threshold of the configuration.
type setting struct {
	key   string
	what  string
	used  func(view.Status) float64
	limit func(loop.Limits) float64
	say   func(float64) string
}

func whole(n float64) string { return text.Count(int(n)) }

func length(seconds float64) string {
	return text.Seconds(time.Duration(seconds * float64(time.Second)))
}

// settings are all the thresholds.
var settings = []setting{
	{
		"loop.max_iterations", "iterations",
		func(s view.Status) float64 { return float64(s.Totals.Iterations) },
		func(l loop.Limits) float64 { return float64(l.Iterations) }, whole,
	},
	{
		"loop.max_time", "time",
		func(s view.Status) float64 { return s.Elapsed.Duration().Seconds() },
		func(l loop.Limits) float64 { return l.Time.Duration().Seconds() }, length,
	},
	{
		"budget.cost_usd", "cost",
		func(s view.Status) float64 { return s.Totals.CostUSD },
		func(l loop.Limits) float64 { return l.CostUSD }, dollars,
	},
	{
		"budget.tokens", "tokens",
		func(s view.Status) float64 { return float64(s.Totals.Tokens) },
		func(l loop.Limits) float64 { return float64(l.Tokens) }, whole,
	},
	{
		"stop.failures", "failures in a row",
		func(s view.Status) float64 { return float64(s.Streaks.Failures) },
		func(l loop.Limits) float64 { return float64(l.Failures) }, whole,
	},
	{
		"stop.red_gates", "red iterations in a row",
		func(s view.Status) float64 { return float64(s.Streaks.RedGates) },
		func(l loop.Limits) float64 { return float64(l.RedGates) }, whole,
	},
	{
		"stop.test_failures", "test failures in a row",
		func(s view.Status) float64 { return float64(s.Streaks.TestFailures) },
		func(l loop.Limits) float64 { return float64(l.TestFailures) }, whole,
	},
	{
		"stop.no_progress", "without progress in a row",
		func(s view.Status) float64 { return float64(s.Streaks.NoProgress) },
		func(l loop.Limits) float64 { return float64(l.NoProgress) }, whole,
	},
}

// endedBy is the setting that a run ended by, if it was one.
func endedBy(d *Data) string { return stop.Key(d.run.Verdict.Rule, d.Status.Reason) }

// limit is how far a run came towards one of its ends.
type limit struct {
	Key, What, Used, Limit string
	Fill                   string // share of the limit
	Full, Ended            bool
}

func limits(d *Data) []limit {
	var list []limit
	for _, s := range settings {
		most := s.limit(d.run.Limits)
		if most <= 0 {
			continue
		}
		used := s.used(d.Status)
		list = append(list, limit{
			Key: s.key, What: s.what, Used: s.say(used), Limit: s.say(most),
			Fill: percent(min(max(used/most, 0), 1) * 100), Full: used >= most,
			Ended: endedBy(d) == s.key && d.run.State != loop.Done,
		})
	}
	return list
}

// commands are what to type next, with what each does.
type command struct{ Line, Does string }

func commands(d *Data) []command {
	run, name := d.run, text.Line(d.run.Name)
	show := command{"refrain show " + name, "the run in the terminal"}
	diff := command{"refrain diff " + name, "everything that changed"}
	resume := command{"refrain resume " + name, "go on where it ended"}
	switch run.State {
	case "":
		return nil
	case loop.Done:
		return []command{diff, show}
	case loop.Exhausted:
		resume = command{resume.Line + run.Raised(), "go on with twice the limit"}
		return []command{resume, diff, show}
	case loop.Aborted, loop.Stopped, loop.CouldNotRun, loop.Parked, loop.Crashed:
		return []command{resume, diff, show}
	case loop.Paused:
		return []command{{resume.Line, "end the pause"}, show}
	}
	return []command{{"refrain logs -f " + name, "what it is doing now"}, show}
}

// ending is what ended the run.
func ending(d *Data) []fact {
	if !d.run.State.Ended() {
		return nil
	}
	rule := text.Line(d.run.Verdict.Rule)
	if rule == string(d.Status.Reason) {
		rule = ""
	}
	signal := ""
	if d.run.Finished != nil && d.run.Finished.Signal != "" {
		signal = "SIG" + text.Line(d.run.Finished.Signal)
	}
	return known([]fact{
		{"State", text.Line(string(d.run.State)), true},
		{"Reason", text.Line(string(d.Status.Reason)), true},
		{"Rule", rule, true},
		{"Setting", endedBy(d), true},
		{"Signal", signal, true},
	})
}
