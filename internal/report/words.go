package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// maxText is how much of a text is kept and shown, in cells.
const maxText = 300

// dollars is a sum of money; small ones keep the digits that tell them apart.
func dollars(usd float64) string {
	switch {
	case usd == 0 || usd >= 0.1:
		return fmt.Sprintf("$%.2f", usd)
	case usd >= 0.001:
		return fmt.Sprintf("$%.3f", usd)
	}
	return fmt.Sprintf("$%.5f", usd)
}

// about marks a sum that was worked out and not told.
func about(usd float64, estimated bool) string {
	if estimated {
		return "≈" + dollars(usd)
	}
	return dollars(usd)
}

func (p place) String() string {
	switch {
	case p.iter == 0:
		return "0 (before the first)"
	case p.attempt > 1:
		return fmt.Sprintf("%d (attempt %d)", p.iter, p.attempt)
	}
	return strconv.Itoa(p.iter)
}

// anchor is the attempt's name on the page, behind a letter for the list.
func (p place) anchor(list string) string {
	if p.attempt > 1 {
		return fmt.Sprintf("%s%d-%d", list, p.iter, p.attempt)
	}
	return fmt.Sprintf("%s%d", list, p.iter)
}

// lines is how many were added and removed, empty where nobody counted.
func lines(added, removed int) string {
	if added == 0 && removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%s −%s", text.Count(added), text.Count(removed))
}

// durationWords is a length of time in words.
func durationWords(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < time.Minute {
		return text.Duration(d)
	}
	return text.Seconds(d)
}

// known leaves out what is not.
func known(list []fact) []fact {
	var some []fact
	for _, f := range list {
		if f.Text != "" {
			some = append(some, f)
		}
	}
	return some
}

// times is how often, in words.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return text.Count(n) + " times"
}

// more counts what is not listed.
func more(n int, thing string) string {
	if n == 0 {
		return ""
	}
	return "And " + text.Plural(n, "more "+thing) + "."
}

func clock(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format("2 January 2006, 15:04:05 MST")
}
