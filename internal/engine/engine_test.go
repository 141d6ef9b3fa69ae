package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/stop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// play is what the scripted process of one attempt does. It may write to the
// folder, print, wait for ctx, and gives the exit status.
type play func(ctx context.Context, dir string, out io.Writer) int

// stage is a run with a scripted process in place of a real one.
type stage struct {
	t        *testing.T
	dir      string
	store    journal.Store
	settings stop.Settings
	plays    []play // one for each process, the last one again and again
	promise  string
	options  func(*app.Blueprint)
	control  *steer.Control

	mu      sync.Mutex
	stdout  proc.Sink // of the process that plays
	events  []loop.Event
	ran     int
	live    string     // a line that every process prints at its start
	argv    [][]string // of each process
	prompts []string
}

func newStage(t *testing.T, plays ...play) *stage {
	dir := t.TempDir()
	store := journal.Store{Dir: filepath.Join(dir, ".refrain"), Tree: dir}
	return &stage{t: t, dir: dir, store: store, plays: plays, promise: "DONE"}
}

func (s *stage) Observe(e loop.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// exec plays the next script instead of starting a process.
func (s *stage) exec(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
	s.mu.Lock()
	p := s.plays[min(s.ran, len(s.plays)-1)]
	s.ran++
	s.argv = append(s.argv, spec.Argv)
	if spec.Stdin != nil {
		text, _ := io.ReadAll(spec.Stdin)
		s.prompts = append(s.prompts, string(text))
	}
	s.mu.Unlock()
	spec.Started(4711, time.Now())
	if s.live != "" {
		spec.Stdout.Line([]byte(s.live), false)
		spec.Stdout.Pause()
	}
	s.stdout = spec.Stdout
	var out strings.Builder
	status := p(ctx, spec.Dir, &out)
	spec.Stdout.Raw.Write([]byte(out.String()))
	for line := range strings.Lines(out.String()) {
		spec.Stdout.Line([]byte(strings.TrimSuffix(line, "\n")), false)
	}
	spec.Stdout.Pause()
	if ctx.Err() != nil {
		return loop.Exit{Signal: "TERM", Cause: causeOf(ctx)}, nil
	}
	return loop.Exit{Code: &status, Cause: loop.Exited}, nil
}

// causeOf is the cause that the engine cancelled with.
func causeOf(ctx context.Context) loop.Cause {
	for _, c := range []loop.Cause{loop.OnBudget, loop.OnMaxTime, loop.OnRequest, loop.OnSkip, loop.OnRedline, loop.OnRetry} {
		if errors.Is(context.Cause(ctx), proc.End(c)) {
			return c
		}
	}
	return loop.OnRequest
}

func (s *stage) engine(run *journal.Run, past journal.Past, start loop.Payload) *engine.Driver {
	s.t.Helper()
	a, err := agent.New(agent.Options{Name: "command", Command: []string{"agent"}, Format: "rehearsal"})
	if err != nil {
		s.t.Fatal(err)
	}
	tree, err := git.Open(s.t.Context(), s.dir, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.settings.Done.Promise = s.promise != ""
	o := app.Blueprint{
		Run: engine.Options{
			Journal: run, Past: past, Dir: s.dir,
			Workers: []engine.Worker{{Name: "agent", Agent: a}},
			Terms: engine.Terms{
				Rules: stop.Rules(s.settings), Holds: s.settings.Limit,
				Limits: loop.Limits{
					Iterations: s.settings.Iterations, Time: loop.Millis(s.settings.Time), CostUSD: s.settings.CostUSD, Tokens: s.settings.Tokens,
				},
			},
			Observers: []engine.Observer{s}, Exec: s.exec, Control: s.control,
		},
		Start:  start,
		Prompt: &prompt.Builder{Source: prompt.Source{Text: "work"}},
		Claims: detect.ClaimSettings{Promise: s.promise, Failure: "BLOCKED"},
		Files:  tree, Progress: []loop.ProgressBy{loop.InFiles},
	}
	if s.options != nil {
		s.options(&o)
	}
	return o.Driver()
}

// run starts a new run and waits for its end.
func (s *stage) run(control *steer.Control) loop.RunFinished {
	s.t.Helper()
	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		s.t.Fatal(err)
	}
	defer run.Close()
	s.control = control
	end, err := s.engine(run, journal.Past{}, &loop.RunStarted{Name: run.Meta().Name}).Run(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return end
}

// resume goes on with build-1 and waits for its end.
func (s *stage) resume() loop.RunFinished {
	s.t.Helper()
	s.control = nil
	run, past, err := s.store.Resume("build-1")
	if err != nil {
		s.t.Fatal(err)
	}
	defer run.Close()
	end, err := s.engine(run, past, &loop.RunResumed{From: loop.Crashed}).Run(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return end
}

func (s *stage) results() []loop.Result {
	var list []loop.Result
	for _, e := range s.events {
		if f, ok := e.Payload.(*loop.IterationFinished); ok {
			list = append(list, f.Outcome.Result)
		}
	}
	return list
}

func (s *stage) has(t loop.Type) bool {
	return slices.ContainsFunc(s.events, func(e loop.Event) bool { return e.Type() == t })
}

const finalOK = `{"type":"agent.result","ok":true}` + "\n"

func says(text string) play {
	return func(_ context.Context, _ string, out io.Writer) int {
		fmt.Fprintf(out, `{"type":"agent.text","text":%q}`+"\n"+finalOK, text)
		return 0
	}
}

func writes(name string) play {
	return func(_ context.Context, dir string, out io.Writer) int {
		os.WriteFile(filepath.Join(dir, name), []byte(time.Now().String()), 0o600)
		io.WriteString(out, finalOK)
		return 0
	}
}

func fails(_ context.Context, _ string, out io.Writer) int {
	io.WriteString(out, `{"type":"agent.result","ok":false,"error":{"kind":"agent","message":"boom"}}`+"\n")
	return 1
}

func limited(in time.Duration) play {
	return func(_ context.Context, _ string, out io.Writer) int {
		fmt.Fprintf(out, `{"type":"agent.limit","limit":{"kind":"five_hour","until":%q}}`+"\n", time.Now().Add(in).UTC().Format(time.RFC3339))
		io.WriteString(out, `{"type":"agent.result","ok":false,"error":{"kind":"usage_limit"}}`+"\n")
		return 1
	}
}

func hangs(ctx context.Context, _ string, _ io.Writer) int {
	<-ctx.Done()
	return 0
}

// Inside a bubble hours cost nothing, and what should not wait shows that it
// did not.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func TestRunEnds(t *testing.T) {
	bubble(t, "at its limit, with no pause after the last iteration", func(t *testing.T) {
		s := newStage(t, says("hello"))
		s.settings = stop.Settings{Iterations: 3, Pace: stop.Pacing{Delay: time.Hour}}
		began := time.Now()
		end := s.run(nil)
		if end.State != loop.Exhausted || end.Reason != loop.ByIterations || end.Totals.Iterations != 3 {
			t.Errorf("end = %+v, want exhausted by 3 iterations", end)
		}
		if took := time.Since(began); took != 2*time.Hour {
			t.Errorf("three iterations an hour apart took %s, want 2h", took)
		}
	})
	bubble(t, "when the agent claims done", func(t *testing.T) {
		s := newStage(t, says("not yet"), says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Iterations: 5}
		if end := s.run(nil); end.State != loop.Done || end.Reason != loop.ByPromise || end.Proven || s.ran != 2 {
			t.Errorf("end = %+v after %d attempts, want done, claimed, after 2", end, s.ran)
		}
	})
	bubble(t, "after failures in a row, backing off between them", func(t *testing.T) {
		s := newStage(t, fails)
		s.settings = stop.Settings{Failures: 3, Pace: stop.Pacing{Backoff: time.Second, MaxBackoff: time.Minute}}
		began := time.Now()
		if end := s.run(nil); end.State != loop.Aborted || end.Reason != loop.ByFailures {
			t.Errorf("end = %+v, want aborted by failures", end)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("back-off of 1 s and 2 s took %s", took)
		}
	})
	bubble(t, "when nothing changes any more", func(t *testing.T) {
		s := newStage(t, writes("a"), writes("b"), says("thinking"))
		s.settings = stop.Settings{NoProgress: 2}
		if end := s.run(nil); end.Reason != loop.ByNoProgress || end.Totals.Iterations != 4 {
			t.Errorf("end = %+v, want no_progress after 2 with and 2 without", end)
		}
	})
	bubble(t, "at a stop pattern in the agent's text", func(t *testing.T) {
		s := newStage(t, says("fatal: disk on fire"))
		s.options = func(o *app.Blueprint) { o.Patterns = []*regexp.Regexp{regexp.MustCompile("disk .* fire")} }
		if end := s.run(nil); end.Reason != loop.ByPattern {
			t.Errorf("end = %+v, want pattern", end)
		}
	})
	bubble(t, "before the first iteration when its time is over", func(t *testing.T) {
		s := newStage(t, says("hello"))
		s.settings = stop.Settings{Failures: 1}
		s.options = func(o *app.Blueprint) {
			o.Run.Terms.Rules = append([]loop.Rule{func(loop.Facts) loop.Verdict {
				return loop.Verdict{Action: loop.Stop, State: loop.Exhausted, Reason: loop.ByTime}
			}}, o.Run.Terms.Rules...)
		}
		if end := s.run(nil); end.Reason != loop.ByTime || s.ran != 0 {
			t.Errorf("end = %+v after %d attempts, want none", end, s.ran)
		}
	})
}

func TestUsageLimitIsWaitedOutAndDoesNotCount(t *testing.T) {
	bubble(t, "five hours", func(t *testing.T) {
		s := newStage(t, limited(5*time.Hour), says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Iterations: 1, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour, Margin: time.Second}}
		began := time.Now()
		end := s.run(nil)
		if end.State != loop.Done || end.Totals.Iterations != 1 || end.Totals.Failed != 0 {
			t.Errorf("end = %+v, want done in one iteration", end)
		}
		if took := time.Since(began); took < 5*time.Hour {
			t.Errorf("waited %s, want five hours", took)
		}
		if got, want := s.results(), []loop.Result{loop.Limited, loop.OK}; !slices.Equal(got, want) {
			t.Errorf("results = %v, want %v", got, want)
		}
	})
}

func TestWishes(t *testing.T) {
	after := func(d time.Duration, c *steer.Control, a loop.StopRequest) {
		go func() {
			time.Sleep(d)
			c.Stop(a)
		}()
	}
	slow := func(p play) play {
		return func(ctx context.Context, dir string, out io.Writer) int {
			time.Sleep(time.Minute)
			return p(ctx, dir, out)
		}
	}
	bubble(t, "stop after this iteration lets the agent finish", func(t *testing.T) {
		s := newStage(t, slow(says("working")))
		c := steer.NewControl()
		after(time.Second, c, loop.StopRequest{Signal: "INT"})
		end := s.run(c)
		if end.State != loop.Stopped || end.Reason != loop.BySignal || end.Signal != "INT" || end.Totals.OK != 1 {
			t.Errorf("end = %+v, want stopped by INT after one good iteration", end)
		}
		if !s.has("command.received") {
			t.Error("the wish is not in the journal")
		}
	})
	bubble(t, "an iteration that finishes the work after a Ctrl+C is done", func(t *testing.T) {
		s := newStage(t, slow(says("<promise>DONE</promise>")))
		c := steer.NewControl()
		after(time.Second, c, loop.StopRequest{Signal: "INT"})
		if end := s.run(c); end.State != loop.Done {
			t.Errorf("end = %+v, want done", end)
		}
	})
	bubble(t, "stop now ends the agent, and the attempt does not count", func(t *testing.T) {
		s := newStage(t, hangs)
		c := steer.NewControl()
		after(time.Second, c, loop.StopRequest{Now: true, Signal: "TERM"})
		end := s.run(c)
		if end.State != loop.Stopped || end.Signal != "TERM" || end.Totals.Iterations != 0 {
			t.Errorf("end = %+v, want stopped by TERM, nothing counted", end)
		}
		if got := s.results(); !slices.Equal(got, []loop.Result{loop.Interrupted}) {
			t.Errorf("results = %v, want interrupted", got)
		}
	})
	bubble(t, "the first Ctrl+C cuts a wait short", func(t *testing.T) {
		s := newStage(t, limited(5*time.Hour))
		s.settings = stop.Settings{Limit: stop.ProviderPolicy{Wait: true}}
		c := steer.NewControl()
		after(time.Hour, c, loop.StopRequest{Signal: "INT"})
		began := time.Now()
		if end := s.run(c); end.State != loop.Stopped {
			t.Errorf("end = %+v, want stopped", end)
		}
		if took := time.Since(began); took != time.Hour {
			t.Errorf("it took %s to stop, want the hour until the Ctrl+C", took)
		}
	})
	bubble(t, "a done context stops at once", func(t *testing.T) {
		s := newStage(t, hangs)
		run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		end, err := s.engine(run, journal.Past{}, &loop.RunStarted{}).Run(ctx)
		if err != nil || end.State != loop.Stopped || end.Reason != loop.ByRequest {
			t.Errorf("end = %+v, %v, want stopped by request", end, err)
		}
	})
}

func TestLiveLimits(t *testing.T) {
	spends := func(ctx context.Context, _ string, out io.Writer) int {
		io.WriteString(out, `{"type":"agent.usage","usage":{"input":900,"output":200,"cost_usd":0.5}}`+"\n"+finalOK)
		return 0
	}
	bubble(t, "the agent is ended when the tokens are used up", func(t *testing.T) {
		s := newStage(t, spends)
		s.settings = stop.Settings{Tokens: 2000}
		end := s.run(nil)
		if end.State != loop.Exhausted || end.Reason != loop.ByTokens || end.Totals.Tokens != 2200 {
			t.Errorf("end = %+v, want exhausted by 2200 tokens", end)
		}
	})
	bubble(t, "the same for money", func(t *testing.T) {
		s := newStage(t, spends)
		s.settings = stop.Settings{CostUSD: 0.4}
		if end := s.run(nil); end.Reason != loop.ByCost {
			t.Errorf("end = %+v, want cost", end)
		}
	})
	bubble(t, "a pause is ended when the run's time is over", func(t *testing.T) {
		s := newStage(t, says("hello"))
		s.settings = stop.Settings{Time: 90 * time.Second, Pace: stop.Pacing{Delay: time.Hour}}
		began := time.Now()
		if end := s.run(nil); end.Reason != loop.ByTime {
			t.Errorf("end = %+v, want time", end)
		}
		if took := time.Since(began); took != 90*time.Second {
			t.Errorf("it took %s, want 90s", took)
		}
	})
	bubble(t, "the agent is ended when the run's time is over", func(t *testing.T) {
		s := newStage(t, hangs)
		s.settings = stop.Settings{Time: 8 * time.Hour}
		began := time.Now()
		if end := s.run(nil); end.State != loop.Exhausted || end.Reason != loop.ByTime {
			t.Errorf("end = %+v, want exhausted by time", end)
		}
		if took := time.Since(began); took != 8*time.Hour {
			t.Errorf("it took %s, want 8h", took)
		}
	})
}

// An observer never sees an event that the journal does not know.
func TestJournalComesFirst(t *testing.T) {
	s := newStage(t, says("<promise>DONE</promise>"))
	var missing []string
	s.options = func(o *app.Blueprint) {
		o.Run.Observers = append(o.Run.Observers, observe(func(e loop.Event) {
			if !e.Type().Kept() {
				return
			}
			for known, err := range s.store.Events("build-1", e.Seq-1) {
				if err == nil && known.Seq == e.Seq {
					return
				}
			}
			missing = append(missing, string(e.Type()))
		}))
	}
	s.run(nil)
	if len(missing) > 0 {
		t.Errorf("observers saw %v before the journal did", missing)
	}
}

type observe func(loop.Event)

func (f observe) Observe(e loop.Event) { f(e) }

// The state in every iteration.finished is the sum of the journal up to it, but for
// words that stand on lines of their own.
func TestStateInTheJournalIsItsSum(t *testing.T) {
	s := newStage(t, fails, writes("a"), says("say `<promise>DONE</promise>`"), says("<promise>DONE</promise>"))
	s.settings = stop.Settings{Iterations: 9}
	s.run(nil)
	var sum loop.State
	for e, err := range s.store.Events("build-1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		sum = sum.Sum(e)
		if f, ok := e.Payload.(*loop.IterationFinished); ok && fmt.Sprintf("%+v", f.State) != fmt.Sprintf("%+v", sum.Carried()) {
			t.Errorf("iteration %d carries %+v, the sum is %+v", e.Iter, f.State, sum)
		}
	}
}

// Finding 38: a keeper that was ended is no failure of the agent, which is tried
// again; and again and again it is one.
func TestALostKeeperIsNoFailureOfTheAgent(t *testing.T) {
	for _, tt := range []struct {
		lost, most int
		want       []loop.Result
		state      loop.Status
	}{
		{1, 0, []loop.Result{loop.Lost, loop.OK}, loop.Done},
		{engine.LostTooOften, 0, []loop.Result{loop.Lost, loop.Lost, loop.Failed}, loop.Aborted},
		{engine.LostTooOften, 5, []loop.Result{loop.Lost, loop.Lost, loop.Lost, loop.OK}, loop.Done},
		{5, 5, []loop.Result{loop.Lost, loop.Lost, loop.Lost, loop.Lost, loop.Failed}, loop.Aborted},
	} {
		s := newStage(t, says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Failures: 1}
		runs := 0
		s.options = func(o *app.Blueprint) {
			o.Run.MostLost = tt.most
			o.Run.Exec = func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
				if runs++; runs <= tt.lost {
					return loop.Exit{}, &proc.KeeperError{Program: "agent", How: "was killed"}
				}
				return s.exec(ctx, spec)
			}
		}
		end := s.run(nil)
		if got := s.results(); !slices.Equal(got, tt.want) || end.State != tt.state {
			t.Errorf("lost %d times of %d: %q, %s: %s; want %q, %s", tt.lost, tt.most, got, end.State, end.Why, tt.want, tt.state)
		}
	}
}

