package flow

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

var aSpec = fleet.Spec{ID: "loop_1", Name: "one", Remote: "file:///one", Branch: "refrain/one", Queue: "q", Lease: time.Minute}

// world is a server on which time passes at once, and a worker that does legs as a test
// says.
type world struct {
	*testsuite.TestWorkflowEnvironment
	t     *testing.T
	turns []fleet.Turn // legs that a worker had
	at    []string     // and the queues that they came from
}

func newWorld(t *testing.T, leg func(w *world, t fleet.Turn, queue string) (fleet.Standing, error)) *world {
	t.Helper()
	var s testsuite.WorkflowTestSuite
	s.SetLogger(quietLogger())
	w := &world{TestWorkflowEnvironment: s.NewTestWorkflowEnvironment(), t: t}
	w.SetTestTimeout(time.Minute)
	w.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: runType})
	w.RegisterActivityWithOptions(func(ctx context.Context, turn fleet.Turn) (fleet.Standing, error) {
		queue := activity.GetInfo(ctx).TaskQueue
		w.turns, w.at = append(w.turns, turn), append(w.at, queue)
		return leg(w, turn, queue)
	}, activity.RegisterOptions{Name: legType})
	return w
}

// tells has the live leg answer orders.
func (w *world) tells(tell func(leg int, o fleet.Order) (fleet.Answer, error)) {
	w.RegisterActivityWithOptions(func(_ context.Context, _ string, leg int, o fleet.Order) (fleet.Answer, error) {
		return tell(leg, o)
	}, activity.RegisterOptions{Name: tellType})
}

// orders gives an order after a while, and checks what comes of it.
func (w *world) orders(after time.Duration, o fleet.Order, ok bool) {
	w.RegisterDelayedCallback(func() { w.UpdateWorkflow(orderUpdate, "", answer{w.t, o, ok}, o) }, after)
}

// wants gives an order in the middle of a leg.
func (w *world) wants(o fleet.Order, ok bool) {
	w.RegisterDelayedCallback(func() { w.UpdateWorkflow(orderUpdate, "", answer{w.t, o, ok}, o) }, 0)
}

// says has a live leg say how far it is.
func (w *world) says(p fleet.Progress) {
	w.RegisterDelayedCallback(func() { w.SignalWorkflow(progressSignal, p) }, 0)
}

// looks checks what people see after a while.
func (w *world) looks(after time.Duration, look func(fleet.Row)) {
	w.RegisterDelayedCallback(func() {
		var row fleet.Row
		got, err := w.QueryWorkflow(standingQuery)
		if err == nil {
			err = got.Get(&row)
		}
		if err != nil {
			w.t.Error(err)
		}
		look(row)
	}, after)
}

// goes has the run go from its beginning, and gives how it ended.
func (w *world) goes(spec fleet.Spec) fleet.Row {
	w.t.Helper()
	w.ExecuteWorkflow(runType, spec, state{})
	var row fleet.Row
	if err := w.GetWorkflowResult(&row); err != nil {
		w.t.Fatal(err)
	}
	return row
}

// answer is whoever gave an order.
type answer struct {
	t  *testing.T
	o  fleet.Order
	ok bool
}

func (a answer) Accept()          {}
func (a answer) Reject(err error) { a.t.Errorf("%s was refused: %v", a.o.Command, err) }
func (a answer) Complete(v any, err error) {
	if got, ok := v.(fleet.Answer); err != nil || !ok || got.OK != a.ok {
		a.t.Errorf("%s was answered %+v, %v; want ok %t", a.o.Command, v, err, a.ok)
	}
}

func done(turn fleet.Turn, n int) (fleet.Standing, error) {
	return fleet.Standing{State: loop.Done, Reason: loop.ByGates, Proven: true, Iterations: n, Leg: turn.Leg}, nil
}

