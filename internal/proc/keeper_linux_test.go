package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAKeeperIsDeafToTheTerminal(t *testing.T) {
	scene := newScene(t)
	k := scene.keeper()
	s := scene.spec("exit")
	s.Stdout.Line = func([]byte, bool) {
		for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP} {
			if err := signalKeeper(k, sig.(syscall.Signal)); err != nil {
				t.Error(err)
			}
		}
	}
	if exit, err := k.Run(t.Context(), s); err != nil || !sameExit(exit, exited(3)) {
		t.Errorf("exit = %+v, %v, want 3", exit, err)
	}
}

func TestOnlyTheKeeperHasOneProcessor(t *testing.T) {
	t.Setenv("GOMAXPROCS", "7")
	k := newScene(t).keeper()
	var said []string
	if _, err := k.Run(t.Context(), Spec{
		Argv: []string{"sh", "-c", `tr '\0' '\n' </proc/$PPID/environ | grep GOMAXPROCS; echo "mine=$GOMAXPROCS"`}, Env: os.Environ(),
		Stdout: Sink{Line: func(line []byte, _ bool) { said = append(said, string(line)) }},
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"GOMAXPROCS=1", "mine=7"}; !slices.Equal(said, want) {
		t.Errorf("the keeper, and what it keeps, have %q, want %q", said, want)
	}
}

func TestAChildHearsTheSignalsThatItsKeeperDoesNot(t *testing.T) {
	setLadder(t, time.Hour, time.Hour, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := helperSpec(t, "hang")
	s.First, s.Started = "INT", func(int, time.Time) { cancel() }
	if exit, err := newScene(t).keeper().Run(ctx, s); err != nil || exit.Signal != "INT" {
		t.Errorf("exit = %+v, %v, want INT", exit, err)
	}
}

func TestWhatAnotherProcessStartedIsLetAlone(t *testing.T) {
	k := newScene(t).keeper()
	const daemon = `(setsid sh -c 'while :; do sleep 0.1; done' >/dev/null 2>&1 & echo $!)`
	pids := make(chan int, 1)
	gate, open, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var other sync.WaitGroup
	other.Go(func() { // lives until its input ends
		defer gate.Close()
		_, err := k.Run(t.Context(), Spec{
			Argv: []string{"sh", "-c", daemon + "; cat >/dev/null"}, Env: os.Environ(), Stdin: gate,
			Stdout: Sink{Line: func(line []byte, _ bool) {
				pid, _ := strconv.Atoi(string(line))
				pids <- pid
			}},
		})
		if err != nil {
			t.Error(err)
		}
	})
	pid := <-pids
	if _, err := k.Run(t.Context(), Spec{Argv: []string{"sh", "-c", daemon}, Env: os.Environ()}); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("kill = %v: the daemon of the other process was ended", err)
	}
	open.Close()
	other.Wait()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("kill = %v: the daemon outlived its own process", err)
	}
}

func TestASparedProgramStays(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	if sleep, err = filepath.EvalSymlinks(sleep); err != nil {
		t.Fatal(err)
	}
	scene := newScene(t)
	t.Cleanup(func() { endCgroups(scene.cgroups(), nil) }) // in which it lives on
	k := scene.keeper(filepath.Base(sleep))
	var pid int
	s := Spec{
		Argv: []string{"sh", "-c", `setsid sleep 60 >/dev/null 2>&1 & until [ "$(readlink /proc/$!/exe)" = "$0" ]; do :; done; echo $!`, sleep},
		Env:  os.Environ(),
		Stdout: Sink{Line: func(line []byte, _ bool) {
			pid, _ = strconv.Atoi(string(line))
		}},
	}
	if _, err := k.Run(t.Context(), s); err != nil || pid == 0 {
		t.Fatalf("pid %d, %v", pid, err)
	}
	k.Close()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("kill = %v: it was not spared", err)
	}
}

func TestAProgramThatCannotStartIsAnErrorUnderAKeeperToo(t *testing.T) {
	eachFence(t, aProgramThatCannotStartIsAnError)
}

func aProgramThatCannotStartIsAnError(t *testing.T, kind fence.Kind) {
	k := newScene(t).keeperWithin(kind)
	for program, missing := range map[string]bool{"refrain-no-such-program": true, "/no/such/program": true, t.TempDir(): false} {
		_, err := k.Run(t.Context(), Spec{Argv: []string{program}})
		var start *StartError
		if !errors.As(err, &start) || strings.Count(err.Error(), program) != 1 {
			t.Errorf("Run(%q) = %v, want a StartError that names it once", program, err)
		} else if start.Missing() != missing {
			t.Errorf("Run(%q): missing = %v, want %v", program, start.Missing(), missing)
		}
	}
	long := strings.Repeat("x", 1<<20) // more than the system takes, and than a socket holds
	if _, err := k.Run(t.Context(), Spec{Argv: []string{"true", long}}); !errors.Is(err, syscall.E2BIG) {
		t.Errorf("an argument of a megabyte: %v, want E2BIG", err)
	}
	if exit, err := k.Run(t.Context(), Spec{Argv: []string{"true"}}); err != nil || !exit.Zero() {
		t.Errorf("afterwards: exit = %+v, %v", exit, err)
	}
}

func TestWithoutAKeeperThereIsAWarning(t *testing.T) {
	k := newScene(t).keeper("\x00") // which no process can be given as an argument
	var warned []string
	for range 2 {
		s := helperSpec(t, "exit", "0")
		s.Warn = func(w loop.Warning) { warned = append(warned, w.Text) }
		if exit, err := k.Run(t.Context(), s); err != nil || !exit.Zero() {
			t.Errorf("exit = %+v, %v", exit, err)
		}
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "no keeper") {
		t.Errorf("warned %q, want it once", warned)
	}
}

func TestWithoutHelperAKeeperIsAnError(t *testing.T) {
	called.Store(false)
	defer called.Store(true)
	_, err := newScene(t).keeper().Run(t.Context(), Spec{Argv: []string{"true"}})
	var no *NoHelperError
	if !errors.As(err, &no) {
		t.Errorf("Run = %v, want a NoHelperError", err)
	}
}

func TestNoDescriptorIsLeftOpenInTheKeeper(t *testing.T) { eachFence(t, noDescriptorIsLeftOpen) }

func noDescriptorIsLeftOpen(t *testing.T, kind fence.Kind) {
	k := newScene(t).keeperWithin(kind)
	count := func() int {
		s := helperSpec(t, "say", "a", "b")
		s.Stdin = strings.NewReader("unread")
		if _, err := k.Run(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		list, err := os.ReadDir(procFile(k.line.keeper.pid, "fd"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := count()
	for range 5 {
		count()
	}
	// The kernel may take a moment to tell that nobody is left behind a filter.
	after := count()
	for deadline := time.Now().Add(5 * time.Second); after > before && time.Now().Before(deadline); {
		after = count()
	}
	if after > before {
		t.Errorf("%d descriptors open, %d before", after, before)
	}
}

func TestTheStateOfAProcessIsParsed(t *testing.T) {
	stat := "7 (a) b\n(c) S 3 7 7 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 12345 6 7"
	got, err := parseStat(7, []byte(stat))
	want := entry{ident: ident{7, 12345}, parent: 3, state: 'S', cpu: time.Second, single: true}
	if err != nil || got != want {
		t.Errorf("parseStat = %+v, %v, want %+v", got, err, want)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (a) b) S 3 7 7 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 12345 6 7"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := parseStat(7, b); err == nil && e.pid != 7 {
			t.Errorf("pid = %d", e.pid)
		}
	})
}
