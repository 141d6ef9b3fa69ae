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
// many they are, and of skipped ones not even that, unless they print the TAP of
// each file before. Tests go by their file and their number. A file that ended
// badly without a failed test is one failure.
type prove struct {
	tally
	files  []proveFailure
	failed int // tests among all that the report names
	total  int // -1 until it is said

	now     string // the file whose TAP is printed
	pending names  // of the files whose TAP was printed
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
	if strings.HasSuffix(text, ". ") && p.begins(text) {
		return
	}
	switch text[0] {
	case 'o', 'n':
		if p.now != "" {
			p.point(text)
		}
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

// begins reads "t/good.t .. ", with nothing behind it: the file's TAP comes next.
func (p *prove) begins(text string) bool {
	name, dots, _ := strings.Cut(text, " ")
	if name == "" || strings.Trim(dots, ".") != " " {
		return false
	}
	p.now = keep(name)
	return true
}

func (p *prove) point(text string) {
	m := tapPoint.FindStringSubmatch(text)
	if m == nil {
		return
	}
	status := Passed
	if m[1] != "" {
		status = Failed
	}
	if d := tapDirective.FindStringSubmatch(m[3]); d != nil && (status == Failed || strings.EqualFold(d[1], "skip")) {
		status = Skipped
	}
	p.pending.put(p.now+" "+m[2], status)
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
			p.pending.put(f.name, Failed)
			p.explain(f.name, f.text.String(), 0)
		}
		for _, n := range proveNumbers(f.tests) {
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
	p.files, p.failed, p.total = nil, 0, -1
	p.now, p.pending = "", names{}
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
