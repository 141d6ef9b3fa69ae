//go:build unix

package fleettest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// wire is the way from one machine to a place: a port of this machine, and what is
// said there goes to another one.
type wire struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	state *sync.Cond
	how   cut
	over  bool
	ends  map[net.Conn]bool
	wg    sync.WaitGroup
}

// cut is how a wire is broken.
type cut int

const (
	whole  cut = iota
	closed     // whoever calls is sent away at once, and calls that are under way end
	silent     // nothing comes through, and nobody is told
)

// newWire lays a wire. It is taken away when the test has ended.
func newWire(t testing.TB, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, to: to, ends: map[net.Conn]bool{}}
	w.state = sync.NewCond(&w.mu)
	w.wg.Go(w.serve)
	t.Cleanup(w.away)
	return w
}

// address is where the wire begins.
func (w *wire) address() string { return w.listener.Addr().String() }

// set breaks the wire, or mends it.
func (w *wire) set(how cut) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.how = how
	if how == closed {
		w.hangUp()
	}
	w.state.Broadcast()
}

// away takes the wire away, with all that is said on it.
func (w *wire) away() {
	w.listener.Close()
	w.mu.Lock()
	w.over = true
	w.hangUp()
	w.state.Broadcast()
	w.mu.Unlock()
	w.wg.Wait()
}

// hangUp ends every call. The lock is held.
func (w *wire) hangUp() {
	for c := range w.ends {
		c.Close()
	}
	clear(w.ends)
}

func (w *wire) serve() {
	for {
		here, err := w.listener.Accept()
		if err != nil {
			return
		}
		if w.keep(here) {
			w.wg.Go(func() { w.call(here) })
		}
	}
}

// keep notes one end of a call, and closes it where there are to be none.
func (w *wire) keep(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || w.how == closed {
		c.Close()
		return false
	}
	w.ends[c] = true
	return true
}

func (w *wire) call(here net.Conn) {
	defer w.forget(here)
	if !w.open() {
		return
	}
	there, err := net.Dial("tcp", w.to)
	if err != nil {
		return // nobody is there: whoever called is sent away
	}
	if !w.keep(there) {
		return
	}
	defer w.forget(there)
	var wg sync.WaitGroup
	wg.Go(func() { w.copy(there, here) })
	w.copy(here, there)
	wg.Wait()
}

func (w *wire) forget(c net.Conn) {
	c.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ends, c)
}

// open waits while the wire is silent, and tells whether it is there still.
func (w *wire) open() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.how == silent && !w.over {
		w.state.Wait()
	}
	return !w.over && w.how == whole
}

// copy takes what one end says to the other, until one of them has ended.
func (w *wire) copy(to, from net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			if !w.open() {
				return
			}
			if _, err := to.Write(b[:n]); err != nil {
				from.Close()
				return
			}
		}
		if err != nil {
			if half, ok := to.(*net.TCPConn); ok && err == io.EOF {
				_ = half.CloseWrite() // the other way may go on
				return
			}
			to.Close()
			return
		}
	}
}

// A wire takes what is said, and what is cut does not come through.
func TestAWireCanBeCut(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c) // until the wire is cut
				c.Close()
			}()
		}
	}()
	w := newWire(t, echo.Addr().String())
	call := func() net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", w.address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	said := func(c net.Conn, word string) string {
		if _, err := c.Write([]byte(word)); err != nil {
			return ""
		}
		b := make([]byte, len(word))
		n, _ := io.ReadFull(c, b)
		return string(b[:n])
	}

	first := call()
	if got := said(first, "one"); got != "one" {
		t.Fatalf("a whole wire gives %q, want what was said", got)
	}
	w.set(closed)
	if got := said(first, "two"); got != "" {
		t.Errorf("a closed wire gives %q, want nothing", got)
	}
	if got := said(call(), "three"); got != "" {
		t.Errorf("a new call on a closed wire gives %q, want nothing", got)
	}

	w.set(whole)
	second := call()
	if got := said(second, "four"); got != "four" {
		t.Fatalf("a wire that was mended gives %q, want what was said", got)
	}
	w.set(silent)
	heard := make(chan string)
	go func() { heard <- said(second, "five") }()
	select {
	case got := <-heard:
		t.Errorf("a silent wire gives %q, want silence", got)
	default:
	}
	w.set(whole)
	if got := <-heard; got != "five" {
		t.Errorf("after the silence comes %q, want what was said in it", got)
	}
}
