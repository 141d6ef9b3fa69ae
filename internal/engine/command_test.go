package engine_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/stop"
)

// director gives commands at set times and keeps what came of them.
type director struct {
	*steer.Control
	wg      sync.WaitGroup
	mu      sync.Mutex
	answers []steer.Answer
	took    []time.Duration
}

func (d *director) at(after time.Duration, c steer.Command) {
	d.wg.Go(func() {
		time.Sleep(after)
		began := time.Now()
		a, err := d.Do(context.Background(), c)
		if err != nil {
			a.Effect = err.Error()
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.answers = append(d.answers, a)
		d.took = append(d.took, time.Since(began))
	})
}

func TestCommands(t *testing.T) {
	minute := lasting(time.Minute, says("working"))
	begin := func(t *testing.T, plays ...play) (*stage, *director) {
		s := newStage(t, plays...)
		s.settings = stop.Settings{Iterations: 3, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 9 * time.Hour}}
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
	types := func(s *stage) (list []string) {
		for _, e := range s.events {
			if e.Type().Kept() && !strings.HasPrefix(string(e.Type()), "agent.") && e.Type() != "iteration.phase" {
				list = append(list, string(e.Type()))
			}
		}
		return list
	}

	bubble(t, "pause holds before the next iteration, and resume goes on", func(t *testing.T) {
		s, d := begin(t, minute)
		d.at(10*time.Second, steer.Command{Name: "pause"})
		d.at(20*time.Second, steer.Command{Name: "pause"})
		d.at(2*time.Hour, steer.Command{Name: "resume"})
		d.at(2*time.Hour+time.Second, steer.Command{Name: "resume"})
		end, took := run(s, d)
		if end.Totals.Iterations != 3 || took != 2*time.Hour+2*time.Minute {
			t.Errorf("end = %+v after %s, want three iterations and a pause of nearly two hours", end, took)
		}
		refused := slices.IndexFunc(d.answers, func(a steer.Answer) bool { return !a.OK })
		if len(d.answers) != 4 || d.answers[refused].Effect != "the run pauses after this iteration already" || d.answers[3].OK {
			t.Errorf("answers = %+v, want the second pause and the second resume refused", d.answers)
		}
		if !slices.Contains(types(s), "run.paused") || !slices.Contains(types(s), "run.unpaused") {
			t.Errorf("events = %v", types(s))
		}
	})
	bubble(t, "pause answers when it has taken effect", func(t *testing.T) {
		s, d := begin(t, minute)
		d.at(10*time.Second, steer.Command{Name: "pause"})
		d.at(time.Hour, steer.Command{Name: "stop"})
		end, _ := run(s, d)
		if end.State != loop.Stopped || d.took[0] != 50*time.Second || !d.answers[0].OK || d.answers[0].State != loop.Paused {
			t.Errorf("end = %+v, pause answered %+v after %s", end, d.answers[0], d.took[0])
		}
	})
	bubble(t, "skip ends the agent, and the iteration is skipped", func(t *testing.T) {
		s, d := begin(t, hangs, says("<promise>DONE</promise>"))
		d.at(time.Minute, steer.Command{Name: "skip"})
		end, took := run(s, d)
		if got := s.results(); !slices.Equal(got, []loop.Result{loop.Skipped, loop.OK}) || end.State != loop.Done || took >= 2*time.Minute {
			t.Errorf("results = %v, end = %+v after %s", got, end, took)
		}
	})
	bubble(t, "skip is refused when nothing runs", func(t *testing.T) {
		s, d := begin(t, limited(time.Hour), says("<promise>DONE</promise>"))
		d.at(time.Minute, steer.Command{Name: "skip"})
		if run(s, d); d.answers[0].OK || !strings.Contains(d.answers[0].Effect, "no agent is running") || d.answers[0].State != loop.Waiting {
			t.Errorf("answer = %+v, want it refused", d.answers[0])
		}
	})
	bubble(t, "resume cuts a wait short", func(t *testing.T) {
		s, d := begin(t, limited(5*time.Hour), says("<promise>DONE</promise>"))
		d.at(time.Hour, steer.Command{Name: "resume"})
		if end, took := run(s, d); end.State != loop.Done || took != time.Hour || !d.answers[0].OK {
			t.Errorf("end = %+v after %s, answer %+v, want done after the hour", end, took, d.answers[0])
		}
	})
	bubble(t, "a wait that was cut short too early begins again", func(t *testing.T) {
		began := time.Now()
		s, d := begin(t, func(ctx context.Context, dir string, out io.Writer) int {
			if left := 5*time.Hour - time.Since(began); left > 0 {
				return limited(left)(ctx, dir, out)
			}
			return says("<promise>DONE</promise>")(ctx, dir, out)
		})
		d.at(time.Hour, steer.Command{Name: "resume"})
		if end, took := run(s, d); end.State != loop.Done || took < 5*time.Hour || s.ran != 3 {
			t.Errorf("end = %+v after %s and %d attempts", end, took, s.ran)
		}
	})
	bubble(t, "a note is in the next prompt, and only there", func(t *testing.T) {
		s, d := begin(t, minute)
		d.at(10*time.Second, steer.Command{Name: "note", Text: "use tabs"})
		run(s, d)
		if strings.Contains(s.prompts[0], "use tabs") || !strings.Contains(s.prompts[1], "use tabs") || strings.Contains(s.prompts[2], "use tabs") {
			t.Errorf("prompts = %q", s.prompts)
		}
	})
	bubble(t, "a reboot is refused where every session is fresh", func(t *testing.T) {
		s, d := begin(t, minute)
		d.at(10*time.Second, steer.Command{Name: "reboot"})
		if end, _ := run(s, d); end.Totals.Reboots != 0 || d.answers[0].OK || !strings.Contains(d.answers[0].Effect, "fresh session already") {
			t.Errorf("end = %+v, answer %+v", end, d.answers[0])
		}
	})
	bubble(t, "a forced reboot is counted, also before there is a session to end", func(t *testing.T) {
		s, d := begin(t, minute)
		s.cast(true, "claude")
		d.at(10*time.Second, steer.Command{Name: "reboot"})
		if end, _ := run(s, d); end.Totals.Reboots != 1 || !d.answers[0].OK || d.took[0] != 50*time.Second {
			t.Errorf("end = %+v, answer %+v after %s", end, d.answers[0], d.took[0])
		}
	})
	bubble(t, "raise changes a limit of the live run", func(t *testing.T) {
		s, d := begin(t, minute)
		s.settings.Iterations = 1
		before := s.options
		s.options = func(o *app.Blueprint) {
			before(o)
			o.Run.Raise = func(key, value string) (engine.Terms, error) {
				if key != "loop.max_iterations" {
					return engine.Terms{}, errors.New("no such limit")
				}
				settings := s.settings
				settings.Iterations = 4
				return engine.Terms{Rules: stop.Rules(settings), Limits: loop.Limits{Iterations: 4}}, nil
			}
		}
		d.at(10*time.Second, steer.Command{Name: "raise", Key: "loop.max_iterations", Value: "4"})
		d.at(20*time.Second, steer.Command{Name: "raise", Key: "agent", Value: "codex"})
		end, _ := run(s, d)
		if end.Totals.Iterations != 4 || !d.answers[0].OK || d.answers[1].OK {
			t.Errorf("end = %+v, answers %+v", end, d.answers)
		}
		if last := s.finished()[3].State.Limits.Iterations; last != 4 {
			t.Errorf("the journal says a limit of %d, want 4", last)
		}
	})
	bubble(t, "a command to a run that has ended is refused", func(t *testing.T) {
		s, d := begin(t, says("<promise>DONE</promise>"))
		d.at(time.Minute, steer.Command{Name: "pause"})
		if run(s, d); d.answers[0].OK || d.answers[0].Effect != "the run has ended" {
			t.Errorf("answer = %+v", d.answers[0])
		}
	})
	bubble(t, "one that waits for its effect is answered at the end", func(t *testing.T) {
		s, d := begin(t, lasting(time.Minute, says("<promise>DONE</promise>")))
		d.at(time.Second, steer.Command{Name: "pause"})
		if run(s, d); d.answers[0].OK || d.answers[0].Effect != "the run ended first" || d.answers[0].State != loop.Done {
			t.Errorf("answer = %+v", d.answers[0])
		}
	})
	bubble(t, "an unknown one is refused", func(t *testing.T) {
		s, d := begin(t, minute)
		d.at(time.Second, steer.Command{Name: "dance"})
		if run(s, d); d.answers[0].OK || !strings.Contains(d.answers[0].Effect, "dance") {
			t.Errorf("answer = %+v", d.answers[0])
		}
	})
}

func TestCommandsWhileItWaits(t *testing.T) {
	begin := func(t *testing.T, keep bool, plays ...play) (*stage, *director) {
		s := newStage(t, plays...)
		s.settings = stop.Settings{Iterations: 3, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 9 * time.Hour}, Session: stop.Sessions{Keep: keep, Redline: 99}}
		s.cast(keep, "claude")
		return s, &director{Control: steer.NewControl()}
	}
	bubble(t, "pause takes effect at once", func(t *testing.T) {
		s, d := begin(t, false, limited(5*time.Hour), says("<promise>DONE</promise>"))
		d.at(time.Hour, steer.Command{Name: "pause"})
		d.at(2*time.Hour, steer.Command{Name: "resume"})
		end := s.run(d.Control)
		d.wg.Wait()
		if end.State != loop.Done || d.took[0] != 0 || d.answers[0].State != loop.Paused || end.Totals.Waited.Duration() > 4*time.Hour+time.Minute {
			t.Errorf("end = %+v, pause answered %+v after %s", end, d.answers[0], d.took[0])
		}
	})
	bubble(t, "so does a reboot", func(t *testing.T) {
		s, d := begin(t, true, speaks("one", 10, says("working")), speaks("one", 10, limited(5*time.Hour)), speaks("two", 10, says("<promise>DONE</promise>")))
		d.at(time.Hour, steer.Command{Name: "reboot"})
		s.run(d.Control)
		d.wg.Wait()
		if s.resumed() != "- one -" || d.took[0] != 0 || !d.answers[0].OK {
			t.Errorf("sessions %q, answered %+v after %s", s.resumed(), d.answers[0], d.took[0])
		}
	})
	bubble(t, "a pause that is taken back is answered", func(t *testing.T) {
		s, d := begin(t, false, lasting(time.Hour, says("<promise>DONE</promise>")))
		d.at(time.Minute, steer.Command{Name: "pause"})
		d.at(2*time.Minute, steer.Command{Name: "resume"})
		s.run(d.Control)
		d.wg.Wait()
		if !slices.ContainsFunc(d.answers, func(a steer.Answer) bool { return !a.OK && a.Effect == "taken back by resume" }) {
			t.Errorf("answers %+v after %v", d.answers, d.took)
		}
	})
	bubble(t, "a note outlives an iteration that is skipped", func(t *testing.T) {
		s, d := begin(t, false, hangs, says("working"))
		d.at(time.Second, steer.Command{Name: "note", Text: "use tabs"})
		d.at(time.Minute, steer.Command{Name: "skip"})
		s.run(d.Control)
		d.wg.Wait()
		if !strings.Contains(s.prompts[1], "use tabs") || strings.Contains(s.prompts[2], "use tabs") {
			t.Errorf("prompts %q", s.prompts)
		}
	})
	bubble(t, "what comes from the run itself is refused, and written down", func(t *testing.T) {
		s, d := begin(t, false, lasting(time.Minute, says("working")))
		for _, name := range []string{"raise", "note", "skip", "resume", "approve", "reboot"} {
			d.at(time.Second, steer.Command{Name: name, Text: "x", Inside: true})
		}
		s.run(d.Control)
		d.wg.Wait()
		for _, a := range d.answers {
			if a.OK || !strings.Contains(a.Effect, "from a process of the run itself") {
				t.Errorf("answer %+v", a)
			}
		}
		refused := 0
		for _, e := range s.events {
			if p, ok := e.Payload.(*loop.CommandReceived); ok && p.Refused {
				refused++
			}
		}
		if refused != 6 {
			t.Errorf("%d refusals are in the journal, want 6", refused)
		}
	})
	bubble(t, "a limit that is lowered below what is used ends the agent", func(t *testing.T) {
		s, d := begin(t, false, nil)
		s.plays = []play{func(ctx context.Context, dir string, out io.Writer) int { return hangs(ctx, dir, out) }}
		before := s.options
		s.options = func(o *app.Blueprint) {
			before(o)
			o.Run.Raise = func(string, string) (engine.Terms, error) {
				return engine.Terms{Rules: stop.Rules(stop.Settings{Tokens: 1}), Limits: loop.Limits{Tokens: 1}}, nil
			}
		}
		s.live = `{"type":"agent.usage","usage":{"input":50}}`
		d.at(time.Minute, steer.Command{Name: "raise", Key: "budget.tokens", Value: "1"})
		end := s.run(d.Control)
		d.wg.Wait()
		if end.State != loop.Exhausted || end.Reason != loop.ByTokens {
			t.Errorf("end = %+v, want the tokens used up", end)
		}
	})
}

