package whatif

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/request"
)

// stepper makes the steps of a supposed run out of a recorded one, for the driver
// of real runs. There is one for each runner of the record.
//
//	driver     decides, waits, pauses, asks, ends      as in a run that is alive
//	stepper    attempts as recorded, or cut short      attempt.go
//	people     what they asked for, at its place       people.go
//	tape       the record, on the clock of the run     tape.go
type stepper struct {
	*engine.Kit
	driver *engine.Driver
	rec    *record
	tape   *tape
	clock  *clock
	terms  terms         // with what people have raised since
	flags  []config.Flag // that are supposed

	cuts      map[int64]cut       // where limits ended attempts of the recorded run; nil: this is that run
	answering bool                // the question that the run asks is the one that was played last
	noted     []loop.ProviderHold // limits that other runs had met
	ending
}

// ending is what a supposed run has come to.
type ending struct {
	verdict loop.Verdict  // that ended it
	there   *loop.Verdict // the end that the record has at this place too
	same    bool          // and they are alike
	within  bool          // an attempt was under way
	goesOn  bool          // it would not have ended where the record does
	died    bool          // the record breaks off: its runner died, or is alive

	state loop.State
	live  loop.Millis // of the run, when it ended
	at    time.Time
	place int // the last attempt that began, as the record calls it
	notes []string
	own   map[int64]cut // where its own limits ended attempts of the recorded run, by their numbers
}

// stops tells whether the run would have ended where the record goes on, or for
// another reason.
func (e *ending) stops() bool { return !e.same && !e.died && !e.goesOn }

// play goes through the record with the driver of real runs, one runner after the
// other. An end that the record has too is none of the supposed settings; where a
// person then resumed the run, it goes on.
func (rec *record) play(runners []terms, flags []config.Flag, cuts map[int64]cut) (*ending, error) {
	c := &clock{}
	read, stop := iter.Pull2(rec.read(journal.Reading{Brief: true}))
	defer stop()
	t := &tape{read: read, ends: rec.ends, clock: c}
	end := &ending{own: map[int64]cut{}}
	for _, terms := range runners {
		s := &stepper{rec: rec, tape: t, clock: c, terms: terms, flags: flags, cuts: cuts}
		s.state, s.place, s.notes, s.own = end.state, end.place, end.notes, end.own
		if err := cmp.Or(s.run(), t.wrong); err != nil {
			return nil, err
		}
		if end = &s.ending; s.stops() || s.goesOn && s.died {
			break
		}
	}
	return end, nil
}

// run is one runner, from its start to its end.
func (s *stepper) run() error {
	start := s.tape.take()
	s.clock.advance(start.Time)
	s.tape.isNow(start.Time)
	s.clock.idle = s.idle
	s.Kit = engine.NewKit(engine.Options{
		Past: journal.Past{State: s.state}, Clock: s.clock, Shared: s, Hurry: s.hurried(),
		Terms: s.held(), Raise: s.raise,
	})
	s.driver = &engine.Driver{Kit: s.Kit, Stepper: s, Start: s.start(start.Payload)}
	end, err := s.driver.Run(context.Background())
	if err != nil || s.died {
		return err
	}
	for s.same && s.tape.peek() != nil && !isStart(*s.tape.peek()) {
		e := s.tape.take()
		switch e.Payload.(type) {
		case *loop.RunFinished, *loop.RunParked:
			s.tape.moveTo(e.Time) // and no time passes up to a resume
		}
		s.add(e)
	}
	s.state, s.live, s.at = s.State(), end.Elapsed, s.clock.now
	return nil
}

// held is what the supposed run is held to.
func (s *stepper) held() engine.Terms {
	return engine.Terms{Rules: s.terms.Rules(), Limits: s.terms.Limits(), Holds: s.terms.Holds()}
}