// Finding 42.
func TestPanicInTheRunnerStillWritesTheEnd(t *testing.T) {
	s := newStage(t, func(context.Context, string, io.Writer) int { panic("out of cheese") })
	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	end, err := s.engine(run, journal.Past{}, &loop.RunStarted{}).Run(t.Context())
	if err == nil || end.State != loop.CouldNotRun || end.Reason != loop.ByError {
		t.Errorf("end = %+v, %v, want failed with the panic as error", end, err)
	}
	if strings.Contains(end.Why, "\n") || !strings.Contains(end.Why, "out of cheese") || !strings.Contains(err.Error(), "engine_test.go") {
		t.Errorf("why = %q, error = %v; want one sentence, and where it was in the error", end.Why, err)
	}
	entry, err := s.store.Load("build-1")
	if err != nil || entry.Finished == nil || !strings.Contains(entry.Finished.Why, "out of cheese") {
		t.Errorf("the journal ends with %+v, %v", entry.Finished, err)
	}
}

// crash runs until the first event of a type is written and leaves the journal
// as a runner does that dies at that moment.
func (s *stage) crash(after loop.Type) {
	s.t.Helper()
	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.dieAfter(run, journal.Past{}, &loop.RunStarted{Name: "build-1"}, after)
}

func (s *stage) dieAfter(run *journal.Run, past journal.Past, start loop.Payload, after loop.Type) {
	s.t.Helper()
	path := filepath.Join(run.Dir(), "journal.jsonl")
	var kept []byte
	said := map[string]int64{} // how much of each transcript there was
	with := s.options
	s.options = func(o *app.Blueprint) {
		if with != nil {
			with(o)
		}
		o.Run.Observers = append(o.Run.Observers, observe(func(e loop.Event) {
			if e.Type() == after && kept == nil {
				kept, _ = os.ReadFile(path)
				for _, file := range s.transcripts(run) {
					if info, err := os.Stat(file); err == nil {
						said[file] = info.Size()
					}
				}
			}
		}))
	}
	if _, err := s.engine(run, past, start).Run(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	run.Close()
	s.options = with
	if err := os.WriteFile(path, kept, 0o600); err != nil {
		s.t.Fatal(err)
	}
	for _, file := range s.transcripts(run) {
		if err := os.Truncate(file, said[file]); err != nil {
			s.t.Fatal(err)
		}
	}
	s.events, s.ran = nil, 0
}

func (s *stage) transcripts(run *journal.Run) []string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(run.Dir(), "iterations", "*", "stdout"))
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

