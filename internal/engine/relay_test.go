package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/stop"
)

// keeper keeps a run nowhere, and notes what the engine asks of it.
type keeper struct {
	moments []string
	keep    func(at engine.Moment, n int) error // nil: it goes well
	leave   func(next loop.Verdict, paused bool) (string, bool)
	watch   func(ctx context.Context) error
	journal func() string
	saw     []string // the last event at each moment
}

func (k *keeper) Keep(_ context.Context, at engine.Moment, _ string) error {
	k.moments = append(k.moments, string(at))
	if k.journal != nil {
		k.saw = append(k.saw, k.journal())
	}
	if k.keep == nil {
		return nil
	}
	return k.keep(at, len(k.moments))
}

func (k *keeper) Leave(next loop.Verdict, paused bool) (string, bool) {
	if k.leave == nil {
		return "", false
	}
	return k.leave(next, paused)
}

func (k *keeper) Watch(ctx context.Context) error {
	if k.watch != nil {
		return k.watch(ctx)
	}
	<-ctx.Done()
	return nil
}

// relayed is a stage whose run has a keeper.
func relayed(t *testing.T, k *keeper, plays ...play) *stage {
	s := newStage(t, plays...)
	s.settings = stop.Settings{Iterations: 3, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 9 * time.Hour}}
	s.options = func(o *app.Blueprint) { o.Run.Relay = k }
	k.journal = func() string {
		last := ""
		for e, err := range s.store.Events("build-1", 0) {
			if err == nil {
				last = string(e.Type())
			}
		}
		return last
	}
	return s
}

// start begins build-1 and gives what its driver says.
func (s *stage) start() (loop.RunFinished, error) {
	s.t.Helper()
	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		s.t.Fatal(err)
	}
	defer run.Close()
	return s.engine(run, journal.Past{}, &loop.RunStarted{Name: run.Meta().Name}).Run(s.t.Context())
}

func TestARunIsKeptAtTheMomentsThatCount(t *testing.T) {
	k := &keeper{}
	s := relayed(t, k, says("working"), says("<promise>DONE</promise>"))
	end, err := s.start()
	if err != nil || end.State != loop.Done {
		t.Fatal(end, err)
	}
	want := "began worked finished began worked finished left"
	if got := strings.Join(k.moments, " "); got != want {
		t.Errorf("kept at %s, want %s", got, want)
	}
	for i, at := range k.moments {
		want := map[string][]string{
			"began": {"iteration.started", "iteration.phase"}, "worked": {"agent.exited", "agent.result"}, "finished": {"iteration.finished"}, "left": {"run.finished"},
		}[at]
		if !slices.Contains(want, k.saw[i]) {
			t.Errorf("%s was kept with a journal that ends in %s, want one of %v", at, k.saw[i], want)
		}
	}
}

// A run that another runner has is not written to any more, and no agent is started.
func TestALostRun(t *testing.T) {
	for _, tt := range []struct {
		at   engine.Moment
		ran  int
		last string
	}{
		{engine.Began, 0, "iteration.started"},
		{engine.Worked, 1, "agent.exited"},
		{engine.Finished, 1, "iteration.finished"},
	} {
		t.Run(string(tt.at), func(t *testing.T) {
			k := &keeper{keep: func(at engine.Moment, _ int) error {
				if at == tt.at {
					return &engine.LostError{Err: errors.New("it is at work elsewhere")}
				}
				return nil
			}}
			s := relayed(t, k, says("working"))
			_, err := s.start()
			var lost *engine.LostError
			if !errors.As(err, &lost) || s.ran != tt.ran || k.journal() != tt.last {
				t.Errorf("%v; %d agents ran, the journal ends with %s; want a lost run, %d and %s", err, s.ran, k.journal(), tt.ran, tt.last)
			}
			if got := k.moments[len(k.moments)-1]; got != string(tt.at) {
				t.Errorf("it was kept at %s after it was lost", got)
			}
		})
	}
}

// Who finds out while an agent works ends it.
func TestALostRunEndsItsAgent(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		k := &keeper{watch: func(ctx context.Context) error {
			select {
			case <-time.After(time.Minute):
				return &engine.LostError{Err: errors.New("it is at work elsewhere")}
			case <-ctx.Done():
				return nil
			}
		}}
		s := relayed(t, k, hangs)
		began := time.Now()
		_, err := s.start()
		var lost *engine.LostError
		if took := time.Since(began); !errors.As(err, &lost) || took != time.Minute || k.journal() != "agent.started" {
			t.Errorf("%v after %s, the journal ends with %s", err, took, k.journal())
		}
		if got := strings.Join(k.moments, " "); got != "began" {
			t.Errorf("kept at %s after it was lost", got)
		}
	})
}

