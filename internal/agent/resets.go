package agent

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

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
	epochForm    = regexp.MustCompile(`(?i)(?:\||(?:resets?_?at|ratelimit-reset|unified-reset)\\*"?\s*[:=]\s*\\*"?)(\d{10,13})\b`)
	standardForm = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)
	headerForm   = regexp.MustCompile(`(?i)retry-after\\*"?\s*:\s*\\*"?([a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT)`)
)

func stampIn(text string, _ time.Time) time.Time {
	if found := epochForm.FindStringSubmatch(text); found != nil {
		n, _ := strconv.ParseFloat(found[1], 64) // at most 13 digits
		return epoch(n)
	}
	if found := headerForm.FindStringSubmatch(text); found != nil {
		t, _ := time.Parse(time.RFC1123, found[1]) // zero when there is no such day
		return t
	}
	t, _ := time.Parse(time.RFC3339, standardForm.FindString(text)) // zero when there is none
	return t
}

// Waits count from now: "try again in 3 hours 20 minutes", "will reset after
// 23h14m5s", "wait 2 minutes", "retry-after: 30", "resets_in_seconds":7200,
// "retryDelay":"39s".
var (
	waitForm = regexp.MustCompile(`(?i)(?:(?:resets?|again|retry(?:ing)?|available|wait)\b[^.\n]{0,20}?\b(?:in|after|for|within)|\bwait)\s+(?:about\s+|~\s?)?` + spanPart +
		`|(?:retry|reset)_?delay\\*"?\s*[:=]\s*\\*"?` + spanPart)
	partForm    = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*([a-z]+)`)
	secondsForm = regexp.MustCompile(`(?i)(?:resets_in_seconds|retry[-_ ]after)\\*"?\s*[:=]\s*\\*"?(\d{1,7})\b`)
	millisForm  = regexp.MustCompile(`(?i)retry[-_]after[-_]ms\\*"?\s*[:=]\s*\\*"?(\d{1,10})\b`)
)

// spanPart is a length of time: "3 hours 20 minutes", "23h14m5s".
const spanPart = `((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)`

func waitIn(text string, now time.Time) time.Time {
	if found := millisForm.FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1]) // at most 10 digits
		return now.Add(time.Duration(n) * time.Millisecond)
	}
	if found := secondsForm.FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1]) // at most 7 digits
		return now.Add(time.Duration(n) * time.Second)
	}
	found := waitForm.FindStringSubmatch(text)
	if found == nil {
		return time.Time{}
	}
	var wait time.Duration
	for _, part := range partForm.FindAllStringSubmatch(found[1]+found[2], -1) {
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
	case "week", "weeks":
		return 7 * 24 * time.Hour
	}
	return 0
}
