package whatif

import (
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/steer"
)

// hand gives what happened to the run: to the desk, what a person wanted of it.
func (s *stepper) hand(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.CommandReceived:
		s.obey(e, p)
	case *loop.RunWaiting:
		if p.NotedBy != "" { // another run had met the limit, which is seen by the wait alone
			s.noted = append(s.noted, loop.ProviderHold{
				Agent: p.Agent, Kind: loop.ErrUsageLimit, Since: s.Now(), At: s.Now(), Tries: 1, By: p.NotedBy,
				Limit: &loop.Limit{Kind: p.Limit, Until: p.Until.Add(-s.terms.Margin)},
			})
		}
	default:
		s.add(e)
	}
}

func (s *stepper) obey(e loop.Event, p *loop.CommandReceived) {
	s.Desk.Wake() // every command makes a run that waits look up
	if p.Refused {
		return
	}
	switch p.Command {
	case "stop", "stop_now":
		// Between two attempts every stop is done now; only the end tells what was asked for.
		end := s.tape.end()
		s.Desk.ObeyStop(loop.StopRequest{Now: p.Now && (end.Now || end.State != loop.Stopped), Signal: p.Signal})
	case "pause", "resume", "reboot", "raise", "approve":
		s.Desk.Obey(steer.Command{Name: p.Command, Text: p.Text, Key: p.Key, Value: p.Value})
	default: // what came of it is in the record
		s.add(e)
	}
}

// idle is what happens while the run sleeps: people do what they did, as long
// after what went before as they did it then.
func (s *stepper) idle(until time.Time, woken func() bool) {
	timed := s.Desk.Waiting()
	asking := !timed && s.Status() == loop.Waiting
	if asking && !s.answering {
		s.findQuestion()
	}
	s.answering = asking
	for range s.tape.stretch() {
		e := s.tape.peek()
		_, question := e.Payload.(*loop.RunAsked)
		if question && timed || s.tape.at(e.Time).After(until) {
			s.clock.advance(until)
			return
		}
		s.tape.moveTo(e.Time)
		if s.hand(s.tape.take()); woken() {
			return
		}
	}
	s.idleOn(until, timed, asking)
}

// idleOn sleeps where the record has nothing more before its next turn. A person
// who is waited for lets the run come to that.
func (s *stepper) idleOn(until time.Time, timed, asking bool) {
	turn := s.tape.turn()
	switch {
	case turn == nil:
		s.die()
		s.Desk.ObeyStop(loop.StopRequest{Now: true})
	case timed || s.tape.at(turn.Time).After(until):
		s.clock.advance(until)
	case asking:
		s.Desk.Obey(steer.Command{Name: "approve"})
	default:
		s.Desk.Obey(steer.Command{Name: "resume"})
	}
}

// findQuestion plays the record up to the question that the run asks.
func (s *stepper) findQuestion() {
	n := slices.IndexFunc(s.tape.stretch(), func(e loop.Event) bool { _, ok := e.Payload.(*loop.RunAsked); return ok })
	for range n + 1 {
		s.tape.approach(s.tape.peek().Time)
		s.hand(s.tape.take())
	}
}

func isWait(e loop.Event) bool {
	_, ok := e.Payload.(*loop.RunWaiting)
	return ok
}

// Noted is what other runs had told by now.
func (s *stepper) Noted(time.Time) ([]loop.ProviderHold, error) { return s.noted, nil }

// Wake is when a wait ends. A limit that ends at a stated time does so whoever
// waits for it, and the record knows when the run woke.
func (s *stepper) Wake(agent string, at, _ time.Time) (time.Time, error) {
	stretch := s.tape.stretch()
	n := slices.IndexFunc(stretch, isWait)
	away, ok := s.State().HoldOf(agent)
	if n < 0 || !ok || away.Limit == nil || !at.Equal(away.Limit.Until.Add(s.terms.Margin)) {
		return at, nil
	}
	if w := stretch[n].Payload.(*loop.RunWaiting); w.Agent == agent && stretch[n].Time.Before(away.Limit.Until) {
		return w.Until, nil
	}
	return at, nil
}

// Note and Passed tell nobody: nothing has happened.
func (s *stepper) Note(loop.ProviderHold) error { return nil }

// Passed tells nobody either.
func (s *stepper) Passed(string, time.Time) error { return nil }
