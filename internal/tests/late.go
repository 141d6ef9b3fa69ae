package tests

import "time"

// late follows a framework that prints its failing tests when all have run, each
// followed by what there is to say on it, and then the counts.
type late struct {
	tally
	named   int // failing tests since the last counts
	current *Test
	text    message
	pending names
}

// fail begins what is said on a failing test.
func (l *late) fail(name string, took time.Duration) {
	l.named++
	l.pending.put(name, Failed)
	l.current = &Test{Name: name, Duration: took}
}

// flush ends what was said on a failing test.
func (l *late) flush() {
	if l.current == nil {
		return
	}
	l.explain(l.current.Name, l.text.String(), l.current.Duration)
	l.current, l.text = nil, message{}
}

// settle takes the counts of a run, which ends it.
func (l *late) settle(passed, failed, skipped int) {
	l.add(passed, failed, skipped)
	l.take(&l.pending, "", passed, skipped)
	l.named, l.pending = 0, names{}
}

func (l *late) report() (Report, bool) {
	end := *l
	end.tally = l.fork()
	end.flush()
	if l.named > 0 {
		end.settle(0, l.named, 0) // cut off before the counts
	}
	return end.tally.report()
}
