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
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// forgetful starts something that has forgotten who started it: nothing in its
// environment, no parent, nothing open. It says which process that is.
const forgetful = `(setsid env -i PATH="$PATH" sh -c 'echo $$ >"$0.pid"; exec <&- >&- 2>&-; trap "" TERM; while [ -e "$0" ]; do sleep 0.05; done' "$1" &)
until [ -s "$1.pid" ]; do sleep 0.01; done; echo ready
while [ -e "$1" ] && [ "$2" = stay ]; do sleep 0.05; done; exit 0`

// needCgroups skips where none can be made.
func needCgroups(t *testing.T) {
	t.Helper()
	if err := ByKernel(); err != nil {
		t.Skipf("needs a cgroup of its own: %v", err)
	}
}

func (s scene) forgetful(how string) Spec {
	return Spec{Argv: []string{"sh", "-c", forgetful, "agent", s.file, how}, Env: os.Environ()}
}

// cgroups lists those of the scene.
func (s scene) cgroups() []cgroup {
	return cgroupsOf(cgroupRoot(), func(m Mark) bool { return m == s.mark })
}

func TestACgroupFindsWhoHasForgottenEverything(t *testing.T) {
	needCgroups(t)
	scene := newScene(t)
	k := scene.keeper()
	s := scene.forgetful("stay")
	var warned loop.Warning
	s.Warn = func(w loop.Warning) { warned = w }
	s.Stdout.Line = func([]byte, bool) { // keeper and warden both: nobody is left whose child it could become
		_ = k.line.started.Process.Kill()
		if err := signalKeeper(k, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	_, err := k.Run(t.Context(), s)
	var lost *KeeperError
	if !errors.As(err, &lost) {
		t.Errorf("Run = %v, want that it was lost with its keeper", err)
	}
	if warned.Key == Unkept {
		t.Errorf("warned %+v, want it sure that all have ended", warned)
	}
	scene.expectNone()
	if left := scene.cgroups(); len(left) > 0 {
		t.Errorf("cgroups left: %q", left)
	}
}

func TestACgroupTellsWhoseAnOrphanIs(t *testing.T) {
	needCgroups(t)
	scene := newScene(t)
	k := scene.keeper()
	other, open, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { // works on meanwhile
		_, err := k.Run(t.Context(), Spec{Argv: []string{"cat"}, Env: os.Environ(), Stdin: other})
		ended <- err
	}()
	if exit, err := k.Run(t.Context(), scene.forgetful("go")); err != nil || !exit.Zero() {
		t.Errorf("exit = %+v, %v", exit, err)
	}
	text, err := os.ReadFile(scene.file + ".pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if e, err := readEntry(pid); err == nil && !e.ended() {
		t.Errorf("process %d outlived the one that started it", pid)
	}
	open.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if left := scene.cgroups(); len(left) > 0 {
		t.Errorf("cgroups left: %q", left)
	}
}

func TestTheNextRunnerEndsWhoIsInTheCgroupOfADeadOne(t *testing.T) {
	needCgroups(t)
	scene := newScene(t)
	// A runner that is dead: it has a number that nobody has any more.
	dead := thisOwner(scene.tree)
	dead.pid, dead.started = 99999999, 1
	mark := Mark{Run: scene.mark.Run, Runner: "X." + dead.String()}
	g, err := newCgroup(ownCgroup(), mark, 1)
	if err != nil {
		t.Fatal(err)
	}
	devNull, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer devNull.Close()
	null := devNull.Fd()
	pid, inside, err := startIn(g, "/bin/sh", []string{"sh", "-c", forgetful, "agent", scene.file, "go"}, syscall.ProcAttr{
		Env: []string{"PATH=" + os.Getenv("PATH")}, Files: []uintptr{null, null, null}, Sys: ownGroup(),
	})
	if err != nil || !inside {
		t.Fatalf("start in a cgroup: %v, inside: %v", err, inside)
	}
	if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	if ended, err := CleanUp(t.Context(), nil, t.TempDir(), mark.Run); ended != 0 || err != nil {
		t.Errorf("in another tree: ended %d, %v", ended, err)
	}
	if ended, err := CleanUp(t.Context(), nil, scene.tree, mark.Run); ended == 0 || err != nil {
		t.Errorf("ended %d, %v, want some", ended, err)
	}
	scene.expectNone()
	if _, err := os.Stat(string(g)); !os.IsNotExist(err) {
		t.Errorf("stat of its cgroup = %v, want that it is gone", err)
	}
}

func TestACgroupThatIsEmptyByNowIsRemovedLater(t *testing.T) {
	needCgroups(t)
	dead := thisOwner("/")
	dead.pid, dead.started = 99999999, 1
	g, err := newCgroup(ownCgroup(), Mark{Run: "loop_1", Runner: "X." + dead.String()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := newScene(t).keeper().Run(t.Context(), helperSpec(t, "exit", "0")); err != nil || !exit.Zero() {
		t.Errorf("exit = %+v, %v", exit, err)
	}
	if _, err := os.Stat(string(g)); !os.IsNotExist(err) {
		t.Errorf("stat = %v, want that the next keeper removed it", err)
	}
}

func TestWithoutCgroupsEverythingStarts(t *testing.T) {
	g := cgroup(t.TempDir()) // is none
	attr := syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: ownGroup()}
	pid, inside, err := startIn(g, "/bin/sh", []string{"sh", "-c", "exit 0"}, attr)
	if err != nil || inside {
		t.Fatalf("startIn = %v, inside: %v, want that it starts outside", err, inside)
	}
	if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := newCgroup("", NewMark("loop_1", "/"), 1); err == nil {
		t.Error("a cgroup was made nowhere")
	}
}

// An old kernel knows nothing of cgroup.kill.
func TestAnOldKernelEndsThemOneByOne(t *testing.T) {
	g := cgroup(t.TempDir())
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(g), "cgroup.procs"), []byte(strconv.Itoa(cmd.Process.Pid)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.kill(nil)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("Wait = %v", err)
	}
}

func TestCgroupNames(t *testing.T) {
	m := NewMark("loop_1.2", "/tree")
	if got, ok := cgroupMark(cgroupName(m, 7)); !ok || got != m {
		t.Errorf("cgroupMark(%q) = %+v, %v, want %+v", cgroupName(m, 7), got, ok, m)
	}
	for _, name := range []string{"", "refrain.", "refrain.a.b.1", "user.slice", "refrain-helper.1.2.3.4.5.6"} {
		if m, ok := cgroupMark(name); ok {
			t.Errorf("cgroupMark(%q) = %+v, want none", name, m)
		}
	}
}

func TestCgroupMounts(t *testing.T) {
	tests := []struct{ name, mounts, root, top string }{
		{"none", "22 1 0:20 / /proc rw - proc proc rw\n", "", ""},
		{"alone", "25 22 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup", "/"},
		{"beside the first version", "30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n31 25 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/unified", "/"},
		{"of a container", "31 25 0:27 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "/sys/fs/cgroup", "/docker/abc"},
	}
	for _, tt := range tests {
		if root, top := cgroupMount(tt.mounts); root != tt.root || top != tt.top {
			t.Errorf("%s: cgroupMount = %q, %q, want %q, %q", tt.name, root, top, tt.root, tt.top)
		}
	}
}

// A folder of files stands in for cgroups where what matters is who is killed.
func TestSparedProgramsLiveOnInTheirCgroup(t *testing.T) {
	g := cgroup(t.TempDir())
	if err := os.WriteFile(filepath.Join(string(g), "cgroup.procs"), []byte("4\n0\n17\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := g.members(); len(got) != 2 || got[0] != 4 || got[1] != 17 {
		t.Errorf("members = %v, want those that have a number here", got)
	}
	below := filepath.Join(string(g), "one", "two")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(below, "cgroup.procs"), []byte("99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := g.membersBut(func(pid int) bool { return pid == 4 }); !slices.Equal(got, []int{17, 99}) {
		t.Errorf("members = %v, want also those below", got)
	}
	if err := os.RemoveAll(filepath.Dir(below)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(g), "cgroup.kill"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := 0
	g.kill(func(int) bool { asked++; return true })
	if b, err := os.ReadFile(filepath.Join(string(g), "cgroup.kill")); asked != 2 || len(b) > 0 || err != nil {
		t.Errorf("asked for %d, wrote %q, %v: all at once is for when nobody is spared", asked, b, err)
	}
	if g.kill(nil); string(mustRead(t, filepath.Join(string(g), "cgroup.kill"))) != "1" {
		t.Error("nobody was ended")
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Who is spared lives on with all that it has started; who has gone into a cgroup
// below does not.
func TestASparedProgramKeepsItsCgroup(t *testing.T) {
	needCgroups(t)
	g, err := newCgroup(ownCgroup(), NewMark("loop_1", t.TempDir()), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endCgroups([]cgroup{g}, nil) })
	below := cgroup(filepath.Join(string(g), "below"))
	if err := os.Mkdir(string(below), 0o755); err != nil {
		t.Fatal(err)
	}
	start := func(in cgroup, program string, args ...string) int {
		t.Helper()
		path, err := exec.LookPath(program)
		if err != nil {
			t.Skip(err)
		}
		pid, inside, err := startIn(in, path, append([]string{program}, args...), syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: ownGroup()})
		if err != nil || !inside {
			t.Fatalf("start %s: %v, inside: %v", program, err, inside)
		}
		return pid
	}
	spared, hidden := start(g, "timeout", "600", "sleep", "600"), start(below, "sleep", "600")
	wait := func(pid int) {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
			t.Error(err)
		}
	}
	for len(g.members()) < 3 { // until it has a child
		time.Sleep(time.Millisecond)
	}
	if ended, all := endCgroups([]cgroup{g}, []string{"timeout"}); ended != 1 || !all {
		t.Errorf("endCgroups = %d, %v, want one, and that is all", ended, all)
	}
	wait(hidden) // or the test would not end
	if left := g.members(); len(left) != 2 {
		t.Errorf("in it are %v, want %d and its child", left, spared)
	}
	if ended, all := endCgroups([]cgroup{g}, nil); ended != 2 || !all {
		t.Errorf("endCgroups = %d, %v, want the other two", ended, all)
	}
	wait(spared)
}

// Whoever runs us in a program that may stay does not want everything to stay.
func TestWhoWeDescendFromSparesNobody(t *testing.T) {
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = child.Process.Kill(), child.Wait() }()
	if above := program(os.Getppid()); (target{spare: []string{above, program(os.Getpid())}}).spares(child.Process.Pid) {
		t.Errorf("a child is spared for %s, which we run in", above)
	}
	for program(child.Process.Pid) != "sleep" {
		time.Sleep(time.Millisecond)
	}
	if !(target{spare: []string{"sleep"}}).spares(child.Process.Pid) {
		t.Error("it is not spared for what it is")
	}
}

// What starts nothing of anybody's choice gets none.
func TestAPlainProcessHasNoCgroup(t *testing.T) {
	needCgroups(t)
	for _, plain := range []bool{true, false} {
		scene := newScene(t)
		k := scene.keeper()
		found := -1
		ctx, enough := context.WithCancel(t.Context())
		s := Spec{Argv: []string{"sleep", "600"}, Env: os.Environ(), Plain: plain, Started: func(int, time.Time) {
			found = len(scene.cgroups())
			enough()
		}}
		if _, err := k.Run(ctx, s); err != nil {
			t.Fatal(err)
		}
		if found < 0 || found != 0 == plain {
			t.Errorf("plain %v: %d cgroups", plain, found)
		}
	}
}
