package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

// staged is an agent whose command is its name.
func staged(t *testing.T, name string) engine.Worker {
	a, err := agent.New(agent.Options{Name: "command", Command: []string{name}, Format: "rehearsal", ResumeFlag: "--resume", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Worker{Name: name, Agent: a}
}

// cast gives a stage several agents.
func (s *stage) cast(keep bool, names ...string) {
	before := s.options
	s.options = func(o *app.Blueprint) {
		if before != nil {
			before(o)
		}
		o.Run.Workers = nil
		for _, name := range names {
			o.Run.Workers = append(o.Run.Workers, staged(s.t, name))
		}
		switch start := o.Start.(type) {
		case *loop.RunStarted:
			start.Counting = loop.CountPolicy{Agents: names, Keep: keep}
		case *loop.RunResumed:
			start.Counting = loop.CountPolicy{Agents: names, Keep: keep}
		}
	}
}

// called is the first word of each command.
func (s *stage) called() string {
	var names []string
	for _, argv := range s.argv {
		names = append(names, argv[0])
	}
	return strings.Join(names, " ")
}

func erring(kind loop.ErrorKind) play {
	return func(_ context.Context, _ string, out io.Writer) int {
		fmt.Fprintf(out, `{"type":"agent.result","ok":false,"error":{"kind":%q,"message":"no"}}`+"\n", kind)
		return 1
	}
}

func lasting(d time.Duration, p play) play {
	return func(ctx context.Context, dir string, out io.Writer) int {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return p(ctx, dir, out)
	}
}

func TestAnotherAgentStandsIn(t *testing.T) {
	work := lasting(40*time.Minute, says("working"))
	bubble(t, "until the first one's window opens", func(t *testing.T) {
		s := newStage(t, limited(time.Hour), work, work, says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true, Margin: time.Second}}
		s.cast(false, "claude", "codex")
		end := s.run(nil)
		if got, want := s.called(), "claude codex codex claude"; got != want {
			t.Errorf("called %q, want %q", got, want)
		}
		if end.State != loop.Done || end.Totals.Iterations != 3 || end.Totals.Waits != 0 {
			t.Errorf("end = %+v, want done in 3 iterations without a wait", end)
		}
	})
	bubble(t, "when there is no money left", func(t *testing.T) {
		s := newStage(t, erring(loop.ErrBilling), says("working"), says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true}}
		s.cast(false, "claude", "codex")
		end := s.run(nil)
		if got, want := s.called(), "claude codex codex"; got != want || end.State != loop.Done || end.Totals.Failed != 0 {
			t.Errorf("called %q, end %+v, want %q and done with no failure", got, end, want)
		}
	})
}

func TestALimitIsOneWait(t *testing.T) {
	bubble(t, "whatever is added to its end", func(t *testing.T) {
		s := newStage(t, limited(time.Hour), says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Iterations: 1, Limit: stop.ProviderPolicy{Wait: true, Margin: 2*time.Second + 99*time.Nanosecond}}
		s.cast(false, "claude")
		if end := s.run(nil); end.Totals.Waits != 1 {
			t.Errorf("waits = %d, want 1", end.Totals.Waits)
		}
	})
}

func TestASignInThatExpiresInTheMiddleComesBack(t *testing.T) {
	bubble(t, "retried, told, and not counted", func(t *testing.T) {
		s := newStage(t, says("working"), erring(loop.ErrAuth), erring(loop.ErrAuth), says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Iterations: 2, Failures: 1, Limit: stop.ProviderPolicy{Wait: true}}
		s.cast(false, "claude")
		end := s.run(nil)
		if end.State != loop.Done || end.Totals.Iterations != 2 || end.Totals.Waits != 2 || end.Totals.Waited.Duration() != 90*time.Second {
			t.Errorf("end = %+v, want done in 2 iterations after waits of 30 s and 60 s", end)
		}
	})
}

func TestAnOutageOfAnHourDoesNotEndTheNight(t *testing.T) {
	bubble(t, "an hour", func(t *testing.T) {
		began := time.Now()
		s := newStage(t, func(ctx context.Context, dir string, out io.Writer) int {
			if time.Since(began) < time.Hour {
				return erring(loop.ErrOverloaded)(ctx, dir, out)
			}
			return says("<promise>DONE</promise>")(ctx, dir, out)
		})
		s.settings = stop.Settings{Iterations: 1, Failures: 3, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour, Backoff: time.Second}}
		s.cast(false, "claude")
		end := s.run(nil)
		if end.State != loop.Done || end.Totals.Iterations != 1 || s.ran > 20 {
			t.Errorf("end = %+v after %d tries, want done with few", end, s.ran)
		}
	})
}

