package view

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// People says in everyday words what a run is, and how much stands behind one
// that is done.
func People(s loop.Status, level loop.Level) string {
	switch s {
	case loop.Done:
		return "done, " + LevelWords(level)
	case loop.Exhausted:
		return "hit the limit"
	case loop.Aborted:
		return "gave up"
	case loop.Stopped:
		return "you stopped it"
	case loop.CouldNotRun:
		return "could not run"
	case loop.Crashed:
		return "died"
	}
	return string(s)
}

// Clock is the local time of day to the minute, with its date when it is not
// the next time that a clock shows this.
func Clock(t, now time.Time) string {
	if next := t.Sub(now); next >= 0 && next < 24*time.Hour {
		return t.Local().Format("15:04")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// Dollars is a sum of money, marked when it was worked out and not told.
func Dollars(usd float64, estimated bool) string {
	said := fmt.Sprintf("$%.2f", usd)
	if usd > 0 && usd < 0.005 {
		return "under $0.01"
	}
	if estimated {
		return "≈" + said
	}
	return said
}

// Billed says who pays, empty when it is not known.
func Billed(to string) string {
	switch to {
	case "api_key":
		return "your API key"
	case "subscription":
		return "your subscription"
	}
	return text.Line(to)
}

// Each says how long iterations took, and how far apart they lay.
func Each(s Spread) string {
	mean := text.Duration(time.Duration(s.Mean * float64(time.Millisecond)))
	if s.N < 2 {
		return mean
	}
	return mean + " ± " + text.Duration(time.Duration(s.Deviation*float64(time.Millisecond)))
}
