//go:build unix

package parts

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/stop"
)

// scene is a run with a hook, in a repository, that has taken note of both.
type scene struct {
	dir     string
	git     *Git
	hooks   *Hooks
	commits *Commits
	told    []string // what was warned of
	ran     []string // the hooks that ran
}

func (s *scene) Observe(ev loop.Event) {
	switch p := ev.Payload.(type) {
	case *loop.Warning:
		s.told = append(s.told, p.Text)
	case *loop.HookFinished:
		s.ran = append(s.ran, p.Point)
	}
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{dir: t.TempDir()}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(s.dir, hook.Folder), 0o700))
	for _, name := range []string{"started", "post_iteration", "failed"} {
		must(os.WriteFile(filepath.Join(s.dir, hook.Folder, name), []byte("#!/bin/sh\n"), 0o700))
	}
	must(exec.Command("git", "init", "-q", s.dir).Run())
	store := journal.Store{Dir: filepath.Join(s.dir, ".refrain"), Tree: s.dir}
	run, err := store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	must(err)
	t.Cleanup(func() { run.Close() })
	files, err := git.Open(t.Context(), s.dir, nil)
	must(err)

	kit := engine.NewKit(engine.Options{
		Journal: run, Dir: s.dir, Workers: []engine.Worker{{Name: "agent"}}, Observers: []engine.Observer{s},
		Terms: engine.Terms{Rules: stop.Rules(stop.Settings{})},
	})
	guards := &Guards{Kit: kit, Files: files}
	tree := &Tree{Kit: kit, Files: files}
	s.git = &Git{Kit: kit, Files: files, Guards: guards}
	s.commits = &Commits{Kit: kit, Files: files, Tree: tree, Git: s.git, Guards: guards}
	s.hooks = &Hooks{Kit: kit, Guards: guards, Tree: tree, Start: &loop.RunStarted{Name: run.Meta().Name}}
	if s.hooks.Set, _ = hook.Find(s.dir, nil, true); !s.hooks.Set.Has(hook.Started) {
		t.Fatal("the hook was not found")
	}
	for _, open := range []func(context.Context) error{guards.Load, s.git.Note, guards.Note} {
		must(open(t.Context()))
	}
	return s
}

// Finding 37: an error of a check is never told as what it found. Who stops the run
// in the middle of a look accuses nobody.
func TestALookThatWasCutShortAccusesNobody(t *testing.T) {
	cut, cancel := context.WithCancelCause(t.Context())
	cancel(proc.End(loop.OnRequest))

	t.Run("hooks, and the run is to end", func(t *testing.T) {
		s := newScene(t)
		s.hooks.Desk.Stop(loop.StopRequest{Now: true})
		if r := s.hooks.call(cut, nil, hook.Started, s.hooks.Start, nil, nil); r.Ran || len(s.told) > 0 {
			t.Errorf("ran: %v, told: %q, want neither", r.Ran, s.told)
		}
	})
	t.Run("hooks that were changed", func(t *testing.T) {
		s := newScene(t)
		if err := os.WriteFile(filepath.Join(s.dir, hook.Folder, "started"), []byte("#!/bin/sh\nevil\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		r := s.hooks.call(t.Context(), nil, hook.Started, s.hooks.Start, nil, nil)
		if r.Ran || !strings.Contains(strings.Join(s.told, "\n"), "they were changed since the run began") {
			t.Errorf("ran: %v, told: %q", r.Ran, s.told)
		}
	})
	t.Run("git, and the run is to end", func(t *testing.T) {
		s := newScene(t)
		same, isCut := s.git.putBack(cut)
		if same || !isCut || len(s.told) > 0 {
			t.Errorf("same: %v, cut: %v, told: %q", same, isCut, s.told)
		}
		why, isCut := s.commits.whyNot(cut)
		if why != nil || !isCut {
			t.Errorf("whyNot = %+v, cut: %v", why, isCut)
		}
		if changed, isCut := s.git.changedRuns(cut); changed != nil || !isCut {
			t.Errorf("changedRuns = %+v, cut: %v", changed, isCut)
		}
	})
}

// An attempt that was cut short before stays so, whatever a hook says: the next
// runner judges it. And nobody is told that it failed before that.
func TestWhatWasCutShortStaysSo(t *testing.T) {
	for _, tt := range []struct {
		name string
		cut  bool
		want []string
	}{
		{"it came to its end", false, []string{"post_iteration", "failed"}},
		{"it was cut short", true, []string{"post_iteration"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			a := &engine.Attempt{CutShort: tt.cut, Dir: s.hooks.Journal.Attempt(1, 1)}
			s.hooks.TellAfter(t.Context(), a, &loop.Outcome{Result: loop.Failed, Error: &loop.AgentError{Kind: loop.ErrAgent}})
			if a.CutShort != tt.cut || !slices.Equal(s.ran, tt.want) {
				t.Errorf("cut short: %v, ran: %q; want %v, %q", a.CutShort, s.ran, tt.cut, tt.want)
			}
		})
	}
}
