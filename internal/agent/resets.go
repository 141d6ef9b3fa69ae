package agent

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// limited reports a limit. Its end is left out when it is not ahead: a reset in
// the past says nothing about the next one.
func (r *report) limited(limit loop.Limit) {
	if now := r.now(); !now.IsZero() && !limit.Until.After(now) {
		limit.Until = time.Time{}
	}
	r.limit = r.limit || !limit.Until.IsZero()
	r.add(&loop.AgentLimit{Limit: limit})
}

func (r *report) now() time.Time {
	if r.options.Now == nil {
		return time.Time{}
	}
	return r.options.Now()
}

// reset is the time at which a text says that a limit ends.
func (r *report) reset(text string) time.Time {
	now := r.now()
	if now.IsZero() {
		return time.Time{}
	}
	return resetIn(text, now)
}

// epoch is a time from a count since 1970, in seconds or, when it is too large
// for that, in milliseconds. What is no time of ours is zero.
func epoch(n float64) time.Time {
	const year3000 = 32_503_680_000
	switch {
	case n <= 0, n > year3000*1000:
		return time.Time{}
	case n > year3000:
		return time.UnixMilli(int64(n)).UTC()
	}
	return time.Unix(int64(n), 0).UTC()
}

// resetIn finds in a text the time at which a limit ends, as an agent would
// put it to a person whose clock shows now. It is zero when there is none, or
// when it has passed, or when it is so far away that it was misread.
func resetIn(text string, now time.Time) time.Time {
	for _, read := range []func(string, time.Time) time.Time{stampIn, waitIn, clockIn} {
		if t := read(text, now); t.After(now) && t.Before(now.AddDate(1, 0, 0)) {
			return t.UTC()
		}
	}
	return time.Time{}
}

// Stamps leave nothing to guess: "limit reached|1794713084", the provider's own
// "resets_at":1794713084, or a time by the standard.
var (
	epochForm    = regexp.MustCompile(`(?i)(?:\||resets?_?at"?\s*[:=]\s*"?)(\d{10,13})\b`)
	standardForm = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)
)

func stampIn(text string, _ time.Time) time.Time {
	if found := epochForm.FindStringSubmatch(text); found != nil {
		n, _ := strconv.ParseFloat(found[1], 64) // at most 13 digits
		return epoch(n)
	}
	t, _ := time.Parse(time.RFC3339, standardForm.FindString(text)) // zero when there is none
	return t
}

// Waits count from now: "try again in 3 hours 20 minutes", "will reset after
// 23h14m5s", "retry-after: 30", "resets_in_seconds":7200.
var (
	waitForm    = regexp.MustCompile(`(?i)(?:resets?|again|retry|available|wait)\b[^.\n]{0,20}?\b(?:in|after|for)\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)`)
	partForm    = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*([a-z]+)`)
	secondsForm = regexp.MustCompile(`(?i)(?:resets_in_seconds|retry[-_ ]after)"?\s*[:=]?\s*"?(\d{1,7})\b`)
)

func waitIn(text string, now time.Time) time.Time {
	if found := secondsForm.FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1]) // at most 7 digits
		return now.Add(time.Duration(n) * time.Second)
	}
	found := waitForm.FindStringSubmatch(text)
	if found == nil {
		return time.Time{}
	}
	var wait time.Duration
	for _, part := range partForm.FindAllStringSubmatch(found[1], -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		unit := unitOf(strings.ToLower(part[2]))
		if err != nil || unit == 0 || n > 1e6 {
			break // the sentence goes on with something else
		}
		wait += time.Duration(n * float64(unit))
	}
	return now.Add(wait)
}

func unitOf(word string) time.Duration {
	switch word {
	case "ms":
		return time.Millisecond
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return 24 * time.Hour
	}
	return 0
}

// Clocks are as on a wall, with or without a date and a time zone: "resets
// 3:24am (UTC)", "try again at Nov 20th, 2026 3:25 AM", "resets at 15:00".
var clockForm = regexp.MustCompile(`(?i)(?:resets?|again|available|until)(?:\s+(?:at|on|after))?:?\s+` +
	`(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?,?\s+(?:at\s+)?)?` +
	`(\d{1,2})(?::(\d{2}))?(?::\d{2})?(?:\s*([ap])\.?m\b\.?)?` +
	`(?:\s*\(([a-z0-9_+/-]+)\)|\s+(utc|gmt)\b)?`)

// justPassed is how late a clock time may be heard. One that has passed by more
// is tomorrow's.
const justPassed = 15 * time.Minute

func clockIn(text string, now time.Time) time.Time {
	for _, found := range clockForm.FindAllStringSubmatch(text, -1) {
		month, day, year, zone := found[1], found[2], found[3], found[7]+found[8]
		hour, minute, ok := wallClock(found[4], found[5], found[6])
		if !ok {
			continue // "try again 3 times"
		}
		place, err := placeOf(zone, now)
		if err != nil {
			continue
		}
		local := now.In(place)
		if month == "" {
			return clockToday(local, hour, minute)
		}
		return clockOn(local, month, day, year, hour, minute)
	}
	return time.Time{}
}

// wallClock reads "3", "24" and "a" as 3:24 in the morning. A lone number is
// not a time.
func wallClock(hours, minutes, half string) (hour, minute int, ok bool) {
	hour, _ = strconv.Atoi(hours) // one or two digits
	minute, _ = strconv.Atoi(minutes)
	switch half = strings.ToLower(half); {
	case half == "" && minutes == "", minute > 59:
		return 0, 0, false
	case half == "":
		return hour, minute, hour < 24
	case hour < 1 || hour > 12:
		return 0, 0, false
	case half == "p":
		return hour%12 + 12, minute, true
	}
	return hour % 12, minute, true
}

// placeOf finds a time zone by its name; without one it is the one of now.
func placeOf(zone string, now time.Time) (*time.Location, error) {
	switch strings.ToLower(zone) {
	case "":
		return now.Location(), nil
	case "utc", "gmt":
		return time.UTC, nil
	}
	return time.LoadLocation(zone)
}

func clockToday(now time.Time, hour, minute int) time.Time {
	t := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	if since := now.Sub(t); since >= 0 && since < time.Minute {
		return t.Add(time.Minute) // it says no seconds: some of this minute is left
	}
	if now.Sub(t) > justPassed {
		t = time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, now.Location())
	}
	return t
}

// clockOn is a time on a date. Without a year, January is next year's when it
// is heard in December.
func clockOn(now time.Time, month, day, year string, hour, minute int) time.Time {
	m, err := time.Parse("Jan", strings.ToUpper(month[:1])+strings.ToLower(month[1:]))
	if err != nil {
		return time.Time{}
	}
	d, _ := strconv.Atoi(day) // one or two digits
	y, err := strconv.Atoi(year)
	if err != nil {
		y = now.Year()
	}
	t := time.Date(y, m.Month(), d, hour, minute, 0, 0, now.Location())
	if year == "" && now.Sub(t) > 180*24*time.Hour {
		t = t.AddDate(1, 0, 0)
	}
	return t
}
