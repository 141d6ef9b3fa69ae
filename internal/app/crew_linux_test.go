package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
)

// Where nothing can be copied on write, the run has its sandbox all the same, and a
// person is told what it lacks.
func TestCachesAreSharedWhereTheyCanNotBeCopied(t *testing.T) {
	if err := proc.TryFence(t.Context(), fence.Namespaces); err != nil {
		t.Skip("no namespaces here: ", err)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	tree := filepath.Join(home, "tree")
	if err := os.MkdirAll(tree, 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := request.Load(tree, request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCrew(t.Context(), a, fence.Namespaces, site{mark: proc.NewMark("crew", tree), temp: filepath.Join(home, "tmp")}) // and no place for changes
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var told []loop.Warning
	if err := c.raise(t.Context(), locked(&told), proc.Agent, proc.Judge); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0].Text, "caches") {
		t.Errorf("told %+v, want that caches are shared", told)
	}
	exit, err := c.Run(t.Context(), proc.Spec{Argv: []string{"sh", "-c", "echo x >$HOME/.cache/x && ! echo x >$HOME/x"}, Role: proc.Judge, Dir: tree, Env: os.Environ()})
	if err != nil || !exit.Zero() {
		t.Errorf("write to the cache alone: %+v, %v", exit, err)
	}
	if _, err := os.Stat(filepath.Join(home, ".cache/x")); err != nil {
		t.Error(err)
	}
}

// A fence that can not be raised for another reason is not raised with less.
func TestNothingIsSharedForAnotherReason(t *testing.T) {
	if err := proc.TryFence(t.Context(), fence.Namespaces); err != nil {
		t.Skip("no namespaces here: ", err)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	a, err := request.Load(home, request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	a.Settings.Config.Sandbox.Hide = []string{"/"}
	c, err := newCrew(t.Context(), a, fence.Namespaces, site{mark: proc.NewMark("crew", home), temp: filepath.Join(home, "tmp"), caches: filepath.Join(home, "caches")})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var told []loop.Warning
	err = c.raise(t.Context(), locked(&told), proc.Judge)
	if err == nil || !strings.Contains(err.Error(), "all there is") || len(told) > 0 {
		t.Errorf("raise = %v, told %+v, want that the policy names all there is", err, told)
	}
	if _, err := c.Run(t.Context(), proc.Spec{Argv: []string{"true"}, Role: proc.Role(99), Dir: home}); err == nil {
		t.Error("a role without a keeper was run outside")
	}
}
