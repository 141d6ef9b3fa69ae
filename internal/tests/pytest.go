package tests

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// The last line, with or without its frame of equals signs.
	pytestEnd   = regexp.MustCompile(`^(?:=+ )?((?:\d+ [a-z ]+(?:, )?)+|no tests ran|no tests collected.*) in (\d+\.\d+)s(?: \(\d[\d:]*\))?(?: =+)?$`)
	pytestTitle = regexp.MustCompile(`^=+ (ERRORS|FAILURES|short test summary info) =+$`)
	pytestHead  = regexp.MustCompile(`^_+ (?:ERROR (?:at (?:setup|teardown) of|collecting) )?(\S.*?) _+$`)
	pytestShort = regexp.MustCompile(`^(?:FAILED|ERROR|SUBFAIL(?:ED)?\S*) (\S.*?)(?: - (.*))?$`)
	// One file's letters, or one test with -v, or with -v and several workers.
	pytestDots   = regexp.MustCompile(`^(?:[\w./]\S*\.py )?([.FEsxX]+) +\[ *\d+%\]$`)
	pytestOne    = regexp.MustCompile(`^([\w./]\S*\.py::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))? +\[ *\d+%\]$`)
	pytestWorker = regexp.MustCompile(`^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+\.py::.+?) *$`)
)

// pytest reads pytest. An error in a fixture or while collecting is a failure; a
// test that fails as expected (xfailed) is skipped, since it proves nothing, and
// one that passes against expectation (xpassed) passed: where that is not
// allowed, pytest itself calls it failed. Deselected tests do not count.
type pytest struct {
	tally
	section string
	heads   []pytestFailure // failures printed in full
	shorts  []pytestFailure // failures listed in the short summary

	passed, failed, skipped int      // of the run without its last line
	cut                     []string // failing tests of such a run
}

type pytestFailure struct {
	name string
	text *message
}

func (p *pytest) line(text string) {
	if text == "" {
		return
	}
	switch c := text[0]; {
	case c == '=' || c >= '0' && c <= '9' || c == 'n':
		if m := pytestTitle.FindStringSubmatch(text); m != nil {
			p.section = m[1]
			return
		}
		if m := pytestEnd.FindStringSubmatch(text); m != nil && p.end(m[1]) {
			p.sum.Duration += duration(m[2])
			return
		}
	case c == '_' && p.section != "":
		if m := pytestHead.FindStringSubmatch(text); m != nil && len(p.heads) < mostFailing {
			p.heads = append(p.heads, pytestFailure{keep(m[1]), new(message)})
			return
		}
	case p.section == "short test summary info":
		if m := pytestShort.FindStringSubmatch(text); m != nil && len(p.shorts) < mostFailing {
			p.shorts = append(p.shorts, pytestFailure{keep(m[1]), new(message)})
			p.shorts[len(p.shorts)-1].text.add(m[2])
			return
		}
	case p.section != "" && len(p.heads) > 0:
		if strings.HasPrefix(text, "E  ") {
			p.heads[len(p.heads)-1].text.add(text[1:])
		}
		return
	}
	if text[len(text)-1] == ']' || text[0] == '[' {
		p.progress(text)
	}
}

// progress reads a line of a run that goes on, for the case that it never ends.
func (p *pytest) progress(text string) {
	if m := pytestDots.FindStringSubmatch(text); m != nil {
		for _, c := range m[1] {
			p.one(string(c), "")
		}
	} else if m := pytestOne.FindStringSubmatch(text); m != nil {
		p.one(m[2], m[1])
	} else if m := pytestWorker.FindStringSubmatch(text); m != nil {
		p.one(m[1], m[2])
	}
}

func (p *pytest) one(status, name string) {
	switch status {
	case ".", "PASSED", "X", "XPASS":
		p.passed++
	case "s", "SKIPPED", "x", "XFAIL":
		p.skipped++
	default:
		p.failed++
		if name != "" && len(p.cut) < mostFailing {
			p.cut = append(p.cut, keep(name))
		}
	}
}

// end reads the counts of the last line: "1 failed, 2 passed, 1 warning".
func (p *pytest) end(counts string) bool {
	var passed, failed, skipped int
	known := strings.HasPrefix(counts, "no tests ") // a linter, too, counts errors and warnings
	for part := range strings.SplitSeq(counts, ", ") {
		digits, word, _ := strings.Cut(part, " ")
		n, ok := number(digits)
		if !ok {
			continue
		}
		switch strings.TrimPrefix(word, "subtests ") {
		case "passed", "xpassed":
			passed += n
			known = true
		case "failed":
			failed += n
			known = true
		case "skipped", "xfailed":
			skipped += n
			known = true
		case "deselected":
			known = true
		case "error", "errors":
			failed += n
			known = known || p.section != ""
		case "warning", "warnings", "rerun":
		default:
			return false
		}
	}
	if !known {
		return false
	}
	p.add(passed, failed, skipped)
	p.names()
	p.next()
	return true
}

// names gives the failing tests, by their full names where the short summary has
// them.
func (p *pytest) names() {
	if len(p.shorts) == 0 {
		for _, f := range p.heads {
			p.name(f.name, f.text.String(), 0)
		}
		return
	}
	for _, f := range p.shorts {
		text := f.text.String()
		if i := slices.IndexFunc(p.heads, func(h pytestFailure) bool { return h.name == pytestHeading(f.name) }); i >= 0 {
			if full := p.heads[i].text.String(); full != "" {
				text = full
			}
			p.heads = slices.Delete(p.heads, i, i+1)
		}
		p.name(f.name, text, 0)
	}
}

// pytestHeading is how a test's full name is printed above its failure.
func pytestHeading(name string) string {
	_, test, ok := strings.Cut(name, "::")
	if !ok {
		return name
	}
	return strings.ReplaceAll(test, "::", ".")
}

// next forgets the run that ended.
func (p *pytest) next() { *p = pytest{tally: p.tally} }

func (p *pytest) report() (Report, bool) {
	if len(p.shorts) == 0 && p.passed+p.failed+p.skipped == 0 {
		return p.tally.report()
	}
	// Cut off, or told to print no counts.
	end := *p
	end.tally, end.heads = p.fork(), slices.Clone(p.heads)
	end.add(p.passed, max(p.failed, len(p.shorts)), p.skipped)
	if len(p.shorts)+len(p.heads) > 0 {
		end.names()
	} else {
		for _, name := range p.cut {
			end.name(name, "", 0)
		}
	}
	return end.tally.report()
}
