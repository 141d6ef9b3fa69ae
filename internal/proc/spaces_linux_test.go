package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
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

	"golang.org/x/sys/unix"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

func init() {
	helpers["ask"] = ask
}

// spaces is a policy of namespaces in which a scene can be played.
func spaces(tree string) *fence.Policy {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return &fence.Policy{Kind: fence.Namespaces, Write: []string{tree}, Show: []string{filepath.Dir(self)}}
}

// newSceneApart skips the test where there are no namespaces.
func newSceneApart(t testing.TB) scene {
	t.Helper()
	if err := canPart(); err != nil {
		t.Skip(err)
	}
	return newScene(t)
}

// canPart tells why there are no namespaces here.
var canPart = sync.OnceValue(func() error {
	if why := fence.Look().NoUsers; why != "" {
		return errors.New("no namespaces can be made here: " + why)
	}
	cmd := exec.Command("true")
	cmd.SysProcAttr = ownGroup()
	if err := fence.Apart(string(fence.Namespaces), cmd.SysProcAttr); err != nil {
		return err
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("no namespaces can be made here: %w", err)
	}
	return nil
})

func (s scene) keeperApart(spare ...string) *Keeper {
	k := NewKeeper(s.mark, spare).Within(spaces(s.tree))
	s.t.Cleanup(k.Close)
	return k
}

// said runs a script with a keeper and gives what it printed.
func said(t *testing.T, k *Keeper, s Spec) string {
	t.Helper()
	var mu sync.Mutex
	var out bytes.Buffer
	sink := Sink{Line: func(line []byte, _ bool) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&out, "%s\n", line)
	}}
	s.Stdout, s.Stderr = sink, sink
	if s.Env == nil {
		s.Env = os.Environ()
	}
	if _, err := k.Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func shell(script string, args ...string) Spec {
	return Spec{Argv: append([]string{"sh", "-c", script, "agent"}, args...)}
}

func TestInNamespacesNoCrowdOutlivesTheProcess(t *testing.T) {
	for name, crowd := range map[string]string{
		"of the deaf": `i=0; while [ $i -lt 200 ]; do
setsid env -i sh -c 'trap "" TERM; (sh -c "sleep 60; : $0" &); sleep 60' "$1" & i=$((i+1)); done >/dev/null 2>&1`,
		"that is never there": `hop='[ -e "$1" ] && [ "$2" -gt 0 ] && sh -c "$0" "$0" "$1" $(($2 - 1)) &'
i=0; while [ $i -lt 40 ]; do setsid env -i sh -c "$hop" "$hop" "$1" 1000 & i=$((i+1)); done >/dev/null 2>&1`,
	} {
		t.Run(name, func(t *testing.T) {
			scene := newSceneApart(t)
			k := scene.keeperApart()
			for range 2 {
				s := shell(crowd, scene.file)
				s.Warn = func(w loop.Warning) { t.Errorf("warned %q", w.Text) }
				said(t, k, s)
				if left := scene.survivors(); len(left) > 0 {
					t.Errorf("%d left:\n%s", len(left), strings.Join(left, "\n"))
				}
			}
			k.Close()
			scene.expectNone()
		})
	}
}

func TestInNamespacesTheKeeperIsOutOfReach(t *testing.T) {
	scene := newSceneApart(t)
	k := scene.keeperApart()
	ours, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatal(err)
	}
	// Process 1 is that of the whole machine where there is no namespace.
	got := said(t, k, shell(`[ "$(readlink /proc/self/ns/pid)" != "$1" ] || exit 1
i=1; while [ $i -lt 32 ]; do kill -$i 1; i=$((i+1)); done 2>/dev/null
cat /proc/1/environ /proc/1/fd/3 /proc/1/mem 2>/dev/null
readlink /proc/1/fd/3 /proc/1/cwd; ls /proc/1/root/ 2>/dev/null
[ $(ls /proc | grep -c '^[0-9]') -lt 9 ] && echo few
grep -h -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status`, ours))
	want := "few\nNoNewPrivs:\t1\n"
	if got = strings.ReplaceAll(strings.ReplaceAll(got, "CapEff:\t0000000000000000\n", ""), "CapBnd:\t0000000000000000\n", ""); got != want {
		t.Errorf("it saw %q, want %q", got, want)
	}
	if exit, err := k.Run(t.Context(), helperSpec(t, "exit", "0")); err != nil || !exit.Zero() {
		t.Errorf("the next one: exit = %+v, %v", exit, err)
	}
}

