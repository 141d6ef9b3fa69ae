package report

import "github.com/refrain-loop/refrain/internal/loop"

// mood is what a run was doing at a time.
type mood uint8

const (
	working mood = iota
	judging      // gates run
	waiting
	paused
	rebooting
	off // nobody was running it
)

// span is a stretch of time in one mood. Times are milliseconds: a long run has
// many.
type span struct {
	from, to int64
	mood     mood
}

// moods follows a run through time.
type moods struct {
	turns []turn
	last  int64 // time of the last event
}

// turn is a moment at which the mood changed.
type turn struct {
	at int64
	to mood
}

func (m *moods) add(e loop.Event) {
	at := max(e.Time.UnixMilli(), m.last) // a clock that was put back does not turn time around
	switch p := e.Payload.(type) {
	case *loop.RunResumed:
		m.turn(m.last, off) // the runner before may have died any time after its last word
		m.turn(at, working)
	case *loop.RunStarted, *loop.RunBaseline, *loop.RunUnpaused, *loop.RunRebootFinished, *loop.IterationStarted, *loop.IterationFinished:
		m.turn(at, working)
	case *loop.RunWaiting:
		m.turn(at, waiting)
	case *loop.RunPaused:
		m.turn(at, paused)
	case *loop.RunRebootStarted:
		m.turn(at, rebooting)
	case *loop.RunFinished:
		m.turn(at, off)
	case *loop.GateStarted:
		m.turn(at, judging)
	case *loop.IterationPhase:
		if p.Phase == loop.Gates {
			m.turn(at, judging)
		} else {
			m.turn(at, working)
		}
	}
	m.last = at
}

func (m *moods) turn(at int64, to mood) {
	if n := len(m.turns); n > 0 && m.turns[n-1].at == at {
		m.turns = m.turns[:n-1] // it did not last
	}
	if n := len(m.turns); n > 0 && m.turns[n-1].to == to {
		return
	}
	m.turns = append(m.turns, turn{at, to})
}

// until gives the stretches up to a time. What comes after the end of a run is
// none of them.
func (m *moods) until(end int64) []span {
	var list []span
	for i, t := range m.turns {
		to := end
		if i+1 < len(m.turns) {
			to = m.turns[i+1].at
		} else if t.to == off {
			break
		}
		if to > t.at {
			list = append(list, span{t.at, to, t.to})
		}
	}
	return list
}
