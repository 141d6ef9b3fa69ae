package tests

import (
	"regexp"
	"strings"
	"time"
)

var (
	phpunitOK       = regexp.MustCompile(`^OK \((\d+) tests?, \d+ assertions?\)$`)
	phpunitEnd      = regexp.MustCompile(`^Tests: \d+, Assertions: \d+(?:, [A-Z][A-Za-z ]*: \d+)*\.$`)
	phpunitSection  = regexp.MustCompile(`^There (?:was|were) \d+ (.+):$`)
	phpunitFailed   = regexp.MustCompile(`^\d+\) (\S.*)$`)
	phpunitProgress = regexp.MustCompile(`^([.FEWRSIDN]+) +\d+ / \d+ \( *\d+%\)$`)
)

// phpunit reads PHPUnit. Tests that are incomplete or risky, which checked
// nothing, count as skipped; what PHP itself gave up on counts as one failed test.
type phpunit struct {
	run
	on       bool // it began and has not ended
	listing  bool // failing tests are being printed
	idle     bool // those that were skipped, are incomplete or risky are
	warnings bool // its verdict is that there were warnings
	fatal    string
	took     time.Duration
}

func (p *phpunit) line(text string) {
	if text == "" {
		return
	}
	switch text[0] {
	case 'P':
		if strings.HasPrefix(text, "PHPUnit ") && strings.HasSuffix(text, " by Sebastian Bergmann and contributors.") {
			p.end()
			p.on = true
			return
		}
	case 'O':
		if m := phpunitOK.FindStringSubmatch(text); m != nil {
			total, _ := number(m[1])
			p.sumUp(total, 0, 0)
			p.end()
			return
		}
	case 'T':
		if p.summary(text) {
			return
		}
	case 'W':
		p.warnings = p.warnings || text == "WARNINGS!"
	case 'N':
		if text == "No tests executed!" {
			p.sumUp(0, 0, 0)
			p.end()
			return
		}
	case ' ':
		if p.on && p.dox(text[1:]) {
			return
		}
	case '#':
		if p.fatal != "" && strings.Contains(text, `PHPUnit\TextUI\`) {
			p.died()
			return
		}
	}
	if i := strings.Index(text, "Fatal error: "); i >= 0 && p.fatally(text[:i], text[i:]) {
		return
	}
	if p.on || p.listing {
		p.during(text)
	}
}

// dox reads a test of the format testdox: "✔ Adds two numbers". It has no name
// but this sentence there.
func (p *phpunit) dox(text string) bool {
	mark, name, _ := strings.Cut(text, " ")
	switch mark {
	case "✘":
		p.tell(name, 0)
		return true
	case "✔":
		p.names.put(name, Passed)
	case "↩", "∅", "☢":
		p.names.put(name, Skipped)
	default:
		return false
	}
	p.hush()
	return true
}

// summary reads the time and the counts.
func (p *phpunit) summary(text string) bool {
	if took, ok := strings.CutPrefix(text, "Time: "); ok && p.on {
		took, _, _ = strings.Cut(took, ", Memory: ")
		p.took = clock(took)
		return true
	}
	if m := phpunitSection.FindStringSubmatch(text); m != nil {
		what := strings.TrimSuffix(m[1], "s")
		p.listing = what == "failure" || what == "error"
		p.idle = what == "skipped test" || what == "incomplete test" || what == "risky test"
		p.hush()
		return true
	}
	if !strings.HasPrefix(text, "Tests: ") || !phpunitEnd.MatchString(text) {
		return false
	}
	counts := make(map[string]int)
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "."), ", ") {
		what, count, _ := strings.Cut(part, ": ")
		counts[what], _ = number(count)
	}
	failed := counts["Errors"] + counts["Failures"]
	skipped := counts["Skipped"] + counts["Incomplete"] + counts["Risky"]
	if p.warnings {
		skipped += counts["Warnings"]
	}
	p.sumUp(counts["Tests"]-failed-skipped, failed, skipped)
	p.end()
	return true
}

// fatally reads an error that ends PHP. In a run it may come right behind a line
// of progress; before one it is PHPUnit's when its stack says so.
func (p *phpunit) fatally(before, text string) bool {
	before = strings.TrimSuffix(before, "PHP ")
	if strings.Trim(before, ".FEWRSIDN") != "" {
		return false
	}
	p.fatal = strings.Clone(short(text))
	if p.on {
		p.died()
	}
	return true
}

func (p *phpunit) died() {
	p.sumUp(0, p.failed+1, 0)
	p.tell("PHP fatal error", 0)
	p.say(strings.TrimPrefix(p.fatal, "Fatal error: "))
	p.end()
}

// during reads a line of progress, or a failing test and what is said on it.
func (p *phpunit) during(text string) {
	switch {
	case strings.HasSuffix(text, "%)"):
		p.progress(text)
	case text == "--":
		p.listing, p.idle = false, false
		p.hush()
	case p.idle:
		if m := phpunitFailed.FindStringSubmatch(text); m != nil {
			p.names.put(m[1], Skipped)
		}
	case p.listing:
		if m := phpunitFailed.FindStringSubmatch(text); m != nil {
			p.tell(m[1], 0)
			return
		}
		p.say(text)
	default:
		p.say(strings.Trim(text, " │"))
	}
}

// progress counts the characters of a line such as "F.E.F   5 / 5 (100%)". It
// matters only when the summary never comes.
func (p *phpunit) progress(text string) {
	m := phpunitProgress.FindStringSubmatch(text)
	if m == nil {
		return
	}
	for _, c := range m[1] {
		switch c {
		case 'F', 'E':
			p.failed++
		case 'S', 'I', 'R', 'W':
			p.skipped++
		default:
			p.passed++
		}
	}
}

func (p *phpunit) end() {
	p.next()
	p.sum.Duration += p.took
	*p = phpunit{run: p.run}
}

// clock reads a time such as 00:01.250 or 01:00:00.
func clock(text string) time.Duration {
	var sum time.Duration
	for part := range strings.SplitSeq(text, ":") {
		sum = sum*60 + duration(part)
	}
	return sum
}
