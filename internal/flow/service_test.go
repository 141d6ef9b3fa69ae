package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// flows has a worker say where and when, and do no legs.
func flows(t *testing.T, at fleet.Server) { works(t, at, fleet.Shift{Name: "flows", Flows: true}, nil) }

func specOf(t *testing.T, name string) fleet.Spec {
	return fleet.Spec{
		ID: "loop_" + name + "-" + t.Name(), Name: name + "-" + t.Name(), Remote: "file:///" + t.Name(),
		Branch: "refrain/" + name, Queue: t.Name(), Lease: 2 * time.Second, Submitted: time.Now(),
	}
}

func submit(t *testing.T, s *Service, spec fleet.Spec) {
	t.Helper()
	if err := s.Submit(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
}

// hint is what an error says is to be done.
func hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// What cannot be done is said with what to do instead, and nobody waits for ever.
func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	flows(t, at)
	spec := specOf(t, "one")
	submit(t, s, spec)

	var exists *fleet.ExistsError
	if err := s.Submit(t.Context(), spec); !errors.As(err, &exists) || exists.Run != spec.Name {
		t.Errorf("a name that is taken: %v", err)
	}
	var unknown *fleet.UnknownError
	if _, err := s.Find(t.Context(), "nobody"); !errors.As(err, &unknown) || hint(err) == "" {
		t.Errorf("an unknown run: %v", err)
	}
	if _, err := s.Order(t.Context(), "nobody", fleet.Order{Command: pause}); !errors.As(err, &unknown) {
		t.Errorf("an order to an unknown run: %v", err)
	}
	second := specOf(t, "one2")
	submit(t, s, second)
	until(t, "the beginning of two ids means both", func() bool {
		_, err := s.Find(t.Context(), "one")
		return errors.As(err, &unknown) && strings.Contains(err.Error(), spec.Name) && strings.Contains(err.Error(), second.Name)
	})
	if _, err := s.Order(t.Context(), spec.Name, fleet.Order{Command: "dance"}); err == nil {
		t.Error("a run takes the order to dance")
	}
	if a, err := s.Order(t.Context(), spec.Name, fleet.Order{Command: stop}); err != nil || !a.OK || a.State != loop.Stopped {
		t.Errorf("a run that nobody has begun is stopped with %+v, %v", a, err)
	}
	row, err := s.Wait(t.Context(), spec.Name)
	if err != nil || row.State != loop.Stopped || row.EndedAt.IsZero() {
		t.Errorf("it is %+v, %v", row, err)
	}
	var over *fleet.OverError
	if _, err := s.Order(t.Context(), spec.Name, fleet.Order{Command: pause}); !errors.As(err, &over) || over.State != loop.Stopped {
		t.Errorf("an order to a run that is over: %v", err)
	}
	submit(t, s, spec) // the name is free again

	at.Namespace = "nowhere"
	var server *fleet.ServerError
	if _, err := Dial(t.Context(), at); !errors.As(err, &server) || !strings.Contains(hint(err), "fleet.namespace") {
		t.Errorf("a namespace that is not there: %v", err)
	}
	at.Namespace, at.TLS.On = "default", true
	if _, err := Dial(t.Context(), at); !errors.As(err, &server) || !strings.Contains(hint(err), "fleet.tls") {
		t.Errorf("a safe connection to a server that wants none: %v", err)
	}
}

// A worker that is not heard for the lease has lost its run: it is told so when it can be,
// and another one has the run by then, in a higher leg.
func TestAWorkerThatIsNotHeardLosesItsRun(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	gone := make(chan struct{})
	var mute atomic.Bool
	a := newDesk(nil)
	a.leg = func(ctx context.Context, turn fleet.Turn, h fleet.Hooks) (fleet.Standing, error) {
		mute.Store(true)
		for !h.Heard().Gone {
			select {
			case <-ctx.Done():
				return fleet.Standing{}, ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		}
		close(gone)
		return fleet.Standing{Taken: true, Leg: turn.Leg}, nil
	}
	b := newDesk(func(_ context.Context, turn fleet.Turn, _ fleet.Hooks) (fleet.Standing, error) { return done(turn, 1) })
	flows(t, at)
	shift := fleet.Shift{Name: "a" + t.Name(), Queue: t.Name(), Slots: 1, Legs: true, Grace: time.Second}
	frozen := &frozenServer{real: at, mute: &mute}
	works(t, frozen.listen(t), shift, a)
	spec := specOf(t, "one")
	submit(t, s, spec)
	until(t, "the worker has it", mute.Load)
	shift.Name = "b" + t.Name()
	works(t, at, shift, b)
	row, err := s.Wait(t.Context(), spec.Name)
	if err != nil || row.State != loop.Done || row.Leg != 2 || row.Lost != 1 || row.Wrong != "" {
		t.Errorf("it is %+v, %v", row, err)
	}
	mute.Store(false)
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Error("the worker never hears that it has lost the run")
	}
}