// A run that cannot be kept is parked, and nothing counts that was not kept before.
func TestARunThatCannotBeKept(t *testing.T) {
	for _, tt := range []struct {
		at   engine.Moment
		ran  int
		more []loop.Result // of what goes on once it can be kept
	}{
		{engine.Began, 0, []loop.Result{loop.Interrupted, loop.OK}},
		{engine.Worked, 1, []loop.Result{loop.OK}},
		{engine.Finished, 1, []loop.Result{loop.OK}},
	} {
		t.Run(string(tt.at), func(t *testing.T) {
			broken := false
			k := &keeper{keep: func(at engine.Moment, _ int) error {
				if broken = broken || at == tt.at; broken {
					return errors.New("the remote cannot be reached")
				}
				return nil
			}}
			s := relayed(t, k, says("<promise>DONE</promise>"))
			s.settings.Iterations = 0
			if tt.at == engine.Finished {
				s.plays = []play{says("working"), says("<promise>DONE</promise>")}
				tt.more = append(tt.more, loop.OK)
			}
			end, err := s.start()
			if err != nil || end.State != loop.Parked || !strings.Contains(end.Why, "cannot be reached") || len(end.Unsaved) == 0 || s.ran != tt.ran || k.journal() != "run.parked" {
				t.Fatalf("end = %+v, %v; %d agents ran, the journal ends with %s", end, err, s.ran, k.journal())
			}
			k.keep = nil
			if end := s.resume(); end.State != loop.Done || !slices.Equal(s.results(), tt.more) {
				t.Errorf("end = %+v, results %v, want %v", end, s.results(), tt.more)
			}
		})
	}
}

func TestLeaving(t *testing.T) {
	bubble(t, "a long wait is left to somebody else, who waits for the rest of it", func(t *testing.T) {
		k := &keeper{leave: func(next loop.Verdict, _ bool) (string, bool) {
			return "the wait is long", next.Action == loop.Wait && time.Until(next.Until) > 10*time.Minute
		}}
		s := relayed(t, k, limited(5*time.Hour), says("<promise>DONE</promise>"))
		began := time.Now()
		end, err := s.start()
		if err != nil || end.State != loop.Parked || end.Why != "the wait is long" || time.Since(began) > time.Minute {
			t.Fatal(end, err, time.Since(began))
		}
		parked, ok := s.events[len(s.events)-1].Payload.(*loop.RunParked)
		if !ok || parked.Rule != loop.RuleLimit || parked.Until.Before(began.Add(4*time.Hour)) {
			t.Errorf("the last event is %+v", s.events[len(s.events)-1].Payload)
		}
		k.leave = nil
		if end := s.resume(); end.State != loop.Done || time.Since(began) < 5*time.Hour || end.Elapsed.Duration() < 4*time.Hour {
			t.Errorf("end = %+v after %s", end, time.Since(began))
		}
	})
	bubble(t, "a pause is left when somebody says so", func(t *testing.T) {
		k := &keeper{leave: func(_ loop.Verdict, paused bool) (string, bool) { return "nobody comes", paused }}
		s := relayed(t, k, lasting(time.Minute, says("working")))
		d := &director{Control: steer.NewControl()}
		d.at(time.Second, steer.Command{Name: "pause"})
		s.control = d.Control
		end, err := s.start()
		d.wg.Wait()
		if err != nil || end.State != loop.Parked || end.Totals.Iterations != 1 {
			t.Errorf("end = %+v, %v", end, err)
		}
	})
}

