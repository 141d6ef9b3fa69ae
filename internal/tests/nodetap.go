package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
)

var nodePoint = text.NewPattern(`^(not )?ok \d+ - (.+?)(?: # (SKIP|TODO)(?: .*)?)?$`)

// nodeTAP reads the TAP reporter of node:test, which it is known by from its
// summary. A suite is no test to Node, though it has a line like one.
type nodeTAP struct {
	run
	path   nodePath
	ending nodeSummary
	yaml   bool // the details of a failing test are being printed
	lines  bool // an error of several lines is
	last   Test // the point printed last, a test unless its details say otherwise
}

func (n *nodeTAP) idle() bool { return !n.yaml }

func (n *nodeTAP) line(text string) {
	inner := strings.TrimLeft(text, " ")
	indent := len(text) - len(inner)
	switch {
	case inner == "" || indent%4 != 0:
	case inner[0] == '#':
		n.comment(indent/4, inner)
	case inner[0] == 'n' || inner[0] == 'o':
		if m := nodePoint().FindStringSubmatch(inner); m != nil {
			n.point(indent/4, m[1] == "", m[2], m[3])
			return
		}
	case indent == 0 && strings.HasPrefix(inner, "TAP version "):
		n.run = run{tally: n.tally, before: n.before} // what came before was not Node's
	}
	if inner == "type: 'suite'" {
		n.last = Test{}
	}
	if took, ok := strings.CutPrefix(inner, "duration_ms: "); ok {
		n.last.Duration = figures.Duration(took + "ms")
	}
	if n.yaml {
		n.why(inner)
	}
}

func (n *nodeTAP) comment(depth int, text string) {
	if name, ok := strings.CutPrefix(text, "# Subtest: "); ok {
		n.path.enter(depth, name)
		return
	}
	if depth == 0 && n.ending.line(strings.TrimPrefix(text, "# ")) {
		n.names.add(n.last, strings.Clone)
		n.summary(n.ending.counts())
		n.sum.Duration += n.ending.took
		n.endRun()
		*n = nodeTAP{run: n.run}
	}
}

func (n *nodeTAP) point(depth int, ok bool, name, directive string) {
	n.endDetail()
	n.names.add(n.last, strings.Clone)
	name = n.path.name(depth, name, " > ")
	n.last = Test{Name: name, Status: Passed}
	n.yaml, n.lines = false, false
	switch {
	case directive != "":
		n.last.Status = Skipped
	case !ok:
		n.last.Status = Failed
		n.yaml = n.mayFail(name, 0)
	}
}

// why reads a line of a failing test's details.
func (n *nodeTAP) why(text string) {
	key, value, _ := strings.Cut(text, ": ")
	switch key {
	case "duration_ms":
		if n.current != nil {
			n.current.took = figures.Duration(value + "ms")
		}
	case "failureType":
		if value == "'subtestsFailed'" {
			n.forget()
		}
	case "error":
		if n.lines = value == "|-"; !n.lines {
			n.detail(strings.Trim(value, "'"))
			n.endDetail()
		}
	case "code", "...":
		n.yaml = false
		n.endDetail()
	default:
		if n.lines {
			n.detail(text)
		}
	}
}

// forget takes back the test named last.
func (n *nodeTAP) forget() {
	if n.current != nil {
		n.failing = n.failing[:len(n.failing)-1]
	}
	n.yaml = false
	n.endDetail()
}
