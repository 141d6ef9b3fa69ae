package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/parts"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/stop"
)

// dying makes one step, and then its runner is gone: nothing after the step is
// done, and nothing is written.
type dying struct{ engine.Stepper }

func (d dying) Step(ctx context.Context, s loop.State) (loop.State, loop.Verdict, error) {
	return d.after(d.Stepper.Step(ctx, s))
}

func (d dying) Skip(ctx context.Context, s loop.State) (loop.State, loop.Verdict, error) {
	return d.after(d.Stepper.Skip(ctx, s))
}

func (dying) after(s loop.State, v loop.Verdict, err error) (loop.State, loop.Verdict, error) {
	if v.Action != loop.Stop {
		runtime.Goexit()
	}
	return s, v, err
}

// leg lets a driver run until its end, or until its runner dies.
func leg(t *testing.T, d *engine.Driver) (end loop.RunFinished) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		var err error
		if end, err = d.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	<-done
	return end
}

// What the next step needs is in the state, or in the run's folder: a run whose
// engine is thrown away after every step, and made anew from the folder, comes to
// the same journal, event for event, and every agent is told the same.
func TestAnEngineThatIsThrownAwayAfterEveryStep(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shows string // what there is to see of that, in the journal or in a prompt
		plays []play
		set   func(*stage)
	}{
		{
			"gates, a plan and feedback", "gate test failed",
			[]play{does("a", "- [x] one\n- [ ] two\n", "working"), does("b", "- [x] one\n", "working"), does("c", "- [x] one\n- [x] two\n", "<promise>DONE</promise>")},
			func(s *stage) {
				s.judged(gateThat(refuses, refuses, refuses, passes))
				s.with(func(o *app.Blueprint) { o.Plan = files.Anywhere(filepath.Join(s.dir, "PLAN.md")) })
			},
		},
		{
			"a plan that is away for a while, and comes back with less", `"lost":1`,
			[]play{drops("PLAN.md"), does("b", "- [x] one\n", "<promise>DONE</promise>"), does("c", "- [x] one\n- [x] two\n", "<promise>DONE</promise>")},
			func(s *stage) {
				s.with(func(o *app.Blueprint) { o.Plan = files.Anywhere(filepath.Join(s.dir, "PLAN.md")) })
			},
		},
		{
			"sessions that are kept, and a fresh one", "run.reboot_finished",
			[]play{session("one", "a"), session("one", "b"), session("one", "c"), session("two", "d")},
			func(s *stage) {
				s.settings.Iterations, s.settings.Session = 4, stop.Sessions{Keep: true, MaxIterations: 3}
				s.cast(true, "claude")
				s.with(func(o *app.Blueprint) { o.Handoff = 4000 })
			},
		},
		{
			"an agent that fails, and one that takes over", `"agent":"codex"`,
			[]play{erring(loop.ErrUsageLimit), says("working"), erring(loop.ErrAgent), says("<promise>DONE</promise>")},
			func(s *stage) {
				s.settings.Limit = stop.ProviderPolicy{Wait: true, MaxWait: 9 * time.Hour, Backoff: 5 * time.Hour}
				s.cast(false, "claude", "codex")
			},
		},
		{
			"hooks and commits", "commit.made",
			[]play{does("a", "", "working"), does("b", "", "working"), does("c", "", "<promise>DONE</promise>")},
			func(s *stage) {
				s.hook(t, "post_iteration", `echo "post $REFRAIN_ITERATION $REFRAIN_LAST_RESULT" >>"$HOOKLOG"`)
				s.hook(t, "next_iteration", `echo "next $REFRAIN_ITERATION $REFRAIN_LAST_RESULT $REFRAIN_LAST_EXIT_CODE" >>"$HOOKLOG"`)
				s.with(func(o *app.Blueprint) {
					o.Commits = parts.CommitSettings{Enabled: true, Template: "iteration {iteration}", Procedure: "build"}
				})
			},
		},
		{
			"a protected file that is changed", "protected",
			[]play{does("pin", "", "working"), does("b", "", "working"), does("c", "", "<promise>DONE</promise>")},
			func(s *stage) {
				s.with(func(o *app.Blueprint) {
					o.Guarded.Protected = []string{"pin"}
					o.Guarded.Protect, _ = glob.Parse(o.Guarded.Protected)
				})
			},
		},
		{
			"a pinned file that is changed, and a claim on top of it", "pinned files were changed (pin)",
			[]play{does("pin", "", "working"), does("b", "", "<promise>DONE</promise>"), puts("pin", "as it was", "<promise>DONE</promise>")},
			func(s *stage) {
				s.judged(gateThat(refuses, passes))
				s.with(func(o *app.Blueprint) { o.Judge.Gates[0].Pin = []string{"pin"} })
			},
		},
		{
			"a pinned file that git ignores", "pinned files were changed (ignored)",
			[]play{does("ignored", "", "working"), does("b", "", "<promise>DONE</promise>"), puts("ignored", "as it was", "<promise>DONE</promise>")},
			func(s *stage) {
				s.judged(gateThat(refuses, passes))
				s.with(func(o *app.Blueprint) { o.Judge.Gates[0].Pin = []string{"ignored"} })
			},
		},
		{
			"a question before each iteration, and nobody changes the prompt", `run.answered {"answer":"continue"`,
			[]play{does("a", "", "working"), does("b", "", "working"), says("<promise>DONE</promise>")},
			func(s *stage) { s.asked(engine.Asking{Always: true, Default: engine.GoOn}, nil) },
		},
		{
			"a question before each iteration, and a person changes the prompt of the second", "work harder",
			[]play{does("a", "", "working"), does("b", "", "working"), says("<promise>DONE</promise>")},
			func(s *stage) {
				s.asked(engine.Asking{Always: true, Default: engine.GoOn}, map[string]string{"attended: run iteration 2?": "work harder"})
			},
		},
		{
			"a question after which an iteration is skipped, and its changed prompt forgotten", `run.answered {"answer":"skip"`,
			[]play{session("one", "a"), session("one", "b"), session("two", "c"), says("<promise>DONE</promise>")},
			func(s *stage) {
				s.cast(true, "claude")
				s.settings.Session = stop.Sessions{Keep: true}
				s.asked(engine.Asking{At: []int{2}, Default: engine.Skip}, map[string]string{"breakpoint at iteration 2: run iteration 2?": "not this"})
			},
		},
		{
			"a question before it is done", `run.answered {"answer":"done"`,
			[]play{does("a", "", "working"), does("b", "", "working"), says("<promise>DONE</promise>")},
			func(s *stage) { s.asked(engine.Asking{Done: true, OnFailure: true}, nil) },
		},
		{
			"a stop script", `"scripts":["DIR/stop.sh"]`,
			[]play{does("a", "", "working"), does("b", "", "working"), does("c", "", "working")},
			func(s *stage) {
				s.script(t, "stop.sh", `test "$REFRAIN_ITERATION" = 3`)
				s.with(func(o *app.Blueprint) {
					o.Scripts = []parts.Script{{Named: files.Anywhere(filepath.Join(s.dir, "stop.sh"))}}
				})
			},
		},
		{
			"a hook that skips an iteration", "next 3 skipped",
			[]play{does("a", "", "working"), does("b", "", "working"), says("<promise>DONE</promise>")},
			func(s *stage) {
				s.hook(t, "next_iteration", `echo "next $REFRAIN_ITERATION $REFRAIN_LAST_RESULT" >>"$HOOKLOG"; test "$REFRAIN_ITERATION" != 2`)
			},
		},
		{
			"notes from a person, while agents work", "be tidy",
			[]play{does("a", "", "working"), does("b", "", "working"), does("c", "", "working"), says("<promise>DONE</promise>")},
			func(s *stage) {
				s.plays[0], s.plays[1] = s.noting("be quick", s.plays[0]), s.noting("be tidy", s.plays[1])
			},
		},
		{
			"a provider that turns the only agent away, twice", `run.waiting {"agent":"claude"`,
			[]play{does("a", "", "working"), erring(loop.ErrUsageLimit), erring(loop.ErrUsageLimit), does("b", "", "working"), says("<promise>DONE</promise>")},
			func(s *stage) {
				s.settings.Limit = stop.ProviderPolicy{Wait: true, MaxWait: 90 * time.Hour, Backoff: 5 * time.Hour}
				s.cast(false, "claude")
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			whole, prompts := record(t, tt.set, tt.plays, false)
			cut, again := record(t, tt.set, tt.plays, true)
			if diff := cmp.Diff(whole, cut); diff != "" {
				t.Errorf("the journal is another (- whole, + thrown away):\n%s", diff)
			}
			if diff := cmp.Diff(prompts, again); diff != "" {
				t.Errorf("agents were told something else (- whole, + thrown away):\n%s", diff)
			}
			if all := strings.Join(append(whole, prompts...), "\n"); !strings.Contains(all, tt.shows) {
				t.Errorf("there is nothing of %q in it:\n%s", tt.shows, all)
			}
			if n := len(slices.DeleteFunc(slices.Clone(whole), func(line string) bool { return !strings.Contains(line, "iteration.finished") })); n < 2 {
				t.Errorf("only %d steps: that shows nothing", n)
			}
		})
	}
}