func TestPark(t *testing.T) {
	park := func(t *testing.T, before func(*stage), plays ...play) (*stage, *director) {
		s := newStage(t, plays...)
		s.settings = stop.Settings{Iterations: 3, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 9 * time.Hour}}
		if before != nil {
			before(s)
		}
		return s, &director{Control: steer.NewControl()}
	}
	minute := lasting(time.Minute, says("working"))
	bubble(t, "after the iteration, and a resume goes on", func(t *testing.T) {
		s, d := park(t, nil, minute, minute, lasting(time.Minute, says("<promise>DONE</promise>")))
		d.at(10*time.Second, steer.Command{Name: "park"})
		d.at(20*time.Second, steer.Command{Name: "park"})
		end := s.run(d.Control)
		d.wg.Wait()
		if end.State != loop.Parked || end.Totals.Iterations != 1 || end.Elapsed.Duration() != time.Minute || s.has("run.finished") {
			t.Fatalf("end = %+v", end)
		}
		slices.SortFunc(d.answers, func(a, b steer.Answer) int { return strings.Compare(a.Effect, b.Effect) })
		if a := d.answers[0]; !a.OK || a.Effect != "parking after this iteration" || a.State != loop.Parked {
			t.Errorf("answer %+v", a)
		}
		if a := d.answers[1]; a.OK || a.Effect != "the run parks after this iteration already" {
			t.Errorf("second answer %+v", a)
		}
		time.Sleep(time.Hour)
		if end := s.resume(); end.State != loop.Done || end.Totals.Iterations != 3 || end.Elapsed.Duration() > 4*time.Minute {
			t.Errorf("end = %+v, want three iterations and no time while it was parked", end)
		}
	})
	bubble(t, "at once in a wait", func(t *testing.T) {
		s, d := park(t, nil, limited(5*time.Hour))
		d.at(time.Hour, steer.Command{Name: "park"})
		end := s.run(d.Control)
		d.wg.Wait()
		if end.State != loop.Parked || d.took[0] != 0 || d.answers[0].Effect != "parking now" {
			t.Errorf("end = %+v, answered %+v after %s", end, d.answers[0], d.took[0])
		}
	})
	bubble(t, "at once in a pause", func(t *testing.T) {
		s, d := park(t, nil, minute)
		d.at(time.Second, steer.Command{Name: "pause"})
		d.at(time.Hour, steer.Command{Name: "park"})
		end := s.run(d.Control)
		d.wg.Wait()
		if end.State != loop.Parked || end.Elapsed.Duration() != time.Hour {
			t.Errorf("end = %+v", end)
		}
	})
	bubble(t, "when a question is answered, and it is asked again", func(t *testing.T) {
		s, d := park(t, func(s *stage) { s.options = func(o *app.Blueprint) { o.Asking.Always = true } }, minute)
		d.at(time.Minute, steer.Command{Name: "park"})
		d.at(2*time.Minute, steer.Command{Name: "approve"})
		end := s.run(d.Control)
		d.wg.Wait()
		if end.State != loop.Parked || end.Totals.Iterations != 0 || s.ran != 0 {
			t.Errorf("end = %+v, %d agents ran", end, s.ran)
		}
	})
	bubble(t, "is taken back by a resume", func(t *testing.T) {
		s, d := park(t, nil, minute)
		d.at(10*time.Second, steer.Command{Name: "park"})
		d.at(20*time.Second, steer.Command{Name: "resume"})
		end := s.run(d.Control)
		d.wg.Wait()
		if end.State == loop.Parked || !slices.ContainsFunc(d.answers, func(a steer.Answer) bool { return !a.OK && a.Effect == "taken back by resume" }) {
			t.Errorf("end = %+v, answers %+v", end, d.answers)
		}
	})
	bubble(t, "gives way to a stop", func(t *testing.T) {
		s, d := park(t, nil, minute)
		d.at(10*time.Second, steer.Command{Name: "park"})
		d.at(20*time.Second, steer.Command{Name: "stop"})
		d.at(30*time.Second, steer.Command{Name: "park"})
		end := s.run(d.Control)
		d.wg.Wait()
		if end.State != loop.Stopped || !slices.ContainsFunc(d.answers, func(a steer.Answer) bool { return a.Effect == "the run ended first" }) {
			t.Errorf("end = %+v, answers %+v", end, d.answers)
		}
	})
	bubble(t, "is no way out for an agent", func(t *testing.T) {
		s, d := park(t, nil, minute)
		d.at(10*time.Second, steer.Command{Name: "park", Inside: true})
		if end := s.run(d.Control); end.State == loop.Parked {
			t.Errorf("end = %+v", end)
		}
		d.wg.Wait()
	})
}