// noticeBoard is what the runs of a test share.
type noticeBoard struct {
	mu    sync.Mutex
	notes []loop.ProviderHold
	woken []time.Time
}

func (b *noticeBoard) Noted(now time.Time) ([]loop.ProviderHold, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.notes), nil
}

func (b *noticeBoard) Note(a loop.ProviderHold) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	a.By, a.Tries = "another run", 1
	b.notes = append(b.notes, a)
	return nil
}

func (b *noticeBoard) Passed(string, time.Time) error { return nil }

func (b *noticeBoard) Wake(_ string, at, _ time.Time) (time.Time, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for slices.ContainsFunc(b.woken, at.Equal) {
		at = at.Add(2 * time.Second)
	}
	b.woken = append(b.woken, at)
	return at, nil
}

func TestTwoRunsShareOneLimit(t *testing.T) {
	bubble(t, "the second learns of it without a request", func(t *testing.T) {
		board := &noticeBoard{}
		one := newStage(t, limited(time.Hour), says("<promise>DONE</promise>"))
		two := newStage(t, says("<promise>DONE</promise>"))
		for _, s := range []*stage{one, two} {
			s.settings = stop.Settings{Iterations: 1, Limit: stop.ProviderPolicy{Wait: true, Margin: time.Second}}
			s.options = func(o *app.Blueprint) { o.Run.Shared = board }
			s.cast(false, "claude")
		}
		began := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { one.run(nil) })
		time.Sleep(time.Minute)
		wg.Go(func() { two.run(nil) })
		time.Sleep(time.Minute)
		synctest.Wait()
		two.mu.Lock()
		asked, waits := two.ran, two.has("run.waiting")
		two.mu.Unlock()
		if asked != 0 || !waits {
			t.Errorf("the second run asked %d times, want it to wait", asked)
		}
		wg.Wait()
		if got := two.results(); !slices.Equal(got, []loop.Result{loop.OK}) || time.Since(began) < time.Hour {
			t.Errorf("results of the second = %v after %s, want one good one after the hour", got, time.Since(began))
		}
		if len(board.woken) != 2 || board.woken[0].Equal(board.woken[1]) {
			t.Errorf("they wake at %v, want different times", board.woken)
		}
	})
}

// speaks reports a session and how full it is.
func speaks(session string, percent int, p play) play {
	return func(ctx context.Context, dir string, out io.Writer) int {
		fmt.Fprintf(out, `{"type":"agent.session","session":%q}`+"\n", session)
		if percent > 0 {
			fmt.Fprintf(out, `{"type":"agent.usage","usage":{"input":10,"context_percent":%d}}`+"\n", percent)
		}
		return p(ctx, dir, out)
	}
}

func (s *stage) resumed() string {
	var list []string
	for _, argv := range s.argv {
		if i := slices.Index(argv, "--resume"); i >= 0 {
			list = append(list, argv[i+1])
		} else {
			list = append(list, "-")
		}
	}
	return strings.Join(list, " ")
}

// tries says one thing at once, and then nothing until it is ended.
func (s *stage) tries(line string) play {
	return func(ctx context.Context, dir string, out io.Writer) int {
		s.stdout.Line([]byte(line), false)
		s.stdout.Pause()
		return hangs(ctx, dir, out)
	}
}

