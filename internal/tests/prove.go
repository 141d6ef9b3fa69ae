package tests

import (
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
)

// prove reads Perl's prove and make test, which say of tests that pass only how
// many they are, and of skipped ones not even that, unless they print the TAP of
// each file before. Tests go by their file and their number. A file that ended
// badly without a failed test is one failure.
type prove struct {
	tally
	files  []proveFailure
	failed int // tests among all that the report names
	total  int
	summed bool // that total is known

	now     string // the file whose TAP is printed
	pending names  // of the files whose TAP was printed
}

func (p *prove) idle() bool { return p.now == "" && len(p.files) == 0 && !p.summed }

type proveFailure struct {
	name  string
	tests string // "2, 5-7"
	count int
	text  message
	dead  bool
}

func (p *prove) inReport() bool { return len(p.files) > 0 && !p.summed }

var proveRules = rules[*prove]{list: []rule[*prove]{
	{`^$`, nil, func(*prove, []string) {}},
	// What the report says of a file.
	{`^(\S+) +\(Wstat: .*Tests: \d+ Failed: (\d+)\)$`, nil, func(p *prove, m []string) {
		n := figures.Ints(m)[2]
		p.failed += n
		if len(p.files) < maxFailing {
			p.files = append(p.files, proveFailure{name: keep(m[1]), count: n})
		}
	}},
	{`^.* \(Wstat: .*\)$`, nil, func(*prove, []string) {}},
	// "t/good.t .. ", with nothing behind it: the file's TAP comes next.
	{`^([^ ]+) \.*\. $`, nil, func(p *prove, m []string) { p.now = keep(m[1]) }},
	{`^(?:ok|not ok) `, func(p *prove) bool { return p.now != "" }, func(p *prove, m []string) { p.point(m[0]) }},
	{`^  Failed tests?:  +(\d[\d, -]*)$`, (*prove).inReport, func(p *prove, m []string) { p.files[len(p.files)-1].tests = keep(m[1]) }},
	{`^ `, (*prove).inReport, func(p *prove, m []string) {
		f := &p.files[len(p.files)-1]
		f.dead = f.dead || strings.HasPrefix(m[0], "  Non-zero ") || strings.HasPrefix(m[0], "  Parse errors: ")
		f.text.add(m[0])
	}},
	{`^Files=\d+, Tests=(\d{1,9}), +(\d+) wallclock secs `, nil, func(p *prove, m []string) {
		p.total, p.summed = figures.Ints(m)[1], true
		p.sum.Duration += figures.Duration(m[2])
	}},
	{`^Result: (?:PASS|FAIL|NOTESTS)$`, func(p *prove) bool { return p.summed }, func(p *prove, _ []string) { p.end() }},
}}

func (p *prove) point(text string) {
	m := tapPoint().FindStringSubmatch(text)
	if m != nil {
		_, status := tapEnded(m[1] == "", m[3])
		p.pending.put(p.now+" "+m[2], status)
	}
}

// end counts a run once its result is printed.
func (p *prove) end() {
	failed := p.failed
	for i := range p.files {
		f := &p.files[i]
		if f.count == 0 && f.dead {
			failed++
			p.total++
			p.pending.put(f.name, Failed)
			p.explain(f.name, f.text.String(), 0)
		}
		for _, n := range figures.Ranges(f.tests, maxFailing) {
			name := f.name + " " + strconv.Itoa(n)
			p.pending.put(name, Failed)
			p.explain(name, f.text.String(), 0)
		}
	}
	passed := max(0, p.total-failed)
	skipped := min(p.pending.count(Skipped), passed)
	passed -= skipped
	p.add(passed, failed, skipped)
	p.take(&p.pending, "", passed, skipped)
	*p = prove{tally: p.tally}
}
