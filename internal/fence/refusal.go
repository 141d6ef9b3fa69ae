package fence

import "sync"

// Refusal is something that a process wanted to connect to, and may not: one of the
// two. What is not there for it, as within namespaces, is no refusal.
type Refusal struct {
	Socket  string // the path of a socket
	Address string // of the network, with its port
}

// mostRefusals is how many are told: who makes names up is not told of without end.
const mostRefusals = 200

// once tells each refusal once.
func once(tell func(Refusal)) func(Refusal) {
	var mu sync.Mutex
	told := map[Refusal]bool{}
	return func(r Refusal) {
		mu.Lock()
		defer mu.Unlock()
		if told[r] || len(told) == mostRefusals {
			return
		}
		told[r] = true
		tell(r)
	}
}