// An agent that only tries again is ended, the attempt does not count, and another
// agent works while the limit lasts.
func TestAnAgentThatOnlyTriesAgain(t *testing.T) {
	bubble(t, "gives way to another while its limit lasts", func(t *testing.T) {
		s := newStage(t)
		s.plays = []play{s.tries(`{"type":"agent.retry","try":4,"most":10,"after_ms":300000,"error":{"kind":"usage_limit","message":"429"}}`), says("<promise>DONE</promise>")}
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true}}
		s.options = func(o *app.Blueprint) { o.Run.Times.Patience = 2 * time.Minute }
		s.cast(false, "claude", "codex")
		began := time.Now()
		end := s.run(nil)
		if got := s.results(); !slices.Equal(got, []loop.Result{loop.Limited, loop.OK}) || end.Totals.Iterations != 1 {
			t.Errorf("results = %v, %d iterations, want one that is limited and does not count", got, end.Totals.Iterations)
		}
		first := s.finished()[0].Outcome
		if first.Exit.Cause != loop.OnRetry || first.Error == nil || first.Error.Message != "it kept trying again (limits.patience): 429" || time.Since(began) > time.Second {
			t.Errorf("first = %+v, %+v after %s, want it ended at once for its tries", first.Exit, first.Error, time.Since(began))
		}
		if second := s.finished()[1].Outcome; second.Agent != "codex" {
			t.Errorf("%s worked meanwhile, want codex", second.Agent)
		}
	})
	bubble(t, "for no reason that it tells is taken as a server that is not there", func(t *testing.T) {
		s := newStage(t)
		s.plays = []play{s.tries(`{"type":"agent.retry"}`), says("<promise>DONE</promise>")}
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true}}
		s.options = func(o *app.Blueprint) { o.Run.Times.Patience = time.Minute }
		if end := s.run(nil); end.State != loop.Done || !slices.Equal(s.results(), []loop.Result{loop.Unavailable, loop.OK}) {
			t.Errorf("results = %v, end = %+v", s.results(), end)
		}
	})
}

// notes prints a line at once, writes others into a file below its home folder, and
// then nothing until it is ended.
func (s *stage) notes(home, line, name string, notes ...string) play {
	return func(ctx context.Context, dir string, out io.Writer) int {
		s.stdout.Raw.Write([]byte(line + "\n"))
		s.stdout.Line([]byte(line), false)
		s.stdout.Pause()
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			s.t.Error(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(notes, "\n")+"\n"), 0o600); err != nil {
			s.t.Error(err)
		}
		return hangs(ctx, dir, out)
	}
}

// An agent that says nothing of a limit, but writes it into a file of its own, is
// heard all the same.
func TestALimitInADiary(t *testing.T) {
	const (
		hello = `{"type":"system","subtype":"init","session_id":"s-1","model":"m"}`
		wait  = "2026-11-18T14:47:37.161Z [WARN] [RETRY] Attempt 1 failed with status 429. Retrying after explicit delay of 7200000ms... {"
	)
	limited := func(t *testing.T) *stage {
		s, home := newStage(t), t.TempDir()
		s.plays = []play{s.notes(home, hello, ".qwen/debug/s-1.txt", "[INFO] x", wait), says("<promise>DONE</promise>")}
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour}}
		qwen, err := agent.New(agent.Options{Name: "qwen", Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		s.cast(false, "qwen", "other")
		cast := s.options
		s.options = func(o *app.Blueprint) {
			cast(o)
			o.Run.Workers[0].Agent = qwen
			o.Run.Times.Patience, o.Run.Env = 2*time.Minute, []string{"HOME=" + home}
		}
		return s
	}
	bubble(t, "is met while the agent works", func(t *testing.T) {
		s := limited(t)
		began := time.Now()
		if end := s.run(nil); end.State != loop.Done || !slices.Equal(s.results(), []loop.Result{loop.Limited, loop.OK}) {
			t.Errorf("results = %v, end = %+v", s.results(), end)
		}
		first := s.finished()[0].Outcome
		if first.Limit == nil || first.Limit.Until.Sub(began) < 2*time.Hour || first.Limit.Until.Sub(began) > 2*time.Hour+5*time.Second {
			t.Errorf("limit = %+v, want one of two hours", first.Limit)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %s to hear of it", took)
		}
		if second := s.finished()[1].Outcome; second.Agent != "other" {
			t.Errorf("%s worked meanwhile, want other", second.Agent)
		}
	})
	bubble(t, "is found again by the next runner", func(t *testing.T) {
		s := limited(t)
		s.crash("agent.exited")
		s.plays = s.plays[1:]
		if end := s.resume(); end.State != loop.Done || !slices.Equal(s.results(), []loop.Result{loop.Limited, loop.OK}) {
			t.Errorf("results = %v, end = %+v", s.results(), end)
		}
	})
}

