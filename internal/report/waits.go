package report

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// wait is all the waiting that one rule asked for.
type wait struct {
	rule           string
	why            string // of the last one
	times          int
	total, longest time.Duration
}

// waits sums the waiting up.
type waits struct {
	list  []wait
	open  bool
	rule  string // of the open one
	since int64
}

func (w *waits) add(e loop.Event) {
	at := e.Time.UnixMilli()
	switch p := e.Payload.(type) {
	case *loop.RunWaiting:
		w.end(at)
		w.open, w.rule, w.since = true, p.Rule, at
		i := w.find(p.Rule)
		w.list[i].times++
		w.list[i].why = view.Fit(p.Why, mostText)
	case *loop.RunResumed:
		w.open = false // the runner died in it, and nobody knows when
	case *loop.IterationStarted, *loop.RunPaused, *loop.RunRebootStarted, *loop.RunRule, *loop.RunFinished:
		w.end(at)
	}
}

func (w *waits) end(at int64) {
	if !w.open {
		return
	}
	w.open = false
	took := time.Duration(max(at-w.since, 0)) * time.Millisecond
	sum := &w.list[w.find(w.rule)]
	sum.total += took
	sum.longest = max(sum.longest, took)
}

func (w *waits) find(rule string) int {
	for i := range w.list {
		if w.list[i].rule == rule {
			return i
		}
	}
	w.list = append(w.list, wait{rule: rule})
	return len(w.list) - 1
}

// until gives the sums at a time, the wait under way included.
func (w *waits) until(at int64) []wait {
	now := *w
	now.list = append([]wait(nil), w.list...)
	now.end(at)
	return now.list
}
