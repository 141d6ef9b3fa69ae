package proc

import "time"

// effort knows how much processor time a process and its family have used.
type effort struct {
	process
	at   time.Time
	used map[ident]time.Duration
}

// goesOn tells whether they have used more than a twentieth of one processor
// since it was last asked. An agent that hangs still wakes up now and then, some
// for a hundredth of the time; a compiler that prints nothing works. Where the
// system does not tell, it is no.
func (e *effort) goesOn() bool {
	t, err := readTable()
	if err != nil {
		return false
	}
	before, since := e.used, e.at
	e.at, e.used = time.Now(), map[ident]time.Duration{}
	var more time.Duration
	for _, one := range e.family(t) {
		e.used[one.ident] = one.cpu
		more += max(one.cpu-before[one.ident], 0)
	}
	return before != nil && more > e.at.Sub(since)/20
}
