package desk

import (
	"errors"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// sight is what a leg has seen of its run.
type sight struct {
	mu       sync.Mutex
	now      loop.Status
	totals   loop.Totals
	first    int // how many iterations there were when the leg began; -1: nobody knows yet
	attempts int
	paused   time.Time
	person   bool   // it was left since it waits for one
	waits    string // the agent that it waits for
	parked   *loop.RunParked
	asking   bool
	spent    carry.Costs // as far as the account was told
	broke    bool
	problem  error // that the last thing could not be kept
	never    error // that no attempt of it ever can
}

// start is what there was before the leg, and what of that the account was told of. What
// nobody has said, it was not to pay for.
func (s *sight) start(e journal.Entry, told *carry.Costs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Finished != nil {
		s.now = e.Finished.State
	}
	s.totals, s.first = e.State.Totals, e.State.Totals.Iterations
	s.spent = costs(s.totals)
	if told != nil {
		s.spent = *told
	}
}

// ended is a run that had ended before, be it that nobody had written so.
func (s *sight) ended(end loop.RunFinished) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.totals = end.State, end.Totals
}

// Observe sees an event.
func (l *leg) Observe(e loop.Event) {
	s := &l.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.After(e.Payload)
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		s.first = 0
	case *loop.IterationFinished:
		s.totals, s.attempts = p.State.Totals, s.attempts+1
	case *loop.RunWaiting:
		s.waits = p.Agent
	case *loop.RunParked:
		s.parked = p
	case *loop.RunFinished:
		s.totals = p.Totals
	case *loop.RunAsked:
		if !s.asking {
			s.asking = true
			close(l.asked)
		}
	}
}

// status is how the run stands; where nothing was seen of it, by how it stood.
func (s *sight) status(before loop.Status) loop.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.now != "":
		return s.now
	case before.Ended():
		return before
	}
	return loop.Crashed // it was taken up, and nothing came of that
}

// made is how many iterations and attempts the leg has made, and whether nothing is left
// to spend.
func (s *sight) made() (iterations, attempts int, broke bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals.Iterations - max(s.first, 0), s.attempts, s.broke
}

// pausedFor is for how long the run has waited for a person, and whether that begins now.
func (s *sight) pausedFor(paused bool, now time.Time) (waits time.Duration, begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !paused:
		s.paused = time.Time{}
	case s.paused.IsZero():
		s.paused = now
		return 0, true
	default:
		return now.Sub(s.paused), false
	}
	return 0, false
}

// forPerson notes that the run was left since it waits for a person.
func (s *sight) forPerson() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.person = true
}

// could notes whether the run could be kept.
func (s *sight) could(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problem = err
}

// cannot notes that no attempt of the run can be kept, though what there is of it may be.
func (s *sight) cannot(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.never = err
}

// stuck tells whether the last thing could not be kept.
func (s *sight) stuck() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem != nil
}

// unkept is what could not be kept, and why.
func (s *sight) unkept() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken *carry.TakenError
	if errors.As(s.problem, &taken) {
		return nil
	}
	return s.problem
}
