package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/stop"
)

// A prompt that was shown to a person and not used is not what they wrote: the next
// agent is told what the prompt says then.
func TestADraftThatNobodyChangedIsForgotten(t *testing.T) {
	bubble(t, "stopped at the question, and resumed with another prompt", func(t *testing.T) {
		s := newStage(t, says("working"))
		s.settings = stop.Settings{Iterations: 1}
		text, asking := "the first prompt", engine.Asking{Always: true}
		s.options = func(o *app.Blueprint) {
			o.Asking, o.Prompt = asking, &prompt.Builder{Source: prompt.Source{Text: text}}
		}
		s.cast(false, "claude")
		d := &director{Control: steer.NewControl()}
		d.at(time.Minute, steer.Command{Name: "approve", Text: "stop"})
		s.run(d.Control)
		d.wg.Wait()
		text, asking = "the second prompt", engine.Asking{Always: true, Timeout: time.Minute, Default: "continue"}
		s.resume()
		if !slices.Equal(s.prompts, []string{"the second prompt"}) {
			t.Errorf("agents were told %q", s.prompts)
		}
	})
}

// What an agent said before it was lost with its keeper, it has said.
func TestAPatternHoldsThoughTheKeeperIsLost(t *testing.T) {
	bubble(t, "a stop pattern, and then no keeper", func(t *testing.T) {
		s := newStage(t, nil)
		s.settings = stop.Settings{Iterations: 9, Failures: 1}
		s.options = func(o *app.Blueprint) {
			o.Patterns = []*regexp.Regexp{regexp.MustCompile("disk on fire")}
			o.Run.Exec = func(_ context.Context, spec proc.Spec) (loop.Exit, error) {
				spec.Started(4711, time.Now())
				spec.Stdout.Line([]byte(`{"type":"agent.text","text":"disk on fire"}`), false)
				spec.Stdout.Pause()
				return loop.Exit{}, &proc.KeeperError{}
			}
		}
		if end := s.run(nil); end.Reason != loop.ByPattern {
			t.Errorf("the run ended by %s (%s), want the pattern", end.Reason, end.Why)
		}
	})
}

// A runner that dies before it has looked at the plan has nothing to compare it
// with: a task that vanished earlier does not vanish again.
func TestATaskVanishesOnce(t *testing.T) {
	s := newStage(t, does("a", "- [ ] one\n", "working"))
	s.settings.Iterations = 2
	file := filepath.Join(s.dir, "PLAN.md")
	if err := os.WriteFile(file, []byte("- [ ] one\n- [ ] two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.with(func(o *app.Blueprint) { o.Plan = files.Anywhere(file) })
	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	d := s.engine(run, journal.Past{}, &loop.RunStarted{Name: run.Meta().Name})
	d.Stepper = dying{d.Stepper}
	leg(t, d)
	run.Append(loop.Event{Time: time.Now().UTC(), Iter: 2, Attempt: 1, Payload: &loop.IterationStarted{Max: 2}})
	run.Close()
	s.resume()
	vanished := 0
	for _, e := range s.events {
		if f, ok := e.Payload.(*loop.IterationFinished); ok && f.Outcome.Plan != nil {
			vanished += f.Outcome.Plan.Lost
		}
	}
	if vanished != 1 {
		t.Errorf("%d tasks vanished, want one, once", vanished)
	}
}
