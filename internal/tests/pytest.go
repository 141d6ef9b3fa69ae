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
	pytestShort = regexp.MustCompile(`^(?:FAILED|ERROR|SUBFAIL(?:ED)?\S*) (\S.*)$`)
	// One file's letters, or one test with -v, or with -v and several workers.
	pytestDots   = regexp.MustCompile(`^(?:[\w./]\S*\.py )?([.FEsxX]+) +\[ *\d+%\]$`)
	pytestOne    = regexp.MustCompile(`^([\w./]\S*\.py::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))? +\[ *\d+(?:%|/\d+)\]$`)
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
	pending                 names    // of the run, as far as they are printed
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
		if p.short(text) {
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

// short reads a line of the short summary. It lists failing tests, and others
// when it is asked to; skipped ones have only their place there.
func (p *pytest) short(text string) bool {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "PASSED":
		p.pending.put(strings.TrimSpace(rest), Passed)
		return true
	case "XPASS", "XFAIL":
		name, _ := pytestCut(rest)
		status := Passed
		if word == "XFAIL" {
			status = Skipped
		}
		p.pending.put(name, status)
		return true
	}
	m := pytestShort.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	name, why := pytestCut(m[1])
	p.pending.put(name, Failed)
	if len(p.shorts) < mostFailing {
		p.shorts = append(p.shorts, pytestFailure{keep(name), new(message)})
		p.shorts[len(p.shorts)-1].text.add(why)
	}
	return true
}

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

// progress reads a line of a run that goes on: for the names, and for the case
// that it never ends.
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
	name, _, _ = strings.Cut(name, " <- ") // the file that a base class is in
	switch status {
	case ".", "PASSED", "X", "XPASS":
		p.passed++
		p.pending.put(name, Passed)
	case "s", "SKIPPED", "x", "XFAIL":
		p.skipped++
		p.pending.put(name, Skipped)
	default:
		p.failed++
		p.pending.put(name, Failed)
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
