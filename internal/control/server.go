package control

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

const (
	maxClients = 4096
	// maxEvents is how many of the latest events are at hand for them: some
	// hundred iterations.
	maxEvents  = 4096
	maxHeader  = 16 << 10
	headerTime = 5 * time.Second
	idleTime   = time.Minute
	// batchTime is the shortest time between two wakings of the streams. Nobody
	// can see a difference that is shorter.
	batchTime = 20 * time.Millisecond
	// streamTime is what each stream adds to that: a thousand are told once a second,
	// and the run has its time for itself.
	streamTime = time.Millisecond
	// closeTime is how long Close waits for clients. In the first half of it they
	// get all that they have not got yet, and then the last event only.
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
	// Past reads the events of the run after a number.
	Past func(after int64) iter.Seq2[loop.Event, error]
	// Patience is how long Close waits for clients; zero is closeTime.
	Patience time.Duration
}

// Server serves the API of one run. It observes the run's events.
type Server struct {
	of      Options
	address string
	token   string // that requests must have; empty where the socket itself keeps others out
	http    *http.Server
	feed    *Feed
	fresh   chan struct{} // has something while there are events that streams were not woken for
	streams atomic.Int64  // that are open
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
	return serve(o, l, address, NewFeed(maxEvents, o.Past)), nil
}

func serve(o Options, l net.Listener, address string, feed *Feed) *Server {
	if o.Patience == 0 {
		o.Patience = closeTime
	}
	_, _, token := split(address)
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		of: o, address: address, token: token,
		feed:  feed,
		fresh: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, peer{}, pidOf(c)) },
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
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
	s.feed.Add(e)
	select {
	case s.fresh <- struct{}{}:
	default: // they will be woken already
	}
}

func (s *Server) wakeStreams() {
	for {
		select {
		case <-s.fresh:
			s.feed.Wake()
		case <-s.closing:
			return
		}
		select {
		case <-time.After(max(batchTime, time.Duration(s.streams.Load())*streamTime)):
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
	s.feed.Close()
	close(s.closing)
	cancel()
	select {
	case <-idle:
	case <-time.After(s.of.Patience):
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
	over, full = s.idle != nil, s.busy >= maxClients
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
		_ = c.Close()
	}
}

const (
	maxBody  = 64 << 10
	bodyTime = 5 * time.Second
)

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/run", s.run)
	mux.HandleFunc("GET /v1/events", s.events)
	mux.HandleFunc("POST /v1/commands", s.command)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(bearer(s.token))) == 0 {
			refuse(w, http.StatusUnauthorized, "the token is missing or wrong")
			return
		}
		switch over, full := s.enter(); {
		case over:
			answer(w, http.StatusConflict, s.ended())
		case full:
			refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("the run has %d clients already: close some of them", maxClients))
		default:
			defer s.leave()
			mux.ServeHTTP(w, r)
		}
	})
}

func bearer(token string) string { return "Bearer " + token }

func (s *Server) run(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, s.of.Run())
}

func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	c, err := readCommand(w, r)
	if err != nil {
		answer(w, http.StatusBadRequest, Answer{State: s.of.Run().State, Why: err.Error()})
		return
	}
	if pid, known := r.Context().Value(peer{}).(int); known && pid != 0 && s.of.Inside != nil {
		c.Inside = s.of.Inside(pid)
	}
	a := s.of.Do(r.Context(), c)
	if a == (Answer{}) && r.Context().Err() != nil {
		a = s.ended() // else the client is gone, and nobody reads it
	}
	if a.State == "" {
		a.State = s.of.Run().State
	}
	if a.OK {
		answer(w, http.StatusOK, a)
		return
	}
	if a.Why == "" {
		a.Why = fmt.Sprintf("the run is %s", a.State)
	}
	answer(w, http.StatusConflict, a)
}

// peer is where a request keeps the process that it came from.
type peer struct{}

// ended is the answer to what comes too late.
func (s *Server) ended() Answer {
	state := s.of.Run().State
	why := "the run has ended"
	if state.Ended() {
		why += ": " + string(state)
	}
	return Answer{State: state, Why: why}
}

func readCommand(w http.ResponseWriter, r *http.Request) (Command, error) {
	// Only reading has to be quick; what the command waits for may take its time.
	limits := http.NewResponseController(w)
	_ = limits.SetReadDeadline(time.Now().Add(bodyTime))
	var c Command
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&c)
	_ = limits.SetReadDeadline(time.Time{})
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return c, fmt.Errorf("a command has at most %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return c, fmt.Errorf("read the command: %w", err)
	}
	return c, c.check()
}

func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	after, err := position(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	out := http.NewResponseController(w)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("Transfer-Encoding", "identity") // the end of the connection ends the stream
	if out.Flush() != nil {
		return
	}
	one := stream{
		feed: s.feed, at: after, drain: s.of.Patience / 2,
		send: func(frames []byte) error {
			if _, err := w.Write(frames); err != nil {
				return err
			}
			return out.Flush()
		},
	}
	s.streams.Add(1)
	defer s.streams.Add(-1)
	_ = one.run(r.Context()) // the client has been told, or is gone
}

// position is the event after which a client wants to go on. One that comes back
// says it in a header, as browsers do, and has still asked for what it asked first.
func position(r *http.Request) (int64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not the number of an event", text)
	}
	return n, nil
}

func refuse(w http.ResponseWriter, status int, why string) {
	answer(w, status, Answer{Why: why})
}

// answer writes all of an answer before it returns: Close cuts the connection
// when the last request has left.
func answer(w http.ResponseWriter, status int, content any) {
	b, err := json.Marshal(content)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"ok":false,"why":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	_, _ = w.Write(b) // a client that is gone misses it
	_ = http.NewResponseController(w).Flush()
}
