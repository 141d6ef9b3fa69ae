//go:build unix

package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// hooked is an engine with a hook, in a repository, that has taken note of both.
func (s *stage) hooked() *Engine {
	s.t.Helper()
	folder := filepath.Join(s.dir, hook.Folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "started"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", s.dir).CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	run, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { run.Close() })
	e := s.engine(run, journal.Past{}, &loop.RunStarted{Name: run.Meta().Name})
	e.Hooks.Set, _ = hook.Find(s.dir, nil, true)
	if !e.Hooks.Set.Has(hook.Started) {
		s.t.Fatal("the hook was not found")
	}
	if err := e.guardFrom(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return e
}

// told is what was warned of.
func (s *stage) told() string {
	var list []string
	for _, e := range s.events {
		if w, ok := e.Payload.(*loop.Warning); ok {
			list = append(list, w.Text)
		}
	}
	return strings.Join(list, "\n")
}

// Finding 37: an error of a check is never told as what it found. Who stops the run
// in the middle of a look accuses nobody.
func TestALookThatWasCutShortAccusesNobody(t *testing.T) {
	cut, cancel := context.WithCancelCause(t.Context())
	cancel(proc.End(loop.OnRequest))

	t.Run("hooks, and the run is to end", func(t *testing.T) {
		s := newStage(t, nil)
		e := s.hooked()
		e.Control.Stop(loop.Asked{Now: true})
		if r := e.callHook(cut, hook.Started, e.Start, nil); r.Ran || s.told() != "" {
			t.Errorf("ran: %v, told: %q, want neither", r.Ran, s.told())
		}
	})
	t.Run("hooks that were changed", func(t *testing.T) {
		s := newStage(t, nil)
		e := s.hooked()
		if err := os.WriteFile(filepath.Join(s.dir, hook.Folder, "started"), []byte("#!/bin/sh\nevil\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if r := e.callHook(t.Context(), hook.Started, e.Start, nil); r.Ran || !strings.Contains(s.told(), "they were changed since the run began") {
			t.Errorf("ran: %v, told: %q", r.Ran, s.told())
		}
	})
	t.Run("git, and the run is to end", func(t *testing.T) {
		s := newStage(t, nil)
		e := s.hooked()
		same, isCut := e.guardGit(cut)
		if same || !isCut || s.told() != "" {
			t.Errorf("same: %v, cut: %v, told: %q", same, isCut, s.told())
		}
		why, isCut := e.notToCommit(cut)
		if why != nil || !isCut {
			t.Errorf("notToCommit = %+v, cut: %v", why, isCut)
		}
		if strange, isCut := e.strangeRuns(cut); strange != nil || !isCut {
			t.Errorf("strangeRuns = %+v, cut: %v", strange, isCut)
		}
	})
}
