package setting

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// units are the words for lengths of time, as Go, people and other programs
// write them. A month and a year have no fixed length.
var units = map[string]time.Duration{
	"ns": time.Nanosecond, "nsec": time.Nanosecond,
	"us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond, "usec": time.Microsecond,
	"ms": time.Millisecond, "msec": time.Millisecond,
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour,
	"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

// durationPattern is what ReadDuration takes and a setting may be, for those who check a
// file without us.
const durationPattern = `^([0-9]+(\.[0-9]*)?|\.[0-9]+) *(ns|nsec|us|µs|μs|usec|ms|msec|s|sec|second|m|min|minute|h|hr|hour|d|day|w|week)s?( *([0-9]+(\.[0-9]*)?|\.[0-9]+) *(ns|nsec|us|µs|μs|usec|ms|msec|s|sec|second|m|min|minute|h|hr|hour|d|day|w|week)s?)*$`

// ReadDuration reads how long something is to take, as people write it: 90s,
// 1h30m, 1h 30m, 30min, 2 days. A day has 24 hours.
func ReadDuration(s string) (time.Duration, error) {
	rest, negative := strings.CutPrefix(s, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	if rest == "0" {
		return 0, nil
	}
	var sum time.Duration
	for more := true; more; more = rest != "" {
		number := leading(rest, "0123456789.")
		rest = strings.TrimLeft(rest[len(number):], " ")
		unit := leadingUnit(rest)
		rest = strings.TrimLeft(rest[len(unit):], " ")
		part, err := length(number, unit)
		if err != nil || part > math.MaxInt64-sum {
			return 0, fmt.Errorf("%q is not a duration", s)
		}
		sum += part
	}
	if negative {
		sum = -sum
	}
	return sum, nil
}

// leading is what s begins with of some characters.
func leading(s, of string) string {
	return s[:len(s)-len(strings.TrimLeft(s, of))]
}

// leadingUnit is what s begins with up to the next number or space.
func leadingUnit(s string) string {
	if i := strings.IndexAny(s, "0123456789. "); i >= 0 {
		return s[:i]
	}
	return s
}

// length is one number with its unit.
func length(number, unit string) (time.Duration, error) {
	one, known := units[unit]
	if !known {
		one, known = units[strings.TrimSuffix(unit, "s")]
	}
	n, err := strconv.ParseFloat(number, 64)
	if !known || err != nil || n*float64(one) >= math.MaxInt64 {
		return 0, fmt.Errorf("%s %s is no length of time", number, unit)
	}
	if whole, err := strconv.ParseInt(number, 10, 64); err == nil {
		return time.Duration(whole) * one, nil // with no loss
	}
	return time.Duration(n * float64(one)), nil
}
