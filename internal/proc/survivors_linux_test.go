package proc

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestNothingOutlivesTheProcess(t *testing.T) { eachFence(t, nothingOutlivesTheProcess) }

func nothingOutlivesTheProcess(t *testing.T, kind fence.Kind) {
	setLadder(t, 10*time.Millisecond, 20*time.Millisecond, time.Hour)
	tests := []struct {
		name string
		how  string
		set  func(s *Spec, cancel context.CancelCauseFunc)
		want loop.Exit
	}{
		{"it ends", "exit", nil, exited(3)},
		{"it is killed", "die", nil, loop.Exit{Signal: "KILL", Cause: loop.Signaled}},
		{"its time is over", "stay", func(s *Spec, _ context.CancelCauseFunc) {
			s.Timeout = 50 * time.Millisecond
		}, loop.Exit{Cause: loop.AtDeadline}},
		{"a person stops it", "stay", func(s *Spec, cancel context.CancelCauseFunc) {
			s.Stdout.Line = func([]byte, bool) { cancel(End(loop.OnRequest)) }
		}, loop.Exit{Cause: loop.OnRequest}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scene := newScene(t)
			k := scene.keeperWithin(kind)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s := scene.spec(tt.how)
			if tt.set != nil {
				tt.set(&s, cancel)
			}
			exit, err := k.Run(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			if left := scene.survivors(); len(left) > 0 {
				t.Errorf("%d left:\n%s", len(left), strings.Join(left, "\n"))
			}
			if exit.Cause != tt.want.Cause || tt.how != "stay" && !sameExit(exit, tt.want) {
				t.Errorf("exit = %+v, want %+v", exit, tt.want)
			}
			k.Close()
			scene.expectNone()
		})
	}
}

// rounds is how often a test of chance is tried.
func rounds(t *testing.T) int {
	text := os.Getenv("CHAOS_ROUNDS")
	if text == "" {
		return 10
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("CHAOS_ROUNDS: %v", err)
	}
	return n
}

// chance gives moments, and prints the seed that they come from.
func chance(t *testing.T, most time.Duration) func() time.Duration {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	return func() time.Duration { return time.Duration(r.Int64N(int64(most))) }
}

func TestChaosNothingOutlivesTheRunner(t *testing.T) { eachFence(t, nothingOutlivesTheRunner) }

func nothingOutlivesTheRunner(t *testing.T, kind fence.Kind) {
	moment := chance(t, 30*time.Millisecond)
	for round := range rounds(t) {
		scene := newScene(t)
		argv, err := HelperCommand("runner", scene.mark.Run, scene.mark.Runner, string(kind), scene.file, "stay")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 { // else it dies while it starts
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
				t.Errorf("round %d: the runner said %q, %v", round, line, err)
			}
		}
		time.Sleep(moment())
		kept := scene.helpersOf(cmd.Process.Pid)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for _, pid := range kept {
			if round%4 == 0 && !isWarden(pid) { // its warden is left
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			}
		}
		_ = cmd.Wait() // it was killed
		scene.expectNone()
	}
}

func TestChaosNothingOutlivesTheKeeper(t *testing.T) { eachFence(t, nothingOutlivesTheKeeper) }

func nothingOutlivesTheKeeper(t *testing.T, kind fence.Kind) {
	moment := chance(t, 30*time.Millisecond)
	scene := newScene(t)
	k := scene.keeperWithin(kind)
	for round := range rounds(t) {
		// Without its warden, what wiped its environment is not found.
		also, how := round%2 == 1, []string{"stay"}
		if also {
			how = append(how, "marked")
		}
		var once sync.Once
		var warned loop.Warning
		s := scene.spec(how...)
		s.Warn = func(w loop.Warning) { warned = w }
		s.Stdout.Line = func([]byte, bool) {
			once.Do(func() {
				time.Sleep(moment())
				if also {
					_ = k.line.started.Process.Kill()
				}
				if err := signalKeeper(k, syscall.SIGKILL); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		exit, err := k.Run(t.Context(), s)
		var lost *KeeperError
		if !errors.As(err, &lost) || !sameExit(exit, loop.Exit{Signal: "KILL", Cause: loop.Signaled}) {
			t.Errorf("round %d: exit = %+v, %v, want it lost with its keeper", round, exit, err)
		}
		if (warned.Key == Unkept) != (also && ByKernel() != nil && kind != fence.Namespaces) {
			t.Errorf("round %d: warned %+v; want it unsure only without a warden, cgroups and namespaces", round, warned)
		}
		if left := scene.everyone(); len(left) > 0 {
			t.Errorf("round %d: %d left:\n%s", round, len(left), strings.Join(left, "\n"))
		}
	}
}

func TestAKeeperThatIsStoppedIsReplaced(t *testing.T) { eachFence(t, aKeeperThatIsStoppedIsReplaced) }

func aKeeperThatIsStoppedIsReplaced(t *testing.T, kind fence.Kind) {
	setLadder(t, time.Millisecond, 2*time.Millisecond, time.Hour)
	ladder.patience = 200 * time.Millisecond
	scene := newScene(t)
	k := scene.keeperWithin(kind)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := scene.spec("stay", "marked")
	warned := ""
	s.Warn = func(w loop.Warning) { warned += w.Text }
	s.Stdout.Line = func([]byte, bool) {
		if err := signalKeeper(k, syscall.SIGSTOP); err != nil {
			t.Error(err)
		}
		cancel()
	}
	if exit, err := k.Run(ctx, s); err != nil || exit.Signal != "KILL" {
		t.Errorf("exit = %+v, %v, want killed", exit, err)
	}
	if !strings.Contains(warned, "keeper") {
		t.Errorf("warned of %q, want the keeper named", warned)
	}
	scene.expectNone()
	if exit, err := k.Run(t.Context(), helperSpec(t, "exit", "0")); err != nil || !exit.Zero() {
		t.Errorf("the next run: exit = %+v, %v", exit, err)
	}
}

func TestWhatADeadRunnerLeftIsCleanedUp(t *testing.T) {
	scene := newScene(t)
	cmd := exec.Command("sh", "-c", agent, "agent", scene.file, "exit", "marked") // with no keeper at all
	cmd.Env = append(os.Environ(), scene.mark.Environ()...)
	if err := cmd.Run(); err == nil {
		t.Fatal("the agent should exit with 3")
	}
	if ended, err := CleanUp(t.Context(), nil, scene.tree, "loop_of_somebody_else"); ended != 0 || err != nil {
		t.Errorf("another run: ended %d, %v", ended, err)
	}
	if ended, err := CleanUp(t.Context(), nil, t.TempDir(), scene.mark.Run); ended != 0 || err != nil {
		t.Errorf("another tree: ended %d, %v", ended, err)
	}
	ended, err := CleanUp(t.Context(), nil, scene.tree, "loop_of_somebody_else", scene.mark.Run)
	if err != nil || ended == 0 {
		t.Errorf("ended %d, %v", ended, err)
	}
	scene.expectNone()
}