// raise changes the limit that a person has changed, unless it is what it is
// supposed to be.
func (s *stepper) raise(key, value string) (engine.Terms, error) {
	var err error
	if !request.Sets(s.flags, key) {
		err = policy.Raise(&s.terms.Config, policy.Raised(key, value))
	}
	return s.held(), err
}

// start is how the runner would have started: attempts may count otherwise.
func (s *stepper) start(recorded loop.Payload) loop.Payload {
	adapt := func(limits *loop.Limits, counting *loop.CountPolicy) {
		supposed := s.terms.Counting()
		*limits, counting.GatesAreFailures, counting.SkipsAreFree = s.terms.Limits(), supposed.GatesAreFailures, supposed.SkipsAreFree
	}
	if p, ok := recorded.(*loop.RunStarted); ok {
		start := *p
		adapt(&start.Limits, &start.Counting)
		return &start
	}
	resume := *recorded.(*loop.RunResumed)
	adapt(&resume.Limits, &resume.Counting)
	return &resume
}

// hurried tells whether the record begins an attempt at once. After a resume that
// may be what the person wanted, though agents were still held up.
func (s *stepper) hurried() bool {
	turn := s.tape.turn()
	if turn == nil || slices.ContainsFunc(s.tape.stretch(), isWait) {
		return false
	}
	_, begins := turn.Payload.(*loop.IterationStarted)
	return begins
}

// add takes in what a recorded runner wrote down, but for what the driver writes
// itself.
func (s *stepper) add(e loop.Event) {
	if !isDriving(e.Payload) {
		s.Enter(e.Iter, e.Attempt)
		s.Record(e.Payload)
	}
}

func isDriving(p loop.Payload) bool {
	switch p.(type) {
	case *loop.RunWaiting, *loop.RunPaused, *loop.RunUnpaused, *loop.RunAsked, *loop.RunAnswered,
		*loop.RunRebootStarted, *loop.RunRebootFinished, *loop.RunRule, *loop.RunParked, *loop.RunFinished:
		return true
	}
	return false
}

// goOn is the verdict that nothing speaks against the next step.
var goOn = loop.Verdict{Action: loop.Continue}

// Open plays what a runner did before its first attempt.
func (s *stepper) Open(_ context.Context, state loop.State) (loop.State, loop.Verdict, error) {
	s.TakeOver(state)
	return s.after(s.open())
}

func (s *stepper) open() (loop.Verdict, error) {
	if s.tape.open { // an earlier runner has left it
		return s.inside(nil)
	}
	v := s.Decide(nil)
	if v.Action == loop.Stop {
		return v, nil
	}
	over := false
	defer s.WatchTime(func(error) { over, s.clock.halted = true, true })()
	for !over && !s.tape.atTurn() && !isDriving(s.tape.peek().Payload) && s.Desk.Asked() == nil {
		if s.tape.moveTo(s.tape.peek().Time); !over {
			s.hand(s.tape.take())
		}
	}
	return s.Decide(nil), nil
}

// Step plays the next attempt of the record, or comes to its end.
func (s *stepper) Step(_ context.Context, state loop.State) (loop.State, loop.Verdict, error) {
	s.TakeOver(state)
	return s.after(s.step())
}

// Skip is the same: the record says what was left out.
func (s *stepper) Skip(ctx context.Context, state loop.State) (loop.State, loop.Verdict, error) {
	return s.Step(ctx, state)
}

// after looks at what the record has next, so that people are asked what they
// were asked there.
func (s *stepper) after(v loop.Verdict, err error) (loop.State, loop.Verdict, error) {
	s.driver.Asking, s.answering = askedIn(s.tape.stretch()), false
	return s.HandOver(), v, err
}

// askedIn is when a person was asked in a stretch of the record.
func askedIn(stretch []loop.Event) engine.Asking {
	var a engine.Asking
	for _, e := range stretch {
		p, ok := e.Payload.(*loop.RunAsked)
		if !ok {
			continue
		}
		done := slices.Contains(p.Choices, engine.Accept)
		a.Done, a.Always, a.Default = a.Done || done, a.Always || !done, p.Default
		if a.Timeout = 0; !p.Until.IsZero() {
			a.Timeout = p.Until.Sub(e.Time)
		}
	}
	return a
}

