package tests

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
)

// pytest reads pytest. An error in a fixture or while collecting is a failure; a
// test that fails as expected (xfailed) is skipped, since it proves nothing, and
// one that passes against expectation (xpassed) passed: where that is not
// allowed, pytest itself calls it failed. Deselected tests do not count.
type pytest struct {
	run
	section string
	heads   []*failure // printed in full
	shorts  []*failure // listed in the short summary
	cut     []*failure // named while the tests ran
}

func (p *pytest) idle() bool { return p.section == "" }

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
			p.sum.Duration += figures.Duration(m[2])
		}
	}},
	{`^_+ (?:ERROR (?:at (?:setup|teardown) of|collecting) )?(\S.*?) _+$`, (*pytest).inSection, func(p *pytest, m []string) {
		if len(p.heads) < maxFailing {
			p.heads = append(p.heads, &failure{name: keep(m[1]), text: new(message)})
		}
	}},

	// The short summary. It lists failing tests, and others when it is asked to;
	// skipped ones have only their place there.
	{`^PASSED (.*)`, (*pytest).inShort, func(p *pytest, m []string) { p.names.put(strings.TrimSpace(m[1]), Passed) }},
	{`^(XPASS|XFAIL) (.*)$`, (*pytest).inShort, func(p *pytest, m []string) {
		name, _ := pytestCut(m[2])
		p.names.put(name, pytestStatus[m[1]])
	}},
	{`^(FAILED|ERROR|SUBFAIL(?:ED)?\S*) (\S.*)$`, (*pytest).inShort, func(p *pytest, m []string) {
		name, why := pytestCut(m[2])
		p.names.put(name, Failed)
		p.names.broke(name, m[1] == "ERROR")
		if len(p.shorts) < maxFailing {
			p.shorts = append(p.shorts, &failure{name: keep(name), why: short(strings.TrimSpace(why))})
		}
	}},
	{`^E(  .*)`, (*pytest).inHead, func(p *pytest, m []string) { p.heads[len(p.heads)-1].text.add(m[1]) }},
	{`^[^=0-9n_]`, (*pytest).inHead, func(*pytest, []string) {}},

	// The slowest, where they are asked for: each phase of a test has a line.
	{`^(\d+\.\d\ds) (?:setup|call|teardown) +(\S.*)$`, nil, func(p *pytest, m []string) { p.names.took(m[2], figures.Duration(m[1])) }},

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
	p.names.put(name, status)
	p.count(status, 1)
	if status == Failed && name != "" && len(p.cut) < maxFailing {
		p.cut = append(p.cut, &failure{name: keep(name)})
	}
}

// pytestCounts is what the last line counts, and as what; some not at all.
var pytestCounts = map[string]Status{
	"passed": Passed, "xpassed": Passed, "failed": Failed, "error": Failed, "errors": Failed, "skipped": Skipped, "xfailed": Skipped,
	"deselected": "", "warning": "", "warnings": "", "rerun": "",
}

// end reads the counts of the last line: "1 failed, 2 passed, 1 warning".
func (p *pytest) end(list string) bool {
	sum := map[Status]int{}
	known := strings.HasPrefix(list, "no tests ") // a linter, too, counts errors and warnings
	for part := range strings.SplitSeq(list, ", ") {
		digits, word, _ := strings.Cut(part, " ")
		n, ok := figures.Number(digits)
		if !ok {
			continue
		}
		word = strings.TrimPrefix(word, "subtests ")
		status, ok := pytestCounts[word]
		if !ok {
			return false
		}
		sum[status] += n
		linted := strings.HasPrefix(word, "error") && p.section == ""
		known = known || word == "deselected" || status != "" && !linted
	}
	if !known {
		return false
	}
	p.summary(sum[Passed], sum[Failed], sum[Skipped])
	p.fails()
	p.endRun()
	*p = pytest{run: p.run}
	return true
}

// fails gives the failing tests, by their full names where the short summary or
// a verbose run has them.
func (p *pytest) fails() {
	named := p.shorts
	if len(named) == 0 { // told to leave them out
		named = p.cut
	}
	if len(named) == 0 {
		p.failing = p.heads
		return
	}
	for _, f := range named {
		one := &failure{name: f.name, why: f.why}
		if i := slices.IndexFunc(p.heads, func(h *failure) bool { return h.name == pytestHeading(f.name) }); i >= 0 {
			one.text = p.heads[i].text
			p.heads = slices.Delete(p.heads, i, i+1)
		}
		p.failing = append(p.failing, one)
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

// report takes a run that was cut off, or told to print no counts, as far as it
// goes.
func (p *pytest) report() (Report, bool) {
	end := *p
	end.heads = slices.Clone(p.heads)
	end.failed = max(p.failed, len(p.shorts))
	end.fails()
	return end.run.report()
}
