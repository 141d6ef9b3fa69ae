package tests

import (
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// tally adds up what a reader finds.
type tally struct {
	sum   Report
	seen  bool
	known names
}

// add counts tests. Adding none says that the runner ran.
func (t *tally) add(passed, failed, skipped int) {
	t.seen = true
	t.sum.Passed += passed
	t.sum.Failed += failed
	t.sum.Skipped += skipped
	t.sum.Total += passed + failed + skipped
}

// name keeps a failing test by its name, without counting it.
func (t *tally) name(name, message string, took time.Duration) {
	t.known.timed(name, Failed, took)
	t.explain(name, message, took)
}

// explain is name for a test whose name is taken with those of its run, in their
// order.
func (t *tally) explain(name, message string, took time.Duration) {
	t.seen = true
	if len(t.sum.Failing) == maxFailing {
		return
	}
	t.sum.Failing = append(t.sum.Failing, Test{Name: keep(name), Status: Failed, Duration: took, Message: short(message)})
}

// take takes the names of a run or a part of one, each behind a prefix, and what
// its own counts are. Where more tests are named as passed or as skipped than
// were, some line was not the runner's, and none of these names is taken.
func (t *tally) take(n *names, prefix string, passed, skipped int) {
	noPassed, noSkipped := n.count(Passed) > passed, n.count(Skipped) > skipped
	for _, test := range n.list {
		if test.Status == Passed && noPassed || test.Status == Skipped && noSkipped {
			continue
		}
		test.Name = prefix + test.Name
		t.known.own(test)
	}
	t.known.more = t.known.more || n.more
}

func (t *tally) report() (Report, bool) {
	r := t.sum
	r.Named, r.MoreNamed = t.known.list, t.known.more
	return r, t.seen
}

// fork is the tally to go on with in a copy of its reader, which is ended to see
// what an output says so far while the reader itself reads on.
func (t *tally) fork() tally {
	f := *t
	f.sum.Failing = slices.Clip(f.sum.Failing)
	f.known = t.known.fork()
	return f
}

// maxMessage is how much of a failure's text is kept: the first lines say what
// went wrong, the output itself has the rest.
const maxMessage = 500

// message collects the first lines of a failure.
type message struct{ text strings.Builder }

// add adds a line; empty ones are left out.
func (m *message) add(line string) {
	line = strings.TrimSpace(line)
	if line == "" || m.full() {
		return
	}
	if m.text.Len() > 0 {
		m.text.WriteByte('\n')
	}
	m.text.WriteString(short(line))
}

// full tells that what comes on top is left out.
func (m *message) full() bool { return m.text.Len() >= maxMessage }

func (m *message) String() string {
	if m == nil {
		return ""
	}
	return short(m.text.String())
}

// short cuts a text to maxMessage bytes, between two characters.
func short(s string) string { return text.Cut(s, maxMessage) }

// keep is a name to hold on to: in memory of its own, or a short one would keep
// the whole line that it was cut from.
func keep(name string) string { return strings.Clone(short(name)) }
