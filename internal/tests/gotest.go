package tests

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/figures"
)

// goText reads what go test prints. With -v every test is named and counted,
// subtests too, as go test -json does. Without -v only failing tests are named,
// and a package that is ok counts as one test.
type goText struct {
	run             // the package being printed, whose name comes last
	running said    // by its tests that still run
	death   message // how its process ended
	builds  said    // by the compiler, of any package
}

func (g *goText) idle() bool { return g.talking == nil || g.talking.full() }

var goStatus = map[string]Status{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}

var goRules = rules[*goText]{list: []rule[*goText]{
	{`^FAIL$`, nil, func(g *goText, _ []string) { g.talking = nil }},
	{`^PASS$`, nil, func(g *goText, _ []string) { g.talking = nil }},
	{`^--- (.*)\)$`, nil, (*goText).result},
	{`^ +--- (.*)\)$`, nil, (*goText).result},
	{`^(ok  |FAIL)\t(\S+)(?:\t(\(cached\)|\d+\.\d+s).*| \[(?:build|setup) failed\])$`, nil, (*goText).endPackage},
	{`^\?   \t(.*)\t\[no test files\]$`, nil, func(g *goText, _ []string) { g.add(0, 0, 0) }},
	{`^=== (?:RUN|CONT|NAME|PAUSE) +(\S+)$`, nil, func(g *goText, m []string) { g.talking = g.running.of(m[1]) }},
	{`^# (\S+)(?: \[\S+\])?$`, nil, func(g *goText, m []string) { g.talking = g.builds.of(m[1]) }},
	{`^(?:panic|fatal error|signal): `, nil, func(g *goText, m []string) { g.death.add(m[0]); g.says(m[0]) }},
}, other: (*goText).says}

// result reads what follows the dashes: "PASS: TestAdd (0.00s". There are many of
// these, so it is done by hand.
func (g *goText) result(m []string) {
	word, rest, _ := strings.Cut(m[1], ": ")
	name, took, timed := strings.Cut(rest, " (")
	status, known := goStatus[word]
	if !known || !timed || name == "" || strings.ContainsAny(name, " \t") || !figures.IsSeconds(took) {
		g.says(m[0])
		return
	}
	g.ended(name, status, figures.Duration(took))
}

func (g *goText) ended(name string, status Status, took time.Duration) {
	g.seen = true
	text := g.running.take(name)
	g.talking = nil
	if status != Failed {
		g.run.ended(name, status, took)
		return
	}
	g.failAgain(name, took)
	if text != nil {
		g.current.text = text
	}
	g.talking = g.current.text // without -v the reasons come after
}

func (g *goText) endPackage(m []string) {
	ok, name, took := m[1] == "ok  ", m[2], m[3]
	none := strings.HasSuffix(m[0], " [no tests to run]")
	switch {
	case ok && !none && g.passed+g.failed+g.skipped == 0:
		g.passed = 1
		g.known.timed(name, Passed, figures.Duration(took))
	case !ok && g.failed == 0 && len(g.running) > 0:
		// It ended in the middle of these.
		for _, test := range slices.Sorted(maps.Keys(g.running)) {
			g.ended(test, Failed, 0)
		}
	case !ok && g.failed == 0:
		// It did not build, or it ended outside of any test.
		g.failed = 1
		text := g.builds[name]
		if text == nil {
			text = &g.death
		}
		g.name(name, text.String(), figures.Duration(took))
		g.known.broke(name, true)
	}
	g.sum.Duration += figures.Duration(took)
	g.prefix = name + "."
	g.summary(g.passed, g.failed, g.skipped)
	g.endRun()
	*g = goText{run: run{tally: g.tally, before: g.before}, builds: g.builds}
}