// One that writes there before it says its first word is told the name of its session.
func TestALimitInADiaryBeforeTheFirstWord(t *testing.T) {
	bubble(t, "is met while the agent works", func(t *testing.T) {
		s, home := newStage(t), t.TempDir()
		retry := `{"params":{"update":{"sessionUpdate":"retry_state","type":"retrying","attempt":1,"max_retries":3,` +
			`"reason":"API error (status 429 Too Many Requests): usage_limit_reached: no more","error_type":"rate_limited"}}}`
		writes := func(ctx context.Context, dir string, out io.Writer) int {
			argv := s.argv[len(s.argv)-1]
			session := argv[slices.Index(argv, "--session-id")+1]
			return s.notes(home, "a warning", ".grok/sessions/x/"+session+"/updates.jsonl", retry)(ctx, dir, out)
		}
		s.plays = []play{writes, says("<promise>DONE</promise>")}
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour}}
		grok, err := agent.New(agent.Options{Name: "grok", Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		s.cast(false, "grok", "other")
		cast := s.options
		s.options = func(o *app.Blueprint) {
			cast(o)
			o.Run.Workers[0].Agent = grok
			o.Run.Times.Patience, o.Run.Env = 2*time.Minute, []string{"HOME=" + home}
		}
		began := time.Now()
		if end := s.run(nil); end.State != loop.Done || !slices.Equal(s.results(), []loop.Result{loop.Limited, loop.OK}) {
			t.Errorf("results = %v, end = %+v", s.results(), end)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %s to hear of it", took)
		}
	})
}

// Another model than the agent has named is told once a run.
func TestAnotherModelIsToldOnce(t *testing.T) {
	bubble(t, "whoever runs it", func(t *testing.T) {
		s := newStage(t, func(_ context.Context, _ string, out io.Writer) int {
			fmt.Fprintln(out, `{"type":"agent.session","model":"big"}`)
			fmt.Fprintln(out, `{"type":"agent.session","model":"small"}`)
			fmt.Fprintln(out, `{"type":"agent.result","ok":true}`)
			return 0
		})
		s.settings = stop.Settings{Iterations: 3}
		s.run(nil)
		var got []string
		for _, e := range s.events {
			if w, ok := e.Payload.(*loop.Warning); ok {
				got = append(got, w.Text)
			}
		}
		if len(got) != 1 || got[0] != "the model small answers, and not big" {
			t.Errorf("warnings = %q, want one", got)
		}
	})
}

