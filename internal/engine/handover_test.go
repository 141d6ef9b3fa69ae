package engine_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

// altering is a stepper that is given another state than the driver's, or gives
// another one than it came to.
type altering struct {
	engine.Stepper
	openedWith, opened, given, gives func(*loop.State)
}

func (s altering) Open(ctx context.Context, state loop.State) (loop.State, loop.Verdict, error) {
	return alter(ctx, state, s.Stepper.Open, s.openedWith, s.opened)
}

func (s altering) Step(ctx context.Context, state loop.State) (loop.State, loop.Verdict, error) {
	return alter(ctx, state, s.Stepper.Step, s.given, s.gives)
}

func (s altering) Skip(ctx context.Context, state loop.State) (loop.State, loop.Verdict, error) {
	return alter(ctx, state, s.Stepper.Skip, s.given, s.gives)
}

func alter(ctx context.Context, s loop.State, do func(context.Context, loop.State) (loop.State, loop.Verdict, error), before, after func(*loop.State)) (loop.State, loop.Verdict, error) {
	if before != nil {
		before(&s)
	}
	s, v, err := do(ctx, s)
	if after != nil {
		after(&s)
	}
	return s, v, err
}

// The driver goes on with the state that a step gives, and a step with the state
// that it is given: nothing else says how far the run has come.
func TestWhatGoesFromStepToStepIsTheState(t *testing.T) {
	further := func(s *loop.State) { s.Totals.Iterations += 10 }
	skipping := engine.Asking{Always: true, Timeout: time.Minute, Default: engine.Skip}
	for _, tt := range []struct {
		name   string
		alter  altering
		asking engine.Asking
		want   []int // the iterations that began
	}{
		{"nothing is altered", altering{}, engine.Asking{}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"what opening gives", altering{opened: further}, engine.Asking{}, []int{11, 12}},
		{"what opening is given", altering{openedWith: further}, engine.Asking{}, []int{11, 12}},
		{"what a step gives", altering{gives: further}, engine.Asking{}, []int{1, 12}},
		{"what a step is given", altering{given: further}, engine.Asking{}, []int{11, 22}},
		{"what a skip gives", altering{gives: further}, skipping, []int{1, 12}},
		{"what a skip is given", altering{given: further}, skipping, []int{11, 22}},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			s := newStage(t, says("working"))
			s.settings = stop.Settings{Iterations: 12}
			if slices.Equal(tt.want, []int{11, 22}) {
				s.settings.Iterations = 21 // one step alone does not come to the end
			}
			d := s.begin()
			tt.alter.Stepper, d.Asking = d.Stepper, tt.asking
			d.Stepper = tt.alter
			end, err := d.Run(t.Context())
			if err != nil || end.Reason != loop.ByIterations {
				t.Fatalf("end = %+v, %v", end, err)
			}
			var began []int
			for _, e := range s.events {
				if e.Type() == "iteration.started" {
					began = append(began, e.Iter)
				}
			}
			if !slices.Equal(began, tt.want) {
				t.Errorf("iterations %v began, want %v", began, tt.want)
			}
		})
	}
}

// speaking is a stepper during whose hand-overs somebody says something.
type speaking struct {
	engine.Stepper
	say func()
}

func (s speaking) Step(ctx context.Context, state loop.State) (loop.State, loop.Verdict, error) {
	s.say() // the driver has handed it over
	state, v, err := s.Stepper.Step(ctx, state)
	s.say() // and the stepper
	return state, v, err
}

// What people say while the state is handed over is neither lost nor heard twice.
func TestNothingIsLostWhileTheStateIsHandedOver(t *testing.T) {
	s := newStage(t, says("working"))
	s.settings = stop.Settings{Iterations: 3}
	d := s.begin()
	d.Stepper = speaking{d.Stepper, func() { d.Record(&loop.NoteAdded{Text: "be quick"}) }}
	end, err := d.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var sum loop.State
	for e, err := range s.store.Events("build-1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		sum = sum.Sum(e)
	}
	got := d.State()
	if len(got.Notes) != 1 || !slices.Equal(got.Notes, sum.Notes) || got.Live != sum.Live || end.Totals.Iterations != 3 {
		t.Errorf("state = %+v\nwant %+v, the sum of the journal", got, sum)
	}
}

// begin makes the driver of a new run.
func (s *stage) begin() *engine.Driver {
	s.t.Helper()
	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { run.Close() })
	return s.engine(run, journal.Past{}, &loop.RunStarted{Name: run.Meta().Name})
}