// A limit of two hours is waited for by a timer alone: no leg is asked for meanwhile.
func TestALimitIsWaitedForWithoutAWorker(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 1 {
			return fleet.Standing{State: loop.Parked, Rule: loop.RuleLimit, Why: "a usage limit", Until: w.Now().Add(2 * time.Hour), Iterations: 3, Leg: 1}, nil
		}
		return done(turn, 4)
	})
	began := w.Now()
	w.looks(time.Hour, func(row fleet.Row) {
		if len(w.turns) != 1 || row.State != loop.Waiting || !row.WaitUntil.Equal(began.Add(2*time.Hour).UTC()) || row.Why != "a usage limit" || row.Live {
			t.Errorf("after an hour there were %d legs, and the run was %+v", len(w.turns), row)
		}
	})
	row := w.goes(aSpec)
	if took := w.Now().Sub(began); row.State != loop.Done || row.Proven == nil || !*row.Proven || row.Leg != 2 || took < 2*time.Hour || took > 2*time.Hour+time.Minute {
		t.Errorf("after %s and %d legs: %+v", took, len(w.turns), row)
	}
}

// Orders that come while no leg is live are heard by the next one, in order; those for
// the fleet are obeyed at once.
func TestOrdersWaitForTheNextLeg(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 1 {
			return fleet.Standing{State: loop.Parked, Until: w.Now().Add(time.Hour), Leg: 1}, nil
		}
		return fleet.Standing{State: loop.Stopped, Iterations: 1, Leg: 2}, nil
	})
	w.orders(time.Minute, fleet.Order{Command: "pause"}, true)
	w.orders(2*time.Minute, fleet.Order{Command: "note", Text: "mind the gap"}, true)
	w.orders(3*time.Minute, fleet.Order{Command: "skip"}, false)
	w.looks(3*time.Hour, func(row fleet.Row) {
		if row.State != loop.Paused || !row.Paused || len(row.Orders) != 1 {
			t.Errorf("a paused run is %+v", row)
		}
	})
	w.orders(4*time.Hour, fleet.Order{Command: "stop"}, true)
	began := w.Now()
	w.goes(aSpec)
	if len(w.turns) != 2 || w.Now().Sub(began) < 4*time.Hour {
		t.Fatalf("%d legs after %s", len(w.turns), w.Now().Sub(began))
	}
	if heard := w.turns[1].Orders; len(heard) != 2 || heard[0].Text != "mind the gap" || heard[1].Command != "stop" {
		t.Errorf("the next leg heard %+v", heard)
	}
}

// Legs that come to nothing are asked for again under a higher number, and again, and
// then a person is waited for, who may want it tried once more.
func TestLostLegsAreAskedForAgainAndThenAPersonIs(t *testing.T) {
	well, tried := false, 0
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		switch {
		case well:
			return done(turn, 1)
		case turn.Leg == 2:
			return fleet.Standing{Taken: true, Why: "w2 has it", Leg: 7}, nil
		case turn.Leg%2 == 0:
			return fleet.Standing{}, temporal.NewTimeoutError(enums.TIMEOUT_TYPE_HEARTBEAT, nil)
		}
		return fleet.Standing{}, temporal.NewNonRetryableApplicationError("the remote refuses it", broken, nil)
	})
	w.looks(24*time.Hour, func(row fleet.Row) {
		if row.State != fleet.Failed || row.Lost != len(w.turns)-1 || row.Wrong == "" || !row.EndedAt.IsZero() || len(w.turns) < mostVain {
			t.Errorf("after %d legs in vain the run is %+v", len(w.turns), row)
		}
		well, tried = true, len(w.turns)
	})
	w.orders(30*time.Second, fleet.Order{Command: note, Text: "to be heard"}, true)
	w.orders(25*time.Hour, fleet.Order{Command: "resume"}, true)
	row := w.goes(aSpec)
	if row.State != loop.Done || len(w.turns) != tried+1 {
		t.Errorf("after %d legs: %+v", len(w.turns), row)
	}
	if heard := w.turns[tried].Orders; len(heard) != 1 || heard[0].Text != "to be heard" {
		t.Errorf("the leg that was well heard %+v", heard)
	}
	for i := range w.turns[1:] {
		if w.turns[i+1].Leg <= w.turns[i].Leg {
			t.Errorf("leg %d came after leg %d", w.turns[i+1].Leg, w.turns[i].Leg)
		}
	}
	if w.turns[2].Leg != 8 {
		t.Errorf("leg %d came after somebody had leg 7", w.turns[2].Leg)
	}
}

// A run that a person has fetched is over for the fleet.
func TestARunThatAPersonHasFetchedIsCarried(t *testing.T) {
	w := newWorld(t, func(*world, fleet.Turn, string) (fleet.Standing, error) {
		return fleet.Standing{Taken: true, Away: true, Why: "ann has fetched it", Leg: 3}, nil
	})
	if row := w.goes(aSpec); row.State != fleet.Carried || row.Why != "ann has fetched it" || row.EndedAt.IsZero() || len(w.turns) != 1 {
		t.Errorf("it is %+v after %d legs", row, len(w.turns))
	}
}

