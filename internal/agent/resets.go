package agent

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a machine without time zones still reads "9am (Europe/Berlin)"

	"github.com/refrain-loop/refrain/internal/text"
)

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

// isPart stands between a name and its value: of JSON, which may be inside of a text
// of JSON, of Python, or of a header.
const isPart = `\\*["']?\s*[:=]\s*\\*["']?`

// Stamps leave nothing to guess: "limit reached|1794713084", the provider's own
// "resets_at":1794713084, or a time by a standard. In an answer that was put
// into another one, quotes come with a backslash.
var (
	epochForm    = text.NewPattern(`(?i)(?:\||(?:resets?(?:_?at|_?time)?|ratelimit-reset|unified-reset)` + isPart + `|\bresets? at )(\d{10,13})\b`)
	standardForm = text.NewPattern(`\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)`)
	headerForm   = text.NewPattern(`(?i)(?:retry[- ]after\\*"?\s*:?\s*\\*"?|\bresets?:?\s+(?:at\s+|on\s+)?)([a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT)`)
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
	waitForm = text.NewPattern(`(?i)(?:` + backPart + `\b[^.\n]{0,20}?\b(?:in|after|for|within):?|\bwait|\bresets?:)\s+` + aboutPart + spanPart +
		`|(?:(?:retry|reset)_?delay|retry[-_ ]?after|resets?_(?:in|after)|ratelimit-reset(?:-[a-z]+)?)` + isPart + spanPart +
		`|\bresets?\s+` + spanPart + `from now` +
		`|\bin\s+` + spanPart + `you can\b` +
		`|` + spanPart + `(?:remaining |left )?(?:until|before) (?:[a-z]+ ){0,3}resets?\b`)
	partForm    = text.NewPattern(`(?i)(\d+(?:\.\d+)?)\s*([a-z]+)`)
	clockSpan   = text.NewPattern(`(?i)` + backPart + `\b[^.\n]{0,20}?\bin:?\s+(\d{1,3}):(\d\d):(\d\d)\b`)
	secondsForm = text.NewPattern(`(?i)(?:resets?_?(?:in|after)_?sec(?:ond)?s|resets?_in|seconds_until_reset|retry[-_ ]?after(?:[-_]?(?:sec(?:ond)?s|s))?|ratelimit-reset-after)` + isPart + `(\d{1,7})\b`)
	millisForm  = text.NewPattern(`(?i)(?:retry[-_]?(?:after|delay)|resets?[-_]?(?:in|after))[-_]?ms` + isPart + `(\d{1,10})\b`)
	countsForm  = text.NewPattern(`(?i)\b(half an|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty-four) (minute|hour|day|week)s?\b`)
)

// Parts of a wait: what it is for, that it is not exact, and its length, "3 hours
// 20 minutes", "23h14m5s".
const (
	backPart  = `(?:resets?|refresh(?:e[sd])?|renew(?:s|ed)?|refills?|replenish(?:e[sd])?|opens|restored|lifted|unlock(?:s|ed)?|continue|again|back|retry(?:ing)?|available|wait)`
	aboutPart = `(?:(?:about|around|approximately|roughly|another|at least|at most|less than|under|up to|the next)\s+|~\s?)?`
	spanPart  = `((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)`
)

func waitIn(text string, now time.Time) time.Time {
	if found := millisForm().FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1]) // at most 10 digits
		return now.Add(time.Duration(n) * time.Millisecond)
	}
	if found := secondsForm().FindStringSubmatchIndex(text); found != nil && !hasUnit(text[found[3]:]) {
		n, _ := strconv.Atoi(text[found[2]:found[3]]) // at most 7 digits
		return now.Add(time.Duration(n) * time.Second)
	}
	text = countsForm().ReplaceAllStringFunc(text, inDigits)
	if found := clockSpan().FindStringSubmatch(text); found != nil {
		return now.Add(span(found[1], time.Hour).Duration() + span(found[2], time.Minute).Duration() + span(found[3], time.Second).Duration())
	}
	found := waitForm().FindStringSubmatch(text)
	if found == nil {
		return time.Time{}
	}
	return now.Add(lengthOf(strings.Join(found[1:], "")).Duration())
}

