package tests

import (
	"strings"
	"time"
)

// run follows a framework that names tests as they end, and counts them at the
// end itself. Its own counts are taken; when an output is cut off before them,
// the tests that were named are what is known.
type run struct {
	tally
	passed, failed, skipped int // named since the last summary
	summed                  bool
	names                   names                         // of its tests
	before                  struct{ passed, skipped int } // the counts of the runs before it
	failing                 []*failure
	telling                 *failure // the one that the lines are about now
}

// failure is a failing test of which more may be said.
type failure struct {
	name string
	took time.Duration
	text message
}

// pass names and counts a test that passed.
func (r *run) pass(name string) {
	r.passed++
	r.names.put(name, Passed)
}

// skip names and counts a test that was skipped.
func (r *run) skip(name string) {
	r.skipped++
	r.names.put(name, Skipped)
}

// fail names and counts a test that failed.
func (r *run) fail(name string, took time.Duration) {
	r.failed++
	r.tell(name, took)
}

// tell names a failing test that is counted elsewhere, and says whether its name
// is new. Frameworks repeat themselves: the first explanation is kept.
func (r *run) tell(name string, took time.Duration) bool {
	r.names.put(name, Failed)
	return r.about(name, took)
}

// about is tell for what may turn out to be no test.
func (r *run) about(name string, took time.Duration) bool {
	r.telling = nil
	name = short(name)
	for _, f := range r.failing {
		if f.name != name {
			continue
		}
		if f.text.String() == "" {
			r.telling = f
		}
		return false
	}
	if len(r.failing) < mostFailing {
		r.telling = &failure{name: strings.Clone(name), took: took}
		r.failing = append(r.failing, r.telling)
	}
	return true
}

// say adds a line on the test named last. Stacks are left out: they are long,
// and tell where rather than what.
func (r *run) say(line string) {
	if r.telling == nil || strings.HasPrefix(strings.TrimLeft(line, " \t"), "at ") {
		return
	}
	r.telling.text.add(line)
}

// hush ends what is said on the test named last.
func (r *run) hush() { r.telling = nil }

// sumUp takes the framework's own counts for the tests named so far. More may
// still be named; next ends the run.
func (r *run) sumUp(passed, failed, skipped int) {
	r.add(max(0, passed), failed, skipped)
	r.passed, r.failed, r.skipped = 0, 0, 0
	r.summed = true
}

// next ends the run that was read. A failing test whose run neither counted it
// nor was summed up was not the framework's.
func (r *run) next() {
	if named := r.passed + r.failed + r.skipped; named > 0 {
		r.add(r.passed, r.failed, r.skipped)
		r.summed = true
	}
	if r.summed {
		r.take(&r.names, "", r.sum.Passed-r.before.passed, r.sum.Skipped-r.before.skipped)
		for _, f := range r.failing {
			r.name(f.name, f.text.String(), f.took)
		}
	}
	*r = run{tally: r.tally}
	r.before.passed, r.before.skipped = r.sum.Passed, r.sum.Skipped
}

// report is what was read so far, as if it ended here.
func (r *run) report() (Report, bool) {
	if !r.summed && r.passed+r.failed+r.skipped == 0 {
		return r.tally.report()
	}
	end := *r
	end.tally = r.fork()
	end.next()
	return end.tally.report()
}

// parts reads a list of counts such as "2 failed, 1 passed"; nil when it is
// anything else.
func parts(list, separator string) map[string]int {
	counts := make(map[string]int)
	for part := range strings.SplitSeq(list, separator) {
		count, what, _ := strings.Cut(part, " ")
		n, ok := number(count)
		if !ok || what == "" {
			return nil
		}
		counts[what] += n
	}
	return counts
}

var spelled = strings.NewReplacer(
	" hours", "h", " hour", "h", " minutes", "m", " minute", "m", " seconds", "s", " Seconds", "s", " second", "s",
	" ms", "ms", " s", "s", " m", "m", " h", "h", "< ", "", " ", "",
)

// spelt reads a time that is written for people, such as "1 minute 2.5 seconds"
// or "3 m 4 s".
func spelt(text string) time.Duration { return duration(spelled.Replace(text)) }
