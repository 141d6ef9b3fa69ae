package flow

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// The tests in here want a real server: REFRAIN_TEMPORAL names the program.

var real = struct {
	sync.Mutex
	address string
	end     func()
}{}

func TestMain(m *testing.M) {
	code := m.Run()
	if real.end != nil {
		real.end()
	}
	os.Exit(code)
}

// realServer is the address of a server that all tests share.
func realServer(t *testing.T) fleet.Server {
	t.Helper()
	program := os.Getenv("REFRAIN_TEMPORAL")
	if program == "" {
		t.Skip("needs a real server: set REFRAIN_TEMPORAL to the temporal program")
	}
	real.Lock()
	defer real.Unlock()
	if real.address == "" {
		startServer(t, program)
	}
	return fleet.Server{Address: real.address, Namespace: "default"}
}

func startServer(t *testing.T, program string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "flow-server")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(program, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port, "--db-filename", filepath.Join(dir, "db"), "--log-level", "error")
	said, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	real.end = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		os.RemoveAll(dir)
	}
	at := fleet.Server{Address: "127.0.0.1:" + port, Namespace: "default"}
	for late := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		s, err := Dial(t.Context(), at)
		if err == nil {
			s.Close()
			break
		}
		if time.Now().After(late) {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("no server after a minute: %v\n%s", err, log)
		}
	}
	real.address = at.Address
}

// desk is a fake that does legs as a test says.
type desk struct {
	leg func(ctx context.Context, t fleet.Turn, h fleet.Hooks) (fleet.Standing, error)

	mu     sync.Mutex
	live   map[string]int
	told   []fleet.Order
	leave  chan struct{} // closed when legs are to be left between two steps
	now    chan struct{} // closed when they are to be left at once
	left   bool
	leftAt bool
}

func newDesk(leg func(ctx context.Context, t fleet.Turn, h fleet.Hooks) (fleet.Standing, error)) *desk {
	return &desk{leg: leg, live: map[string]int{}, leave: make(chan struct{}), now: make(chan struct{})}
}

func (d *desk) Run(ctx context.Context, t fleet.Turn, h fleet.Hooks) (fleet.Standing, error) {
	d.mu.Lock()
	d.live[t.Spec.ID] = t.Leg
	d.told = append(d.told, t.Orders...)
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.live, t.Spec.ID)
	}()
	return d.leg(ctx, t, h)
}

func (d *desk) Tell(_ context.Context, run string, leg int, o fleet.Order) (fleet.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live[run] != leg {
		return fleet.Answer{}, fmt.Errorf("leg %d of %s is not here", leg, run)
	}
	d.told = append(d.told, o)
	return fleet.Answer{OK: true, Effect: "heard", State: loop.Running}, nil
}

func (d *desk) Leave(now bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.left {
		close(d.leave)
		d.left = true
	}
	if now && !d.leftAt {
		close(d.now)
		d.leftAt = true
	}
}

// heard are the orders that legs have heard.
func (d *desk) heard() []fleet.Order {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.told)
}

func (d *desk) Live() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.live)
}

// works has a worker work until the test ends, or the function it gives is called.
func works(t *testing.T, at fleet.Server, shift fleet.Shift, legs fleet.Legs) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Work(ctx, at, shift, legs) }()
	leave = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("worker %s: %v", shift.Name, err)
		}
	})
	t.Cleanup(leave)
	return leave
}

func dialed(t *testing.T, at fleet.Server) *Service {
	t.Helper()
	s, err := Dial(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// until asks again and again whether something is so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for late := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("after a minute it is not so that %s", what)
		}
	}
}

