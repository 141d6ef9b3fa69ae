package tests

import (
	"regexp"
	"strings"
)

var (
	gradleEnd    = regexp.MustCompile(`^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?$`)
	gradleResult = regexp.MustCompile(`^([^\s>+\-].* > .+) (PASSED|FAILED|SKIPPED)$`)
	gradleBroken = regexp.MustCompile(`^Execution failed for task '(\S+)'\.$`)
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

func (g *gradle) line(text string) {
	if text == "" {
		g.hush()
		return
	}
	switch c := text[0]; {
	case c == '>':
		g.task(strings.TrimPrefix(text, "> Task "))
		if why, ok := strings.CutPrefix(text, "> "); ok && g.broken != "" {
			g.why(why)
		}
		return
	case c == ':':
		g.task(text)
		return
	case c == ' ' || c == '\t':
		g.say(text)
		return
	case c == 'E':
		if m := gradleBroken.FindStringSubmatch(text); m != nil && gradleTests(m[1]) {
			g.broken = strings.Clone(short(m[1]))
			return
		}
	case c >= '0' && c <= '9':
		if m := gradleEnd.FindStringSubmatch(text); m != nil {
			total, _ := number(m[1])
			failed, _ := number(m[2])
			skipped, _ := number(m[3])
			g.sumUp(total-failed-skipped, failed, skipped)
			g.next()
			return
		}
	}
	g.hush()
	if strings.HasSuffix(text, "ED") && strings.Contains(text, " > ") {
		g.result(text)
	}
}

// task reads "> Task :test NO-SOURCE", or without its beginning as older versions
// have it. What was counted before belongs to another task.
func (g *gradle) task(text string) {
	if !strings.HasPrefix(text, ":") {
		return
	}
	g.next()
	g.on = true
	if name, ok := strings.CutSuffix(text, " NO-SOURCE"); ok && (name == ":test" || strings.HasSuffix(name, ":test")) {
		g.add(0, 0, 0)
	}
}

func (g *gradle) result(text string) {
	m := gradleResult.FindStringSubmatch(text)
	if m == nil {
		return
	}
	if !g.on {
		// Perhaps the end of an output: the counts will tell.
		if m[2] == "FAILED" {
			g.tell(m[1], 0)
		}
		return
	}
	switch m[2] {
	case "PASSED":
		g.pass(m[1])
	case "SKIPPED":
		g.skip(m[1])
	case "FAILED":
		g.fail(m[1], 0)
	}
}

// why reads what a test task failed of. Failing tests have been counted already.
func (g *gradle) why(text string) {
	task := g.broken
	g.broken = ""
	g.next()
	switch {
	case strings.HasPrefix(text, "No tests found for given includes"):
		g.add(0, 0, 0)
	case strings.HasPrefix(text, "There were failing tests") && g.sum.Failed > 0:
	default:
		g.fail(task, 0)
		g.say(text)
		g.next()
	}
}

// gradleTests tells whether a task has to do with tests: to run them or to
// compile them.
func gradleTests(task string) bool {
	name := task[strings.LastIndexByte(task, ':')+1:]
	return strings.Contains(strings.ToLower(name), "test")
}