// The worker that has the files is asked first; where it does not come, any is.
func TestTheWorkerThatHasTheFilesComesFirst(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, queue string) (fleet.Standing, error) {
		switch {
		case len(w.at) == 1:
			return fleet.Standing{State: loop.Parked, Iterations: 1, Leg: turn.Leg, Host: "host/a"}, nil
		case len(w.at) == 2:
			return fleet.Standing{}, temporal.NewNonRetryableApplicationError("full", noRoom, nil)
		}
		return done(turn, 2)
	})
	spec := aSpec
	spec.Sticky = true
	if row := w.goes(spec); row.Leg != 2 || row.Lost != 0 {
		t.Errorf("it is %+v", row)
	}
	if want := []string{"q", "host/a", "q"}; !slices.Equal(w.at, want) {
		t.Errorf("legs were asked for on %v, want %v", w.at, want)
	}
}

// An order that is under way when the history begins anew has its answer first.
func TestAnOrderIsAnsweredBeforeTheHistoryBeginsAnew(t *testing.T) {
	var answered atomic.Bool
	told, goOn := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		w.says(fleet.Progress{Leg: 1, Host: "host/a"})
		o := fleet.Order{Command: note, Text: "slowly"}
		w.RegisterDelayedCallback(func() { w.UpdateWorkflow(orderUpdate, "", heardBy{answer{w.t, o, true}, &answered}, o) }, 0)
		<-told
		w.SetContinueAsNewSuggested(true)
		return fleet.Standing{State: loop.Parked, Iterations: 1, Leg: 1}, nil
	})
	w.tells(func(int, fleet.Order) (fleet.Answer, error) {
		close(told)
		<-goOn
		return fleet.Answer{OK: true}, nil
	})
	time.AfterFunc(200*time.Millisecond, func() { close(goOn) })
	w.ExecuteWorkflow(runType, aSpec, state{})
	if err := w.GetWorkflowError(); !workflow.IsContinueAsNewError(errors.Unwrap(err)) || !answered.Load() {
		t.Errorf("it ended with %v; the order was answered: %t", err, answered.Load())
	}
}

// heardBy notes that an answer came.
type heardBy struct {
	answer
	came *atomic.Bool
}

func (h heardBy) Complete(v any, err error) {
	h.came.Store(true)
	h.answer.Complete(v, err)
}

// What could not be kept is asked of the worker that has it for a while, and then of any.
func TestWhatOnlyOneWorkerHasIsAskedOfItForAWhile(t *testing.T) {
	var since time.Time
	w := newWorld(t, func(w *world, turn fleet.Turn, queue string) (fleet.Standing, error) {
		switch {
		case len(w.at) == 1:
			since = w.Now()
			return fleet.Standing{State: loop.Parked, Stuck: true, Why: "no remote", Iterations: 1, Leg: turn.Leg, Host: "host/a"}, nil
		case queue == "host/a":
			return fleet.Standing{}, temporal.NewNonRetryableApplicationError("full", noRoom, nil)
		}
		if waited := w.Now().Sub(since); waited < stuckNear-time.Minute || waited > stuckNear+time.Minute {
			t.Errorf("others were asked after %s", waited)
		}
		return done(turn, 2)
	})
	if row := w.goes(aSpec); row.State != loop.Done {
		t.Errorf("it is %+v", row)
	}
}

// The history begins anew in time, and nothing is left behind.
func TestTheHistoryBeginsAnew(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		return fleet.Standing{State: loop.Parked, Iterations: turn.Leg, Until: w.Now().Add(time.Minute), Leg: turn.Leg}, nil
	})
	w.orders(30*time.Minute+30*time.Second, fleet.Order{Command: "pause"}, true)
	w.orders(31*time.Minute, fleet.Order{Command: "note", Text: "still to be heard"}, true)
	w.RegisterDelayedCallback(func() { w.SetContinueAsNewSuggested(true) }, 31*time.Minute)
	w.orders(2*time.Hour, fleet.Order{Command: "resume"}, true)
	w.ExecuteWorkflow(runType, aSpec, state{})
	var anew *workflow.ContinueAsNewError
	if err := w.GetWorkflowError(); !errors.As(err, &anew) {
		t.Fatalf("it ended: %v", err)
	}
	var s state
	if err := converter.GetDefaultDataConverter().FromPayloads(anew.Input, &fleet.Spec{}, &s); err != nil {
		t.Fatal(err)
	}
	if s.Leg != len(w.turns) || s.Leg > 40 || s.Last.Iterations != s.Leg || len(s.Orders) != 1 || s.Paused {
		t.Errorf("after %d legs it goes on with %+v", len(w.turns), s)
	}
}

