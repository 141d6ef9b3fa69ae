package tests

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
)

// goJSON reads the events of go test -json. Every test counts, subtests too; a
// package counts only when it failed without a failing test.
type goJSON struct {
	run
	json    fastjson.Parser
	running said            // by tests that run, under goTest names
	loose   said            // by packages, outside of their tests
	builds  said            // by the compiler, under what it built
	broken  map[string]bool // packages with a failing test
}

func (*goJSON) idle() bool { return true }

// goTest names a test in a way that no other has.
func goTest(pkg, test string) string { return pkg + "\x00" + test }

func (g *goJSON) line(text string) {
	if !strings.HasPrefix(text, `{"Time":"`) && !strings.HasPrefix(text, `{"ImportPath":"`) && !strings.HasPrefix(text, `{"Action":"`) {
		return
	}
	event, err := g.json.Parse(text)
	if err != nil {
		return
	}
	action, pkg, test := word(event, "Action"), word(event, "Package"), word(event, "Test")
	if action == "build-output" {
		g.builds.of(word(event, "ImportPath")).add(goOutput(word(event, "Output")))
		return
	}
	if pkg == "" {
		return
	}
	took := figures.Duration(fmt.Sprintf("%.3f", event.GetFloat64("Elapsed")))
	if test != "" {
		g.test(action, pkg, test, word(event, "Output"), took)
		return
	}
	switch action {
	case "output":
		g.loose.of(pkg).add(goOutput(word(event, "Output")))
	case "pass", "skip":
		g.end(pkg, took)
	case "fail":
		g.fail(pkg, word(event, "FailedBuild"), took)
		g.end(pkg, took)
	}
}

func (g *goJSON) test(action, pkg, test, output string, took time.Duration) {
	name := goTest(pkg, test)
	switch action {
	case "run":
		g.running.of(name)
	case "output":
		g.running.of(name).add(goOutput(output))
	case "pass", "skip", "fail":
		status, text := goStatus[strings.ToUpper(action)], g.running.take(name)
		g.count(status, 1)
		g.known.own(Test{Name: pkg + "." + test, Status: status, Duration: took})
		if status != Failed {
			return
		}
		g.explain(pkg+"."+test, text.String(), took)
		if g.broken == nil || len(g.broken) == maxTalking {
			g.broken = make(map[string]bool)
		}
		g.broken[keep(pkg)] = true
	}
}

// fail makes sure that a package which failed shows as failing.
func (g *goJSON) fail(pkg, build string, took time.Duration) {
	if g.broken[short(pkg)] {
		return
	}
	if tests := g.unfinished(pkg); len(tests) > 0 {
		for _, test := range tests { // it ended in the middle of these
			g.test("fail", pkg, test, "", 0)
		}
		return
	}
	text := g.loose.of(pkg)
	if build != "" {
		text = g.builds.of(build)
	}
	g.add(0, 1, 0)
	g.name(pkg, text.String(), took)
	g.known.broke(pkg, true)
}

// end forgets a package that ended.
func (g *goJSON) end(pkg string, took time.Duration) {
	g.add(0, 0, 0)
	g.sum.Duration += took
	for _, test := range g.unfinished(pkg) {
		g.running.take(goTest(pkg, test))
	}
	g.loose.take(pkg)
	delete(g.broken, short(pkg))
}

// unfinished are the tests of a package that have not ended.
func (g *goJSON) unfinished(pkg string) []string {
	var tests []string
	for name := range g.running {
		if test, ok := strings.CutPrefix(name, goTest(pkg, "")); ok {
			tests = append(tests, test)
		}
	}
	slices.Sort(tests)
	return tests
}

// goOutput is a line that a test or the compiler printed, empty when it is one of
// go's own.
func goOutput(line string) string {
	if goOwn().MatchString(line) {
		return ""
	}
	return line
}

var goOwn = text.NewPattern(`^\s*(?:# |=== |--- (?:FAIL|PASS|SKIP): |FAIL\t|(?:FAIL|PASS)\s*$)`)

// word is a text of an event, in memory of its own.
func word(event *fastjson.Value, key string) string { return string(event.GetStringBytes(key)) }
