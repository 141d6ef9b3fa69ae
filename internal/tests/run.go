package tests

import (
	"cmp"
	"strings"
	"time"
)

// run follows a framework that names tests as they end, and counts them at the
// end itself. Its own counts are taken; when an output is cut off before them,
// the tests that were named are what is known.
//
//	ended, fail ─► detail … endDetail ─► summary ─► endRun ─► the next run
type run struct {
	tally
	passed, failed, skipped int // named since the last summary
	summed                  bool
	names                   names                         // of its tests
	before                  struct{ passed, skipped int } // the counts of the runs before it
	failing                 []*failure
	current                 *failure // the one that the lines are about now
	texts                   said     // by tests before it is known how they end
	talking                 *message // whose lines come now, where texts are kept
	prefix                  string   // what the names of its tests begin with in a report
}

// failure is a failing test of which more may be said.
type failure struct {
	name string
	took time.Duration
	text *message
	why  string // for want of a text
	head string // the first line of its message
}

// message is what is said on it, or said by it before it ended.
func (f *failure) message(texts said) string {
	said := cmp.Or(f.text.String(), texts[f.name].String(), f.why)
	return strings.Trim(f.head+"\n"+said, "\n")
}

// ended names and counts a test.
func (r *run) ended(name string, status Status, took time.Duration) {
	r.count(status, 1)
	if status == Failed {
		r.fail(name, took)
		return
	}
	r.names.timed(name, status, took)
}

// count counts tests that ended in one way.
func (r *run) count(status Status, n int) {
	switch status {
	case Passed:
		r.passed += n
	case Failed:
		r.failed += n
	case Skipped:
		r.skipped += n
	}
}

// named is for a test that is counted elsewhere, however it ended.
func (r *run) named(name string, status Status, took time.Duration) {
	r.endDetail()
	if status == Failed {
		r.fail(name, took)
		return
	}
	r.names.timed(name, status, took)
}

// fail names a failing test that is counted elsewhere, and says whether its name
// is new. Frameworks repeat themselves: the first explanation is kept.
func (r *run) fail(name string, took time.Duration) bool {
	r.names.timed(name, Failed, took)
	return r.mayFail(name, took)
}

// mayFail is fail for what may turn out to be no test.
func (r *run) mayFail(name string, took time.Duration) bool {
	r.current = nil
	name = short(name)
	for _, f := range r.failing {
		if f.name != name {
			continue
		}
		if f.text.String() == "" {
			r.current = f
		}
		return false
	}
	if len(r.failing) < maxFailing {
		r.current = &failure{name: strings.Clone(name), took: took, text: new(message)}
		r.failing = append(r.failing, r.current)
	}
	return true
}

// failAgain counts and names a failing test that may be told of more than once,
// each time with what there is to say on it.
func (r *run) failAgain(name string, took time.Duration) {
	r.failed++
	r.names.timed(name, Failed, took)
	r.current = &failure{name: keep(name), took: took, text: new(message)}
	if len(r.failing) < maxFailing {
		r.failing = append(r.failing, r.current)
	}
}

// detail adds a line on the failing test named last. Stacks are left out: they
// are long, and tell where rather than what.
func (r *run) detail(line string) {
	if r.current == nil || strings.HasPrefix(strings.TrimLeft(line, " \t"), "at ") {
		return
	}
	r.current.text.add(line)
}

// explaining tells whether lines are about a failing test.
func (r *run) explaining() bool { return r.current != nil }

func (r *run) isTalking() bool { return r.talking != nil }

// says adds a line to what the test that talks says.
func (r *run) says(line string) {
	if r.talking != nil {
		r.talking.add(line)
	}
}

// idle is for a framework whose lines go on with no more than that.
func (r *run) idle() bool { return r.current == nil && r.talking == nil }

// endDetail ends what is said on the failing test named last.
func (r *run) endDetail() { r.current = nil }

// summary takes the framework's own counts for the tests named so far. More may
// still be named; endRun ends the run.
func (r *run) summary(passed, failed, skipped int) {
	r.add(max(0, passed), failed, skipped)
	r.passed, r.failed, r.skipped = 0, 0, 0
	r.summed = true
}

// endRun ends the run that was read. A failing test whose run neither counted it
// nor was summed up was not the framework's.
func (r *run) endRun() {
	if named := r.passed + r.failed + r.skipped; named > 0 {
		r.add(r.passed, r.failed, r.skipped)
		r.summed = true
	}
	if r.summed {
		r.take(&r.names, r.prefix, r.sum.Passed-r.before.passed, r.sum.Skipped-r.before.skipped)
		for _, f := range r.failing {
			r.name(r.prefix+f.name, f.message(r.texts), f.took)
		}
	}
	*r = run{tally: r.tally, prefix: r.prefix}
	r.before.passed, r.before.skipped = r.sum.Passed, r.sum.Skipped
}

// report is what was read so far, as if it ended here.
func (r *run) report() (Report, bool) {
	if !r.summed && r.passed+r.failed+r.skipped == 0 {
		return r.tally.report()
	}
	end := *r
	end.tally = r.fork()
	end.endRun()
	return end.tally.report()
}

// cutOff is report for a framework that lists failures and explains them later:
// of an output that was cut off, both count.
func (r *run) cutOff() (Report, bool) {
	end := *r
	end.failed = max(r.failed, len(r.failing))
	return end.report()
}

// marks are what runners for people put before a test.
var marks = map[string]Status{
	"✓": Passed, "✔": Passed, "(pass)": Passed,
	"✕": Failed, "✖": Failed, "✗": Failed, "✘": Failed, "×": Failed, "(fail)": Failed,
	"○": Skipped, "✎": Skipped, "»": Skipped, "↓": Skipped, "□": Skipped, "↩": Skipped, "∅": Skipped, "☢": Skipped, "﹣": Skipped, "(skip)": Skipped, "(todo)": Skipped,
}