// A live leg hears an order at once, and one that came while it waited for a worker as
// soon as it is live. What it refuses is refused.
func TestALiveLegHearsOrders(t *testing.T) {
	heard := make(chan fleet.Order, 8)
	live := fleet.Progress{Leg: 1, Worker: "a", Host: "host/a", State: loop.Running, Iterations: 1}
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg > 1 {
			w.wants(fleet.Order{Command: stop}, true)
			w.says(fleet.Progress{Leg: 2, Host: "host/a"})
			if o := <-heard; o.Command != stop {
				t.Errorf("the last leg hears %+v", o)
			}
			return fleet.Standing{State: loop.Stopped, Iterations: 2, Leg: 2}, nil
		}
		w.wants(fleet.Order{Command: note, Text: "early"}, true)
		w.says(live)
		if o := <-heard; o.Text != "early" {
			t.Errorf("it hears %+v first", o)
		}
		w.wants(fleet.Order{Command: note, Text: "late"}, true)
		<-heard
		w.wants(fleet.Order{Command: skip}, false)
		<-heard
		w.wants(fleet.Order{Command: pause}, true)
		<-heard
		return fleet.Standing{State: loop.Parked, Person: true, Iterations: 1, Leg: 1}, nil
	})
	w.tells(func(leg int, o fleet.Order) (fleet.Answer, error) {
		heard <- o
		if o.Command == skip {
			return fleet.Answer{Why: "no agent is at work"}, nil
		}
		return fleet.Answer{OK: leg == 1, Effect: "heard"}, nil
	})
	w.looks(time.Hour, func(row fleet.Row) {
		if row.State != loop.Paused || row.Live || row.Iterations != 1 {
			t.Errorf("a paused run is %+v", row)
		}
	})
	w.orders(2*time.Hour, fleet.Order{Command: resume}, true)
	if row := w.goes(aSpec); row.State != loop.Stopped || len(w.turns) != 2 || len(w.turns[1].Orders) != 0 {
		t.Errorf("it ended %+v after legs %+v", row, w.turns)
	}
}

// An order that the worker of a live leg does not take is heard by the next leg.
func TestAnOrderThatDoesNotArriveIsHeardByTheNextLeg(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg > 1 {
			return done(turn, 2)
		}
		w.says(fleet.Progress{Leg: 1, Worker: "a", Host: "host/a"})
		told := make(chan struct{})
		w.tells(func(int, fleet.Order) (fleet.Answer, error) {
			defer close(told)
			return fleet.Answer{}, temporal.NewNonRetryableApplicationError("it has just ended", notHere, nil)
		})
		o := fleet.Order{Command: note, Text: "one"}
		w.wants(o, true)
		<-told
		return fleet.Standing{State: loop.Parked, Iterations: 1, Leg: 1, Until: w.Now().Add(time.Hour)}, nil
	})
	w.goes(aSpec)
	if len(w.turns) != 2 || len(w.turns[1].Orders) != 1 || w.turns[1].Orders[0].Text != "one" {
		t.Errorf("the legs were %+v", w.turns)
	}
}

// A worker that leaves its run again and again without having done anything is not asked
// as fast as it can say so.
func TestLegsThatDoNothingAreNotAskedForInARush(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 10 {
			return done(turn, 1)
		}
		return fleet.Standing{State: loop.Parked, Why: "the worker leaves", Leg: turn.Leg}, nil
	})
	began := w.Now()
	w.goes(aSpec)
	if took := w.Now().Sub(began); took < 3*time.Minute || took > 20*time.Minute {
		t.Errorf("ten legs for nothing took %s", took)
	}
}