func (s *stepper) step() (loop.Verdict, error) {
	if !s.catchUp() {
		return goOn, nil // there is something to wait for first
	}
	turn := s.tape.turn()
	if turn == nil {
		return s.die(), nil
	}
	s.tape.approach(turn.Time)
	switch turn.Payload.(type) {
	case *loop.RunRule:
		return s.comeToEnd(), nil
	case *loop.IterationStarted:
		begin := s.tape.take()
		s.place = begin.Iter
		s.add(begin)
		return s.inside(&begin)
	}
	return s.inside(nil)
}

// catchUp gives the run what came during waits that it did not have. It tells
// whether the next attempt can begin.
func (s *stepper) catchUp() bool {
	for range s.tape.stretch() {
		s.tape.approach(s.tape.peek().Time)
		e := s.tape.take()
		wait, ok := e.Payload.(*loop.RunWaiting)
		if s.hand(e); ok && wait.NotedBy != "" || s.Desk.Pausing() || s.Desk.Asked() != nil {
			return false
		}
	}
	return true
}

// comeToEnd comes to an end of the record that was not decided with an attempt.
func (s *stepper) comeToEnd() loop.Verdict {
	recorded := s.tape.rule().Verdict
	recorded.Action = loop.Stop
	s.wish(recorded)
	s.there = &recorded
	if v := s.Decide(nil); v.Action == loop.Stop {
		return v
	}
	s.goesOn = !s.given(recorded)
	return recorded
}

// wish is what a person wanted when the record says that they had the run
// stopped, and only its end tells.
func (s *stepper) wish(recorded loop.Verdict) {
	if recorded.State == loop.Stopped && s.Desk.Asked() == nil {
		s.Desk.ObeyStop(loop.StopRequest{Now: recorded.Now, Signal: recorded.Signal})
	}
}

// given tells whether an end before an attempt is none that rules find: the
// runner could not go on, a hook ended it, or the plan was finished already.
func (s *stepper) given(v loop.Verdict) bool {
	switch v.Rule {
	case "error", string(loop.ByHook):
		return true
	}
	return v.State == loop.Done && v.Reason != loop.ByIterations && s.terms.Config.Stop.Done.Confirmations <= 1
}

// die comes to where the record breaks off. What the driver makes of that is of
// no interest any more.
func (s *stepper) die() loop.Verdict {
	if !s.died {
		s.clock.now = s.tape.last
		s.died, s.state, s.live, s.at = true, s.State(), loop.Millis(s.Facts(nil).Live()), s.clock.now
		s.state.Live = s.live
	}
	return loop.Verdict{Action: loop.Stop}
}

// Close compares the end with that of the record. A run that was to have less time
// has come to it sooner.
func (s *stepper) Close(v loop.Verdict, err error) (loop.Verdict, error) {
	rule := s.tape.rule()
	s.verdict = v
	if err != nil || s.died || rule == nil {
		return v, err
	}
	recorded, here := &rule.Verdict, s.there != nil
	if here {
		recorded = s.there
	}
	sooner := v.Reason == loop.ByTime && s.Limits().Time < s.tape.recorded.Limits.Time
	if s.same = alike(*recorded, v) && (here || !sooner); !s.same {
		return v, nil
	}
	for range len(s.tape.stretch()) + 1 {
		s.tape.approach(s.tape.peek().Time)
		s.add(s.tape.take())
	}
	return v, nil
}

func alike(a, b loop.Verdict) bool {
	return a.State == b.State && a.Reason == b.Reason && a.Rule == b.Rule
}

// Ended has nobody to tell.
func (s *stepper) Ended(*loop.RunFinished) {}
