package tests

import (
	"slices"
	"strings"
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
	pending                 names    // of the run, as far as they are printed
}

type pytestFailure struct {
	name string
	text *message
}

const pytestShort = "short test summary info"

func (p *pytest) inSection() bool { return p.section != "" }
func (p *pytest) inShort() bool   { return p.section == pytestShort }
func (p *pytest) inHead() bool    { return p.section != "" && !p.inShort() && len(p.heads) > 0 }

var pytestRules = rules[*pytest]{list: []rule[*pytest]{
	{`^$`, nil, func(*pytest, []string) {}},
	{`^=+ (ERRORS|FAILURES|short test summary info) =+$`, nil, func(p *pytest, m []string) { p.section = m[1] }},
	// The last line, with or without its frame of equals signs.
	{`^(?:=+ )?((?:\d+ [a-z ]+(?:, )?)+|no tests ran|no tests collected.*) in (\d+\.\d+)s(?: \(\d[\d:]*\))?(?: =+)?$`, nil, func(p *pytest, m []string) {
		if p.end(m[1]) {
			p.sum.Duration += duration(m[2])
		}
	}},
	{`^_+ (?:ERROR (?:at (?:setup|teardown) of|collecting) )?(\S.*?) _+$`, (*pytest).inSection, func(p *pytest, m []string) {
		if len(p.heads) < mostFailing {
			p.heads = append(p.heads, pytestFailure{keep(m[1]), new(message)})
		}
	}},

	// The short summary. It lists failing tests, and others when it is asked to;
	// skipped ones have only their place there.
	{`^PASSED (.*)`, (*pytest).inShort, func(p *pytest, m []string) { p.pending.put(strings.TrimSpace(m[1]), Passed) }},
	{`^(XPASS|XFAIL) (.*)$`, (*pytest).inShort, func(p *pytest, m []string) {
		name, _ := pytestCut(m[2])
		p.pending.put(name, pytestStatus[m[1]])
	}},
	{`^(?:FAILED|ERROR|SUBFAIL(?:ED)?\S*) (\S.*)$`, (*pytest).inShort, func(p *pytest, m []string) {
		name, why := pytestCut(m[1])
		p.pending.put(name, Failed)
		if len(p.shorts) < mostFailing {
			p.shorts = append(p.shorts, pytestFailure{keep(name), new(message)})
			p.shorts[len(p.shorts)-1].text.add(why)
		}
	}},
	{`^E(  .*)`, (*pytest).inHead, func(p *pytest, m []string) { p.heads[len(p.heads)-1].text.add(m[1]) }},
	{`^[^=0-9n_]`, (*pytest).inHead, func(*pytest, []string) {}},

	// A run that goes on, for the names, and for the case that it never ends: one
	// file's letters, or one test with -v, or with -v and several workers.
	{`^(?:[\w./]\S*\.py )?([.FEsxX]+) +\[ *\d+%\]$`, nil, func(p *pytest, m []string) {
		for _, c := range m[1] {
			p.one(string(c), "")
		}
	}},
	{`^([\w./]\S*\.py::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))? +\[ *\d+(?:%|/\d+)\]$`, nil, func(p *pytest, m []string) { p.one(m[2], m[1]) }},
	{`^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+\.py::.+?) *$`, nil, func(p *pytest, m []string) { p.one(m[1], m[2]) }},
}}

// pytestCut cuts a test's name from the reason behind it. What is in brackets
// belongs to the name and may look like the beginning of a reason.
func pytestCut(text string) (name, why string) {
	text = strings.TrimSpace(text)
	name, why, _ = strings.Cut(text, " - ")
	if !strings.Contains(name, "[") || strings.Contains(name, "]") {
		return name, why
	}
	if i := strings.Index(text, "] - "); i >= 0 {
		return text[:i+1], text[i+len("] - "):]
	}
	if strings.HasSuffix(text, "]") {
		return text, ""
	}
	return name, why
}

var pytestStatus = map[string]Status{
	".": Passed, "PASSED": Passed, "X": Passed, "XPASS": Passed,
	"s": Skipped, "SKIPPED": Skipped, "x": Skipped, "XFAIL": Skipped,
	"F": Failed, "FAILED": Failed, "E": Failed, "ERROR": Failed,
}

func (p *pytest) one(word, name string) {
	name, _, _ = strings.Cut(name, " <- ") // the file that a base class is in
	status := pytestStatus[word]
	p.pending.put(name, status)
	switch status {
	case Passed:
		p.passed++
	case Skipped:
		p.skipped++
	case Failed:
		p.failed++
		if name != "" && len(p.cut) < mostFailing {
			p.cut = append(p.cut, keep(name))
		}
	}
}

// end reads the counts of the last line: "1 failed, 2 passed, 1 warning".
func (p *pytest) end(list string) bool {
	var passed, failed, skipped int
	known := strings.HasPrefix(list, "no tests ") // a linter, too, counts errors and warnings
	for part := range strings.SplitSeq(list, ", ") {
		digits, word, _ := strings.Cut(part, " ")
		n, ok := number(digits)
		if !ok {
			continue
		}
		word = strings.TrimPrefix(word, "subtests ")
		switch word {
		case "passed", "xpassed":
			passed += n
		case "failed", "error", "errors":
			failed += n
		case "skipped", "xfailed":
			skipped += n
		case "deselected", "warning", "warnings", "rerun":
		default:
			return false
		}
		switch word {
		case "error", "errors":
			known = known || p.section != ""
		case "warning", "warnings", "rerun":
		default:
			known = true
		}
	}
	if !known {
		return false
	}
	p.add(passed, failed, skipped)
	p.take(&p.pending, "", passed, skipped)
	p.names()
	p.next()
	return true
}

// names gives the failing tests, by their full names where the short summary or a
// verbose run has them.
func (p *pytest) names() {
	if len(p.shorts) == 0 { // told to leave them out
		for _, name := range p.cut {
			p.shorts = append(p.shorts, pytestFailure{name, new(message)})
		}
	}
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
	end.take(&p.pending, "", p.passed, p.skipped)
	end.names()
	return end.tally.report()
}