// record plays a run, in one piece or with a new engine for every step, and gives
// its journal and what its agents were told.
func record(t *testing.T, set func(*stage), plays []play, throwAway bool) (events, prompts []string) {
	t.Helper()
	s := newStage(t, slices.Clone(plays)...)
	s.settings.Iterations = 6
	t.Setenv("HOOKLOG", filepath.Join(t.TempDir(), "log"))
	clock := &quick{}
	gitIn(t, s.dir, "init", "-q")
	for name, text := range map[string]string{"pin": "as it was", ".gitignore": ".refrain\nignored\n", "ignored": "as it was", "PLAN.md": "- [ ] one\n- [ ] two\n"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set(s)
	s.with(func(o *app.Blueprint) {
		o.Run.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		o.Run.Exec, o.Run.Clock = s.agentOr(proc.Run), clock
		o.Hooks.Set, _ = hook.Find(s.dir, nil, true)
		store, err := checkpoint.OpenStore(t.Context(), o.Files, filepath.Join(o.Run.Journal.Dir(), "checkpoints"), "")
		if err != nil {
			t.Fatal(err)
		}
		o.Store = store
	})
	gitIn(t, s.dir, "add", "-A")
	gitIn(t, s.dir, "-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "first")
	gitIn(t, s.dir, "config", "user.name", "u")
	gitIn(t, s.dir, "config", "user.email", "u@example.com")

	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	past, start := journal.Past{}, loop.Payload(&loop.RunStarted{Name: run.Meta().Name})
	for legs := 0; ; legs++ {
		s.control = steer.NewControl()
		d := s.engine(run, past, start)
		if throwAway {
			d.Stepper = dying{d.Stepper}
		}
		end := leg(t, d)
		run.Close()
		if end.State != "" {
			break
		}
		if legs > 20 {
			t.Fatal("it does not come to an end")
		}
		if run, past, err = s.store.Resume("build-1"); err != nil {
			t.Fatal(err)
		}
		start = &loop.RunResumed{From: loop.Crashed}
	}
	if log, err := os.ReadFile(os.Getenv("HOOKLOG")); err == nil {
		events = append(events, "hooks:\n"+string(log))
	}
	return append(events, s.journal()...), s.prompts
}

// journal is the events of build-1 without what differs from run to run: times,
// names of commits, what a new runner must say, which is that it goes on, how it
// found the tree, and warnings once more, and pauses, which it leaves out.
func (s *stage) journal() (list []string) {
	warned := map[string]bool{}
	for ev, err := range s.store.Events("build-1", 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		switch p := ev.Payload.(type) {
		case *loop.RunResumed:
			continue
		case *loop.RunWaiting:
			if p.Agent == "" { // a pause of our own, for which nobody waits again
				continue
			}
		case *loop.CheckpointMade:
			if p.Base {
				continue
			}
		case *loop.Warning:
			if warned[p.Text] {
				continue
			}
			warned[p.Text] = true
		}
		line, err := json.Marshal(ev.Payload)
		if err != nil {
			s.t.Fatal(err)
		}
		text := strings.ReplaceAll(timeless(s.t, line), s.dir, "DIR")
		list = append(list, fmt.Sprintf("%d/%d %s %s", ev.Iter, ev.Attempt, ev.Type(), text))
	}
	return list
}

// timeless is a JSON object without what differs from run to run.
func timeless(t *testing.T, object []byte) string {
	var v any
	if err := json.Unmarshal(object, &v); err != nil {
		t.Fatal(err)
	}
	differs := []string{"at", "started_at", "ended_at", "started", "since", "until", "pid", "dir", "commit", "checkpoint", "base", "first", "here", "kept", "durations", "elapsed_ms"}
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, one := range v {
				if slices.Contains(differs, key) || strings.HasSuffix(key, "_ms") {
					delete(v, key)
					continue
				}
				strip(one)
			}
		case []any:
			for _, one := range v {
				strip(one)
			}
		}
	}
	strip(v)
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// with changes the blueprint after what changes it already.
func (s *stage) with(change func(*app.Blueprint)) {
	before := s.options
	s.options = func(o *app.Blueprint) {
		if before != nil {
			before(o)
		}
		change(o)
	}
}

// agentOr plays the scripted agent, and runs everything else for real.
func (s *stage) agentOr(real engine.Exec) engine.Exec {
	return func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
		if slices.Contains([]string{"agent", "claude", "codex"}, spec.Argv[0]) {
			return s.exec(ctx, spec)
		}
		return real(ctx, spec)
	}
}