// What cannot be kept for hours waits for a person, and is stopped without a worker.
func TestWhatCannotBeKeptForHoursWaitsForAPerson(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		return fleet.Standing{State: loop.Parked, Stuck: true, Why: "no remote", Iterations: 1, Leg: turn.Leg, Host: "host/a"}, nil
	})
	w.looks(stuckTime/2, func(row fleet.Row) {
		if row.State == fleet.Failed || row.Wrong != "no remote" {
			t.Errorf("halfway it is %+v", row)
		}
	})
	w.looks(stuckTime+time.Hour, func(row fleet.Row) {
		if row.State != fleet.Failed || !row.EndedAt.IsZero() {
			t.Errorf("after %s it is %+v", stuckTime, row)
		}
	})
	w.orders(stuckTime+2*time.Hour, fleet.Order{Command: stop}, true)
	if row := w.goes(aSpec); row.State != loop.Stopped || row.Why == "" {
		t.Errorf("it ended %+v", row)
	}
}

// A run that has asked a person something waits for the answer without a worker, and the
// next leg is given that.
func TestAQuestionIsWaitedForWithoutAWorker(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 1 {
			return fleet.Standing{State: loop.Parked, Person: true, Why: "it waits for a person", Leg: 1}, nil
		}
		return done(turn, 1)
	})
	w.orders(time.Hour, fleet.Order{Command: note, Text: "no hurry"}, true)
	w.looks(2*time.Hour, func(row fleet.Row) {
		if row.State != loop.Waiting || len(w.turns) != 1 || !row.WaitUntil.IsZero() {
			t.Errorf("while it waits for a person it is %+v", row)
		}
	})
	w.orders(3*time.Hour, fleet.Order{Command: approve, Question: "q", Text: "yes"}, true)
	if row := w.goes(aSpec); row.State != loop.Done || len(w.turns) != 2 || len(w.turns[1].Orders) != 2 {
		t.Errorf("it ended %+v, after %+v", row, w.turns)
	}
}

// Where nobody need answer in the end, an answer is heard at once all the same.
func TestAnAnswerIsHeardBeforeItsTimeIsOver(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 1 {
			return fleet.Standing{State: loop.Parked, Rule: loop.RuleAsked, Until: w.Now().Add(8 * time.Hour), Why: "it waits for a person", Leg: 1}, nil
		}
		return done(turn, 1)
	})
	began := w.Now()
	w.orders(time.Hour, fleet.Order{Command: approve, Text: "continue"}, true)
	if row := w.goes(aSpec); row.State != loop.Done || w.Now().Sub(began) > 2*time.Hour || len(w.turns) != 2 || len(w.turns[1].Orders) != 1 {
		t.Errorf("it ended %+v after %s and %+v", row, w.Now().Sub(began), w.turns)
	}
}

// A wish to end a run is not lost with the worker that heard it, and not waited for where
// nobody can obey.
func TestAWishToEndARunIsNotLost(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 1 {
			w.says(fleet.Progress{Leg: 1, Worker: "a", Host: "host/a"})
			told := make(chan struct{})
			w.tells(func(int, fleet.Order) (fleet.Answer, error) {
				defer close(told)
				return fleet.Answer{OK: true}, nil
			})
			o := fleet.Order{Command: stopNow}
			w.wants(o, true)
			<-told
			time.Sleep(50 * time.Millisecond) // its answer arrives
		}
		return fleet.Standing{}, temporal.NewTimeoutError(enums.TIMEOUT_TYPE_HEARTBEAT, nil)
	})
	began := w.Now()
	row := w.goes(aSpec)
	if took := w.Now().Sub(began); row.State != loop.Stopped || len(w.turns) != stopVain || took < 2*time.Second || took > time.Minute {
		t.Errorf("after %d legs and %s it ended %+v", len(w.turns), took, row)
	}
	for _, turn := range w.turns[1:] {
		if !slices.Equal(turn.Orders, []fleet.Order{{Command: stopNow}}) {
			t.Errorf("leg %d heard %+v", turn.Leg, turn.Orders)
		}
	}
}

