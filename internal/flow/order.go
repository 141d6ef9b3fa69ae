package flow

import (
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// The words of orders; package control has the same.
const (
	pause   = "pause"
	resume  = "resume"
	skip    = "skip"
	note    = "note"
	raise   = "raise"
	approve = "approve"
	reboot  = "reboot"
	stop    = "stop"
	stopNow = "stop_now"
)

const mostOrders = 32 // that wait for a leg

// check tells whether an order is one.
func check(o fleet.Order) error {
	words := []string{approve, note, pause, raise, reboot, resume, skip, stop, stopNow}
	switch {
	case !slices.Contains(words, o.Command):
		return fmt.Errorf("a run of a fleet takes no order %q", o.Command)
	case o.Command == note && o.Text == "":
		return fmt.Errorf("a note needs a text")
	case o.Command == raise && (o.Key == "" || o.Value == ""):
		return fmt.Errorf("raise needs the key of a setting and its new value")
	}
	return nil
}

// mind takes in what of an order is not for a leg alone.
func (s *state) mind(o fleet.Order) {
	switch o.Command {
	case pause:
		s.Paused, s.Hurry = true, false
	case resume:
		s.Paused, s.Last.Person = false, false
		s.goOn()
	case stop, stopNow:
		s.Stopping = o.Command
	}
}

// keep has an order wait for the next leg, where it is not for the fleet alone.
func (s *state) keep(o fleet.Order) fleet.Answer {
	switch o.Command {
	case pause:
		if s.Paused {
			return fleet.Answer{OK: true, Effect: "paused already", State: loop.Paused}
		}
		s.mind(o)
		return fleet.Answer{OK: true, Effect: "paused: no leg is asked for", State: loop.Paused}
	case resume:
		if s.Failed || s.Last.Person { // that is what it waited for
			s.Last.Until = time.Time{}
		} else {
			s.Hurry = !s.Paused // a wait is cut short; who was paused waits on for what is left
		}
		s.mind(o)
		if s.Last.Broke {
			return fleet.Answer{OK: true, Effect: "going on, as soon as its account has something left to spend", State: fleet.Queued}
		}
		return fleet.Answer{OK: true, Effect: "going on", State: fleet.Queued}
	case skip, reboot:
		return fleet.Answer{Why: "no agent is at work"}
	}
	if len(s.Orders) >= mostOrders {
		return fleet.Answer{Why: fmt.Sprintf("%d orders are waiting for its next leg already", mostOrders)}
	}
	s.mind(o)
	if o.Command == approve {
		s.Last.Person = false
		if s.Last.Rule == loop.RuleAsked { // that is what it waits for
			s.Last.Until = time.Time{}
		}
	}
	switch {
	case s.ended():
		return fleet.Answer{OK: true, Effect: "stopped", State: loop.Stopped}
	case o.Command == stop || o.Command == stopNow:
		return fleet.Answer{OK: true, Effect: "its next leg ends it"}
	}
	s.Orders = append(s.Orders, o)
	return fleet.Answer{OK: true, Effect: "its next leg will hear it"}
}

// ended is a run that ends without another leg: nobody has begun it, or nobody can.
func (s *state) ended() bool {
	return s.Stopping != "" && (!s.Begun || s.Failed || s.Vain >= stopVain)
}

// hand gives the orders that the next leg hears.
func (s *state) hand() []fleet.Order {
	orders := s.Orders
	s.Orders = nil
	if s.Stopping != "" {
		orders = append(orders, fleet.Order{Command: s.Stopping})
	}
	return orders
}

// back keeps orders that nobody may have heard, before those that came since. A wish to
// end the run is handed to every leg anyway.
func (s *state) back(orders []fleet.Order) {
	orders = slices.DeleteFunc(slices.Clone(orders), func(o fleet.Order) bool { return o.Command == stop || o.Command == stopNow })
	s.Orders = append(orders, s.Orders...)
}

// end ends it.
func (s *state) end() {
	s.Last.State, s.Last.Reason, s.Last.Until = loop.Stopped, loop.ByRequest, time.Time{}
	s.Last.Why = "a person stopped it before a worker began it"
	if s.Begun {
		s.Last.Why = "a person stopped it after legs had come to nothing; its records are as the last leg left them"
	}
}
