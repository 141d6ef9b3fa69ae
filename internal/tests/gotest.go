package tests

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	goPackageEnd = regexp.MustCompile(`^(ok  |FAIL)\t(\S+)(?:\t(\(cached\)|\d+\.\d+s).*| \[(?:build|setup) failed\])$`)
	goTestEnd    = regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): (\S+) \((\d+\.\d+s)\)$`)
	goTestTurn   = regexp.MustCompile(`^=== (?:RUN|CONT|NAME|PAUSE) +(\S+)$`)
	goBuild      = regexp.MustCompile(`^# (\S+)(?: \[\S+\])?$`)
)

// goText reads what go test prints. With -v every test is named and counted,
// subtests too, as go test -json does. Without -v only failing tests are named,
// and a package that is ok counts as one test.
type goText struct {
	tally
	passed, failed, skipped int         // in the package being printed, whose name comes last
	failing                 []goFailure // of that package
	tests                   []Test      // of that package
	more                    bool        // it has more than are kept
	said                    said        // by its tests that still run
	death                   message     // how its process ended
	builds                  said        // by the compiler, of any package
	talking                 *message    // whose lines come now
}

type goFailure struct {
	name string
	took time.Duration
	text *message
}

func (g *goText) line(text string) {
	if text == "" {
		return
	}
	switch text[0] {
	case 'o', 'F', 'P':
		if text == "FAIL" || text == "PASS" {
			g.talking = nil
			return
		}
		if !strings.HasPrefix(text, "ok  \t") && !strings.HasPrefix(text, "FAIL\t") {
			break
		}
		if m := goPackageEnd.FindStringSubmatch(text); m != nil {
			g.endPackage(text, m[2], m[3])
			return
		}
	case '?':
		if strings.HasPrefix(text, "?   \t") && strings.HasSuffix(text, "\t[no test files]") {
			g.add(0, 0, 0)
			return
		}
	case '=':
		if m := goTestTurn.FindStringSubmatch(text); m != nil {
			g.talking = g.said.of(m[1])
			return
		}
	case '#':
		if m := goBuild.FindStringSubmatch(text); m != nil {
			g.talking = g.builds.of(m[1])
			return
		}
	case '-', ' ':
		if !strings.HasPrefix(strings.TrimLeft(text, " "), "--- ") {
			break
		}
		if m := goTestEnd.FindStringSubmatch(text); m != nil {
			g.endTest(m[1], m[2], duration(m[3]))
			return
		}
	case 'p', 'f', 's':
		if strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ") || strings.HasPrefix(text, "signal: ") {
			g.death.add(text)
		}
	}
	if g.talking != nil {
		g.talking.add(text)
	}
}

func (g *goText) endTest(status, name string, took time.Duration) {
	g.seen = true
	text := g.said.take(name)
	g.talking = nil
	switch status {
	case "PASS":
		g.passed++
		g.ended(name, Passed)
	case "SKIP":
		g.skipped++
		g.ended(name, Skipped)
	case "FAIL":
		g.failed++
		g.ended(name, Failed)
		if len(g.failing) < mostFailing {
			g.failing = append(g.failing, goFailure{keep(name), took, text})
		}
		g.talking = text // without -v the reasons come after
	}
}

// ended keeps the name of a test until its package is known.
func (g *goText) ended(name string, status Status) {
	if len(g.tests) == mostNamed {
		g.more = true
		return
	}
	g.tests = append(g.tests, Test{Name: keep(name), Status: status})
}

func (g *goText) endPackage(line, name, took string) {
	ok := line[0] == 'o'
	none := strings.HasSuffix(line, " [no tests to run]")
	switch {
	case ok && !none && g.passed+g.failed+g.skipped == 0:
		g.passed = 1
		g.known.put(name, Passed)
	case !ok && g.failed == 0 && len(g.said) > 0:
		// It ended in the middle of these.
		for _, test := range slices.Sorted(maps.Keys(g.said)) {
			g.endTest("FAIL", test, 0)
		}
	case !ok && g.failed == 0:
		// It did not build, or it ended outside of any test.
		g.failed = 1
		text := g.builds[name]
		if text == nil {
			text = &g.death
		}
		g.name(name, text.String(), duration(took))
	}
	g.sum.Duration += duration(took)
	g.flush(name + ".")
}

// flush counts the package that was printed, and begins the next.
func (g *goText) flush(prefix string) {
	g.add(g.passed, g.failed, g.skipped)
	for _, t := range g.tests {
		g.known.own(prefix+t.Name, t.Status)
	}
	g.known.more = g.known.more || g.more
	for _, f := range g.failing {
		g.name(prefix+f.name, f.text.String(), f.took)
	}
	g.passed, g.failed, g.skipped, g.failing, g.tests, g.more = 0, 0, 0, nil, nil, false
	g.said, g.talking, g.death = nil, nil, message{}
}

func (g *goText) report() (Report, bool) {
	if g.passed+g.failed+g.skipped == 0 {
		return g.tally.report()
	}
	end := *g // cut off before the package was named
	end.tally = g.fork()
	end.flush("")
	return end.tally.report()
}
