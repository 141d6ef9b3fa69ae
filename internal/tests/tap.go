package tests

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
)

var (
	tapVersion   = text.NewPattern(`^TAP version 1[234]$`)
	tapPlan      = text.NewPattern(`^1\.\.(\d+)(?: *#.*)?$`)
	tapPoint     = text.NewPattern(`^(not )?ok (\d+)(?:(?: -)? (.*))?$`)
	tapDirective = text.NewPattern(`(?i)(?:^|\s+)# *(skip|todo)`)
)

// tap reads the Test Anything Protocol. A test with subtests counts as these; it
// counts itself only when it failed and none of them did. What is marked TODO
// may fail and is then skipped. A plan that was not fulfilled is one failure.
type tap struct {
	run            // one stream of points, from its plan or version to the next
	sure      bool // a version or a plan was seen: the points are really TAP
	plan      int
	open      bool // that plan is to be fulfilled
	last      int  // the number of the last point
	points    []tapTest
	explained int                                    // how many of them have a text
	more      bool                                   // there were more points than are kept
	yaml      bool                                   // lines of the YAML that explains a point are printed
	below     [tapDepth]struct{ points, failed int } // subtests of a point to come, by depth
}

func (t *tap) idle() bool { return !t.yaml }

// tapTest is a point that is a test. The deeper ones come last, since those that
// the next point is the parent of move up to it.
type tapTest struct {
	name   string
	depth  int
	status Status
	text   *message // of a failing one
}

// tapDepth is how deep subtests are followed.
const tapDepth = 16

func (t *tap) line(text string) {
	body := strings.TrimLeft(text, " ")
	if body == "" {
		return
	}
	if t.yaml {
		if t.yaml = body != "..."; t.yaml {
			t.says(body)
		}
		return
	}
	depth, odd := (len(text)-len(body))/4, (len(text)-len(body))%4
	if depth >= tapDepth {
		return
	}
	switch body[0] {
	case 'o', 'n':
		if m := tapPoint().FindStringSubmatch(body); m != nil && odd == 0 {
			t.point(depth, m[1] == "", m[2], m[3])
		}
	case '1':
		if m := tapPlan().FindStringSubmatch(body); m != nil && text == body {
			t.planned(m[1])
		}
	case 'T':
		if tapVersion().MatchString(text) {
			t.end()
			t.sure = true
		}
	case 'B':
		if reason, ok := strings.CutPrefix(text, "Bail out!"); ok && t.sure {
			t.failed++
			t.plan, t.open = 0, false
			t.fails("Bail out!", 0).add(reason)
		}
	case '#':
		if !strings.HasPrefix(body, "# Subtest") {
			t.says(strings.TrimLeft(body, "# "))
		}
	case '-':
		t.yaml = body == "---" && odd == 2 && t.talking != nil
	}
}

func (t *tap) planned(digits string) {
	n, ok := figures.Number(digits)
	if !ok {
		return
	}
	if t.open {
		t.end()
	}
	t.sure, t.plan, t.open = true, n, true
}

func (t *tap) point(depth int, ok bool, digits, text string) {
	n, valid := figures.Number(digits)
	if !valid {
		return
	}
	if depth == 0 {
		if n == 1 && t.last > 0 {
			t.end()
		}
		t.last = n
	}
	t.talking = nil
	name, status := tapEnded(ok, text)
	failed := status == Failed
	parent, broken := t.adopt(depth, name)
	t.below[depth].points++
	if failed {
		t.below[depth].failed++
	}
	switch {
	case parent && (!failed || broken):
		// Its subtests have been counted.
	case failed:
		t.failed++
		t.talking = t.fails(name, depth)
	default:
		t.count(status, 1)
		t.keep(name, depth, status, nil)
	}
}

// tapEnded is a point's name, and how it ended.
func tapEnded(ok bool, text string) (name string, status Status) {
	at := tapDirective().FindStringSubmatchIndex(text)
	switch skip := at != nil && strings.EqualFold(text[at[2]:at[3]], "skip"); {
	case skip, at != nil && !ok:
		return text[:at[0]], Skipped
	case at != nil:
		return text[:at[0]], Passed
	case !ok:
		return text, Failed
	}
	return text, Passed
}

// keep keeps a test by its name. There is always room for failing ones.
func (t *tap) keep(name string, depth int, status Status, text *message) {
	if len(t.points) >= maxNamed && text == nil {
		t.more = true
		return
	}
	t.points = append(t.points, tapTest{keep(name), depth, status, text})
}

// adopt makes a point the parent of the subtests printed before it, and tells
// whether it has any and whether one of them failed.
func (t *tap) adopt(depth int, name string) (parent, broken bool) {
	for i := depth + 1; i < tapDepth; i++ {
		parent = parent || t.below[i].points > 0
		broken = broken || t.below[i].failed > 0
		t.below[i].points, t.below[i].failed = 0, 0
	}
	for i := len(t.points) - 1; i >= 0 && t.points[i].depth > depth; i-- {
		p := &t.points[i]
		p.name, p.depth = short(name+" > "+p.name), depth
	}
	return parent, broken
}

func (t *tap) fails(name string, depth int) *message {
	text := new(message)
	if t.explained == maxFailing {
		t.keep(name, depth, Failed, nil)
		return text
	}
	t.explained++
	t.keep(name, depth, Failed, text)
	return text
}

// end counts the document, if it is one, and begins the next.
func (t *tap) end() {
	if t.sure {
		if t.last < t.plan {
			t.failed++
			t.fails(fmt.Sprintf("%d..%d", t.last+1, t.plan), 0).add("planned, but not run")
		}
		t.add(t.passed, t.failed, t.skipped)
		for _, p := range t.points {
			t.known.own(Test{Name: p.name, Status: p.status})
		}
		t.known.more = t.known.more || t.more
		for _, p := range t.points {
			if p.text != nil {
				t.explain(p.name, p.text.String(), 0)
			}
		}
	}
	*t = tap{run: run{tally: t.tally}}
}

func (t *tap) report() (Report, bool) {
	end := *t
	end.tally = t.fork()
	end.end()
	return end.tally.report()
}
