package tests

import (
	"regexp"
	"strings"
)

var nodeNotOK = regexp.MustCompile(`^not ok \d+ - (.+)$`)

// nodeTAP reads the TAP reporter of node:test, which it is known by from its
// summary. A suite is no test to Node, though it has a line like one.
type nodeTAP struct {
	run
	path   nodePath
	ending nodeSummary
	yaml   bool // the details of a failing test are being printed
}

func (n *nodeTAP) line(text string) {
	inner := strings.TrimLeft(text, " ")
	indent := len(text) - len(inner)
	switch {
	case inner == "" || indent%4 != 0:
	case inner[0] == '#':
		n.comment(indent/4, inner)
	case inner[0] == 'n':
		if m := nodeNotOK.FindStringSubmatch(inner); m != nil {
			n.notOK(indent/4, m[1])
			return
		}
	}
	if n.yaml {
		n.detail(inner)
	}
}

func (n *nodeTAP) comment(depth int, text string) {
	if name, ok := strings.CutPrefix(text, "# Subtest: "); ok {
		n.path.enter(depth, name)
		return
	}
	if depth == 0 && n.ending.line(strings.TrimPrefix(text, "# ")) {
		n.sumUp(n.ending.counts())
		n.sum.Duration += n.ending.took
		n.next()
		*n = nodeTAP{run: n.run}
	}
}

func (n *nodeTAP) notOK(depth int, name string) {
	n.hush()
	n.yaml = false
	if strings.Contains(name, " # TODO") {
		return
	}
	n.yaml = n.tell(n.path.name(depth, name), 0)
}

// detail reads a line of a failing test's details.
func (n *nodeTAP) detail(text string) {
	key, value, _ := strings.Cut(text, ": ")
	switch key {
	case "duration_ms":
		if n.telling != nil {
			n.telling.took = duration(value + "ms")
		}
	case "failureType":
		if value == "'subtestsFailed'" {
			n.forget()
		}
	case "error":
		n.say(strings.Trim(value, "'"))
		if value != "|-" {
			n.hush()
		}
	case "code", "...":
		n.yaml = false
		n.hush()
	default:
		// The lines of an error of several lines.
		if n.telling != nil && n.telling.text.String() != "" {
			n.say(text)
		}
	}
}

// forget takes back the test named last.
func (n *nodeTAP) forget() {
	if n.telling != nil {
		n.failing = n.failing[:len(n.failing)-1]
	}
	n.yaml = false
	n.hush()
}
