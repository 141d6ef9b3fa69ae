package tests

import (
	"regexp"
	"slices"
	"strings"
)

var (
	nextestStart   = regexp.MustCompile(`^ +Starting \d+ tests? across \d+ binar(?:y|ies)(?: .*)?$`)
	nextestTest    = regexp.MustCompile(`^ *([A-Z][A-Z0-9 +/-]*?) \[ *(\d+\.\d+s)?\] (?:\[\d+(?:/\d+)?\] )?(?:\([ \d/─]+\) )?(\S+ +\S.*)$`)
	nextestSummary = regexp.MustCompile(`^ +Summary \[ *(\d+\.\d+s)\] (?:\d+/)?\d+ tests? run: (.+)$`)
	nextestPass    = regexp.MustCompile(`^(?:PASS|LEAK|TIMEOUT-PASS|SLOW.*|FLAKY .*|TRY \d+ PASS)$`)
	nextestAside   = regexp.MustCompile(` \([^)]*\)`)
	nextestFrame   = regexp.MustCompile(`^ *(?:stdout ───|output ───|──|---|running 1 test|test \S+ \.\.\. |failures:|test result: )`)
	nextestErrors  = regexp.MustCompile(`^(?:  stderr ───|--- STDERR: )`)
)

// nextest reads cargo nextest run. What it calls skipped includes what a filter
// left out. It prints each failing test's own output, which looks like cargo
// test: while it runs, cargo is not listened to. The doc-tests that people run
// after it are cargo's again.
type nextest struct {
	tally
	started bool
	summed  bool // the summary is there; the failing tests are listed once more

	passed, failed int // until the summary says it
	failing        []Test
	pending        names
	counts         struct{ passed, skipped int } // as the summary has them
	texts          said
	talking        *message
}

func (n *nextest) running() bool { return n.started }

func (n *nextest) line(text string) {
	if text == "" {
		return
	}
	if text[0] == ' ' || text[0] >= 'A' && text[0] <= 'Z' {
		if n.own(text) {
			return
		}
	}
	switch {
	case n.talking == nil:
	case nextestErrors.MatchString(text):
		*n.talking = message{} // the reason is here, not in what was printed before
	case !nextestFrame.MatchString(text):
		n.talking.add(text)
	}
}

// own reads a line of nextest itself.
func (n *nextest) own(text string) bool {
	word := strings.TrimLeft(text, " ")
	switch {
	case strings.HasPrefix(word, "Starting "):
		if nextestStart.MatchString(text) {
			n.end()
			n.started = true
			return true
		}
	case strings.HasPrefix(word, "Summary ["):
		if m := nextestSummary.FindStringSubmatch(text); m != nil {
			n.summary(m[2])
			n.sum.Duration += duration(m[1])
			return true
		}
	case (n.started || n.summed) && word != "" && word[0] >= 'A' && word[0] <= 'Z':
		// Without a time, it did not run: skipped, or about to be tried again.
		if m := nextestTest.FindStringSubmatch(text); m != nil && (m[2] != "" || m[1] == "SKIP") {
			n.test(m[1], m[2], m[3])
			return true
		}
		if strings.HasPrefix(word, "Cancelling ") || strings.HasPrefix(word, "Canceling ") {
			n.talking = nil
			return true
		}
	}
	return false
}

func (n *nextest) test(status, took, name string) {
	n.talking = nil
	name = keep(strings.Join(strings.Fields(name), " "))
	if nextestPass.MatchString(status) {
		n.passed++
		n.pending.put(name, Passed)
		return
	}
	if status == "SKIP" {
		n.pending.put(name, Skipped)
		return
	}
	if !n.summed {
		n.talking = n.texts.of(name)
		if strings.HasPrefix(status, "TRY ") {
			return // it may be tried again
		}
	}
	n.pending.put(name, Failed)
	known := slices.ContainsFunc(n.failing, func(t Test) bool { return t.Name == name })
	if known || len(n.failing) == mostFailing {
		return
	}
	n.failed++
	n.failing = append(n.failing, Test{Name: name, Duration: duration(took), Message: status})
}

// summary reads the counts: "5 passed (1 slow), 2 failed, 1 timed out, 2 skipped".
func (n *nextest) summary(counts string) {
	var passed, failed, skipped int
	for part := range strings.SplitSeq(nextestAside.ReplaceAllString(counts, ""), ", ") {
		digits, word, _ := strings.Cut(part, " ")
		count, ok := number(digits)
		if !ok {
			return
		}
		switch word {
		case "passed":
			passed += count
		case "skipped":
			skipped += count
		default: // failed, exec failed, timed out, setup script failed, …
			failed += count
		}
	}
	if passed+failed == 0 {
		skipped = 0 // a filter that left everything out is not a test that was skipped
	}
	n.add(passed, failed, skipped)
	n.counts.passed, n.counts.skipped = passed, skipped
	n.passed, n.failed = 0, 0
	n.started, n.summed, n.talking = false, true, nil
}

// end names the failing tests of a run, and counts what was never summed up.
func (n *nextest) end() {
	if n.started && n.passed+n.failed > 0 {
		n.add(n.passed, n.failed, 0)
		n.counts.passed, n.counts.skipped = n.passed, 0
	}
	if n.started || n.summed {
		n.take(&n.pending, "", n.counts.passed, n.counts.skipped)
	}
	for _, t := range n.failing {
		text := n.texts.of(t.Name).String()
		if text == "" {
			text = t.Message
		}
		n.name(t.Name, text, t.Duration)
	}
	n.started, n.summed = false, false
	n.passed, n.failed, n.failing, n.pending = 0, 0, nil, names{}
	n.counts.passed, n.counts.skipped = 0, 0
	n.texts, n.talking = nil, nil
}

func (n *nextest) report() (Report, bool) {
	end := *n
	end.tally = n.fork()
	end.end()
	return end.tally.report()
}
