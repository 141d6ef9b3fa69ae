package term

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// fenced is a run in a sandbox.
func fenced(s *loop.Sandbox) *story {
	started := build(loop.Limits{Iterations: 5})
	started.Prompt, started.Sandbox = "Build the wheel", s
	return begin(22, 0).tell(started)
}

var (
	docker = &loop.SandboxRefused{What: loop.RefusedSocket, Name: "/run/docker.sock", Key: "sandbox.allow", Value: "docker", By: "gate"}
	pypi   = &loop.SandboxRefused{What: loop.RefusedHost, Name: "pypi.org", Key: "sandbox.hosts", By: "agent"}
)

func TestTheCardsNameTheSandbox(t *testing.T) {
	none := &loop.Sandbox{Mode: "none", Wanted: "auto", Why: "Linux 5.4 has no Landlock"}
	s := fenced(none).iteration(second, 5, leavable())
	want := []string{
		"Safe to leave: not yet\n",
		"  why not     the agent is not confined: Linux 5.4 has no Landlock\n",
		"  sandbox     none (Linux 5.4 has no Landlock)\n",
	}
	for _, line := range want {
		if card := Leave(s.run(), at(s, 80, false)); !strings.Contains(card, line) {
			t.Errorf("no %q in\n%s", line, card)
		}
	}
	s = fenced(&loop.Sandbox{Mode: "namespaces", Network: "listed"}).in(1, 1, pypi, docker).iteration(second, 5, ok())
	for range 2 { // while it lives, and in the morning
		card := Card(s.run(), at(s, 80, false))
		for _, line := range []string{
			"  sandbox     namespaces, network listed\n",
			"  refused     1 host, 1 socket (refrain show build-7 --refused)\n",
		} {
			if !strings.Contains(card, line) {
				t.Errorf("no %q in\n%s", line, card)
			}
		}
		s.tell(finished(loop.Done, loop.ByIterations, "so"))
	}
}

func TestACardOfARunFromBeforeHasNoSandbox(t *testing.T) {
	s := fenced(nil).iteration(second, 5, leavable())
	for _, card := range []string{Card(s.run(), at(s, 80, false)), Leave(s.run(), at(s, 80, false)), banner(s.events[0].Payload.(*loop.RunStarted), Options{})} {
		if strings.Contains(card, "sandbox") || card == "" {
			t.Errorf("the card is\n%s", card)
		}
	}
}

func TestTheBeginningSaysWhichSandbox(t *testing.T) {
	s := fenced(&loop.Sandbox{Mode: "landlock", Wanted: "auto", Why: "no user namespaces: apparmor_restrict_unprivileged_userns"})
	for name, tt := range map[string]struct {
		make func(io.Writer, *view.Run, Options) Output
		want string
	}{
		"live":  {Auto, "prompt: Build the wheel\nsandbox: landlock (no user namespaces: apparmor_restrict_unprivileged_userns)\n"},
		"lines": {Lines, "] Sandbox: landlock (no user namespaces: apparmor_restrict_unprivileged_userns)\n"},
		"plain": {func(w io.Writer, run *view.Run, _ Options) Output { return Plain(w, run) }, "] Sandbox: landlock (no user namespaces: apparmor_restrict_unprivileged_userns)\n"},
	} {
		var b strings.Builder
		s.show(tt.make(&b, view.New(), at(s, 120, false)))
		if !strings.Contains(b.String(), tt.want) {
			t.Errorf("%s: no %q in\n%s", name, tt.want, b.String())
		}
	}
}

func TestTheListOfWhatWasRefused(t *testing.T) {
	run := fenced(&loop.Sandbox{Mode: "namespaces"}).run()
	got := Refused(run, []*loop.SandboxRefused{pypi, docker}, Options{})
	want := `host pypi.org, wanted by the agent           sandbox.hosts = ["pypi.org"]
socket /run/docker.sock, wanted by the gate  sandbox.allow = ["docker"]
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	for want, run := range map[string]*view.Run{
		"Nothing was refused (sandbox: namespaces).\n":   run,
		"Nothing was refused: build-7 has no sandbox.\n": fenced(nil).run(),
	} {
		if got := Refused(run, nil, Options{}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestASheetOfAnAttemptTellsWhatTheSandboxRefused(t *testing.T) {
	end := &loop.IterationFinished{Outcome: ok()}
	got := Sheet(Attempt{Run: "build-7", End: loop.Event{Iter: 1, Attempt: 1, Payload: end}, Events: []loop.Event{{Payload: pypi}}}, Options{})
	if want := "  refused     host pypi.org, wanted by the agent\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}