func TestResumeAfterACrash(t *testing.T) {
	done := says("<promise>DONE</promise>")
	t.Run("while the agent ran: the attempt is lost and made again", func(t *testing.T) {
		s := newStage(t, done)
		s.settings = stop.Settings{Iterations: 3}
		s.crash("agent.started")
		end := s.resume()
		if end.State != loop.Done || end.Totals.Iterations != 1 {
			t.Errorf("end = %+v, want done in one counted iteration", end)
		}
		if got, want := s.results(), []loop.Result{loop.Lost, loop.OK}; !slices.Equal(got, want) {
			t.Errorf("results = %v, want %v", got, want)
		}
	})
	t.Run("while the agent ended, after its last word: that is judged, and it is not run again", func(t *testing.T) {
		s := newStage(t, done)
		s.settings = stop.Settings{Iterations: 3}
		s.crash("agent.result")
		end := s.resume()
		if end.State != loop.Done || s.ran != 0 {
			t.Errorf("end = %+v after %d more attempts, want done after none", end, s.ran)
		}
		exits := slices.DeleteFunc(slices.Clone(s.events), func(e loop.Event) bool { return e.Type() != "agent.exited" })
		if len(exits) != 1 || !exits[0].Payload.(*loop.AgentExited).Exit.Zero() {
			t.Errorf("exits = %+v, want that the runner wrote one down", exits)
		}
	})
	t.Run("after the agent ended: its transcript is judged, and it is not run again", func(t *testing.T) {
		s := newStage(t, done)
		s.settings = stop.Settings{Iterations: 3}
		s.crash("agent.exited")
		end := s.resume()
		if end.State != loop.Done || s.ran != 0 {
			t.Errorf("end = %+v after %d more attempts, want done after none", end, s.ran)
		}
	})
	t.Run("after the agent ended: its progress is seen", func(t *testing.T) {
		s := newStage(t, writes("a"))
		s.settings = stop.Settings{Iterations: 1}
		s.crash("agent.exited")
		s.resume()
		last := s.events[slices.IndexFunc(s.events, func(e loop.Event) bool { return e.Type() == "iteration.finished" })]
		if o := last.Payload.(*loop.IterationFinished).Outcome; !o.MadeProgress() {
			t.Errorf("outcome = %+v, want progress", o)
		}
	})
	t.Run("a number lost three times is a failure", func(t *testing.T) {
		s := newStage(t, done)
		s.settings = stop.Settings{Iterations: 3}
		s.crash("agent.started")
		for range 2 {
			run, past, err := s.store.Resume("build-1")
			if err != nil {
				t.Fatal(err)
			}
			s.dieAfter(run, past, &loop.RunResumed{From: loop.Crashed}, "agent.started")
		}
		end := s.resume()
		if end.Totals.Failed != 1 || end.Totals.Iterations != 2 {
			t.Errorf("totals = %+v, want one failure and then done", end.Totals)
		}
	})
	bubble(t, "during a wait: what is left of it is waited for", func(t *testing.T) {
		s := newStage(t, limited(time.Hour), done)
		s.settings = stop.Settings{Iterations: 3, Limit: stop.ProviderPolicy{Wait: true}}
		c := steer.NewControl()
		go func() {
			time.Sleep(10 * time.Minute) // into the wait
			c.Stop(loop.StopRequest{Signal: "INT"})
		}()
		if end := s.run(c); end.State != loop.Stopped {
			t.Fatalf("end = %+v, want stopped in the wait", end)
		}
		began := time.Now()
		if end := s.resume(); end.State != loop.Done {
			t.Errorf("end = %+v, want done", end)
		}
		if took := time.Since(began); took < 49*time.Minute || took > 51*time.Minute {
			t.Errorf("the resume took %s, want the 50m that the limit still had", took)
		}
	})
	bubble(t, "during a pause of our own: nobody waits for it again", func(t *testing.T) {
		s := newStage(t, says("working"), done)
		s.settings = stop.Settings{Iterations: 3, Pace: stop.Pacing{Delay: time.Hour}}
		c := steer.NewControl()
		go func() {
			time.Sleep(10 * time.Minute)
			c.Stop(loop.StopRequest{Signal: "INT"})
		}()
		s.run(c)
		began := time.Now()
		if end := s.resume(); end.State != loop.Done {
			t.Errorf("end = %+v, want done", end)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the resume took %s, want none", took)
		}
	})
}

