package agent

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a machine without time zones still reads "9am (Europe/Berlin)"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// limited reports a limit that has been reached. Its end is left out when it is
// not ahead: a reset in the past says nothing about the next one.
func (r *report) limited(limit loop.Limit) {
	if now := r.now(); !now.IsZero() && !limit.Until.After(now) {
		limit.Until = time.Time{}
	}
	if limit == r.limit {
		return
	}
	r.limit = limit
	r.add(&loop.AgentLimit{Limit: limit})
}

// heldUp reports the limit behind an error, unless an event has told its end
// before. What an event has called it stays its name: texts say less.
func (r *report) heldUp(f fault, kind loop.ErrorKind) {
	if !r.limit.Until.IsZero() {
		return
	}
	text := f.text + "\n" + f.detail
	r.limited(loop.Limit{Kind: cmp.Or(r.limit.Kind, limitIn(normal(text), kind)), Until: r.reset(text)})
}

// soon is a wait that is over before anybody could make use of knowing of it.
const soon = time.Minute

// waits reports the limit for which an agent waits before it tries again. Its end is
// in the words for it, or it is when the agent will try; one that is near or unknown
// is told only if it turns out to be the agent's last word.
func (r *report) waits(f fault, kind loop.ErrorKind, after time.Duration) {
	now := r.now()
	if now.IsZero() || !r.limit.Until.IsZero() {
		return
	}
	words := f.text + "\n" + f.detail
	until := r.reset(words)
	if until.IsZero() {
		until = now.Add(after).UTC()
	}
	if until.Sub(now) < soon {
		return
	}
	r.limited(loop.Limit{Kind: cmp.Or(r.limit.Kind, limitIn(normal(words), kind)), Until: until})
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

// limitNames are the kinds of usage limit as texts put them. The first that is
// found counts, so that a week's limit of one model is not just a week's.
var limitNames = []struct{ text, kind string }{
	{"opus weekly", "weekly_opus"},
	{"weekly opus", "weekly_opus"},
	{"opus limit", "weekly_opus"},
	{"sonnet weekly", "weekly_sonnet"},
	{"weekly sonnet", "weekly_sonnet"},
	{"sonnet limit", "weekly_sonnet"},
	{"weekly", "weekly"},
	{"monthly", "monthly"},
	{"premium request", "monthly"}, // copilot
	{"specified api usage", "monthly"},
	{"daily", "daily"},
	{"per day", "daily"},
	{"per-day", "daily"},
	{"perday", "daily"}, // Google
	{"session limit", "five_hour"},
	{"5-hour", "five_hour"},
	{"5 hour", "five_hour"},
	{"five-hour", "five_hour"},
	{"5h limit", "five_hour"},
	{"extra usage", "overage"}, // claude, as its event calls it
}

// limitIn names the limit that a text in lower case tells of; without a name it
// is just that, a usage limit or a rate limit.
func limitIn(text string, kind loop.ErrorKind) string {
	if kind == loop.ErrUsageLimit {
		for _, name := range limitNames {
			if strings.Contains(text, name.text) {
				return name.kind
			}
		}
	}
	return string(kind)
}

// snake is a word of someone else's in small letters, digits and underlines.
func snake(word string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, word)
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
// "resets_at":1794713084, or a time by a standard. In an answer that was put
// into another one, quotes come with a backslash.
var (
	epochForm    = text.NewPattern(`(?i)(?:\||(?:resets?(?:_?at|_?time)?|ratelimit-reset|unified-reset)\\*"?\s*[:=]\s*\\*"?)(\d{10,13})\b`)
	standardForm = text.NewPattern(`\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)`)
	headerForm   = text.NewPattern(`(?i)(?:retry-after\\*"?\s*:\s*\\*"?|\bresets?:?\s+(?:at\s+|on\s+)?)([a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT)`)
)

func stampIn(text string, _ time.Time) time.Time {
	if found := epochForm().FindStringSubmatch(text); found != nil {
		n, _ := strconv.ParseFloat(found[1], 64) // at most 13 digits
		return epoch(n)
	}
	if found := headerForm().FindStringSubmatch(text); found != nil {
		t, _ := time.Parse(time.RFC1123, found[1]) // zero when there is no such day
		return t
	}
	stamp := standardForm().FindString(text)
	for _, layout := range standardLayouts {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t
		}
	}
	return time.Time{}
}

// standardLayouts are the ways of ISO 8601, with or without seconds and a colon in the
// distance of the time zone.
var standardLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700"}

// Waits count from now: "try again in 3 hours 20 minutes", "will reset after
// 23h14m5s", "wait 2 minutes", "retry-after: 30", "resets_in_seconds":7200,
// "retryDelay":"39s".
var (
	waitForm = text.NewPattern(`(?i)(?:(?:resets?|again|back|retry(?:ing)?|available|wait)\b[^.\n]{0,20}?\b(?:in|after|for|within):?|\bwait)\s+(?:(?:about|around|approximately)\s+|~\s?)?` + spanPart +
		`|(?:retry|reset)_?delay\\*"?\s*[:=]\s*\\*"?` + spanPart)
	partForm    = text.NewPattern(`(?i)(\d+(?:\.\d+)?)\s*([a-z]+)`)
	secondsForm = text.NewPattern(`(?i)(?:resets?_(?:in|after)_seconds|retry[-_ ]after(?:[-_]seconds)?|ratelimit-reset-after)\\*"?\s*[:=]\s*\\*"?(\d{1,7})\b`)
	millisForm  = text.NewPattern(`(?i)retry[-_]after[-_]ms\\*"?\s*[:=]\s*\\*"?(\d{1,10})\b`)
)

