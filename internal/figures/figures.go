// Package figures reads counts and times as test runners print them. What is none is
// nothing: a line that only looks like one says nothing of tests.
package figures

import (
	"strconv"
	"strings"
	"time"
)

// Number reads a count. One of more than nine digits is no count of tests, and
// would overflow a sum.
func Number(s string) (int, bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// Duration reads a time such as 0.03s, 1m2s, 12ms or 0.03, which are seconds; 0
// when it is none.
func Duration(s string) time.Duration {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0
	}
	if last := s[len(s)-1]; last >= '0' && last <= '9' {
		s += "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0
	}
	return d
}

// Ints reads counts; what is none is 0.
func Ints(texts []string) []int {
	list := make([]int, len(texts))
	for i, text := range texts {
		list[i], _ = Number(text)
	}
	return list
}

// Parts reads a list of counts such as "2 failed, 1 passed"; nil when it is
// anything else.
func Parts(list, separator string) map[string]int {
	counts := make(map[string]int)
	for part := range strings.SplitSeq(list, separator) {
		count, what, _ := strings.Cut(part, " ")
		n, ok := Number(count)
		if !ok || what == "" {
			return nil
		}
		counts[what] += n
	}
	return counts
}

// Pairs reads a list of counts such as "failures=2, errors=1".
func Pairs(list, between string) map[string]int {
	counts := make(map[string]int)
	for part := range strings.SplitSeq(list, ", ") {
		what, count, _ := strings.Cut(part, between)
		n, _ := Number(count)
		counts[what] += n
	}
	return counts
}

var spelled = strings.NewReplacer(
	" hours", "h", " hour", "h", " minutes", "m", " minute", "m", " seconds", "s", " Seconds", "s", " second", "s",
	" ms", "ms", " s", "s", " m", "m", " h", "h", "< ", "", " ", "",
)

// Spelt reads a time that is written for people, such as "1 minute 2.5 seconds"
// or "3 m 4 s".
func Spelt(text string) time.Duration { return Duration(spelled.Replace(text)) }

// Clock reads a time such as 00:01.250 or 01:00:00, which the memory may follow.
func Clock(text string) time.Duration {
	text, _, _ = strings.Cut(text, ", Memory: ")
	var sum time.Duration
	for part := range strings.SplitSeq(text, ":") {
		sum = sum*60 + Duration(part)
	}
	return sum
}

// IsSeconds tells whether a text is a time such as "0.03s".
func IsSeconds(text string) bool {
	number, timed := strings.CutSuffix(text, "s")
	whole, part, dot := strings.Cut(number, ".")
	return timed && dot && whole != "" && part != "" && strings.Trim(whole+part, "0123456789") == ""
}

// Ranges are the numbers of a list such as "2, 5-7", at most so many.
func Ranges(list string, most int) []int {
	var numbers []int
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			to = from
		}
		first, ok1 := Number(from)
		last, ok2 := Number(to)
		if !ok1 || !ok2 {
			continue
		}
		for n := first; n <= last && len(numbers) < most; n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
