package engine_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

// lateTeller is an agent that tells only when it is gone what it has used.
type lateTeller struct {
	agent.Agent
	usage loop.Usage
}

func (a lateTeller) Decoder() agent.Decoder { return lateDecoder{a.Agent.Decoder(), a.usage} }

type lateDecoder struct {
	agent.Decoder
	usage loop.Usage
}

func (d lateDecoder) Close(exit loop.Exit) []loop.Payload {
	return append([]loop.Payload{&loop.AgentUsage{Usage: d.usage}}, d.Decoder.Close(exit)...)
}

// Usage that is told after the agent's end warns and counts. It ends no agent, for
// there is none: the attempt is what it was, and the rules end the run.
func TestUsageThatIsToldAfterTheEnd(t *testing.T) {
	for _, tt := range []struct {
		name     string
		usage    loop.Usage
		settings stop.Settings
		context  engine.Context
		reason   loop.Reason
		told     string
	}{
		{"all the money", loop.Usage{Input: 1, CostUSD: 2}, stop.Settings{Iterations: 9, CostUSD: 2}, engine.Context{}, loop.ByCost, "$2.00 of $2.00 are spent"},
		{"all the tokens", loop.Usage{Input: 100}, stop.Settings{Iterations: 9, Tokens: 100}, engine.Context{}, loop.ByTokens, "100 of 100 tokens are used"},
		{"nearly all of it", loop.Usage{Input: 1, CostUSD: 1.7}, stop.Settings{Iterations: 1, CostUSD: 2}, engine.Context{}, loop.ByIterations, "$1.70 of $2.00 are spent"},
		{"beyond the redline", loop.Usage{Input: 1, ContextPercent: 95}, stop.Settings{Iterations: 1}, engine.Context{Redline: 85, Kill: true}, loop.ByIterations, ""},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			s := newStage(t, says("working"))
			s.settings = tt.settings
			s.options = func(o *app.Blueprint) {
				o.Run.Workers[0].Agent, o.Run.Context = lateTeller{o.Run.Workers[0].Agent, tt.usage}, tt.context
			}
			end := s.run(nil)
			if end.Reason != tt.reason || end.Totals.Iterations != 1 || end.Totals.CostUSD != tt.usage.CostUSD || end.Totals.Tokens != tt.usage.Tokens() {
				t.Errorf("end = %+v, want it by %s after one iteration, with all that was used", end, tt.reason)
			}
			if got := s.results(); !slices.Equal(got, []loop.Result{loop.OK}) {
				t.Errorf("results = %v, want one that was not interrupted", got)
			}
			told := 0
			for _, e := range s.events {
				if w, ok := e.Payload.(*loop.Warning); ok && tt.told != "" && strings.Contains(w.Text, tt.told) {
					told++
				}
			}
			if tt.told != "" && told != 1 {
				t.Errorf("told %d times of %q, want once", told, tt.told)
			}
		})
	}
}

// A runner that goes on with other gates takes the baseline anew once it has
// settled what the one before left, and then does what the verdict says: it waits,
// or drops the session.
func TestABaselineThatIsTakenAnewBeforeAWaitOrAReboot(t *testing.T) {
	anew := func(s *stage) {
		before := s.options
		s.options = func(o *app.Blueprint) {
			before(o)
			o.Run.Rebaseline = true
		}
	}
	order := func(s *stage, types ...loop.Type) (list []loop.Type) {
		for _, e := range s.events {
			if slices.Contains(types, e.Type()) {
				list = append(list, e.Type())
			}
		}
		return list
	}
	for _, after := range []loop.Type{"agent.exited", "iteration.finished"} {
		bubble(t, "a wait, after "+string(after), func(t *testing.T) {
			s := newStage(t, limited(time.Hour), says("<promise>DONE</promise>")).judged(gateThat(passes))
			s.settings.Iterations, s.settings.Limit = 3, stop.ProviderPolicy{Wait: true}
			s.dieAt(after)
			anew(s)
			began := time.Now()
			if end := s.resume(); end.State != loop.Done || time.Since(began) < time.Hour-time.Second {
				t.Errorf("end = %+v after %s, want done after the limit", end, time.Since(began))
			}
			if got, want := order(s, "run.baseline", "run.waiting", "iteration.started"), []loop.Type{"run.baseline", "run.waiting", "iteration.started"}; !slices.Equal(got, want) {
				t.Errorf("events %v, want %v", got, want)
			}
		})
		bubble(t, "a reboot, after "+string(after), func(t *testing.T) {
			s := newStage(t, session("one", "a"), session("two", "b")).judged(gateThat(passes))
			s.cast(true, "claude")
			s.settings.Iterations, s.settings.Session = 2, stop.Sessions{Keep: true, MaxIterations: 1}
			s.dieAt(after)
			anew(s)
			s.resume()
			want := []loop.Type{"run.baseline", "run.reboot_finished", "iteration.started"}
			if got := order(s, want...); !slices.Equal(got, want) {
				t.Errorf("events %v, want %v", got, want)
			}
		})
	}
}

// dieAt begins a run whose runner is gone at the first event of a type: nothing
// after it is done, and no time passes.
func (s *stage) dieAt(t loop.Type) {
	s.t.Helper()
	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		s.t.Fatal(err)
	}
	d := s.engine(run, journal.Past{}, &loop.RunStarted{Name: run.Meta().Name})
	d.AddObserver(observe(func(e loop.Event) {
		if e.Type() == t {
			runtime.Goexit()
		}
	}))
	leg(s.t, d)
	run.Close()
	s.events = nil
}
