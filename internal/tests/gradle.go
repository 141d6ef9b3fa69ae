package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
)

// gradle reads the tests of a Gradle build. Gradle counts them only when one
// failed, and names those that passed only when the build says so in its
// testLogging; without that, a build that passes says nothing of its tests, and
// so does this. A test task that failed otherwise counts as one failed test.
type gradle struct {
	run
	on     bool   // a task was printed
	broken string // the task that failed: why comes next
}

func (g *gradle) idle() bool { return g.current == nil && g.broken == "" }

var gradleRules = rules[*gradle]{list: []rule[*gradle]{
	{`^> (.*)`, nil, func(g *gradle, m []string) {
		if task, ok := strings.CutPrefix(m[1], "Task :"); ok {
			g.task(":" + task)
		}
		if g.broken != "" {
			g.why(m[1])
		}
	}},
	{`^>`, nil, func(*gradle, []string) {}},
	{`^:`, nil, func(g *gradle, m []string) { g.task(m[0]) }}, // as older versions have it
	{`^[ \t]`, (*gradle).explaining, func(g *gradle, m []string) { g.detail(m[0]) }},
	{`^Execution failed for task '(\S+)'\.$`, nil, func(g *gradle, m []string) {
		if !gradleTests(m[1]) {
			g.endDetail()
			return
		}
		g.broken = strings.Clone(short(m[1]))
	}},
	{`^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?$`, nil, func(g *gradle, m []string) {
		n := figures.Ints(m[1:])
		g.summary(n[0]-n[1]-n[2], n[1], n[2])
		g.endRun()
	}},
	{`^([^\s>+\-].* > .+) (PASS|FAIL|SKIPP)ED$`, nil, (*gradle).result},
}, other: func(g *gradle, _ string) { g.endDetail() }}

// task reads ":test NO-SOURCE". What was counted before belongs to another task.
func (g *gradle) task(text string) {
	g.endRun()
	g.on = true
	if name, ok := strings.CutSuffix(text, " NO-SOURCE"); ok && strings.HasSuffix(name, ":test") {
		g.add(0, 0, 0)
	}
}

func (g *gradle) result(m []string) {
	g.endDetail()
	status := map[string]Status{"PASS": Passed, "SKIPP": Skipped, "FAIL": Failed}[m[2]]
	switch {
	case g.on:
		g.ended(m[1], status, 0)
	case status == Failed: // perhaps the end of an output: the counts will tell
		g.fail(m[1], 0)
	}
}

// why reads what a test task failed of. Failing tests have been counted already.
func (g *gradle) why(text string) {
	task := g.broken
	g.broken = ""
	g.endRun()
	switch {
	case strings.HasPrefix(text, "No tests found for given includes"):
		g.add(0, 0, 0)
	case strings.HasPrefix(text, "There were failing tests") && g.sum.Failed > 0:
	default:
		g.ended(task, Failed, 0)
		g.detail(text)
		g.endRun()
	}
}

// gradleTests tells whether a task has to do with tests: to run them or to
// compile them.
func gradleTests(task string) bool {
	name := task[strings.LastIndexByte(task, ':')+1:]
	return strings.Contains(strings.ToLower(name), "test")
}
