package agent

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a machine without time zones still reads "9am (Europe/Berlin)"
)

// Clocks are as on a wall, with or without a date and a time zone: "resets
// 3:24am (UTC)", "try again at Nov 20th, 2026 3:25 AM", "resets at 15:00",
// "access on 2026-12-01 at 00:00 UTC", "resets at 10:57 PM GMT-3".
const (
	whenPart  = `(?i)(?:resets?|again|available|until|access)(?:\s+(?:at|on|after))?:?\s+`
	dayPart   = `(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?|(\d{4}-\d\d-\d\d))`
	clockPart = `(\d{1,2})(?::(\d{2}))?(?::\d{2})?(?:\s*([ap])\.?m\b\.?)?`
	zonePart  = `(?:\s*\(([a-z0-9_+/:-]+)\)|\s+((?:utc|gmt)(?:[+-]\d{1,2}(?::?\d{2})?)?)\b)?`
)

var (
	dayForm   = regexp.MustCompile(whenPart + dayPart + `(?:,?\s+(?:at\s+)?` + clockPart + `)?` + zonePart)
	clockForm = regexp.MustCompile(whenPart + clockPart + zonePart)
)

// justPassed is how late a clock time may be heard. One that has passed by more
// is tomorrow's.
const justPassed = 15 * time.Minute

func clockIn(text string, now time.Time) time.Time {
	if found := dayForm.FindStringSubmatch(text); found != nil {
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
	for _, found := range clockForm.FindAllStringSubmatch(text, -1) {
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
var offsetForm = regexp.MustCompile(`(?i)^(?:utc|gmt)([+-]\d{1,2})(?::?(\d{2}))?$`)

// placeOf finds a time zone by its name; without one it is the one of now.
func placeOf(zone string, now time.Time) (*time.Location, error) {
	switch strings.ToLower(zone) {
	case "":
		return now.Location(), nil
	case "utc", "gmt":
		return time.UTC, nil
	}
	found := offsetForm.FindStringSubmatch(zone)
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
