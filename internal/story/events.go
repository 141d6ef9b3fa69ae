package story

import (
	"iter"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Collect gathers the events of a sequence and its error.
func Collect(seq iter.Seq2[loop.Event, error]) ([]loop.Event, error) {
	var list []loop.Event
	for e, err := range seq {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

// Numbers are those of events.
func Numbers(events []loop.Event) []int64 {
	var list []int64
	for _, e := range events {
		list = append(list, e.Seq)
	}
	return list
}

// UpTo is the numbers after one and up to another.
func UpTo(after, last int64) []int64 {
	var list []int64
	for n := after + 1; n <= last; n++ {
		list = append(list, n)
	}
	return list
}

// Iteration writes an iteration with a number of texts, and shows each event.
func Iteration(write func(loop.Event) loop.Event, at time.Time, n, texts int, show func(loop.Event)) {
	payloads := []loop.Payload{&loop.IterationPhase{Phase: loop.Pending}}
	for i := range texts {
		payloads = append(payloads, &loop.AgentText{Text: strconv.Itoa(i)})
	}
	for _, p := range append(payloads, &loop.IterationPhase{Phase: loop.Gates}) {
		show(write(loop.Event{Time: at, Iter: n, Attempt: 1, Payload: p}))
	}
}