// spanPart is a length of time: "3 hours 20 minutes", "23h14m5s".
const spanPart = `((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)`

func waitIn(text string, now time.Time) time.Time {
	if found := millisForm().FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1]) // at most 10 digits
		return now.Add(time.Duration(n) * time.Millisecond)
	}
	if found := secondsForm().FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1]) // at most 7 digits
		return now.Add(time.Duration(n) * time.Second)
	}
	found := waitForm().FindStringSubmatch(text)
	if found == nil {
		return time.Time{}
	}
	var wait time.Duration
	for _, part := range partForm().FindAllStringSubmatch(found[1]+found[2], -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		unit := unitOf(strings.ToLower(part[2]))
		if err != nil || unit == 0 || n*float64(unit) > float64(aYear) {
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
	case "week", "weeks":
		return 7 * 24 * time.Hour
	}
	return 0
}

// Clocks are as on a wall, with or without a date and a time zone: "resets
// 3:24am (UTC)", "try again at Nov 20th, 2026 3:25 AM", "resets at 15:00",
// "access on 2026-12-01 at 00:00 UTC", "resets at 10:57 PM GMT-3".
const (
	whenPart  = `(?i)(?:resets?|again|available|until|access)(?:\s+(?:at|on|after))?:?\s+(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?`
	dayPart   = `(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?|(\d{4}-\d\d-\d\d))`
	clockPart = `(\d{1,2})(?::(\d{2}))?(?::\d{2})?(?:\s*([ap])\.?m\b\.?)?`
	zonePart  = `(?:\s*\(([a-z0-9_+/:-]+)\)|\s+((?:utc|gmt)(?:[+-]\d{1,2}(?::?\d{2})?)?|[ep][sd]?t|cest|cet)\b)?`
)

var (
	// Some put the day before the month: "20 November 2026".
	dayFirst  = text.NewPattern(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?\s+((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b`)
	dayForm   = text.NewPattern(whenPart + dayPart + `(?:,?\s+(?:at\s+)?` + clockPart + `)?` + zonePart)
	clockForm = text.NewPattern(whenPart + clockPart + zonePart)
)

// justPassed is how late a clock time may be heard. One that has passed by more
// is tomorrow's.
const justPassed = 15 * time.Minute

func clockIn(text string, now time.Time) time.Time {
	text = dayFirst().ReplaceAllString(text, "$2 $1")
	if found := dayForm().FindStringSubmatch(text); found != nil {
		place, err := placeOf(found[8]+found[9], now)
		if err != nil {
			return time.Time{}
		}
		// A day without a time begins at midnight: whoever comes too early is
		// told the time.
		hour, minute, _ := wallClock(found[5], found[6], found[7])
		t := dayOf(now.In(place), found[1], found[2], found[3], found[4])
		return time.Date(t.Year(), t.Month(), t.Day(), hour, minute, 0, 0, t.Location())
	}
	for _, found := range clockForm().FindAllStringSubmatch(text, -1) {
		hour, minute, ok := wallClock(found[1], found[2], found[3])
		if !ok {
			continue // "try again 3 times"
		}
		if place, err := placeOf(found[4]+found[5], now); err == nil {
			return clockToday(now.In(place), hour, minute)
		}
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

// offsetForm is a time zone by its distance: "GMT-3", "UTC+5:30".
var offsetForm = text.NewPattern(`(?i)^(?:utc|gmt)([+-]\d{1,2})(?::?(\d{2}))?$`)

// placeOf finds a time zone by its name; without one it is the one of now.
func placeOf(zone string, now time.Time) (*time.Location, error) {
	switch strings.ToLower(zone) {
	case "":
		return now.Location(), nil
	case "utc", "gmt":
		return time.UTC, nil
	case "pt", "pst", "pdt":
		return time.LoadLocation("America/Los_Angeles")
	case "et", "est", "edt":
		return time.LoadLocation("America/New_York")
	case "cet", "cest":
		return time.LoadLocation("Europe/Berlin")
	}
	found := offsetForm().FindStringSubmatch(zone)
	if found == nil {
		return time.LoadLocation(zone)
	}
	hours, _ := strconv.Atoi(found[1]) // a sign and one or two digits
	minutes, _ := strconv.Atoi(found[2])
	if strings.HasPrefix(found[1], "-") {
		minutes = -minutes
	}
	return time.FixedZone(zone, (hours*60+minutes)*60), nil
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

// dayOf is the start of a day, "Nov" "18" "2026" or "2026-11-18". Without a
// year, January is next year's when it is heard in December.
func dayOf(now time.Time, month, day, year, date string) time.Time {
	if date != "" {
		t, _ := time.ParseInLocation(time.DateOnly, date, now.Location()) // zero when there is no such day
		return t
	}
	m, err := time.Parse("Jan", strings.ToUpper(month[:1])+strings.ToLower(month[1:]))
	if err != nil {
		return time.Time{}
	}
	d, _ := strconv.Atoi(day) // one or two digits
	y, err := strconv.Atoi(year)
	if err != nil {
		y = now.Year()
	}
	t := time.Date(y, m.Month(), d, 0, 0, 0, 0, now.Location())
	if year == "" && now.Sub(t) > 180*24*time.Hour {
		t = t.AddDate(1, 0, 0)
	}
	return t
}
