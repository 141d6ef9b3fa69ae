package view

import (
	"fmt"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
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

// Duration says how long an iteration took: 45.2s, 2m16s, 1h03m.
func Duration(d time.Duration) string {
	if tenths := d.Round(100 * time.Millisecond); tenths < time.Minute {
		return fmt.Sprintf("%.1fs", max(tenths, 0).Seconds())
	}
	return Total(d)
}

// Total says how long a whole run took: 35s, 2m16s, 1h03m.
func Total(d time.Duration) string {
	d = max(d.Round(time.Second), 0)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh%02dm", h, m)
	case m > 0:
		return fmt.Sprintf("%dm%02ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

// Count writes a number with a comma at every thousand: 4,230.
func Count(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Plural counts things: 1 iteration, 2 iterations.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// Left says how much of a wait is left, to the second: 45s, 12m03s, 3h12m05s.
func Left(d time.Duration) string {
	d = max(d.Round(time.Second), 0)
	if d < time.Hour {
		return Total(d)
	}
	return fmt.Sprintf("%dh%02dm%02ds", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
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
	return Line(to)
}

// Each says how long iterations took, and how far apart they lay.
func Each(s Spread) string {
	mean := Duration(time.Duration(s.Mean * float64(time.Millisecond)))
	if s.N < 2 {
		return mean
	}
	return mean + " ± " + Duration(time.Duration(s.Deviation*float64(time.Millisecond)))
}