// What a remote refuses waits for a person at once, and then the worker that has it is
// asked first.
func TestWhatIsRefusedWaitsForAPerson(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 1 {
			return fleet.Standing{State: loop.Done, Stuck: true, Person: true, Why: "the branch is protected", Iterations: 1, Leg: 1, Host: "host/a"}, nil
		}
		return done(turn, 1)
	})
	w.looks(time.Hour, func(row fleet.Row) {
		if row.State != fleet.Failed || row.Wrong != "the branch is protected" || len(w.turns) != 1 || !row.EndedAt.IsZero() {
			t.Errorf("it is %+v after %d legs", row, len(w.turns))
		}
	})
	w.orders(2*time.Hour, fleet.Order{Command: resume}, true)
	if row := w.goes(aSpec); row.State != loop.Done || len(w.at) != 2 || w.at[1] != "host/a" {
		t.Errorf("it ended %+v after legs on %v", row, w.at)
	}
}

// A run that is on the remote already goes on with a leg higher than the one there.
func TestACarriedRunGoesOnFromItsLeg(t *testing.T) {
	w := newWorld(t, func(_ *world, turn fleet.Turn, _ string) (fleet.Standing, error) { return done(turn, 9) })
	spec := aSpec
	spec.Carried, spec.Leg = true, 4
	if row := w.goes(spec); row.Leg != 5 {
		t.Errorf("it ended %+v", row)
	}
}

// What a live leg does not take is kept for the next one.
func TestAnOrderThatALiveLegRefusesIsKept(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg > 1 {
			return done(turn, 2)
		}
		told := make(chan struct{})
		w.tells(func(int, fleet.Order) (fleet.Answer, error) {
			defer close(told)
			return fleet.Answer{Why: "the run has ended"}, nil
		})
		w.wants(fleet.Order{Command: note, Text: "early"}, true)
		w.says(fleet.Progress{Leg: 1, Worker: "a", Host: "host/a"})
		<-told
		return fleet.Standing{State: loop.Parked, Iterations: 1, Leg: 1, Until: w.Now().Add(time.Hour)}, nil
	})
	w.looks(30*time.Minute, func(row fleet.Row) {
		if len(row.Orders) != 1 {
			t.Errorf("between the legs it is %+v", row)
		}
	})
	w.goes(aSpec)
	if len(w.turns) != 2 || len(w.turns[1].Orders) != 1 || w.turns[1].Orders[0].Text != "early" {
		t.Errorf("the legs were %+v", w.turns)
	}
}

// The history does not begin anew while an order is on its way to a leg that ends, and
// then takes it along.
func TestAnOrderOnItsWayIsTakenAlong(t *testing.T) {
	told, goOn := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		w.wants(fleet.Order{Command: note, Text: "early"}, true)
		w.says(fleet.Progress{Leg: 1, Worker: "a", Host: "host/a"})
		<-told
		w.SetContinueAsNewSuggested(true)
		return fleet.Standing{State: loop.Parked, Iterations: 1, Leg: 1}, nil
	})
	w.tells(func(int, fleet.Order) (fleet.Answer, error) {
		close(told)
		<-goOn
		return fleet.Answer{}, temporal.NewNonRetryableApplicationError("it has just ended", notHere, nil)
	})
	time.AfterFunc(200*time.Millisecond, func() { close(goOn) })
	w.ExecuteWorkflow(runType, aSpec, state{})
	var anew *workflow.ContinueAsNewError
	if err := w.GetWorkflowError(); !errors.As(err, &anew) {
		t.Fatalf("it ended: %v", err)
	}
	var s state
	if err := converter.GetDefaultDataConverter().FromPayloads(anew.Input, &fleet.Spec{}, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Orders) != 1 || s.Orders[0].Text != "early" {
		t.Errorf("it goes on with %+v", s)
	}
}

// What a leg did not hear any more, and is known when the next one is live, that one hears.
func TestAnOrderThatComesTooLateForALegReachesTheNext(t *testing.T) {
	asked, heard := make(chan struct{}), make(chan fleet.Order, 1)
	live := make(chan struct{})
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		w.says(fleet.Progress{Leg: turn.Leg, Worker: "a", Host: "host/a"})
		if turn.Leg == 1 {
			w.wants(fleet.Order{Command: note, Text: "late"}, true)
			<-asked
			return fleet.Standing{State: loop.Parked, Iterations: 1, Leg: 1}, nil
		}
		w.RegisterDelayedCallback(func() { close(live) }, 0)
		select {
		case o := <-heard:
			if o.Text != "late" {
				t.Errorf("it hears %+v", o)
			}
		case <-time.After(10 * time.Second):
			t.Error("the leg that is live does not hear it")
		}
		return done(turn, 2)
	})
	w.tells(func(leg int, o fleet.Order) (fleet.Answer, error) {
		if leg == 1 {
			close(asked)
			<-live
			return fleet.Answer{}, temporal.NewNonRetryableApplicationError("it is over", notHere, nil)
		}
		heard <- o
		return fleet.Answer{OK: true}, nil
	})
	if row := w.goes(aSpec); len(w.turns) != 2 || len(w.turns[1].Orders) != 0 || len(row.Orders) != 0 {
		t.Errorf("after %+v it is %+v", w.turns, row)
	}
}