func TestTimeThatIsLimitedMeanwhile(t *testing.T) {
	bubble(t, "ends the agent soon after it is over", func(t *testing.T) {
		s := newStage(t, hangs)
		s.options = func(o *app.Blueprint) {
			o.Run.Raise = func(string, string) (engine.Terms, error) {
				return engine.Terms{Rules: stop.Rules(stop.Settings{Time: 10 * time.Minute}), Limits: loop.Limits{Time: loop.Millis(10 * time.Minute)}}, nil
			}
		}
		s.cast(false, "claude")
		d := &director{Control: steer.NewControl()}
		d.at(time.Minute, steer.Command{Name: "raise", Key: "loop.max_time", Value: "10m"})
		began := time.Now()
		end := s.run(d.Control)
		d.wg.Wait()
		if took := time.Since(began); end.Reason != loop.ByTime || took > 11*time.Minute {
			t.Errorf("end = %+v after %s, want it over after ten minutes", end, took)
		}
	})
}

func TestAPauseInsteadOfAnAnswer(t *testing.T) {
	bubble(t, "holds when the answer comes", func(t *testing.T) {
		s := newStage(t, says("working"))
		s.settings = stop.Settings{Iterations: 1}
		s.options = func(o *app.Blueprint) { o.Asking = engine.Asking{Always: true} }
		s.cast(false, "claude")
		d := &director{Control: steer.NewControl()}
		d.at(time.Minute, steer.Command{Name: "pause"})
		d.at(2*time.Minute, steer.Command{Name: "approve"})
		d.at(time.Hour, steer.Command{Name: "resume"})
		began := time.Now()
		s.run(d.Control)
		d.wg.Wait()
		if took := time.Since(began); took != time.Hour {
			t.Errorf("it took %s, want the hour of the pause", took)
		}
	})
}

func TestAKeptSessionOutlivesOthersTrouble(t *testing.T) {
	bubble(t, "a failure before it, and a limit in it", func(t *testing.T) {
		s := newStage(t, fails, speaks("two", 10, limited(time.Hour)), speaks("two", 10, says("<promise>DONE</promise>")))
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true}, Session: stop.Sessions{Keep: true, Redline: 85}}
		s.cast(true, "claude")
		if s.run(nil); s.resumed() != "- - two" {
			t.Errorf("sessions %q, want the one that met the limit to go on", s.resumed())
		}
	})
}