// codex tells its tokens at its end, and before that in a file: the budget ends it in
// the middle of an iteration that has no end.
func TestABudgetInADiary(t *testing.T) {
	bubble(t, "ends the agent", func(t *testing.T) {
		s, home := newStage(t), t.TempDir()
		s.plays = []play{s.notes(
			home, `{"type":"thread.started","thread_id":"t-1"}`, ".codex/sessions/2026/11/18/rollout-2026-11-18T14-00-00-t-1.jsonl",
			`{"type":"token_usage_record","payload":{"thread_token_usage":{"input_tokens":900,"output_tokens":50}}}`,
			`{"type":"token_usage_record","payload":{"thread_token_usage":{"input_tokens":1900,"output_tokens":110}}}`,
		)}
		s.settings = stop.Settings{Iterations: 9, Tokens: 2000}
		codex, err := agent.New(agent.Options{Name: "codex", Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		s.options = func(o *app.Blueprint) {
			o.Run.Workers[0].Agent = codex
			o.Run.Env = []string{"HOME=" + home}
		}
		began := time.Now()
		end := s.run(nil)
		if end.Reason != loop.ByTokens || end.Totals.Tokens != 2010 || time.Since(began) > 10*time.Second {
			t.Errorf("end = %+v after %s, want the budget to end it at once", end, time.Since(began))
		}
	})
}

func TestAKeptSession(t *testing.T) {
	bubble(t, "goes on until the redline, and hands over", func(t *testing.T) {
		s := newStage(t, speaks("one", 40, says("half of it")), speaks("one", 90, says("more of it")), speaks("two", 10, says("<promise>DONE</promise>")))
		s.settings = stop.Settings{Iterations: 9, Session: stop.Sessions{Keep: true, Redline: 85, MinIterations: 1}}
		s.options = func(o *app.Blueprint) { o.Handoff = 4000 }
		s.cast(true, "claude")
		end := s.run(nil)
		if got, want := s.resumed(), "- one -"; got != want {
			t.Errorf("sessions %q, want %q", got, want)
		}
		if end.State != loop.Done || end.Totals.Reboots != 1 || !s.has("run.reboot_started") || !s.has("run.reboot_finished") {
			t.Errorf("end = %+v, want done after one reboot", end)
		}
		if !strings.Contains(s.prompts[2], "more of it") || strings.Contains(s.prompts[1], "Where the work stands") {
			t.Errorf("only the fresh session gets a handoff:\n%s\n%s", s.prompts[1], s.prompts[2])
		}
	})
	bubble(t, "of unknown fullness is kept", func(t *testing.T) {
		s := newStage(t, speaks("one", 0, says("working")))
		s.settings = stop.Settings{Iterations: 4, Session: stop.Sessions{Keep: true, Redline: 85}}
		s.cast(true, "claude")
		if s.run(nil); s.resumed() != "- one one one" {
			t.Errorf("sessions %q", s.resumed())
		}
	})
	bubble(t, "in which the agent failed is given up, after the back-off", func(t *testing.T) {
		s := newStage(t, speaks("one", 10, says("working")), fails, speaks("two", 10, says("<promise>DONE</promise>")))
		s.settings = stop.Settings{Iterations: 4, Session: stop.Sessions{Keep: true, Redline: 85}, Pace: stop.Pacing{Backoff: time.Second, MaxBackoff: time.Minute}}
		s.cast(true, "claude")
		began := time.Now()
		if s.run(nil); s.resumed() != "- one -" || time.Since(began) != time.Second {
			t.Errorf("sessions %q in %s, want a fresh one after a second", s.resumed(), time.Since(began))
		}
	})
	bubble(t, "survives a runner that dies", func(t *testing.T) {
		s := newStage(t, speaks("one", 10, says("working")), func(context.Context, string, io.Writer) int { panic(errDies) })
		s.settings = stop.Settings{Iterations: 9, Session: stop.Sessions{Keep: true, Redline: 85}}
		s.cast(true, "claude")
		s.dies()
		s.plays = []play{speaks("one", 10, says("<promise>DONE</promise>"))}
		s.argv = nil
		if s.resume(); s.resumed() != "one" {
			t.Errorf("sessions after the resume %q, want the old one", s.resumed())
		}
	})
	bubble(t, "is cut off at the redline when that is asked for", func(t *testing.T) {
		s := newStage(t, speaks("one", 90, lasting(time.Hour, says("<promise>DONE</promise>"))), speaks("two", 10, says("<promise>DONE</promise>")))
		s.settings = stop.Settings{Iterations: 9, Session: stop.Sessions{Keep: true, Redline: 85, MinIterations: 1}}
		s.options = func(o *app.Blueprint) { o.Run.Context = engine.Context{Redline: 85, Kill: true} }
		s.cast(true, "claude")
		end := s.run(nil)
		first := s.finished()[0].Outcome
		if first.Exit.Cause != loop.OnRedline || first.Result != loop.OK || end.Totals.Reboots != 1 || end.Totals.Iterations != 2 {
			t.Errorf("first = %+v, end = %+v, want it unfinished, and then a fresh session", first, end)
		}
	})
}

var errDies = errors.New("the runner dies")

// dies runs until a play panics, and leaves everything as a killed runner would:
// the journal has no end.
func (s *stage) dies() {
	s.t.Helper()
	s.options = func(before func(*app.Blueprint)) func(*app.Blueprint) {
		return func(o *app.Blueprint) {
			before(o)
			o.Run.Observers = append(o.Run.Observers, observe(func(e loop.Event) {
				if _, ok := e.Payload.(*loop.RunRule); ok {
					panic(errDies) // in the runner's own end: nothing is written after it
				}
			}))
		}
	}(s.options)
	before := s.options
	defer func() {
		if p := recover(); p == nil {
			s.t.Fatal("the runner did not die")
		}
		s.options = func(o *app.Blueprint) {
			before(o)
			o.Run.Observers = o.Run.Observers[:1]
		}
	}()
	s.run(nil)
}

func (s *stage) finished() []*loop.IterationFinished {
	var list []*loop.IterationFinished
	for _, e := range s.events {
		if f, ok := e.Payload.(*loop.IterationFinished); ok {
			list = append(list, f)
		}
	}
	return list
}

func (s *stage) warnings(key string) (n int) {
	for _, e := range s.events {
		if w, ok := e.Payload.(*loop.Warning); ok && w.Key == key {
			n++
		}
	}
	return n
}

func TestABudgetThatIsNearlyUsedUpIsToldOnce(t *testing.T) {
	bubble(t, "at 80 percent", func(t *testing.T) {
		s := newStage(t, func(_ context.Context, _ string, out io.Writer) int {
			io.WriteString(out, `{"type":"agent.usage","usage":{"input":100,"cost_usd":0.1}}`+"\n"+finalOK)
			return 0
		})
		s.settings = stop.Settings{CostUSD: 1}
		end := s.run(nil)
		if end.Reason != loop.ByCost || s.warnings("budget.cost") != 1 {
			t.Errorf("end = %+v with %d warnings, want one", end, s.warnings("budget.cost"))
		}
		at := slices.IndexFunc(s.events, func(e loop.Event) bool { w, ok := e.Payload.(*loop.Warning); return ok && w.Key == "budget.cost" })
		if got := s.events[at].Iter; got != 8 {
			t.Errorf("told in iteration %d, want 8", got)
		}
	})
}

func TestAStandInThatIsSignedOutEndsNothing(t *testing.T) {
	bubble(t, "the first one comes back after three hours", func(t *testing.T) {
		began := time.Now()
		s := newStage(t, limited(3*time.Hour), erring(loop.ErrAuth), says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour, Margin: time.Second}}
		s.cast(false, "claude", "codex")
		end := s.run(nil)
		if got, want := s.called(), "claude codex claude"; got != want || end.State != loop.Done || time.Since(began) < 3*time.Hour {
			t.Errorf("called %q in %s, end %+v, want %q and done", got, time.Since(began), end, want)
		}
	})
	bubble(t, "with nobody left it ends at once", func(t *testing.T) {
		began := time.Now()
		s := newStage(t, erring(loop.ErrBilling), erring(loop.ErrAuth))
		s.settings = stop.Settings{Iterations: 9, Limit: stop.ProviderPolicy{Wait: true}}
		s.cast(false, "claude", "codex")
		if end := s.run(nil); end.State != loop.CouldNotRun || time.Since(began) > time.Second {
			t.Errorf("end = %+v after %s", end, time.Since(began))
		}
	})
}

func TestWhatOthersNotedEndsNothing(t *testing.T) {
	away := func(in time.Duration) *noticeBoard {
		return &noticeBoard{notes: []loop.ProviderHold{{
			Agent: "claude", Kind: loop.ErrUsageLimit, By: "another run", At: time.Now(), Tries: 1,
			Limit: &loop.Limit{Kind: "weekly", Until: time.Now().Add(in)},
		}}}
	}
	for name, h := range map[string]stop.ProviderPolicy{
		"a limit beyond max_wait is tried":    {Wait: true, MaxWait: time.Hour},
		"and any where nothing is waited for": {},
	} {
		bubble(t, name, func(t *testing.T) {
			s := newStage(t, says("<promise>DONE</promise>"))
			s.settings = stop.Settings{Iterations: 1, Limit: h}
			s.options = func(o *app.Blueprint) { o.Run.Shared = away(5 * time.Hour) }
			s.cast(false, "claude")
			began := time.Now()
			if end := s.run(nil); end.State != loop.Done || time.Since(began) > 0 {
				t.Errorf("end = %+v after %s, want it tried at once", end, time.Since(began))
			}
		})
	}
	bubble(t, "one that is taken back frees who waits", func(t *testing.T) {
		board := away(5 * time.Hour)
		s := newStage(t, says("<promise>DONE</promise>"))
		s.settings = stop.Settings{Iterations: 1, Limit: stop.ProviderPolicy{Wait: true}}
		s.options = func(o *app.Blueprint) { o.Run.Shared = board }
		s.cast(false, "claude")
		go func() {
			time.Sleep(time.Hour)
			board.mu.Lock()
			board.notes = nil
			board.mu.Unlock()
		}()
		began := time.Now()
		if end := s.run(nil); end.State != loop.Done || time.Since(began) > 61*time.Minute {
			t.Errorf("end = %+v after %s, want about an hour", end, time.Since(began))
		}
	})
}

func TestASessionThatWasToBeGivenUpWhenTheRunnerDied(t *testing.T) {
	bubble(t, "is given up by the next one", func(t *testing.T) {
		s := newStage(t, speaks("one", 90, says("working")))
		s.settings = stop.Settings{Iterations: 9, Session: stop.Sessions{Keep: true, Redline: 85, MinIterations: 1}}
		s.options = func(o *app.Blueprint) {
			o.Run.Observers = append(o.Run.Observers, observe(func(e loop.Event) {
				if _, ok := e.Payload.(*loop.RunRebootStarted); ok {
					panic(errDies)
				}
			}))
		}
		s.cast(true, "claude")
		s.dies()
		s.plays, s.argv = []play{speaks("two", 10, says("<promise>DONE</promise>"))}, nil
		if s.resume(); s.resumed() != "-" {
			t.Errorf("sessions after the resume %q, want a fresh one", s.resumed())
		}
	})
}