// hook writes a hook of the user's.
func (s *stage) hook(t *testing.T, name, script string) {
	t.Helper()
	s.script(t, filepath.Join(hook.Folder, name), script)
}

// script writes a script of the user's into the work tree.
func (s *stage) script(t *testing.T, name, script string) {
	t.Helper()
	file := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// asked has a person asked, who gives no answer in time, but has changed the prompt
// by then, question by question.
func (s *stage) asked(a engine.Asking, edits map[string]string) {
	a.Timeout = time.Minute
	s.with(func(o *app.Blueprint) {
		o.Asking = a
		o.Run.Observers = append(o.Run.Observers, observe(func(e loop.Event) {
			p, ok := e.Payload.(*loop.RunAsked)
			if !ok || edits[p.Question] == "" {
				return
			}
			if err := os.WriteFile(p.Prompt, []byte(edits[p.Question]), 0o600); err != nil {
				s.t.Error(err)
			}
		}))
	})
}

// quick is a clock on which sleeping takes no time.
type quick struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (q *quick) Now() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return time.Now().Add(q.ahead)
}

func (q *quick) AfterFunc(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

func (q *quick) Sleep(d time.Duration, _ <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ahead += d
}

// does writes a file and the plan, and says something.
func does(file, plan, text string) play {
	return func(_ context.Context, dir string, out io.Writer) int {
		os.WriteFile(filepath.Join(dir, file), []byte("by the agent"), 0o600)
		if plan != "" {
			os.WriteFile(filepath.Join(dir, "PLAN.md"), []byte(plan), 0o600)
		}
		return says(text)(context.Background(), dir, out)
	}
}

// puts writes a file, and says something.
func puts(file, content, text string) play {
	return func(ctx context.Context, dir string, out io.Writer) int {
		os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600)
		return says(text)(ctx, dir, out)
	}
}

// noting is a play during which a person leaves a note.
func (s *stage) noting(text string, p play) play {
	return func(ctx context.Context, dir string, out io.Writer) int {
		if a, err := s.control.Do(ctx, steer.Command{Name: "note", Text: text}); err != nil || !a.OK {
			s.t.Errorf("the note: %+v, %v", a, err)
		}
		return p(ctx, dir, out)
	}
}

// drops removes a file.
func drops(file string) play {
	return func(ctx context.Context, dir string, out io.Writer) int {
		os.Remove(filepath.Join(dir, file))
		return says("working")(ctx, dir, out)
	}
}

// session does something in a session.
func session(id, file string) play {
	return func(ctx context.Context, dir string, out io.Writer) int {
		fmt.Fprintf(out, `{"type":"agent.session","session":%q}`+"\n", id)
		return does(file, "", "working")(ctx, dir, out)
	}
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}