// A paused run gives its worker back, and goes on when a person wants it.
func TestALiveLegIsPaused(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	d := newDesk(nil)
	d.leg = func(ctx context.Context, turn fleet.Turn, h fleet.Hooks) (fleet.Standing, error) {
		if turn.Leg > 1 {
			return done(turn, 2)
		}
		for {
			paused := slices.ContainsFunc(d.heard(), func(o fleet.Order) bool { return o.Command == pause })
			if paused || ctx.Err() != nil { // the fleet may not know yet that it is live, and take it back
				return fleet.Standing{State: loop.Parked, Why: "paused", Iterations: 1, Leg: 1}, nil
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	works(t, at, fleet.Shift{Name: "w" + t.Name(), Queue: t.Name(), Slots: 1, Legs: true, Flows: true, Grace: time.Second}, d)
	spec := specOf(t, "one")
	submit(t, s, spec)
	until(t, "it is live", func() bool { row, err := s.Find(t.Context(), spec.Name); return err == nil && row.Live })
	if a, err := s.Order(t.Context(), spec.Name, fleet.Order{Command: pause}); err != nil || !a.OK {
		t.Errorf("pause was answered %+v, %v", a, err)
	}
	until(t, "it is paused", func() bool {
		row, err := s.Find(t.Context(), spec.Name)
		return err == nil && row.State == loop.Paused && row.Paused && !row.Live && d.Live() == 0
	})
	if a, err := s.Order(t.Context(), spec.Name, fleet.Order{Command: resume}); err != nil || !a.OK {
		t.Errorf("resume was answered %+v, %v", a, err)
	}
	if row, err := s.Wait(t.Context(), spec.Name); err != nil || row.State != loop.Done || row.Leg != 2 {
		t.Errorf("it ended %+v, %v", row, err)
	}
}

// No more agents work than the account allows, whoever does the legs; nobody works while
// one has met a limit; and when the money is gone, until there is more.
func TestAnAccountIsKept(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	slots, cost := 2, 1.0
	if a, err := s.Account(t.Context(), t.Name(), nil); err != nil || a.Slots != 0 || a.Queue != t.Name() {
		t.Errorf("an account that nobody has drawn from is %+v, %v", a, err)
	}
	flows(t, at)
	if a, err := s.Account(t.Context(), t.Name(), &fleet.Allowance{Slots: &slots, CostUSD: &cost}); err != nil || a.Slots != 2 {
		t.Fatalf("the account is %+v, %v", a, err)
	}
	var busy, most, legs atomic.Int64
	d := func() *desk {
		return newDesk(func(_ context.Context, turn fleet.Turn, h fleet.Hooks) (fleet.Standing, error) {
			legs.Add(1)
			now := busy.Add(1)
			defer busy.Add(-1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			time.Sleep(100 * time.Millisecond)
			if h.Spent(0.25, 10) {
				return fleet.Standing{State: loop.Parked, Broke: true, Iterations: 1, Leg: turn.Leg}, nil
			}
			return done(turn, 1)
		})
	}
	for _, name := range []string{"a", "b"} {
		works(t, at, fleet.Shift{Name: name + t.Name(), Queue: t.Name(), Slots: 3, Legs: true, Grace: time.Second}, d())
	}
	var names []string
	for i := range 8 {
		spec := specOf(t, fmt.Sprint("run", i))
		submit(t, s, spec)
		names = append(names, spec.Name)
	}
	until(t, "the money is gone", func() bool {
		a, err := s.Account(t.Context(), t.Name(), nil)
		return err == nil && a.Broke() && busy.Load() == 0
	})
	gone := legs.Load()
	time.Sleep(2 * time.Second) // nobody begins a leg meanwhile
	if legs.Load() != gone || gone > 5 {
		t.Errorf("%d legs were begun with money for four, and %d with none", gone, legs.Load()-gone)
	}
	cost = 100
	if _, err := s.Account(t.Context(), t.Name(), &fleet.Allowance{CostUSD: &cost}); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if row, err := s.Wait(t.Context(), name); err != nil || row.State != loop.Done {
			t.Errorf("%s ended %+v, %v", name, row, err)
		}
	}
	if most.Load() > 2 {
		t.Errorf("%d agents worked at once, and 2 may", most.Load())
	}
	workers, err := s.Workers(t.Context(), t.Name())
	if err != nil || len(workers) != 2 {
		t.Errorf("the workers are %+v, %v", workers, err)
	}
	all, err := s.Workers(t.Context(), "")
	if err != nil || len(all) < 2 {
		t.Errorf("all workers are %+v, %v", all, err)
	}
}

// A plan submits runs with names and branches of their own, and is listed until it is
// removed.
func TestAPlanSubmitsRuns(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	d := newDesk(func(_ context.Context, turn fleet.Turn, _ fleet.Hooks) (fleet.Standing, error) { return done(turn, 1) })
	works(t, at, fleet.Shift{Name: "w" + t.Name(), Queue: t.Name(), Slots: 1, Legs: true, Flows: true, Grace: time.Second}, d)
	p := fleet.Plan{Name: "nightly", When: "every 6h", Spec: fleet.Spec{Remote: "file:///" + t.Name(), Branch: "refrain/{{name}}", Queue: t.Name()}}
	if err := s.Schedule(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	var wrong *fleet.WrongError
	if err := s.Schedule(t.Context(), p); !errors.As(err, &wrong) {
		t.Errorf("a second one of the name: %v", err)
	}
	if err := s.Schedule(t.Context(), fleet.Plan{Name: "bad", When: "now and then"}); !errors.As(err, &wrong) {
		t.Errorf("a plan for now and then: %v", err)
	}
	until(t, "the plan is listed", func() bool {
		plans, err := s.Schedules(t.Context())
		return err == nil && len(plans) == 1 && plans[0].When == p.When && len(plans[0].Next) > 0
	})
	if err := s.client.ScheduleClient().GetHandle(t.Context(), planID(p.Name)).Trigger(t.Context(), client.ScheduleTriggerOptions{}); err != nil {
		t.Fatal(err)
	}
	var row fleet.Row
	until(t, "a run of it is done", func() bool {
		rows, err := s.List(t.Context(), fleet.Filter{Remote: p.Spec.Remote, Over: true})
		if err != nil || len(rows) != 1 {
			return false
		}
		row = rows[0]
		return row.State == loop.Done
	})
	if !strings.HasPrefix(row.Run, "nightly-2") || row.Branch != "refrain/"+row.Run || !strings.HasPrefix(row.ID, "loop_") {
		t.Errorf("its run is %+v", row)
	}
	until(t, "the plan knows its last run", func() bool {
		plans, err := s.Schedules(t.Context())
		return err == nil && len(plans) == 1 && slices.Equal(plans[0].Last, []string{row.Run})
	})
	if err := s.Unschedule(t.Context(), p.Name); err != nil {
		t.Error(err)
	}
	var unknown *fleet.UnknownError
	if err := s.Unschedule(t.Context(), p.Name); !errors.As(err, &unknown) {
		t.Errorf("removing what is not there: %v", err)
	}
}

// A run of many legs stays one run for people, while its history begins anew.
func TestARunOfManyLegsStaysOne(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	const legs = legsInHistory + 5
	d := newDesk(func(_ context.Context, turn fleet.Turn, _ fleet.Hooks) (fleet.Standing, error) {
		if turn.Leg == legs {
			return done(turn, legs)
		}
		return fleet.Standing{State: loop.Parked, Why: "others have a turn", Iterations: turn.Leg, Leg: turn.Leg}, nil
	})
	works(t, at, fleet.Shift{Name: "w" + t.Name(), Queue: t.Name(), Slots: 1, Legs: true, Flows: true, Grace: time.Second}, d)
	spec := specOf(t, "one")
	submit(t, s, spec)
	row, err := s.Wait(t.Context(), spec.Name)
	if err != nil || row.State != loop.Done || row.Leg != legs || row.ID != spec.ID || row.Iterations != legs {
		t.Errorf("it ended %+v, %v", row, err)
	}
	d2, err := s.client.DescribeWorkflowExecution(t.Context(), runID(spec.Name), "")
	if err != nil || d2.GetWorkflowExecutionInfo().GetFirstRunId() == d2.GetWorkflowExecutionInfo().GetExecution().GetRunId() {
		t.Errorf("its history never began anew: %v", err)
	}
	until(t, "the list has it once", func() bool {
		rows, err := s.List(t.Context(), fleet.Filter{Remote: spec.Remote, State: loop.Done})
		return err == nil && len(rows) == 1 && rows[0].Leg == legs && rows[0].Queue == spec.Queue
	})
}

// Who leaves takes no more legs, has the live ones left to others between two steps, and
// after its grace at once; and it gives back what it had of the account.
func TestAWorkerThatLeavesLeavesNothingBehind(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	flows(t, at)
	d := newDesk(nil)
	d.leg = func(ctx context.Context, turn fleet.Turn, _ fleet.Hooks) (fleet.Standing, error) {
		<-d.now // it does not come to the next moment between two steps
		return fleet.Standing{State: loop.Parked, Why: "the worker leaves", Iterations: 1, Leg: turn.Leg}, ctx.Err()
	}
	shift := fleet.Shift{Name: "w" + t.Name(), Queue: t.Name(), Slots: 1, Legs: true, Grace: 500 * time.Millisecond}
	leave := works(t, at, shift, d)
	spec := specOf(t, "one")
	submit(t, s, spec)
	until(t, "it is live", func() bool { row, err := s.Find(t.Context(), spec.Name); return err == nil && row.Live })
	if workers, err := s.Workers(t.Context(), t.Name()); err != nil || len(workers) != 1 || workers[0].Name != shift.Name {
		t.Errorf("the workers are %+v, %v", workers, err)
	}
	leave()
	if workers, err := s.Workers(t.Context(), t.Name()); err != nil || len(workers) != 0 {
		t.Errorf("when all have left the workers are %+v, %v", workers, err)
	}
	until(t, "the run waits for another worker", func() bool {
		row, err := s.Find(t.Context(), spec.Name)
		return err == nil && row.State == fleet.Queued && !row.Live && row.Lost == 0 && row.Leg == 2 && row.Iterations == 1
	})
	if a, err := s.Order(t.Context(), spec.Name, fleet.Order{Command: pause}); err != nil || !a.OK {
		t.Errorf("pause was answered %+v, %v", a, err)
	}
	until(t, "the leg is taken back", func() bool {
		row, err := s.Find(t.Context(), spec.Name)
		return err == nil && row.State == loop.Paused
	})
	order := func(o fleet.Order) {
		if a, err := s.Order(t.Context(), spec.Name, o); err != nil || !a.OK {
			t.Errorf("%s was answered %+v, %v", o.Command, a, err)
		}
	}
	order(fleet.Order{Command: note, Text: "to be heard"})
	order(fleet.Order{Command: resume})
	until(t, "a leg is asked for again, with the note", func() bool {
		row, err := s.Find(t.Context(), spec.Name)
		return err == nil && row.State == fleet.Queued && len(row.Orders) == 0
	})
	order(fleet.Order{Command: pause})
	until(t, "it is taken back, with the note", func() bool {
		row, err := s.Find(t.Context(), spec.Name)
		return err == nil && row.State == loop.Paused && len(row.Orders) == 1
	})
	if err := s.client.TerminateWorkflow(t.Context(), runID(spec.Name), "", "a test"); err != nil {
		t.Fatal(err)
	}
	row, err := s.Wait(t.Context(), spec.Name)
	if err != nil || row.State != loop.Stopped || row.EndedAt.IsZero() || row.Why == "" {
		t.Errorf("ended on the server it is %+v, %v", row, err)
	}
}

// Where nobody says where and when, that is said in time.
func TestAnOrderThatNobodyHearsIsSaid(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	spec := specOf(t, "one")
	submit(t, s, spec)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var silent *fleet.SilentError
	if _, err := s.Order(ctx, spec.Name, fleet.Order{Command: pause}); !errors.As(err, &silent) || hint(err) == "" {
		t.Errorf("an order that nobody hears: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	slots := 1
	if _, err := s.Account(ctx, t.Name(), &fleet.Allowance{Slots: &slots}); !errors.As(err, &silent) {
		t.Errorf("an account that nobody keeps: %v", err)
	}
}

// The id of a run that is over means that run, though another one has its name by now: it
// is shown, and nobody can tell it anything.
func TestAnIDNeverMeansAnotherRunOfTheName(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	flows(t, at)
	old := specOf(t, "one")
	old.ID = "loop_aaaa1111-" + t.Name()
	submit(t, s, old)
	if a, err := s.Order(t.Context(), old.Name, fleet.Order{Command: stop}); err != nil || !a.OK {
		t.Fatalf("stop was answered %+v, %v", a, err)
	}
	if row, err := s.Wait(t.Context(), old.Name); err != nil || row.State != loop.Stopped {
		t.Fatalf("it ended %+v, %v", row, err)
	}
	before, err := s.find(t.Context(), old.Name)
	if err != nil {
		t.Fatal(err)
	}
	young := old
	young.ID = "loop_bbbb2222-" + t.Name()
	submit(t, s, young)
	until(t, "the list has both", func() bool {
		rows, err := s.List(t.Context(), fleet.Filter{Remote: old.Remote, Over: true})
		return err == nil && len(rows) == 2
	})
	for _, word := range []string{old.ID, "aaaa1111"} {
		if row, err := s.Find(t.Context(), word); err != nil || row.ID != old.ID || row.State != loop.Stopped || row.EndedAt.IsZero() {
			t.Errorf("%s is %+v, %v", word, row, err)
		}
		if row, err := s.Wait(t.Context(), word); err != nil || row.ID != old.ID {
			t.Errorf("waiting for %s gives %+v, %v", word, row, err)
		}
		var over *fleet.OverError
		if a, err := s.Order(t.Context(), word, fleet.Order{Command: stop}); !errors.As(err, &over) {
			t.Errorf("an order to %s was answered %+v, %v", word, a, err)
		}
	}
	var none *serviceerror.NotFound // it ended between being found and being told
	if a, err := s.give(t.Context(), before, fleet.Order{Command: stop}); !errors.As(err, &none) {
		t.Errorf("an order to it was answered %+v, %v", a, err)
	}
	if row, err := s.Find(t.Context(), "bbbb2222"); err != nil || row.ID != young.ID || !row.EndedAt.IsZero() {
		t.Errorf("the new run is %+v, %v", row, err)
	}
}

// One run is not under way twice, by whatever names; when it is over it may be handed in
// again.
func TestARunIsNotUnderWayTwice(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	flows(t, at)
	one := specOf(t, "one")
	one.Carried = true
	submit(t, s, one)
	until(t, "it is listed", func() bool {
		rows, err := s.List(t.Context(), fleet.Filter{Remote: one.Remote})
		return err == nil && len(rows) == 1
	})
	other := one
	other.Name = "other-" + t.Name()
	var exists *fleet.ExistsError
	if err := s.Submit(t.Context(), other); !errors.As(err, &exists) || exists.Run != one.Name {
		t.Errorf("handed in under another name: %v", err)
	}
	if err := s.client.TerminateWorkflow(t.Context(), runID(one.Name), "", "a test"); err != nil {
		t.Fatal(err)
	}
	submit(t, s, other)
	until(t, "its id means the one that is under way", func() bool {
		row, err := s.Find(t.Context(), one.ID)
		return err == nil && row.Run == other.Name && row.EndedAt.IsZero()
	})
}

// A limit that others wait for does not hold back a run that a person hurries.
func TestAHurriedRunDoesNotWaitForTheLimitOfItsAccount(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	flows(t, at)
	limit := time.Now().Add(time.Hour)
	if _, err := s.Account(t.Context(), t.Name(), &fleet.Allowance{Until: &limit}); err != nil {
		t.Fatal(err)
	}
	d := newDesk(func(_ context.Context, turn fleet.Turn, _ fleet.Hooks) (fleet.Standing, error) {
		if !turn.Hurry {
			t.Errorf("leg %d is done before the limit is over", turn.Leg)
		}
		return done(turn, 1)
	})
	works(t, at, fleet.Shift{Name: "w" + t.Name(), Queue: t.Name(), Slots: 1, Legs: true, Grace: time.Second}, d)
	spec := specOf(t, "one")
	submit(t, s, spec)
	until(t, "the worker has drawn", func() bool {
		workers, err := s.Workers(t.Context(), t.Name())
		return err == nil && len(workers) == 1
	})
	until(t, "a leg is asked for, and it says what it waits for", func() bool {
		row, err := s.Find(t.Context(), spec.Name)
		return err == nil && row.Leg == 1 && row.WaitUntil.Equal(limit)
	})
	if a, err := s.Order(t.Context(), spec.Name, fleet.Order{Command: resume}); err != nil || !a.OK {
		t.Fatalf("resume was answered %+v, %v", a, err)
	}
	if row, err := s.Wait(t.Context(), spec.Name); err != nil || row.State != loop.Done || row.Lost != 0 {
		t.Errorf("it ended %+v, %v", row, err)
	}
}
