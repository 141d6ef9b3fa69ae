package tests

import (
	"regexp"
	"strings"
	"time"
)

var (
	minitestEnd    = regexp.MustCompile(`^(\d+) (?:runs|tests), (\d+) assertions, (\d+) failures, (\d+) errors, (\d+) skips$`)
	minitestTitle  = regexp.MustCompile(`^(?:  \d+\) )?(Failure|Error|Skipped):$`)
	minitestName   = regexp.MustCompile(`^(.+?)(?: \[[^\]]+:\d+\])?:$`)
	minitestResult = regexp.MustCompile(`^([\pL_].*#test_.+) = (\d+\.\d\d) s = ([.FES])$`)
)

// minitest reads Minitest and the tests of Rails, which print a failure when it
// happens rather than at the end.
type minitest struct {
	run
	title string // Failure, Error or Skipped: the test's name comes next
	took  time.Duration
}

func (m *minitest) line(text string) {
	if text == "" {
		m.hush()
		return
	}
	if m.title != "" {
		m.named(text)
		return
	}
	switch last := text[len(text)-1]; {
	case last == ':':
		if sub := minitestTitle.FindStringSubmatch(text); sub != nil {
			m.title = sub[1]
			return
		}
	case last == 's' && text[0] >= '0' && text[0] <= '9':
		if m.ended(text) {
			return
		}
	case strings.HasSuffix(text, " assertions/s."):
		if took, ok := strings.CutPrefix(text, "Finished in "); ok {
			took, _, _ = strings.Cut(took, ",")
			m.took = duration(took)
		}
		return
	case last == '.' || last == 'F' || last == 'E' || last == 'S':
		if strings.Contains(text, " s = ") && m.result(text) {
			return
		}
	}
	m.say(text)
}

// named reads the line after a title: "SumTest#test_adds [sum_test.rb:3]:".
func (m *minitest) named(text string) {
	if sub := minitestName.FindStringSubmatch(text); sub != nil {
		if m.title == "Skipped" {
			m.names.put(sub[1], Skipped)
		} else {
			m.tell(sub[1], 0)
		}
	}
	m.title = ""
}

// result reads a test of a verbose run: "SumTest#test_adds = 0.00 s = F".
func (m *minitest) result(text string) bool {
	sub := minitestResult.FindStringSubmatch(text)
	if sub == nil {
		return false
	}
	switch sub[3] {
	case ".":
		m.pass(sub[1])
	case "S":
		m.skip(sub[1])
	default:
		m.fail(sub[1], duration(sub[2]))
		m.hush()
	}
	return true
}

func (m *minitest) ended(text string) bool {
	sub := minitestEnd.FindStringSubmatch(text)
	if sub == nil {
		return false
	}
	total, _ := number(sub[1])
	failed, _ := number(sub[3])
	errors, _ := number(sub[4])
	skipped, _ := number(sub[5])
	m.sumUp(total-failed-errors-skipped, failed+errors, skipped)
	m.sum.Duration += m.took
	m.took = 0
	m.next()
	return true
}
