package proc

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func init() { helpers["owner"] = ownRunner }

// ownRunner is runner with a mark of its own, for a run in a work tree.
func ownRunner(args []string) int {
	mark := NewMark(args[0], args[1])
	return runner(append([]string{mark.Run, mark.Runner, "none"}, args[2:]...))
}

// startRunner starts a runner in the tree of the scene, and waits until its agent
// is there.
func (s scene) startRunner() *exec.Cmd {
	s.t.Helper()
	argv, err := HelperCommand("owner", s.mark.Run, s.tree, s.file, "stay", "marked")
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		s.t.Fatalf("the runner said %q, %v", line, err)
	}
	return cmd
}

func TestALiveRunnerIsLeftAlone(t *testing.T) {
	setLadder(t, time.Hour, time.Hour, time.Hour)
	ladder.patience = 100 * time.Millisecond
	scene := newScene(t)
	cmd := scene.startRunner()
	copied := t.TempDir()
	before := scene.helpersOf(cmd.Process.Pid)
	before = append(before, scene.agents(before)...)
	for name, tree := range map[string]string{"in its tree": scene.tree, "in a copy": copied} {
		if ended, err := CleanUp(t.Context(), nil, tree, scene.mark.Run); ended != 0 || err != nil {
			t.Errorf("%s: ended %d, %v", name, ended, err)
		}
	}
	if list, err := Left(nil, copied, scene.mark.Run); len(list) != 0 || err != nil {
		t.Errorf("Left = %v, %v in a copy, want nobody", list, err)
	}
	if len(before) < 3 {
		t.Errorf("only %v were there; want a warden, a keeper and an agent", before)
	}
	for _, pid := range before {
		if e, err := readEntry(pid); err != nil || e.ended() {
			t.Errorf("%d is gone, though its runner lives", pid)
		}
	}

	// Keepers that are stopped end nobody, when their runner is dead.
	for _, pid := range scene.helpersOf(cmd.Process.Pid) {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Error(err)
		}
		for !Stopped(pid) { // on a busy machine it may take a while to be heard
			if err := rest(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	if ended, err := CleanUp(t.Context(), nil, copied, scene.mark.Run); ended != 0 || err != nil {
		t.Errorf("a dead runner, in a copy: ended %d, %v", ended, err)
	}
	if ended, err := CleanUp(t.Context(), nil, scene.tree, scene.mark.Run); ended == 0 || err != nil {
		t.Errorf("a dead runner, in its tree: ended %d, %v", ended, err)
	}
	scene.expectNone()
}

// helpersOf lists the processes of this program below another.
func (s scene) helpersOf(pid int) (pids []int) {
	s.t.Helper()
	table, err := readTable()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range table.below(pid) {
		if argv := argvOf(e.pid); len(argv) > 2 && argv[1] == helperWord {
			pids = append(pids, e.pid)
		}
	}
	return pids
}

// agents lists the children of these processes that are no helpers.
func (s scene) agents(of []int) (pids []int) {
	s.t.Helper()
	table, err := readTable()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, pid := range of {
		for _, child := range table.children[pid] {
			if !slices.Contains(of, child) {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

func TestAMarkWithoutATreeCountsWhereItsProcessIs(t *testing.T) {
	tree, other := t.TempDir(), t.TempDir()
	tests := []struct {
		name string
		dir  string
		env  []string
		want int
	}{
		{"it is in the tree", tree, nil, 1},
		{"it is elsewhere", other, nil, 0},
		{"it was told the tree", other, []string{projectName + "=" + tree}, 1},
		{"it was told another", tree, []string{projectName + "=" + other}, 0},
		{"it lost the name of its runner", tree, []string{runnerName + "="}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command("sleep", "60")
			cmd.Dir = tt.dir
			cmd.Env = append(append(os.Environ(), runName+"=loop_old", runnerName+"=OLDTEXT"), tt.env...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Wait() }() // it is killed
			defer func() { _ = cmd.Process.Kill() }()
			list, err := Left(nil, tree, "loop_old")
			if err != nil || len(list) != tt.want {
				t.Errorf("Left = %v, %v, want %d", list, err, tt.want)
			}
			ended, err := CleanUp(t.Context(), nil, tree, "loop_old")
			if err != nil || ended != tt.want {
				t.Errorf("CleanUp = %d, %v, want %d", ended, err, tt.want)
			}
		})
	}
}

func TestAnOwnerIsReadAsItWasWritten(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "workplace")
	if err := os.Mkdir(tree, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(tree, link); err != nil {
		t.Fatal(err)
	}
	mark := NewMark("loop_1", link)
	got, ok := ownerIn(mark.Runner)
	if want := thisOwner(tree); !ok || got != want || !got.self() || got.gone() {
		t.Errorf("ownerIn(%q) = %+v, %v, want %+v, alive", mark.Runner, got, ok, want)
	}
	if strings.Contains(mark.Runner, filepath.Base(tree)) {
		t.Errorf("%q tells where the work tree is", mark.Runner)
	}
	elsewhere := got
	elsewhere.pid, elsewhere.space = 1<<30, "7"
	if elsewhere.gone() || elsewhere.self() {
		t.Error("nobody here can tell that a runner in another space is gone")
	}
	later := got
	later.started++
	if !later.gone() {
		t.Error("a process with the number of a runner is taken for it")
	}
	for _, text := range []string{"", "TEXT", "a.b.c.d.e", "T.1.2.3"} {
		if o, ok := ownerIn(text); ok {
			t.Errorf("ownerIn(%q) = %+v", text, o)
		}
	}
}

// Finding 34.
func TestWhoOnlyLooksLikeAKeeperIsEnded(t *testing.T) {
	scene := newScene(t)
	script := filepath.Join(scene.tree, helperWord)
	if err := os.WriteFile(script, []byte("while [ -e alive ]; do sleep 0.05; done\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var reaped sync.WaitGroup
	start := func(args ...string) {
		cmd := exec.Command("sh", args...)
		cmd.Dir, cmd.Env = scene.tree, append(os.Environ(), scene.mark.Environ()...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		reaped.Go(func() { _ = cmd.Wait() }) // it is killed
	}
	start(helperWord, keeperName, "elsewhere", "text")
	start(helperWord, wardenName, scene.mark.Run, scene.mark.Runner)
	for deadline := time.Now().Add(time.Second); len(scene.everyone()) < 2 && time.Now().Before(deadline); {
		time.Sleep(pause)
	}
	ended, err := CleanUp(t.Context(), nil, scene.tree, scene.mark.Run)
	if err != nil || ended < 2 {
		t.Errorf("ended %d, %v, want both", ended, err)
	}
	reaped.Wait()
	scene.expectNone()
}
