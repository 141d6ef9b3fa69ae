//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain"
)

func TestMain(m *testing.M) {
	refrain.Helper()
	home, err := os.MkdirTemp("", "refrain-test-")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"} {
		if name == "HOME" {
			os.Setenv("GOCACHE", goEnv("GOCACHE")) // before it is another one
			os.Setenv("GOMODCACHE", goEnv("GOMODCACHE"))
		}
		os.Setenv(name, home)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
}

// What the manual calls a tiny dashboard is one: it fits on a screen.
func TestItIsTiny(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n > 60 {
		t.Errorf("main.go has %d lines, want at most 60", n)
	}
}

func TestTheDashboardShowsFollowsAndPausesRunsOfAnotherProcess(t *testing.T) {
	program := filepath.Join(t.TempDir(), "dashboard")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	show := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("dashboard %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	dir := t.TempDir()
	if _, err := refrain.Run(t.Context(), refrain.Options{
		Dir: dir, Command: []string{"sh", "-c", "echo Two; true"}, MaxIterations: 2,
		Settings: map[string]string{"loop.exit_zero_is_done": "false"},
	}); err != nil {
		t.Fatal(err)
	}
	if out := show(dir); !strings.Contains(out, "run-1      done         2 iterations") || !strings.Contains(out, "last iterations of run-1\n   2  ok") || strings.Contains(out, "following") {
		t.Errorf("of a run that has ended the dashboard shows\n%s", out)
	}

	control, ended := refrain.NewControl(), make(chan error)
	go func() {
		_, err := refrain.Run(t.Context(), refrain.Options{
			Dir: dir, Command: []string{"sh", "-c", "echo working; while [ ! -e go-on ]; do sleep 0.05; done"}, Control: control,
			Settings: map[string]string{"loop.exit_zero_is_done": "false"},
		})
		ended <- err
	}()
	for e, err := range control.Subscribe(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.Payload.(*refrain.CommandReceived); ok { // the wish has come: the iteration may end
			break
		}
		if _, ok := e.Payload.(*refrain.AgentStarted); ok {
			go func() {
				out := show("-pause", dir)
				for _, want := range []string{"run-2      running", "last iterations of run-1", "following run-2", "agent.started", "paused: true"} {
					if !strings.Contains(out, want) {
						t.Errorf("of a live run the dashboard shows\n%s\nwant %q in it", out, want)
					}
				}
				ended <- nil
			}()
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go-on"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-ended // the dashboard
	if state := control.State(); state != refrain.Paused {
		t.Errorf("the run is %s, want paused", state)
	}
	if err := control.StopNow(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