// A run is submitted, listed, found, told something, left by one worker and ended by
// another.
func TestARunGoesFromWorkerToWorker(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	queue := t.Name()
	spec := fleet.Spec{ID: "loop_11112222-aaaa", Name: "first", Remote: "file:///it's", Branch: "refrain/first", Queue: queue, Lease: 10 * time.Second, Sticky: true, Submitted: time.Now(), By: "ann"}

	atWork := newDesk(nil)
	atWork.leg = func(_ context.Context, turn fleet.Turn, h fleet.Hooks) (fleet.Standing, error) {
		h.Tell(fleet.Progress{State: loop.Running, Iterations: 2, CostUSD: 0.5})
		<-atWork.leave
		return fleet.Standing{State: loop.Parked, Why: "the worker leaves", Iterations: 2, Leg: turn.Leg, Worker: "a", Host: "host/a"}, nil
	}
	leave := works(t, at, fleet.Shift{Name: "a", Queue: queue, Slots: 1, Legs: true, Flows: true, Grace: time.Minute}, atWork)

	if err := s.Submit(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	until(t, "the run is live", func() bool {
		row, err := s.Find(t.Context(), "first")
		return err == nil && row.Live && row.Iterations == 2 && row.Worker == "a"
	})
	until(t, "the list has it", func() bool {
		rows, err := s.List(t.Context(), fleet.Filter{Remote: spec.Remote, State: loop.Running})
		return err == nil && len(rows) == 1 && rows[0].ID == spec.ID && rows[0].By == "ann" && rows[0].CostUSD == 0.5
	})
	if row, err := s.Find(t.Context(), "11112222"); err != nil || row.Run != "first" {
		t.Errorf("by the beginning of its id it is %+v, %v", row, err)
	}
	if a, err := s.Order(t.Context(), "first", fleet.Order{Command: "note", Text: "mind the gap"}); err != nil || !a.OK || a.Effect != "heard" {
		t.Errorf("a note was answered %+v, %v", a, err)
	}

	other := newDesk(func(_ context.Context, turn fleet.Turn, _ fleet.Hooks) (fleet.Standing, error) { return done(turn, 3) })
	works(t, at, fleet.Shift{Name: "b", Queue: queue, Slots: 1, Legs: true, Flows: true, Grace: time.Second}, other)
	leave()
	row, err := s.Wait(t.Context(), "first")
	if err != nil || row.State != loop.Done || row.Iterations != 3 || row.Leg != 2 || row.Lost != 0 {
		t.Errorf("it ended %+v, %v", row, err)
	}
	until(t, "the list says that it is over", func() bool {
		rows, err := s.List(t.Context(), fleet.Filter{Remote: spec.Remote, Over: true})
		return err == nil && len(rows) == 1 && rows[0].State == loop.Done
	})
	if rows, err := s.List(t.Context(), fleet.Filter{Remote: spec.Remote}); err != nil || len(rows) != 0 {
		t.Errorf("among those under way there are %+v, %v", rows, err)
	}
}

// frozenServer is the way to a server that can be made to swallow all that is sent.
type frozenServer struct {
	real fleet.Server
	mute *atomic.Bool
}

// listen gives the address of the way.
func (f *frozenServer) listen(t *testing.T) fleet.Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", f.real.Address)
			if err != nil {
				near.Close()
				return
			}
			go f.pass(near, far)
			go f.pass(far, near)
		}
	}()
	at := f.real
	at.Address = l.Addr().String()
	return at
}

// pass hands on what comes, later where the way is cut.
func (f *frozenServer) pass(to, from net.Conn) {
	defer to.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		for f.mute.Load() {
			time.Sleep(5 * time.Millisecond)
		}
		if _, werr := to.Write(piece[:n]); err != nil || werr != nil {
			return
		}
	}
}

// A worker hears whether its server answers: when it has reached it, when it goes away in
// the middle of the shift, and when it is back.
func TestAWorkerHearsWhetherItsServerAnswers(t *testing.T) {
	at := realServer(t)
	var mute atomic.Bool
	frozen := &frozenServer{real: at, mute: &mute}
	said := make(chan bool, 100)
	works(t, frozen.listen(t), fleet.Shift{Name: "w" + t.Name(), Flows: true, Served: func(ok bool) { said <- ok }}, nil)
	hears := func(want bool) {
		t.Helper()
		for late := time.After(time.Minute); ; {
			select {
			case ok := <-said:
				if ok == want {
					return
				}
			case <-late:
				t.Fatalf("it never hears that the server answers: %t", want)
			}
		}
	}
	hears(true)
	mute.Store(true)
	hears(false)
	mute.Store(false)
	hears(true)
}
