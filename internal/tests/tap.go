package tests

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	tapVersion   = regexp.MustCompile(`^TAP version 1[234]$`)
	tapPlan      = regexp.MustCompile(`^1\.\.(\d+)(?: *#.*)?$`)
	tapPoint     = regexp.MustCompile(`^(not )?ok (\d+)(?:(?: -)? (.*))?$`)
	tapDirective = regexp.MustCompile(`(?i)(?:^|\s+)# *(skip|todo)`)
)

// tap reads the Test Anything Protocol. A test with subtests counts as these; it
// counts itself only when it failed and none of them did. What is marked TODO
// may fail and is then skipped. A plan that was not fulfilled is one failure.
type tap struct {
	tally
	doc tapDocument
}

// tapDocument is one stream of points, from its plan or version to the next.
type tapDocument struct {
	known bool // a version or a plan was seen: the points are really TAP
	plan  int
	open  bool // that plan is to be fulfilled
	last  int  // the number of the last point

	passed, failed, skipped int
	points                  []tapTest
	named                   int  // the failing ones among them
	more                    bool // there were more points than are kept
	talking                 *message
	yaml                    bool

	below [tapDepth]struct{ points, failed int } // subtests of a point to come, by depth
}

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
	if t.doc.yaml {
		t.detail(body)
		return
	}
	depth, odd := (len(text)-len(body))/4, (len(text)-len(body))%4
	if depth >= tapDepth {
		return
	}
	switch body[0] {
	case 'o', 'n':
		if m := tapPoint.FindStringSubmatch(body); m != nil && odd == 0 {
			t.point(depth, m[1] == "", m[2], m[3])
		}
	case '1':
		if m := tapPlan.FindStringSubmatch(body); m != nil && text == body {
			t.planned(m[1])
		}
	case 'T':
		if tapVersion.MatchString(text) {
			t.end()
			t.doc.known = true
		}
	case 'B':
		if reason, ok := strings.CutPrefix(text, "Bail out!"); ok && t.doc.known {
			t.doc.failed++
			t.doc.plan, t.doc.open = 0, false
			t.doc.fail("Bail out!", 0).add(reason)
		}
	case '#':
		if t.doc.talking != nil && !strings.HasPrefix(body, "# Subtest") {
			t.doc.talking.add(strings.TrimLeft(body, "# "))
		}
	case '-':
		t.doc.yaml = body == "---" && odd == 2 && t.doc.talking != nil
	}
}

// detail reads a line of the YAML that explains a point.
func (t *tap) detail(body string) {
	if body == "..." {
		t.doc.yaml = false
		return
	}
	t.doc.talking.add(body)
}

func (t *tap) planned(digits string) {
	n, ok := number(digits)
	if !ok {
		return
	}
	if t.doc.open {
		t.end()
	}
	t.doc.known, t.doc.plan, t.doc.open = true, n, true
}

func (t *tap) point(depth int, ok bool, digits, text string) {
	n, valid := number(digits)
	if !valid {
		return
	}
	if depth == 0 {
		if n == 1 && t.doc.last > 0 {
			t.end()
		}
		t.doc.last = n
	}
	t.doc.point(depth, ok, text)
}

func (d *tapDocument) point(depth int, ok bool, text string) {
	d.talking = nil
	name, directive := text, ""
	if at := tapDirective.FindStringSubmatchIndex(text); at != nil {
		name, directive = text[:at[0]], strings.ToLower(text[at[2]:at[3]])
	}
	skipped := directive == "skip" || directive == "todo" && !ok
	failed := !ok && !skipped
	parent, broken := d.take(depth, name)
	d.below[depth].points++
	if failed {
		d.below[depth].failed++
	}
	switch {
	case parent && (!failed || broken):
		// Its subtests have been counted.
	case failed:
		d.failed++
		d.talking = d.fail(name, depth)
	case skipped:
		d.skipped++
		d.keep(name, depth, Skipped, nil)
	default:
		d.passed++
		d.keep(name, depth, Passed, nil)
	}
}

// keep keeps a test by its name. There is always room for failing ones.
func (d *tapDocument) keep(name string, depth int, status Status, text *message) {
	if len(d.points) >= mostNamed && text == nil {
		d.more = true
		return
	}
	d.points = append(d.points, tapTest{keep(name), depth, status, text})
}

// take makes a point the parent of the subtests printed before it, and tells
// whether it has any and whether one of them failed.
func (d *tapDocument) take(depth int, name string) (parent, broken bool) {
	for i := depth + 1; i < tapDepth; i++ {
		parent = parent || d.below[i].points > 0
		broken = broken || d.below[i].failed > 0
		d.below[i].points, d.below[i].failed = 0, 0
	}
	for i := len(d.points) - 1; i >= 0 && d.points[i].depth > depth; i-- {
		p := &d.points[i]
		p.name, p.depth = short(name+" > "+p.name), depth
	}
	return parent, broken
}

func (d *tapDocument) fail(name string, depth int) *message {
	text := new(message)
	if d.named == mostFailing {
		d.keep(name, depth, Failed, nil)
		return text
	}
	d.named++
	d.keep(name, depth, Failed, text)
	return text
}

// end counts the document, if it is one, and begins the next.
func (t *tap) end() {
	d := &t.doc
	if d.known {
		if d.last < d.plan {
			d.failed++
			d.fail(fmt.Sprintf("%d..%d", d.last+1, d.plan), 0).add("planned, but not run")
		}
		t.add(d.passed, d.failed, d.skipped)
		for _, p := range d.points {
			t.known.own(p.name, p.status)
		}
		t.known.more = t.known.more || d.more
		for _, p := range d.points {
			if p.text != nil {
				t.explain(p.name, p.text.String(), 0)
			}
		}
	}
	t.doc = tapDocument{}
}

func (t *tap) report() (Report, bool) {
	end := *t
	end.tally = t.fork()
	end.end()
	return end.tally.report()
}
