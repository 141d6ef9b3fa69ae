package journal

import "sync"

// Refuse makes everything that the run is to save fail with err from now on, as
// on a disk that is full; nil lets it save again. A rehearsal finds out with it
// what comes of a night in which that happens.
func (r *Run) Refuse(err error) {
	r.full.mu.Lock()
	defer r.full.mu.Unlock()
	r.full.err = err
}

// refusal is why nothing can be saved, if that is so.
type refusal struct {
	mu  sync.Mutex
	err error
}

// check is asked before each write. A file of no run is never refused.
func (r *refusal) check() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// unless writes, if writing is not refused.
func (r *refusal) unless(write func() error) error {
	if err := r.check(); err != nil {
		return err
	}
	return write()
}