// A leg that came to nothing, and that no other would better, has a person look after it
// at once. Its orders are for the leg that is tried then.
func TestALegThatAPersonHasToLookAfterIsNotTriedAgain(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		switch turn.Leg {
		case 1:
			return fleet.Standing{State: loop.Parked, Iterations: 3, CostUSD: 1, Leg: 1, At: "abc", Host: "host/a", Until: w.Now().Add(time.Hour)}, nil
		case 2:
			return fleet.Standing{Failed: true, Why: "its ref is gone"}, nil
		}
		return done(turn, 4)
	})
	w.orders(time.Minute, fleet.Order{Command: note, Text: "mind the gap"}, true)
	w.looks(90*time.Minute, func(row fleet.Row) {
		if row.State != fleet.Failed || row.Wrong != "its ref is gone" || len(w.turns) != 2 || row.Iterations != 3 || row.At != "abc" || len(row.Orders) != 1 || !row.EndedAt.IsZero() {
			t.Errorf("it is %+v after %d legs", row, len(w.turns))
		}
	})
	w.orders(2*time.Hour, fleet.Order{Command: resume}, true)
	row := w.goes(aSpec)
	if row.State != loop.Done || len(w.turns) != 3 || row.Wrong != "" {
		t.Fatalf("it ended %+v after %d legs", row, len(w.turns))
	}
	if heard := w.turns[2].Orders; len(heard) != 1 || heard[0].Text != "mind the gap" {
		t.Errorf("the leg that was tried then heard %+v", heard)
	}
}

// A run whose account has nothing left says so while it waits.
func TestARunWithoutMoneySaysSo(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 1 {
			return fleet.Standing{State: loop.Parked, Broke: true, Why: "others have a turn", Iterations: 1, Leg: 1}, nil
		}
		var row fleet.Row
		if got, err := w.QueryWorkflow(standingQuery); err != nil || got.Get(&row) != nil {
			t.Error(err)
		}
		if row.State != fleet.Queued || row.Why != spentAll {
			t.Errorf("while it waits for a worker it is %+v", row)
		}
		return done(turn, 2)
	})
	w.goes(aSpec)
}

// Each leg is told where the ref of the run was, also by a worker that said no more: so
// none begins a run anew whose ref is gone.
func TestALegIsToldWhereItsRunWas(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		switch turn.Leg {
		case 1:
			w.says(fleet.Progress{Leg: 1, Worker: "a", Host: "host/a", At: "aaa"})
			seen := make(chan struct{})
			w.RegisterDelayedCallback(func() { close(seen) }, time.Millisecond)
			<-seen
			return fleet.Standing{}, temporal.NewTimeoutError(enums.TIMEOUT_TYPE_HEARTBEAT, nil)
		case 2:
			return fleet.Standing{State: loop.Parked, Iterations: 1, Leg: 2, At: "bbb"}, nil
		case 3:
			return fleet.Standing{State: loop.Parked, Stuck: true, Why: "no remote", Iterations: 1, Leg: 3}, nil
		case 4:
			return fleet.Standing{Taken: true, Leg: 5}, nil
		}
		return done(turn, 2)
	})
	w.goes(aSpec)
	var at []string
	for _, turn := range w.turns {
		at = append(at, turn.At)
	}
	if want := []string{"", "aaa", "bbb", "bbb", "bbb"}; !slices.Equal(at, want) {
		t.Errorf("the legs were told %q, want %q", at, want)
	}
}