// hasUnit tells whether a number goes on with a unit of its own: "120 minutes".
func hasUnit(rest string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	return unitOf(strings.ToLower(strings.TrimRight(word, ".,;)"))) != 0
}

// counts are numbers as people write them before a length of time.
var counts = map[string]string{
	"half an": "0.5", "a": "1", "an": "1", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
	"seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty-four": "24",
}

// inDigits writes "two hours" as "2 hours".
func inDigits(words string) string {
	at := strings.LastIndexByte(words, ' ')
	return counts[strings.ToLower(words[:at])] + words[at:]
}

func unitOf(word string) time.Duration {
	switch word {
	case "ms", "millisecond", "milliseconds":
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
// "access on 2026-12-01 at 00:00 UTC", "resets at 10:57 PM GMT-3", "resets
// Thursday at 9am".
const (
	whenPart  = `(?i)(?:resets?|refresh(?:e[sd])?|renew(?:s|ed)?|again|available|until|access|back|unlocks?|resumes?)(?:\s+(?:time|date))?(?:\s+(?:at|on|after|@))?:?\s+`
	weekPart  = `(sun|mon|tue|wed|thu|fri|sat|today|tomorrow)[a-z]*`
	namedDay  = `(?:(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?|today|tomorrow)\b`
	dayPart   = `(?:` + weekPart + `,?\s+)?` + datePart
	datePart  = `(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?|(\d{4}-\d\d-\d\d))`
	clockPart = `(\d{1,2})(?::(\d{2}))?(?::\d{2})?(?:\s*([ap])\.?m\b\.?)?`
	laterPart = `(?:(?:,?\s+(?:at\s+)?|t)` + clockPart + `)?` // than a day's beginning
	zonePart  = `(?:\s*\(([a-z0-9_+/:-]+)\)|\s*((?:utc|gmt)?[+-]\d{1,2}:?\d{2}|(?:utc|gmt)[+-]\d{1,2}|` +
		`\b(?:utc|gmt|[pmce][sd]?t|pacific|mountain|central|eastern|cest|cet|bst|ist|jst|kst|sgt|hkt|ae[sd]t|(?:africa|america|asia|atlantic|australia|europe|pacific)/[a-z_]+))\b)?`
)

var (
	// Some put the day before the month, "20 November 2026", and some write it in
	// numbers, "11/20/2026", or behind the time, "3:20am (UTC) on Nov 20".
	dayFirst  = text.NewPattern(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?\s+((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b`)
	dots      = text.NewPattern(`\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b`)
	dotClock  = text.NewPattern(`(?i)\b(\d{1,2})\.(\d{2})(\s*[ap]\.?m\b)`)
	dayLast   = text.NewPattern(`(?i)\b(\d{1,2}(?::\d{2}(?::\d{2})?(?:\s*[ap]\.?m\b\.?)?|\s*[ap]\.?m\b\.?)` + zonePart + `),?\s+(?:on\s+)?(` + namedDay + `,?(?:\s+` + datePart + `)?|` + datePart + `)`)
	slashes   = text.NewPattern(`\b(\d{1,4})/(\d{1,2})/(\d{4}|\d{2})\b`)
	dayForm   = text.NewPattern(whenPart + dayPart + laterPart + zonePart)
	weekForm  = text.NewPattern(whenPart + weekPart + laterPart + zonePart)
	clockForm = text.NewPattern(whenPart + clockPart + zonePart)
	hourNames = strings.NewReplacer("midnight", "12am", "Midnight", "12am", " noon", " 12pm")
)

// justPassed is how late a clock time may be heard. One that has passed by more
// is tomorrow's.
const justPassed = 15 * time.Minute

func clockIn(text string, now time.Time) time.Time {
	text = dayFirst().ReplaceAllString(hourNames.Replace(text), "$2 $1")
	text = slashes().ReplaceAllStringFunc(text, inDashes)
	text = dots().ReplaceAllString(text, "$3-$2-$1")
	text = dotClock().ReplaceAllString(text, "$1:$2$3")
	if found := dayLast().FindStringSubmatchIndex(text); found != nil {
		clock, day := text[found[2]:found[3]], text[found[8]:found[9]]
		text = text[:found[0]] + day + " " + clock + text[found[1]:]
	}
	if found := dayForm().FindStringSubmatch(text); found != nil {
		place, err := placeOf(found[9]+found[10], now)
		if err != nil {
			return time.Time{}
		}
		return at(dayOf(now.In(place), found[2], found[3], found[4], found[5]), found[6:9])
	}
	if found := weekForm().FindStringSubmatch(text); found != nil {
		place, err := placeOf(found[5]+found[6], now)
		if err != nil {
			return time.Time{}
		}
		name := strings.ToLower(found[1])
		t := at(dayInWeek(now.In(place), name), found[2:5])
		if name != "today" && now.Sub(t) > justPassed {
			t = t.AddDate(0, 0, 7)
		}
		return t
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

// at is a time of a day. A day without one begins at midnight: whoever comes too early
// is told the time.
func at(day time.Time, clock []string) time.Time {
	hour, minute, _ := wallClock(clock[0], clock[1], clock[2])
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

// dayInWeek is the next day of that name, which may be today.
func dayInWeek(now time.Time, name string) time.Time {
	switch name {
	case "today":
		return now
	case "tomorrow":
		return now.AddDate(0, 0, 1)
	}
	day := now
	for !strings.HasPrefix(strings.ToLower(day.Weekday().String()), name) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

// inDashes writes "11/20/2026", "20/11/2026" and "2026/11/20" as "2026-11-20". Where
// both could be the month, it is the first, as in America.
func inDashes(date string) string {
	part := strings.Split(date, "/")
	year, month, day := part[2], number(part[0]), number(part[1])
	if len(part[0]) == 4 {
		year, month, day = part[0], number(part[1]), number(part[2])
	}
	if len(year) != 4 {
		return date
	}
	if month > 12 {
		month, day = day, month
	}
	return fmt.Sprintf("%s-%02d-%02d", year, month, day)
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

// offsetForm is a time zone by its distance: "GMT-3", "UTC+5:30", "+0100".
var offsetForm = text.NewPattern(`(?i)^(?:utc|gmt)?([+-]\d{1,2})(?::?(\d{2}))?$`)

// places are time zones by the names that they have with people. Whether it is summer
// there, the day tells.
var places = map[string]string{
	"utc": "UTC", "gmt": "UTC",
	"pt": "America/Los_Angeles", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pacific": "America/Los_Angeles",
	"mt": "America/Denver", "mst": "America/Denver", "mdt": "America/Denver", "mountain": "America/Denver",
	"ct": "America/Chicago", "cst": "America/Chicago", "cdt": "America/Chicago", "central": "America/Chicago",
	"et": "America/New_York", "est": "America/New_York", "edt": "America/New_York", "eastern": "America/New_York",
	"bst": "Europe/London", "cet": "Europe/Berlin", "cest": "Europe/Berlin",
	"ist": "Asia/Kolkata", "sgt": "Asia/Singapore", "hkt": "Asia/Hong_Kong", "jst": "Asia/Tokyo", "kst": "Asia/Seoul",
	"aest": "Australia/Sydney", "aedt": "Australia/Sydney",
}

// placeOf finds a time zone by its name; without one it is the one of now.
func placeOf(zone string, now time.Time) (*time.Location, error) {
	if zone == "" {
		return now.Location(), nil
	}
	if name := places[strings.ToLower(zone)]; name != "" {
		return time.LoadLocation(name)
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
