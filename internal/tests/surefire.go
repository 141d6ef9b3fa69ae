package tests

import (
	"regexp"
	"strings"
)

var (
	surefireCounts = regexp.MustCompile(`^Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?(, Time elapsed: ([\d.,]+) s.*)?$`)
	surefireFailed = regexp.MustCompile(`^(\S.*?)(?: --)? +Time elapsed: ([\d.,]+) s +<<< (?:FAILURE|ERROR)!$`)
	surefireOld    = regexp.MustCompile(`^([^()\s]+)\(([\w.$]+)\)$`)
	surefireBroken = regexp.MustCompile(`^Failed to execute goal \S+:(?:testCompile|test-compile) .*on project (\S+): `)
)

// surefire reads the tests of a Maven build: Surefire, and Failsafe, which prints
// the same. The counts of a module are taken, or those of its classes when they
// never came. Test code that does not compile, and a class in which the Java
// machine died, count as one failed test.
type surefire struct {
	run
	listing bool // a list of failing tests, for want of their own lines
	crashed bool // a list of classes in which the machine died
	broken  bool // what the compiler said
}

func (s *surefire) line(text string) {
	level := ""
	if strings.HasPrefix(text, "[") {
		for _, l := range []string{"[ERROR] ", "[INFO] ", "[WARNING] "} {
			if rest, ok := strings.CutPrefix(text, l); ok {
				level, text = l, rest
				break
			}
		}
	}
	if level != "" {
		s.logged(level, text)
		return
	}
	if strings.HasPrefix(text, "Tests run: ") && s.counted(text) {
		return
	}
	if strings.HasSuffix(text, "!") && s.named(text) {
		return
	}
	if text == "" {
		s.hush()
		return
	}
	s.say(text)
}

// logged reads a line of Maven's log.
func (s *surefire) logged(level, text string) {
	if strings.HasPrefix(text, "Tests run: ") && s.counted(text) {
		return
	}
	if level == "[INFO] " {
		if text == "No tests to run." || text == "Tests are skipped." {
			s.add(0, 0, 0)
		}
		s.quiet()
		return
	}
	switch {
	case strings.HasSuffix(text, "!") && s.named(text):
	case text == "Failures: " || text == "Errors: ":
		s.listing = s.listing || len(s.failing) == 0
	case text == "Crashed tests:":
		s.quiet()
		s.crashed = true
	case strings.HasPrefix(text, "Failed to execute goal ") && s.unbuilt(text):
	case s.listing && strings.HasPrefix(text, "  "):
		s.listed(strings.TrimLeft(text, " "))
	case s.crashed && !strings.Contains(text, " "):
		s.died(text)
	case s.broken && !strings.HasPrefix(text, "-> "):
		s.say(text)
	default:
		s.quiet()
	}
}

func (s *surefire) quiet() {
	s.hush()
	s.listing, s.crashed, s.broken = false, false, false
}

// counted reads the counts of a class, which say how long it took, or those of
// the whole module.
func (s *surefire) counted(text string) bool {
	m := surefireCounts.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	total, _ := number(m[1])
	failures, _ := number(m[2])
	errors, _ := number(m[3])
	skipped, _ := number(m[4])
	failed := failures + errors
	s.quiet()
	if m[5] != "" {
		s.passed += max(0, total-failed-skipped)
		s.failed += failed
		s.skipped += skipped
		s.sum.Duration += duration(strings.ReplaceAll(m[6], ",", ""))
		return true
	}
	s.sumUp(total-failed-skipped, failed, skipped)
	s.next()
	return true
}

// named reads "org.example.SumTest.adds -- Time elapsed: 0.1 s <<< FAILURE!", or
// as older versions have it, "adds(org.example.SumTest)  Time elapsed: …".
func (s *surefire) named(text string) bool {
	m := surefireFailed.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	name := m[1]
	if old := surefireOld.FindStringSubmatch(name); old != nil {
		name = old[2] + "." + old[1]
	}
	s.quiet()
	s.tell(name, duration(strings.ReplaceAll(m[2], ",", "")))
	return true
}

// listed reads "SumTest.adds:5 expected: <3> but was: <4>".
func (s *surefire) listed(text string) {
	end := strings.IndexAny(text, ": ")
	if end <= 0 {
		return
	}
	s.tell(text[:end], 0)
	_, why, _ := strings.Cut(text[end:], " ")
	s.say(why)
	s.hush()
}

// died counts a class that is on the list of those the machine died in, which
// Maven prints twice.
func (s *surefire) died(class string) {
	if s.tell(class, 0) {
		s.failed++
	}
	s.hush()
}

// unbuilt counts test code that did not compile.
func (s *surefire) unbuilt(text string) bool {
	m := surefireBroken.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	s.quiet()
	s.fail(m[1]+": test compilation", 0)
	s.broken = true
	return true
}
