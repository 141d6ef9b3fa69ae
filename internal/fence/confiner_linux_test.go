package fence

import (
	"bufio"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestOnlyWhatIsStartedIsConfined(t *testing.T) {
	inside, outside := t.TempDir(), t.TempDir()
	c := newConfiner(t, Policy{Write: []string{inside}})
	if said, err := c.run(child("write", filepath.Join(inside, "a"))); err != nil {
		t.Errorf("in a folder that may be changed: %v %s", err, said)
	}
	if said, err := c.run(child("write", filepath.Join(outside, "a"))); !strings.Contains(said, "permission denied") {
		t.Errorf("elsewhere: %v %q, want it refused", err, said)
	}
	if err := os.WriteFile(filepath.Join(outside, "b"), nil, 0o600); err != nil {
		t.Errorf("we are confined ourselves: %v", err)
	}
}

func TestManyStartsLeaveNoThreadAndNoListener(t *testing.T) {
	c := newConfiner(t, Policy{})
	threads := func() int {
		list, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	start := func(n int) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range n {
					if said, err := c.run(child("write", "/dev/null")); err != nil {
						t.Errorf("%v: %s", err, said)
					}
				}
			})
		}
		all.Wait()
	}
	start(3)
	before := threads()
	start(20)
	if after := threads(); after > before+8 {
		t.Errorf("%d threads, %d before 80 starts", after, before)
	}
	c.ends.Wait() // the listeners end with who is behind them
	list, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		status, err := os.ReadFile(filepath.Join("/proc/self/task", e.Name(), "status"))
		if err == nil && !strings.Contains(string(status), "Seccomp:\t0") && !seccompHere(t) {
			t.Errorf("thread %s stays confined", e.Name())
		}
	}
}

// seccompHere tells whether all of this process is filtered, as in a container.
func seccompHere(t *testing.T) bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(string(status), "Seccomp:\t0")
}

func TestNobodyTracesAThreadWhileItIsConfined(t *testing.T) {
	c := newConfiner(t, Policy{})
	dumpable := func() int {
		n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := dumpable()
	during, tid := -1, 0
	err := c.On(func() {
		if err := c.On(func() {}); err != nil { // whose end does not lift the veil of the other
			t.Error(err)
		}
		during, tid = dumpable(), unix.Gettid()
	})
	if err != nil {
		t.Fatal(err)
	}
	if during != 0 {
		t.Errorf("it can be traced: %d", during)
	}
	if after := dumpable(); after != before {
		t.Errorf("dumpable is %d, and was %d", after, before)
	}
	if err := unix.Tgkill(unix.Getpid(), tid, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("the thread is still there: %v", err)
	}
}

func TestAConnectThatWaitsHoldsUpNobody(t *testing.T) {
	dir := t.TempDir()
	c := newConfiner(t, Policy{Write: []string{dir}})
	if said, err := c.run(child("crowd", filepath.Join(dir, "a"), filepath.Join(dir, "b"))); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

func TestAListenerOutsideIsNotReachedWhereverItsSocketLies(t *testing.T) {
	dir := t.TempDir()
	c := newConfiner(t, Policy{Write: []string{dir}})
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if said, err := c.run(child("dial", "unix", path)); err == nil || !strings.Contains(said, "permission denied") {
		t.Errorf("%v %q, want it refused", err, said)
	}
	open := newConfiner(t, Policy{Sockets: []string{dir}})
	if said, err := open.run(child("dial", "unix", path)); err != nil {
		t.Errorf("it is allowed by its folder: %v %s", err, said)
	}
	if said, err := open.run(child("dial aside", path)); err != nil {
		t.Errorf("from another thread: %v %s", err, said)
	}
}

func TestTwoStartsOfOneFenceReachEachOther(t *testing.T) {
	dir := t.TempDir()
	c := newConfiner(t, Policy{Write: []string{dir}})
	path := filepath.Join(dir, "s")
	server := child("listen", path)
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.On(func() { err = server.Start() }); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the server said %q, %v", line, err)
	}
	if said, err := c.run(child("dial", "unix", path)); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	_ = in.Close()
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAClosedFenceLetsNobodyConnect(t *testing.T) {
	c := newConfiner(t, Policy{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if said, err := c.run(child("dial", "tcp", l.Addr().String())); err != nil {
		t.Errorf("while it stands: %v %s", err, said)
	}
	started := false
	c.Close()
	if err := c.On(func() { started = true }); err == nil || started {
		t.Errorf("On = %v, started %v: nothing is to start in a fence that is closed", err, started)
	}
}

func TestWithNamespacesFilesAreNotItsToRefuse(t *testing.T) {
	needLandlock(t)
	c, err := NewConfiner(Policy{Kind: Namespaces})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dir := t.TempDir()
	if said, err := c.run(child("write", filepath.Join(dir, "a"))); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if said, err := c.run(child("dial", "unix", l.Addr().String())); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	abstract, err := net.Listen("unix", "@fence-test-"+filepath.Base(dir)+time.Now().Format("150405.000"))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	if said, err := c.run(child("dial", "unix", abstract.Addr().String())); err == nil && Look().Landlock >= abiScopes {
		t.Errorf("an abstract socket outside was reached: %s", said)
	}
}

func TestAFenceInAFenceIsAnErrorThatSaysSo(t *testing.T) {
	c := newConfiner(t, Policy{})
	if said, err := c.run(child("nest")); err == nil || !strings.Contains(said, "another sandbox") {
		t.Errorf("%v %q, want it to name the other one", err, said)
	}
}

func TestAProxyWithoutAPortIsAnError(t *testing.T) {
	needLandlock(t)
	_, err := NewConfiner(Policy{Kind: Landlock, Proxy: filepath.Join(t.TempDir(), "proxy")})
	var raised *Error
	if !errors.As(err, &raised) {
		t.Errorf("NewConfiner = %v, want an Error: the network would be open", err)
	}
}

func TestAFenceOfNoKnownKindIsAnError(t *testing.T) {
	_, err := NewConfiner(Policy{Kind: "paper"})
	var unknown *Error
	if !errors.As(err, &unknown) || unknown.Kind != "paper" {
		t.Errorf("NewConfiner = %v, want an Error of that kind", err)
	}
}
