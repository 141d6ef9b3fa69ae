package tests

import (
	"regexp"
	"strings"
	"time"
)

var (
	rspecEnd    = regexp.MustCompile(`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$`)
	rspecFailed = regexp.MustCompile(`^  \d+\) (.+)$`)
	rspecError  = regexp.MustCompile(`^An error occurred (?:while|in an?) (?:loading )?(.+)\.$`)
	rspecNow    = regexp.MustCompile(`^(?:  )+[^\s\d].* \(FAILED - \d+\)$`)
	rspecRerun  = regexp.MustCompile(`^rspec \S+ # (.+)$`)
)

// rspec reads RSpec. An error outside of examples, such as a file that does not
// load, counts as one failed test.
type rspec struct {
	run
	listing bool // the failures are being printed
	pending bool // the pending examples are
	tree    rspecTree
	summing bool // the lines after the examples are
	took    time.Duration
	unnamed bool // the summary came without the failures before it
}

func (r *rspec) line(text string) {
	if !r.listing && !r.pending && !r.summing {
		r.tree.line(text)
	}
	if text == "" {
		r.summing = false
		return
	}
	switch c := text[0]; {
	case c >= '0' && c <= '9':
		if strings.Contains(text, " example") && r.ended(text) {
			return
		}
	case c == 'F':
		if text == "Failures:" {
			r.listing, r.pending = true, false
			r.tree.end()
			r.hush()
			return
		}
		if took, ok := strings.CutPrefix(text, "Finished in "); ok {
			took, _, _ = strings.Cut(took, " (files took ")
			r.took, r.listing, r.pending, r.summing = spelt(took), false, false, true
			r.hush()
			return
		}
	case c == 'P':
		if strings.HasPrefix(text, "Pending: (") {
			r.listing, r.pending = false, true
			r.tree.end()
			r.hush()
			return
		}
	case c == 'A':
		if m := rspecError.FindStringSubmatch(text); m != nil {
			r.tell(m[1], 0)
			return
		}
	case c == 'N':
		if text == "No examples found." {
			r.hush()
			return
		}
	case c == 'r':
		if m := rspecRerun.FindStringSubmatch(text); m != nil && r.unnamed {
			r.name(m[1], "", 0)
			return
		}
	case c == ' ':
		if r.indented(text) {
			return
		}
	}
	if !strings.HasPrefix(strings.TrimLeft(text, " "), "# ") { // a place in a stack
		r.say(text)
	}
}

// indented reads an example in the lists of the failing and of the pending ones,
// and, where the examples are printed one by one, one that has just failed.
func (r *rspec) indented(text string) bool {
	if r.listing || r.pending {
		m := rspecFailed.FindStringSubmatch(text)
		if m == nil {
			return false
		}
		if r.pending {
			r.names.put(m[1], Skipped)
			return true
		}
		r.tell(strings.TrimSuffix(m[1], " FIXED"), 0)
		return true
	}
	if strings.Contains(text, " (FAILED - ") && rspecNow.MatchString(text) {
		r.failed++
		return true
	}
	return false
}

func (r *rspec) ended(text string) bool {
	m := rspecEnd.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	total, _ := number(m[1])
	failed, _ := number(m[2])
	pending, _ := number(m[3])
	errors, _ := number(m[4])
	r.unnamed = failed > 0 && len(r.failing) == 0
	r.names.merge(r.tree.passing(total-failed-pending, failed, pending))
	r.sumUp(total-failed-pending, failed+errors, pending)
	r.tree, r.pending = rspecTree{}, false
	r.sum.Duration += r.took
	r.took = 0
	r.next()
	return true
}