func TestDecided(t *testing.T) {
	stopped := loop.Verdict{Action: loop.Stop, State: loop.Done, Reason: loop.ByPromise}
	finished := &loop.Event{Payload: &loop.IterationFinished{Verdict: stopped}}
	event := func(p loop.Payload) loop.Event { return loop.Event{Payload: p} }
	tests := []struct {
		name string
		past journal.Past
		want bool
	}{
		{"nothing happened", journal.Past{}, false},
		{"the last verdict says stop", journal.Past{Last: finished}, true},
		{"a rule said stop before the first iteration", journal.Past{Tail: []loop.Event{event(&loop.RunRule{Verdict: stopped})}}, true},
		{"it was resumed after that", journal.Past{Last: finished, Tail: []loop.Event{event(&loop.RunResumed{})}}, false},
		{"the last verdict says go on", journal.Past{Last: &loop.Event{Payload: &loop.IterationFinished{}}}, false},
	}
	for _, tt := range tests {
		if _, got := engine.Decided(tt.past); got != tt.want {
			t.Errorf("%s: decided = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// What is long is cut in the attempt's events, but heard and shown in full.
func TestLongTextIsCutOnlyWhereItIsWrittenDown(t *testing.T) {
	long := strings.Repeat("ä", (64<<10)) + "\n<promise>DONE</promise>"
	s := newStage(t, says(long))
	if end := s.run(nil); end.State != loop.Done {
		t.Errorf("end = %+v, want the claim after a long text heard", end)
	}
	shown := slices.ContainsFunc(s.events, func(e loop.Event) bool {
		p, ok := e.Payload.(*loop.AgentText)
		return ok && p.Text == long
	})
	if !shown {
		t.Error("no observer saw the whole text")
	}
	dir, _, err := s.store.LastAttempt("build-1", 1)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range journal.AttemptEvents(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := e.Payload.(*loop.AgentText); ok && (!p.Cut || len(p.Text) > 64<<10) {
			t.Errorf("%d bytes of text are written down, cut: %v", len(p.Text), p.Cut)
		}
	}
}
