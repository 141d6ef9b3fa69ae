package control

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

const (
	mostClients = 4096
	mostHeader  = 16 << 10
	headerTime  = 5 * time.Second
	idleTime    = time.Minute
	// batchTime is the shortest time between two wakings of the streams. Nobody
	// can see a difference that is shorter.
	batchTime = 20 * time.Millisecond
	// closeTime is how long Close waits for clients.
	closeTime = 2 * time.Second
)

// Options are what a server has to know of its run. Its functions are called
// from many goroutines at once.
type Options struct {
	ID string // of the run
	// Folders are where the socket may lie; the first that will do is taken.
	// Where there are no sockets they are not needed.
	Folders []string
	// Run tells where the run stands now.
	Run func() view.Status
	// Do gives a command to the run and returns when it has taken effect, or soon
	// after ctx ends: then nobody waits for the effect any more, but it is still
	// wanted. It may return the zero Answer then.
	Do func(ctx context.Context, c Command) Answer
	// Inside tells whether a process belongs to the run itself: it may look on,
	// and not steer what holds it. Nil is no process.
	Inside func(pid int) bool
	// Past reads the events of the run after a number; see Past.
	Past func(after int64) iter.Seq2[loop.Event, error]
}

// Server serves the API of one run. It observes the run's events.
type Server struct {
	of      Options
	address string
	token   string // that requests must have; empty where the socket itself keeps others out
	http    *http.Server
	ring    *ring
	turns   *turns
	fresh   chan struct{} // has something while there are events that streams were not woken for
	closing chan struct{}
	close   func()
	wg      sync.WaitGroup

	mu   sync.Mutex
	busy int           // requests that are being answered
	idle chan struct{} // closed when there are none and there will be none; nil before closing
}

// Serve begins to answer. A run can do without: the caller need not fail.
func Serve(o Options) (*Server, error) {
	l, address, err := listen(o.Folders, o.ID)
	if err != nil {
		return nil, fmt.Errorf("open the control socket: %w", err)
	}
	return serve(o, l, address, newRing(mostEvents, mostWeight)), nil
}

func serve(o Options, l net.Listener, address string, r *ring) *Server {
	_, _, token := split(address)
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		of: o, address: address, token: token,
		ring: r, turns: newTurns(),
		fresh: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, peer{}, pidOf(c)) },
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: mostHeader,
		ErrorLog: log.New(io.Discard, "", 0), // the terminal belongs to the run
	}
	s.close = sync.OnceFunc(func() { s.end(l, cancel) })
	s.wg.Go(func() { _ = s.http.Serve(guarded{l}) }) // until Close
	s.wg.Go(s.wakeStreams)
	return s
}

// Address is what a client dials. Whoever has it may need no more to connect, so
// it belongs in files that only the owner can read.
func (s *Server) Address() string { return s.address }

// Observe takes note of an event, which must not change afterwards. How many
// clients there are does not matter here.
func (s *Server) Observe(e loop.Event) {
	s.ring.add(e)
	select {
	case s.fresh <- struct{}{}:
	default: // they will be woken already
	}
}

func (s *Server) wakeStreams() {
	for {
		select {
		case <-s.fresh:
			s.ring.wake()
		case <-s.closing:
			return
		}
		select {
		case <-time.After(batchTime):
		case <-s.closing:
			return
		}
	}
}

// Close says goodbye: who waits for a command is told that the run has ended,
// and who follows the events gets the last of them. Neither can hold it up for
// long. The socket is gone afterwards.
func (s *Server) Close() { s.close() }

func (s *Server) end(l net.Listener, cancel func()) {
	_ = l.Close() // also removes the socket
	idle := s.refuse()
	s.ring.close()
	close(s.turns.over)
	close(s.closing)
	cancel()
	select {
	case <-idle:
	case <-time.After(closeTime):
	}
	_ = s.http.Close()
	s.wg.Wait()
}

// refuse lets no more requests in, and tells when those that are in have left.
func (s *Server) refuse() (idle <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = make(chan struct{})
	if s.busy == 0 {
		close(s.idle)
	}
	return s.idle
}

// enter counts a request in, if the run is not over and there is room.
func (s *Server) enter() (over, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	over, full = s.idle != nil, s.busy >= mostClients
	if !over && !full {
		s.busy++
	}
	return over, full
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy--; s.busy == 0 && s.idle != nil {
		close(s.idle)
	}
}

// guarded lets in who may come.
type guarded struct{ net.Listener }

func (g guarded) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if trusted(c) == nil {
			return c, nil
		}
		c.Close()
	}
}
