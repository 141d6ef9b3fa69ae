package engine_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/stop"
)

func TestAsking(t *testing.T) {
	begin := func(t *testing.T, a engine.Asking, plays ...play) (*stage, *director) {
		s := newStage(t, plays...)
		s.settings = stop.Settings{Iterations: 3}
		s.options = func(o *app.Blueprint) { o.Asking = a }
		s.cast(false, "claude")
		return s, &director{Control: steer.NewControl()}
	}
	run := func(s *stage, d *director) (loop.RunFinished, time.Duration) {
		began := time.Now()
		end := s.run(d.Control)
		took := time.Since(began)
		d.wg.Wait()
		return end, took
	}
	answered := func(s *stage) (list []string) {
		for _, e := range s.events {
			if p, ok := e.Payload.(*loop.RunAnswered); ok {
				list = append(list, p.Answer)
			}
		}
		return list
	}
	approve := func(text string) steer.Command { return steer.Command{Name: "approve", Text: text} }

	bubble(t, "each iteration waits for its answer", func(t *testing.T) {
		s, d := begin(t, engine.Asking{Always: true}, says("working"))
		s.cast(true, "claude")
		d.at(time.Hour, approve(""))
		d.at(2*time.Hour, approve("skip"))
		d.at(3*time.Hour, approve("dance"))
		d.at(4*time.Hour, approve("reboot"))
		end, took := run(s, d)
		if got := answered(s); !slices.Equal(got, []string{"continue", "skip", "reboot"}) || took != 4*time.Hour {
			t.Errorf("answers %v after %s", got, took)
		}
		if end.Totals.Iterations != 3 || end.Totals.Skipped != 1 || end.Totals.Reboots != 1 || s.ran != 2 {
			t.Errorf("end = %+v after %d agents", end, s.ran)
		}
		if d.answers[2].OK || !strings.Contains(d.answers[2].Effect, "dance") || d.answers[2].State != loop.Waiting {
			t.Errorf("a wrong answer: %+v", d.answers[2])
		}
	})
	bubble(t, "a fresh session is no answer where every one is fresh", func(t *testing.T) {
		s, d := begin(t, engine.Asking{Always: true, Timeout: 2 * time.Hour, Default: "reboot"}, says("working"))
		d.at(time.Hour, approve("reboot"))
		run(s, d)
		if got := answered(s); d.answers[0].OK || !slices.Equal(got, []string{"continue", "continue", "continue"}) {
			t.Errorf("answered %+v, and %v", d.answers[0], got)
		}
	})
	bubble(t, "stop ends the run before the iteration", func(t *testing.T) {
		s, d := begin(t, engine.Asking{Always: true}, says("working"))
		d.at(time.Minute, approve("stop"))
		if end, _ := run(s, d); end.State != loop.Stopped || end.Reason != loop.ByRequest || s.ran != 0 {
			t.Errorf("end = %+v after %d agents", end, s.ran)
		}
	})
	bubble(t, "nobody answers: the usual answer, in time", func(t *testing.T) {
		s, d := begin(t, engine.Asking{At: []int{2}, Timeout: time.Hour, Default: "stop"}, says("working"))
		end, took := run(s, d)
		if end.State != loop.Stopped || end.Totals.Iterations != 1 || took != time.Hour {
			t.Errorf("end = %+v after %s, want it to stop at the breakpoint after an hour", end, took)
		}
	})
	bubble(t, "a wish to stop is an answer", func(t *testing.T) {
		s, d := begin(t, engine.Asking{Always: true}, says("working"))
		d.at(time.Minute, steer.Command{Name: "stop"})
		if end, took := run(s, d); end.State != loop.Stopped || took != time.Minute {
			t.Errorf("end = %+v after %s", end, took)
		}
	})
	bubble(t, "after a failure only", func(t *testing.T) {
		s, d := begin(t, engine.Asking{OnFailure: true}, says("working"), fails, says("working"))
		d.at(time.Minute, approve(""))
		if run(s, d); len(answered(s)) != 1 || s.ran != 3 {
			t.Errorf("answers %v after %d agents", answered(s), s.ran)
		}
	})
	bubble(t, "before it is declared done", func(t *testing.T) {
		s, d := begin(t, engine.Asking{Done: true}, says("<promise>DONE</promise>"))
		d.at(time.Minute, approve("continue"))
		d.at(time.Hour, approve("")) // who only approves agrees that it is done
		if end, _ := run(s, d); end.State != loop.Done || end.Totals.Iterations != 2 {
			t.Errorf("end = %+v, want done at the second claim", end)
		}
	})
	bubble(t, "a changed prompt is what the agent gets", func(t *testing.T) {
		s, d := begin(t, engine.Asking{At: []int{1}}, says("working"))
		d.wg.Go(func() {
			time.Sleep(time.Minute)
			s.mu.Lock()
			file := s.events[len(s.events)-1].Payload.(*loop.RunAsked).Prompt
			s.mu.Unlock()
			if err := os.WriteFile(file, []byte("work harder"), 0o600); err != nil {
				t.Error(err)
			}
		})
		d.at(2*time.Minute, steer.Command{Name: "note", Text: "be quick"})
		d.at(time.Hour, approve(""))
		if run(s, d); !strings.HasPrefix(s.prompts[0], "work harder\n") || !strings.Contains(s.prompts[0], "be quick") || s.prompts[1] != "work" {
			t.Errorf("prompts %q", s.prompts)
		}
	})
	bubble(t, "an answer to no question is refused", func(t *testing.T) {
		s, d := begin(t, engine.Asking{}, lasting(time.Minute, says("working")))
		d.at(time.Second, approve(""))
		if run(s, d); d.answers[0].OK || d.answers[0].Effect != "nobody is asked anything" {
			t.Errorf("answer %+v", d.answers[0])
		}
	})
}