// Who resumes a run that waits for a time does not want it to wait: its next leg is asked
// for at once, knows that, and comes from the queue that no limit holds back. The leg after
// that waits again.
func TestARunThatIsResumedWhileItWaitsIsHurried(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg < 3 {
			return fleet.Standing{State: loop.Parked, Rule: loop.RuleLimit, Why: "a usage limit", Iterations: turn.Leg, Until: w.Now().Add(2 * time.Hour), Leg: turn.Leg}, nil
		}
		return done(turn, 4)
	})
	w.orders(time.Hour, fleet.Order{Command: resume}, true)
	began := w.Now()
	w.goes(aSpec)
	if took := w.Now().Sub(began); len(w.turns) != 3 || took < 3*time.Hour || took > 3*time.Hour+time.Minute {
		t.Fatalf("%d legs took %s", len(w.turns), took)
	}
	if w.turns[0].Hurry || !w.turns[1].Hurry || w.turns[2].Hurry {
		t.Errorf("the legs were %+v", w.turns)
	}
	if want := []string{"q", hurryQueue("q"), "q"}; !slices.Equal(w.at, want) {
		t.Errorf("legs were asked for on %v, want %v", w.at, want)
	}
}

// A wish to hurry is not lost when the history begins anew at that moment.
func TestAWishToHurryIsTakenAlong(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		w.SetContinueAsNewSuggested(true)
		return fleet.Standing{State: loop.Parked, Iterations: turn.Leg, Until: w.Now().Add(2 * time.Hour), Leg: turn.Leg}, nil
	})
	w.orders(time.Hour, fleet.Order{Command: resume}, true)
	w.ExecuteWorkflow(runType, aSpec, state{})
	var anew *workflow.ContinueAsNewError
	if err := w.GetWorkflowError(); !errors.As(err, &anew) {
		t.Fatalf("it ended: %v", err)
	}
	var s state
	if err := converter.GetDefaultDataConverter().FromPayloads(anew.Input, &fleet.Spec{}, &s); err != nil {
		t.Fatal(err)
	}
	if !s.Hurry || len(w.turns) != 1 {
		t.Errorf("it goes on with %+v", s)
	}
}

// Who hurries a run whose leg waits for a worker has it asked for where that is not held
// back; what the leg does not hear any more is not in a hurry again.
func TestAQueuedRunIsHurried(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, queue string) (fleet.Standing, error) {
		switch {
		case queue == "q" && turn.Leg == 1: // the queue is held back
			w.wants(fleet.Order{Command: resume}, true)
			return fleet.Standing{}, temporal.NewNonRetryableApplicationError("held", noRoom, nil)
		case !turn.Hurry:
			return done(turn, 2)
		}
		w.says(fleet.Progress{Leg: turn.Leg, Worker: "a", Host: "host/a"})
		told := make(chan struct{})
		w.tells(func(int, fleet.Order) (fleet.Answer, error) {
			defer close(told)
			return fleet.Answer{}, temporal.NewNonRetryableApplicationError("it has just ended", notHere, nil)
		})
		w.wants(fleet.Order{Command: resume}, true) // which it does not hear any more
		<-told
		return fleet.Standing{State: loop.Parked, Person: true, Iterations: 1, Leg: turn.Leg}, nil
	})
	w.orders(time.Hour, fleet.Order{Command: resume}, true)
	row := w.goes(aSpec)
	if row.State != loop.Done || len(w.turns) < 3 || !w.turns[1].Hurry || w.at[1] != hurryQueue("q") {
		t.Errorf("it ended %+v after legs %+v on %v", row, w.turns, w.at)
	}
}

// A pause that comes right after a wish to hurry is one.
func TestAPauseIsStrongerThanHurry(t *testing.T) {
	w := newWorld(t, func(w *world, turn fleet.Turn, _ string) (fleet.Standing, error) {
		if turn.Leg == 1 {
			return fleet.Standing{State: loop.Parked, Iterations: 1, Until: w.Now().Add(3 * time.Hour), Leg: 1}, nil
		}
		return done(turn, 2)
	})
	w.orders(time.Hour, fleet.Order{Command: resume}, true)
	w.orders(time.Hour, fleet.Order{Command: pause}, true)
	w.looks(2*time.Hour, func(row fleet.Row) {
		if row.State != loop.Paused || len(w.turns) != 1 {
			t.Errorf("after %d legs it is %+v", len(w.turns), row)
		}
	})
	w.orders(2*time.Hour+time.Minute, fleet.Order{Command: resume}, true)
	began := w.Now()
	w.goes(aSpec)
	if took := w.Now().Sub(began); len(w.turns) != 2 || took < 3*time.Hour || w.turns[1].Hurry {
		t.Errorf("it took %s and %+v", took, w.turns)
	}
}
