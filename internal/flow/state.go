package flow

import (
	"cmp"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// How much patience there is with legs that come to nothing.
const (
	stopVain   = 3                // in a row that should have ended the run; then it ends without one
	mostVain   = 10               // in a row, and
	vainTime   = time.Hour        // over so long: then the run waits for a person
	stuckTime  = 6 * time.Hour    // likewise, while only one worker has what was done
	stuckNear  = 10 * time.Minute // and while that is asked for it, and no other is
	firstAgain = time.Second      // before the next leg
	lastAgain  = 10 * time.Minute
)

// spentAll is why a run waits of which nobody can say until when.
const spentAll = "its account has nothing left to spend"

// state is all that the workflow of a run knows, beside what is wanted. It goes along
// when the history begins anew.
type state struct {
	Leg      int            `json:"leg"`             // that was asked for last
	Begun    bool           `json:"begun,omitempty"` // some worker has had it
	Last     fleet.Standing `json:"last"`
	Orders   []fleet.Order  `json:"orders,omitempty"` // for the next leg
	Paused   bool           `json:"paused,omitempty"`
	Stopping string         `json:"stopping,omitempty"` // the order that wants its end
	Hurry    bool           `json:"hurry,omitempty"`    // a person does not want to wait: the next leg is asked for at once, and goes first
	Failed   bool           `json:"failed,omitempty"`   // it waits for a person
	Lost     int            `json:"lost,omitempty"`     // legs that ended without a word
	Vain     int            `json:"vain,omitempty"`     // legs in a row that came to nothing
	Idle     int            `json:"idle,omitempty"`     // legs in a row that did nothing, and say they are well
	Wrong    string         `json:"wrong,omitempty"`
	Stuck    time.Time      `json:"stuck,omitzero"` // since when what was done cannot be kept
	Again    time.Time      `json:"again,omitzero"` // no leg is asked for before
	Since    time.Time      `json:"since,omitzero"` // when legs began to come to nothing
	Started  time.Time      `json:"started,omitzero"`
	Ended    time.Time      `json:"ended,omitzero"`
}

// began says that a worker has the run.
func (s *state) began(now time.Time) {
	s.Begun = true
	if s.Started.IsZero() {
		s.Started = now
	}
}

// came takes in how the run stands after a leg. Orders are those that the leg was given.
func (s *state) came(out fleet.Standing, orders []fleet.Order, now time.Time) {
	s.began(now)
	s.Leg = max(s.Leg, out.Leg)
	out.At = cmp.Or(out.At, s.Last.At) // a run that was on the remote once has begun
	switch {
	case out.Away:
		s.Last.State, s.Last.Why, s.Last.Until = fleet.Carried, out.Why, time.Time{}
	case out.Taken:
		s.vain(out.Why, orders, now)
	case out.Failed && !out.Stuck:
		s.vain(out.Why, orders, now)
		s.Failed = true
	case out.Stuck:
		if s.Stuck.IsZero() {
			s.Stuck = now
		}
		s.Last, s.Wrong = out, out.Why
		s.Last.State = loop.Parked
		s.badly(now)
		s.Failed = s.Failed || out.Person || out.Failed
	default:
		before := s.Idle
		idle := out.State == loop.Parked && !out.Person && out.Iterations <= s.Last.Iterations && !out.Until.After(now)
		s.goOn()
		s.Last, s.Wrong = out, ""
		if out.Broke && !out.Over() {
			s.Last.Why = spentAll
		}
		if !idle {
			break
		}
		s.Idle = before + 1
		s.Again = now.Add(again(s.Idle) - firstAgain) // the first time it may well have been somebody's turn
	}
}

// lost takes in that a leg ended without a word.
func (s *state) lost(why string, orders []fleet.Order, now time.Time) {
	s.began(now)
	s.Lost++
	s.vain(why, orders, now)
}

// vain takes in that a leg came to nothing, so that nobody may have heard its orders.
func (s *state) vain(why string, orders []fleet.Order, now time.Time) {
	s.Wrong = why
	s.back(orders)
	s.Last.Host, s.Last.Until, s.Last.Person = "", time.Time{}, false // not that worker first
	s.badly(now)
}

// badly takes in that one more leg has not come to what it should have. A remote or a
// network that is away comes back, and nobody need look after that; what lasts is for a
// person.
func (s *state) badly(now time.Time) {
	if s.Since.IsZero() {
		s.Since = now
	}
	lasts := vainTime
	if !s.Stuck.IsZero() {
		lasts = stuckTime
	}
	s.Vain++
	s.Again = now.Add(again(s.Vain))
	s.Failed = s.Vain >= mostVain && now.Sub(s.Since) >= lasts
}

// goOn forgets what went wrong: a person wants it tried again.
func (s *state) goOn() {
	s.Failed, s.Vain, s.Idle = false, 0, 0
	s.Stuck, s.Since, s.Again = time.Time{}, time.Time{}, time.Time{}
}

// over tells whether there is no next leg.
func (s *state) over() bool {
	return s.Last.State == fleet.Carried || s.Begun && s.Last.Over() || s.Last.State == loop.Stopped
}

// wakes is when the next leg may be asked for.
func (s *state) wakes() time.Time {
	if s.Stopping != "" || s.Again.After(s.Last.Until) {
		return s.Again
	}
	return s.Last.Until
}

// near is how long the worker that has the files of the run is waited for, before any
// other may have it.
func (s *state) near(sticky bool, now time.Time) time.Duration {
	const comes = 5 * time.Second // a worker that is there takes it at once
	left := stuckNear
	if !s.Stuck.IsZero() {
		left -= now.Sub(s.Stuck)
	}
	switch {
	case s.Last.Host == "":
		return 0
	case s.Last.Stuck && left > comes:
		return left
	case s.Last.Stuck || sticky:
		return comes
	}
	return 0
}

// again is how long to wait after the nth time in vain.
func again(n int) time.Duration {
	return min(lastAgain, firstAgain<<min(max(n-1, 0), 10))
}
