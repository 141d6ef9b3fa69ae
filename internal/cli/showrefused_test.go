package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// fencedRun writes a run whose sandbox has refused two things, one of them twice.
func fencedRun(t *testing.T, w *world, sandbox *loop.Sandbox, refused ...*loop.SandboxRefused) {
	t.Helper()
	store, err := w.store().Claim()
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Create(journal.Meta{Procedure: "build"})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	run.Append(loop.Event{Payload: &loop.RunStarted{Name: run.Meta().Name, Procedure: "build", Agent: "claude", Sandbox: sandbox}})
	for _, p := range refused {
		run.Append(loop.Event{Iter: 1, Attempt: 1, Payload: p})
	}
	run.Append(loop.Event{Payload: &loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest, Why: "you stopped it"}})
}

func TestShowRefusedListsEachOnceWithWhatAllowsIt(t *testing.T) {
	w := newWorld(t)
	host := &loop.SandboxRefused{What: loop.RefusedHost, Name: "pypi.org", Key: "sandbox.hosts", By: "agent"}
	fencedRun(t, w, &loop.Sandbox{Mode: "namespaces", Wanted: "auto", Network: "listed"},
		host, &loop.SandboxRefused{What: loop.RefusedSocket, Name: "/run/docker.sock", Key: "sandbox.allow", Value: "docker", By: "gate"}, host)

	want := `host pypi.org, wanted by the agent           sandbox.hosts = ["pypi.org"]
socket /run/docker.sock, wanted by the gate  sandbox.allow = ["docker"]
`
	if got := string(w.must(w.program, "show", "--refused")); got != want {
		t.Errorf("show --refused:\n%s\nwant\n%s", got, want)
	}
	var list struct {
		Run     string
		Sandbox loop.Sandbox
		Refused []loop.SandboxRefused `json:"sandbox_refused"`
	}
	if err := json.Unmarshal(w.must(w.program, "show", "--refused", "--json"), &list); err != nil {
		t.Fatal(err)
	}
	if list.Run != "build-1" || list.Sandbox.Mode != "namespaces" || len(list.Refused) != 2 || list.Refused[0] != *host {
		t.Errorf("show --refused --json = %+v", list)
	}
	for _, line := range []string{"\n  sandbox     namespaces, network listed\n", "\n  refused     1 host, 1 socket (refrain show build-1 --refused)\n"} {
		for _, command := range []string{"status", "show"} {
			if got := string(w.must(w.program, command)); !strings.Contains(got, line) {
				t.Errorf("%s has no %q:\n%s", command, line, got)
			}
		}
	}
	var status struct {
		Sandbox loop.Sandbox
		Totals  loop.Totals
	}
	if err := json.Unmarshal(w.must(w.program, "status", "--json"), &status); err != nil {
		t.Fatal(err)
	}
	if status.Sandbox.Wanted != "auto" || status.Sandbox.Network != "listed" || status.Totals.HostsRefused != 1 {
		t.Errorf("status --json = %+v", status)
	}
}

func TestShowRefusedOfARunThatRefusedNothing(t *testing.T) {
	w := newWorld(t)
	fencedRun(t, w, nil)
	if got := string(w.must(w.program, "show", "--refused")); got != "Nothing was refused: build-1 has no sandbox.\n" {
		t.Errorf("show --refused: %q", got)
	}
	if got := string(w.must(w.program, "show", "--refused", "--json")); !strings.Contains(got, `"sandbox_refused": []`) {
		t.Errorf("show --refused --json: %s", got)
	}
	for _, args := range [][]string{{"show", "--refused", "--later"}, {"show", "--refused", "--tests"}, {"show", "build-1/1", "--refused"}} {
		if out, err := w.command(w.program, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), "--refused is ") {
			t.Errorf("%q: %v, %s", args, err, out)
		}
	}
}
