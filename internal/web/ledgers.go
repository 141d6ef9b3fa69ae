package web

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"

	"github.com/refrain-loop/refrain/internal/ledger"
)

// ledgers are those of the runs that were looked at last.
type ledgers struct {
	mu   sync.Mutex
	list []kept
}

type kept struct {
	dir    string
	ledger *ledger.Ledger
}

// maxLedgers is of how many runs something is remembered. One of ten thousand
// iterations takes some megabytes.
const maxLedgers = 8

// of is the ledger of a run.
func (l *ledgers) of(one ship) *ledger.Ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, k := range l.list {
		if k.dir == one.entry.Dir {
			l.list = append(append(l.list[:i:i], l.list[i+1:]...), k)
			return k.ledger
		}
	}
	k := kept{one.entry.Dir, ledger.Open(one.store, one.entry.Name)}
	if l.list = append(l.list, k); len(l.list) > maxLedgers {
		l.list = l.list[1:]
	}
	return k.ledger
}

// book answers with what somebody makes of a run's book.
func (s runs) book(w http.ResponseWriter, r *http.Request, make func(ship, *ledger.Book) any) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	var made any
	if err := s.ledgers.of(one).Read(func(b *ledger.Book) { made = make(one, b) }); err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, made)
}

// number is a number of the query. What is none is answered.
func number(w http.ResponseWriter, r *http.Request, name string, usual, least, most int64) (int64, bool) {
	said := r.URL.Query().Get(name)
	if said == "" {
		return usual, true
	}
	n, err := strconv.ParseInt(said, 10, 64)
	if err != nil || n < least {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("%s is %.100q, which is no such number", name, said), "")
		return 0, false
	}
	return min(n, most), true
}

// place is the attempt that an address names: the last one, unless it says which.
func (s runs) place(w http.ResponseWriter, r *http.Request) (one ship, iter, attempt int, ok bool) {
	one, ok = s.theRun(w, r)
	if !ok {
		return one, 0, 0, false
	}
	iter, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || iter < 1 || iter > math.MaxInt32 {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("%.100q is not an iteration", r.PathValue("n")), "the first iteration is 1")
		return one, 0, 0, false
	}
	n, ok := number(w, r, "attempt", 0, 1, math.MaxInt32)
	if !ok {
		return one, 0, 0, false
	}
	_, last, err := one.store.LastAttempt(one.entry.Name, iter)
	if err != nil || int(n) > last {
		refuse(w, http.StatusNotFound, fmt.Sprintf("%s has no iteration %d, or not this attempt at it", one.entry.Name, iter), "")
		return one, 0, 0, false
	}
	if n == 0 {
		n = int64(last)
	}
	return one, iter, int(n), true
}