// A file that was open when the run began leads past the fence.
func TestInNamespacesNoOpenFileComesAlong(t *testing.T) {
	scene := newSceneApart(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("told\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(secret)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const high = 63
	if err := unix.Dup3(int(f.Fd()), high, 0); err != nil { // which is inherited
		t.Fatal(err)
	}
	defer syscall.Close(high)
	for name, k := range map[string]*Keeper{"outside": scene.keeper(), "inside": scene.keeperApart()} {
		got := said(t, k, shell("cat /dev/fd/63 2>/dev/null"))
		if told := got != ""; told != (name == "outside") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What is told of processes are the numbers by which everybody else knows them.
func TestInNamespacesNumbersAreThoseOutside(t *testing.T) {
	scene := newSceneApart(t)
	k := scene.keeperApart()
	var number int
	s := shell(`readlink /proc/self/ns/pid; while [ -e "$1" ]; do sleep 0.05; done`, scene.file)
	s.Env = os.Environ()
	s.Started = func(pid int, _ time.Time) { number = pid }
	space := ""
	s.Stdout.Line = func(line []byte, _ bool) {
		space = string(line)
		if argv := argvOf(number); !slices.Contains(argv, scene.file) {
			t.Errorf("process %d is %q", number, argv)
		}
		if theirs, err := os.Readlink(procFile(number, "ns/pid")); err != nil || theirs != space {
			t.Errorf("it is in %s, %v, and sees itself in %s", theirs, err, space)
		}
		if !Descends(number, k.line.keeper.pid) || !Kept(number) {
			t.Errorf("%d does not descend from its keeper %d", number, k.line.keeper.pid)
		}
		family, err := (&kept{line: k.line}).family()
		if err != nil {
			t.Error(err)
		}
		if !slices.ContainsFunc(family, func(e entry) bool { return e.pid == number }) {
			t.Errorf("%d is not of the family", number)
		}
		if err := os.Remove(scene.file); err != nil { // it may go
			t.Error(err)
		}
	}
	if _, err := k.Run(t.Context(), s); err != nil {
		t.Error(err)
	}
	if ours, _ := os.Readlink("/proc/self/ns/pid"); space == ours || space == "" {
		t.Errorf("it is in our namespace, %s", ours)
	}
}

func TestInNamespacesTwoAtOnceAreToldApart(t *testing.T) {
	scene := newSceneApart(t)
	k := scene.keeperApart()
	const daemon = `(setsid sh -c 'while [ -e "$0" ]; do sleep 0.05; done' "$1" >/dev/null 2>&1 &); echo ready; `
	ready := make(chan bool, 1)
	gate, open, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var other sync.WaitGroup
	other.Go(func() { // lives until its input ends
		defer gate.Close()
		s := shell(daemon+"cat >/dev/null", scene.file)
		s.Env, s.Stdin = os.Environ(), gate
		s.Stdout.Line = func([]byte, bool) { ready <- true }
		if _, err := k.Run(t.Context(), s); err != nil {
			t.Error(err)
		}
	})
	<-ready
	daemons := func() []string {
		return slices.DeleteFunc(scene.survivors(), func(one string) bool { return !strings.Contains(one, `["sh" "-c" "while`) })
	}
	for len(daemons()) == 0 { // it may still be about to start
		if err := rest(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	said(t, k, shell(daemon, scene.file))
	if left := daemons(); len(left) != 1 {
		t.Errorf("%d daemons are left, want that of the other process:\n%s", len(left), strings.Join(left, "\n"))
	}
	open.Close()
	other.Wait()
	if left := scene.survivors(); len(left) > 0 {
		t.Errorf("%d left:\n%s", len(left), strings.Join(left, "\n"))
	}
}

func TestInNamespacesNobodyIsSpared(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	if sleep, err = filepath.EvalSymlinks(sleep); err != nil {
		t.Fatal(err)
	}
	scene := newSceneApart(t)
	k := scene.keeperApart(filepath.Base(sleep))
	var warned []string
	for round := range 3 {
		s := shell(`setsid sleep 60 >/dev/null 2>&1 & until [ "$(readlink /proc/$!/exe)" = "$1" ]; do :; done`, sleep)
		s.Warn = func(w loop.Warning) {
			if strings.Contains(w.Text, "outlives") {
				warned = append(warned, w.Text)
			}
		}
		said(t, k, s)
		if round > 0 {
			continue
		}
		if err := signalKeeper(k, syscall.SIGKILL); err != nil { // the next one is not told again
			t.Fatal(err)
		}
		<-k.line.dead
	}
	if len(warned) != 1 || !strings.Contains(warned[0], filepath.Base(sleep)) {
		t.Errorf("warned %q, want it once, with the name", warned)
	}
	if left := scene.survivors(); len(left) != 2 {
		t.Errorf("during the run %q are there, want both", left)
	}
	k.Close()
	scene.expectNone()
}

func TestInNamespacesAnErrorStartsNothing(t *testing.T) {
	scene := newSceneApart(t)
	for what, p := range map[string]fence.Policy{
		"go by the policy":                  {Write: []string{"/"}},
		"make a private copy":               {Private: []string{scene.tree}},
		"have a folder for temporary files": {Temp: "/no/such/folder"},
		"reach the proxy":                   {Proxy: "/no/such/socket"},
	} {
		p.Kind = fence.Namespaces
		k := NewKeeper(scene.mark, nil).Within(&p)
		_, err := k.Run(t.Context(), helperSpec(t, "exit", "0"))
		var unfenced *FenceError
		if !errors.As(err, &unfenced) || !strings.Contains(err.Error(), what) {
			t.Errorf("Run = %v, want a FenceError: %s", err, what)
		}
		k.Close()
	}
	k := scene.keeperApart()
	_, err := k.Run(t.Context(), Spec{Argv: []string{"/no/such/program"}})
	var start *StartError
	if !errors.As(err, &start) || !start.Missing() {
		t.Errorf("Run = %v, want a StartError", err)
	}
	scene.expectOnlyHelpers()
}

func (s scene) expectOnlyHelpers() {
	s.t.Helper()
	if left := s.survivors(); len(left) > 0 {
		s.t.Errorf("%d left:\n%s", len(left), strings.Join(left, "\n"))
	}
}

// ask connects, sends the end, and prints what comes back.
func ask(args []string) int {
	conn, err := net.DialTimeout(args[0], args[1], time.Second)
	if err != nil {
		fmt.Println("refused")
		return 1
	}
	fmt.Fprint(conn, "who is there?")
	_ = conn.(interface{ CloseWrite() error }).CloseWrite()
	_, _ = io.Copy(os.Stdout, conn)
	return 0
}

// echo serves everybody until the test ends.
func echo(t *testing.T, network, address string) net.Addr {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				heard, _ := io.ReadAll(conn)
				fmt.Fprintf(conn, "%s heard: %s\n", network, heard)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return l.Addr()
}

func TestInNamespacesTheProxyIsTheOnlyWayOut(t *testing.T) {
	scene := newSceneApart(t)
	hidden := t.TempDir()
	p := spaces(scene.tree)
	p.Proxy, p.ProxyPort, p.Hide = filepath.Join(hidden, "proxy"), 3128, []string{hidden}
	echo(t, "unix", p.Proxy)
	outside := echo(t, "tcp", "127.0.0.1:0")
	k := NewKeeper(scene.mark, nil).Within(p)
	defer k.Close()
	for _, tt := range []struct{ network, address, want string }{
		{"tcp", "127.0.0.1:3128", "unix heard: who is there?\n"},
		{"tcp", outside.String(), "refused\n"},
		{"unix", p.Proxy, "refused\n"},
		{"tcp", "127.0.0.1:3128", "unix heard: who is there?\n"},
	} {
		if got := said(t, k, helperSpec(t, "ask", tt.network, tt.address)); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.network, tt.address, got, tt.want)
		}
	}
	open := scene.keeperApart() // without a proxy the network is that of everybody
	if got := said(t, open, helperSpec(t, "ask", "tcp", outside.String())); got != "tcp heard: who is there?\n" {
		t.Errorf("with the network of the host: %q", got)
	}
}

// A run within a run has a fence of its own, or says why not.
func TestInNamespacesAnotherFenceWorksOrSaysWhyNot(t *testing.T) {
	scene := newSceneApart(t)
	k := scene.keeperApart()
	got := said(t, k, helperSpec(t, "runner", "loop_within", NewMark("loop_within", scene.tree).Runner, string(fence.Namespaces), scene.file, "exit"))
	want := "ready\n"
	if os.Geteuid() == 0 {
		want = "sandbox namespaces: start the keeper: "
	}
	if !strings.Contains(got, want) {
		t.Errorf("it said %q, want %q", got, want)
	}
	scene.expectOnlyHelpers()
}

// The superuser has rights that others have not, so all is tried as somebody else too.
func TestInNamespacesAsAnOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this is one")
	}
	if err := canPart(); err != nil {
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "ordinary")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	program, temp := filepath.Join(dir, "proc.test"), filepath.Join(dir, "tmp")
	const nobody = 65534
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(program, b, 0o755), os.Mkdir(temp, 0o700), os.Chown(temp, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^TestInNamespaces|Outlives|SelfTest|IsReplaced", "-test.v="+strconv.FormatBool(testing.Verbose()))
	cmd.Dir, cmd.Env = temp, append(os.Environ(), "TMPDIR="+temp, "HOME="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func TestInNamespacesTheSelfTestPasses(t *testing.T) {
	newSceneApart(t)
	if err := TryFence(t.Context(), fence.Namespaces); err != nil {
		t.Error(err)
	}
}

func TestInNamespacesWhatIsHiddenIsNotMissing(t *testing.T) {
	scene := newSceneApart(t)
	hidden := t.TempDir()
	program := filepath.Join(hidden, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := spaces(scene.tree)
	p.Hide = []string{hidden}
	k := NewKeeper(scene.mark, nil).Within(p)
	defer k.Close()
	for what, s := range map[string]Spec{
		"see " + hidden + "/in: it is not there inside":  {Argv: []string{"true"}, Dir: filepath.Join(hidden, "in")},
		"see " + program + ": it is not there inside":    {Argv: []string{program}, Dir: scene.tree},
		"start /no/such/program: no such file":           {Argv: []string{"/no/such/program"}},
		"start true in its folder: stat /no/such/folder": {Argv: []string{"true"}, Dir: "/no/such/folder"},
	} {
		if err := os.MkdirAll(filepath.Join(hidden, "in"), 0o700); err != nil {
			t.Fatal(err)
		}
		s.Env = os.Environ()
		if _, err := k.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("Run = %v, want %s", err, what)
		}
	}
}

func TestInNamespacesChangesAreKeptWhereTheyCanBe(t *testing.T) {
	newSceneApart(t)
	cache := t.TempDir()
	try := func(upper string) error {
		k := NewKeeper(NewMark("loop_1", cache), nil).Within(&fence.Policy{Kind: fence.Namespaces, Private: []string{cache}, Upper: upper})
		defer k.Close()
		_, err := k.Run(t.Context(), Spec{Argv: []string{"true"}, Dir: "/", Env: os.Environ()})
		return err
	}
	if err := try(t.TempDir()); err != nil {
		t.Skip(err) // not every file system can
	}
	if err := try("/proc/1"); err == nil {
		t.Error("changes can be kept in /proc")
	}
}

// What is hidden stays so when somebody outside puts another file in its place, as every
// program does that saves one, and when it appears only later.
func TestWhatIsHiddenDoesNotComeBack(t *testing.T) {
	s := newSceneApart(t)
	home := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	write(".netrc", "first")
	write(".profile", "mine")
	policy := spaces(s.tree)
	policy.Hide = []string{filepath.Join(home, ".netrc"), filepath.Join(home, ".later")}
	k := NewKeeper(s.mark, nil).Within(policy)
	t.Cleanup(k.Close)
	look := shell(`cd "$1"; for f in .netrc .later .profile; do echo "$f: $(cat $f 2>/dev/null)"; done`, home)
	want := ".netrc: \n.later: \n.profile: mine\n"
	if got := said(t, k, look); got != want {
		t.Errorf("at first:\n%s\nwant\n%s", got, want)
	}
	write(".netrc", "second")
	write(".later", "third")
	if got := said(t, k, look); got != want {
		t.Errorf("after others were put in their places:\n%s\nwant\n%s", got, want)
	}
}
