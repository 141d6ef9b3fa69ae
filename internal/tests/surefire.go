package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
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

func (s *surefire) idle() bool { return s.current == nil && !s.listing && !s.crashed && !s.broken }

var surefireRules = rules[*surefire]{list: []rule[*surefire]{
	{`^$`, nil, func(s *surefire, _ []string) { s.endDetail() }},
	{`^(?:\[(?:ERROR|INFO|WARNING)\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?(, Time elapsed: ([\d.,]+) s.*)?$`, nil, (*surefire).counted},
	{`^\[INFO\] (?:No tests to run\.|Tests are skipped\.)$`, nil, func(s *surefire, _ []string) { s.add(0, 0, 0); s.quiet() }},
	{`^\[INFO\] `, nil, func(s *surefire, _ []string) { s.quiet() }},
	{`^(?:\[(?:ERROR|WARNING)\] )?(\S.*?)(?: --)? +Time elapsed: ([\d.,]+) s +<<< (FAILURE|ERROR)!$`, nil, (*surefire).result},
	{`^\[(?:ERROR|WARNING)\] (?:Failures|Errors): $`, nil, func(s *surefire, _ []string) { s.listing = s.listing || len(s.failing) == 0 }},
	{`^\[(?:ERROR|WARNING)\] Crashed tests:$`, nil, func(s *surefire, _ []string) { s.quiet(); s.crashed = true }},
	{`^\[(?:ERROR|WARNING)\] Failed to execute goal \S+:(?:testCompile|test-compile) .*on project (\S+): `, nil, func(s *surefire, m []string) {
		s.quiet()
		s.ended(m[1]+": test compilation", Failed, 0)
		s.broken = true
	}},
	{`^\[(?:ERROR|WARNING)\]   +(.*)`, func(s *surefire) bool { return s.listing }, (*surefire).listed},
	{`^\[(?:ERROR|WARNING)\] ([^ ]*)$`, func(s *surefire) bool { return s.crashed }, (*surefire).died},
	{`^\[(?:ERROR|WARNING)\] (.*)`, nil, func(s *surefire, m []string) {
		if !s.broken || strings.HasPrefix(m[1], "-> ") {
			s.quiet()
			return
		}
		s.detail(m[1])
	}},
}, other: (*surefire).detail}

func (s *surefire) quiet() {
	s.endDetail()
	s.listing, s.crashed, s.broken = false, false, false
}

// counted reads the counts of a class, which say how long it took, or those of
// the whole module.
func (s *surefire) counted(m []string) {
	n := figures.Ints(m[1:5])
	failed := n[1] + n[2]
	s.quiet()
	if m[5] == "" {
		s.summary(n[0]-failed-n[3], failed, n[3])
		s.endRun()
		return
	}
	s.passed += max(0, n[0]-failed-n[3])
	s.failed += failed
	s.skipped += n[3]
	s.sum.Duration += figures.Duration(strings.ReplaceAll(m[6], ",", ""))
}

var surefireOld = text.NewPattern(`^([^()\s]+)\(([\w.$]+)\)$`)

// result reads "org.example.SumTest.adds -- Time elapsed: 0.1 s <<< FAILURE!", or
// as older versions have it, "adds(org.example.SumTest)  Time elapsed: …".
func (s *surefire) result(m []string) {
	name := m[1]
	if old := surefireOld().FindStringSubmatch(name); old != nil {
		name = old[2] + "." + old[1]
	}
	s.quiet()
	s.fail(name, figures.Duration(strings.ReplaceAll(m[2], ",", "")))
	s.names.broke(name, m[3] == "ERROR")
}

// listed reads "SumTest.adds:5 expected: <3> but was: <4>".
func (s *surefire) listed(m []string) {
	end := strings.IndexAny(m[1], ": ")
	if end <= 0 {
		return
	}
	s.fail(m[1][:end], 0)
	_, why, _ := strings.Cut(m[1][end:], " ")
	s.detail(why)
	s.endDetail()
}

// died counts a class that is on the list of those the machine died in, which
// Maven prints twice.
func (s *surefire) died(m []string) {
	if s.fail(m[1], 0) {
		s.failed++
	}
	s.endDetail()
}