// A run that is left at once has its agent ended, and its gates: what the agent has not
// come to the end of is done again by the next runner, and what it has is only judged.
func TestLeftAtOnce(t *testing.T) {
	leaving := func(c *steer.Control) *keeper {
		return &keeper{leave: func(loop.Verdict, bool) (string, bool) { return "the worker leaves", c.Leaving() }}
	}
	bubble(t, "while an agent works", func(t *testing.T) {
		c := steer.NewControl()
		s := relayed(t, leaving(c), hangs, says("<promise>DONE</promise>"))
		s.control = c
		time.AfterFunc(time.Minute, c.Leave)
		began := time.Now()
		end, err := s.start()
		if err != nil || end.State != loop.Parked || end.Why != "the worker leaves" || time.Since(began) != time.Minute || end.Totals.Iterations != 0 {
			t.Fatalf("%+v, %v after %s", end, err, time.Since(began))
		}
		s.options, s.control = nil, nil
		if end := s.resume(); end.State != loop.Done || !slices.Equal(s.results(), []loop.Result{loop.Interrupted, loop.OK}) {
			t.Errorf("end = %+v, results %v", end, s.results())
		}
	})
	bubble(t, "while it waits", func(t *testing.T) {
		c := steer.NewControl()
		s := relayed(t, leaving(c), limited(5*time.Hour))
		s.control = c
		time.AfterFunc(time.Hour, c.Leave)
		began := time.Now()
		if end, err := s.start(); err != nil || end.State != loop.Parked || time.Since(began) != time.Hour {
			t.Errorf("%+v, %v after %s", end, err, time.Since(began))
		}
	})
	bubble(t, "while a person is asked, and that one is asked again", func(t *testing.T) {
		c := steer.NewControl()
		s := relayed(t, leaving(c), says("<promise>DONE</promise>"))
		relay := s.options
		s.options = func(o *app.Blueprint) { relay(o); o.Asking.Always = true }
		s.control = c
		time.AfterFunc(time.Hour, c.Leave)
		end, err := s.start()
		if err != nil || end.State != loop.Parked || s.ran != 0 || s.has("run.answered") {
			t.Fatalf("%+v, %v; %d agents ran", end, err, s.ran)
		}
		s.options, s.control = func(o *app.Blueprint) { o.Asking = engine.Asking{Always: true, Timeout: time.Minute} }, nil
		if end := s.resume(); end.State != loop.Done || !s.has("run.answered") {
			t.Errorf("end = %+v", end)
		}
	})
	bubble(t, "while a person is asked, whose time goes on", func(t *testing.T) {
		left := false
		k := &keeper{leave: func(_ loop.Verdict, paused bool) (string, bool) { left = left || paused; return "nobody comes", left }}
		s := relayed(t, k, says("<promise>DONE</promise>"))
		relay := s.options
		s.options = func(o *app.Blueprint) {
			relay(o)
			o.Asking = engine.Asking{At: []int{1}, Timeout: time.Hour, Default: engine.Skip}
		}
		began := time.Now()
		end, err := s.start()
		parked, ok := s.events[len(s.events)-1].Payload.(*loop.RunParked)
		if err != nil || end.State != loop.Parked || !ok || parked.Rule != loop.RuleAsked || !parked.Until.Equal(began.Add(time.Hour)) {
			t.Fatalf("%+v, %v; parked %+v", end, err, parked)
		}
		time.Sleep(40 * time.Minute)
		left = false
		if end := s.resume(); end.State != loop.Parked || !s.events[len(s.events)-1].Payload.(*loop.RunParked).Until.Equal(began.Add(time.Hour)) {
			t.Errorf("before the time has come: %+v", end)
		}
		time.Sleep(20 * time.Minute)
		left = false
		if end := s.resume(); end.State != loop.Done || time.Since(began) != time.Hour || end.Totals.Skipped != 1 {
			t.Errorf("end = %+v after %s", end, time.Since(began))
		}
	})
	bubble(t, "while a person is asked, and the answer comes with the next runner", func(t *testing.T) {
		left := false
		k := &keeper{leave: func(_ loop.Verdict, paused bool) (string, bool) { left = left || paused; return "nobody comes", left }}
		s := relayed(t, k, says("<promise>DONE</promise>"))
		relay := s.options
		s.options = func(o *app.Blueprint) {
			relay(o)
			o.Asking = engine.Asking{At: []int{1}, Timeout: time.Hour, Default: engine.Skip}
		}
		if end, err := s.start(); err != nil || end.State != loop.Parked {
			t.Fatalf("%+v, %v", end, err)
		}
		time.Sleep(2 * time.Hour)
		c := steer.NewControl()
		again := s.options
		s.options = func(o *app.Blueprint) { again(o); o.Run.Control = c }
		k.leave = func(loop.Verdict, bool) (string, bool) { // as a leg does with the orders that it came with
			if !s.has("run.answered") {
				_, _ = c.Do(t.Context(), steer.Command{Name: "approve", Text: engine.GoOn, NoWait: true})
			}
			return "", false
		}
		if end := s.resume(); end.State != loop.Done || end.Totals.Skipped != 0 {
			t.Errorf("end = %+v, want the answer of the person", end)
		}
	})
	bubble(t, "while a person is asked whether it is done", func(t *testing.T) {
		c := steer.NewControl()
		s := relayed(t, leaving(c), says("<promise>DONE</promise>"))
		relay := s.options
		s.options = func(o *app.Blueprint) { relay(o); o.Asking.Done = true }
		s.control = c
		time.AfterFunc(time.Hour, c.Leave)
		if end, err := s.start(); err != nil || end.State != loop.Parked {
			t.Fatalf("%+v, %v", end, err)
		}
		s.options, s.control = func(o *app.Blueprint) { o.Asking = engine.Asking{Done: true, Timeout: time.Minute} }, nil
		if end := s.resume(); end.State != loop.Done || s.ran != 1 {
			t.Errorf("end = %+v, %d agents ran", end, s.ran)
		}
	})
}
