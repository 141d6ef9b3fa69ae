package tests

import (
	"regexp"
	"strings"
	"time"
)

var (
	exunitEnd     = regexp.MustCompile(`^(?:\d+ (?:doctests?|tests?|property|properties|features?), )*\d+ failures?(?:, \d+ (?:excluded|invalid|skipped))*$`)
	exunitFailed  = regexp.MustCompile(`^  \d+\) ((?:test|doctest|property|feature) .+ \([A-Z][\w.]*\))$`)
	exunitTrace   = regexp.MustCompile(`^  \* (\S.*) \((\d+(?:\.\d+)?ms|skipped|excluded)\)(?: \[L#\d+\])?$`)
	exunitInvalid = regexp.MustCompile(`^  \d+\) ([A-Z][\w.]*): failure on setup_all callback`)
)

// exunit reads ExUnit. Tests that were excluded count as skipped, those whose
// module could not be set up as failed, and a test file that does not compile
// as one failed test.
type exunit struct {
	run
	took     time.Duration
	module   string // the one whose tests are being traced
	finished bool   // the time was printed: the counts come next
	counts   string // counts that may be another runner's, unless the seed follows
}

func (e *exunit) line(text string) {
	if text == "" {
		return
	}
	switch c := text[0]; {
	case c == ' ':
		e.indented(text)
		return
	case c >= '0' && c <= '9':
		if strings.Contains(text, " failure") && exunitEnd.MatchString(text) {
			e.counted(text)
			return
		}
	case c == 'F':
		if took, ok := strings.CutPrefix(text, "Finished in "); ok {
			took, _, _ = strings.Cut(took, " (")
			e.took, e.finished = spelt(took), true
			e.hush()
			return
		}
	case c == 'R':
		if e.counts != "" && strings.HasPrefix(text, "Randomized with seed ") {
			e.end(e.counts)
			return
		}
	case c == '=':
		if file, ok := strings.CutPrefix(text, "== Compilation error in file "); ok && strings.HasSuffix(file, "_test.exs ==") {
			e.fail(strings.TrimSuffix(file, " =="), 0)
			return
		}
	case c == 'T':
		if text == "There are no tests to run" {
			e.sumUp(0, 0, 0)
			e.next()
			return
		}
	}
	if module, ok := strings.CutSuffix(text, ".exs]"); ok {
		module, _, _ = strings.Cut(module, " [")
		e.module = keep(module)
	}
	e.finished = false
	e.say(text)
}

// traced names a test of a run with --trace. One that failed looks as if it had
// passed, and is explained next.
func (e *exunit) traced(text string) {
	m := exunitTrace.FindStringSubmatch(text)
	if m == nil || e.module == "" {
		return
	}
	status := Passed
	if m[2] == "skipped" || m[2] == "excluded" {
		status = Skipped
	}
	e.names.put(m[1]+" ("+e.module+")", status)
}

func (e *exunit) indented(text string) {
	if strings.HasPrefix(text, "  ") && len(text) > 2 && text[2] >= '0' && text[2] <= '9' {
		if m := exunitFailed.FindStringSubmatch(text); m != nil {
			e.fail(m[1], 0)
			return
		}
		if m := exunitInvalid.FindStringSubmatch(text); m != nil {
			e.tell(m[1], 0)
			return
		}
	}
	inner := strings.TrimLeft(text, " ")
	switch {
	case inner == "stacktrace:":
		e.hush()
	case strings.HasPrefix(inner, "* "):
		e.hush()
		e.traced(text)
	case strings.Contains(inner, ".exs:") && !strings.Contains(inner, " "):
		// Where the test is.
	default:
		e.say(text)
	}
}

// counted reads the counts. Other runners have such a line too: it is ExUnit's
// with the time before it or the seed after it.
func (e *exunit) counted(text string) {
	if e.finished {
		e.end(text)
		return
	}
	e.counts = strings.Clone(short(text))
}

func (e *exunit) end(text string) {
	counts := parts(text, ", ")
	total := 0
	for what, n := range counts {
		switch what {
		case "failure", "failures", "excluded", "invalid", "skipped":
		default:
			total += n
		}
	}
	failed := counts["failure"] + counts["failures"] + counts["invalid"]
	skipped := counts["excluded"] + counts["skipped"]
	e.sumUp(total-failed-skipped, failed, skipped)
	e.next()
	e.sum.Duration += e.took
	*e = exunit{run: e.run}
}
