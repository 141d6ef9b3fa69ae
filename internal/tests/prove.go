package tests

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	proveFile = regexp.MustCompile(`^(\S+) +\(Wstat: .*Tests: (\d+) Failed: (\d+)\)$`)
	proveList = regexp.MustCompile(`^  Failed tests?:  +(\d[\d, -]*)$`)
	proveSum  = regexp.MustCompile(`^Files=(\d+), Tests=(\d+), +(\d+) wallclock secs `)
	proveEnd  = regexp.MustCompile(`^Result: (?:PASS|FAIL|NOTESTS)$`)
)

// prove reads Perl's prove and make test, which say of tests that pass only how
// many they are. A file that ended badly without a failed test is one failure.
type prove struct {
	tally
	files  []proveFailure
	failed int // tests among all that the report names
	total  int // -1 until it is said
}

type proveFailure struct {
	name  string
	tests string // "2, 5-7"
	count int
	text  message
	dead  bool
}

func newProve() reader { return &prove{total: -1} }

func (p *prove) line(text string) {
	if text == "" {
		return
	}
	if text[len(text)-1] == ')' && strings.Contains(text, " (Wstat: ") {
		if m := proveFile.FindStringSubmatch(text); m != nil {
			p.file(m[1], m[3])
		}
		return
	}
	switch text[0] {
	case ' ':
		if len(p.files) > 0 && p.total < 0 {
			p.files[len(p.files)-1].detail(text)
		}
	case 'F':
		if m := proveSum.FindStringSubmatch(text); m != nil {
			if n, ok := number(m[2]); ok {
				p.total = n
				p.sum.Duration += duration(m[3])
			}
		}
	case 'R':
		if p.total >= 0 && proveEnd.MatchString(text) {
			p.end()
		}
	}
}

// file begins what the report says of a file.
func (p *prove) file(name, failed string) {
	n, _ := number(failed)
	p.failed += n
	if len(p.files) < mostFailing {
		p.files = append(p.files, proveFailure{name: keep(name), count: n})
	}
}

func (f *proveFailure) detail(text string) {
	if m := proveList.FindStringSubmatch(text); m != nil {
		f.tests = keep(m[1])
		return
	}
	f.dead = f.dead || strings.HasPrefix(text, "  Non-zero ") || strings.HasPrefix(text, "  Parse errors: ")
	f.text.add(text)
}

// end counts a run once its result is printed.
func (p *prove) end() {
	failed := p.failed
	for i := range p.files {
		f := &p.files[i]
		if f.count == 0 && f.dead {
			failed++
			p.total++
			p.name(f.name, f.text.String(), 0)
		}
		for _, n := range proveNumbers(f.tests) {
			p.name(f.name+" "+strconv.Itoa(n), f.text.String(), 0)
		}
	}
	p.add(max(0, p.total-failed), failed, 0)
	p.files, p.failed, p.total = nil, 0, -1
}

// proveNumbers are the tests of a list such as "2, 5-7".
func proveNumbers(list string) []int {
	var numbers []int
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			to = from
		}
		first, ok1 := number(from)
		last, ok2 := number(to)
		if !ok1 || !ok2 {
			continue
		}
		for n := first; n <= last && len(numbers) < mostFailing; n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
