package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"sync/atomic"
	"time"

	"github.com/refrain-loop/refrain/internal/bridge"
)

const (
	headerTime   = 30 * time.Second // for a client to say what it wants
	idleTime     = time.Minute      // between two requests
	hearTime     = 2 * time.Second  // to hear that it is refused
	headerBytes  = 64 << 10
	answerBytes  = 256 << 10 // of headers, from a server
	mostClients  = 1024      // further ones wait
	mostRequests = 512       // under way; further ones are told so
	mostRefusals = 200       // that are told one by one
)

// Settings is what a proxy needs to know.
type Settings struct {
	Socket string   // where Listen listens; its folder is made, for us alone
	Hosts  []string // what it reaches: see Valid
	// Refused is told of each host that was refused, once. It is called by one
	// at a time, and must not close the proxy.
	Refused func(Refusal)
	// Log is told what else goes wrong with the proxy itself.
	Log func(text string)
}

// Server is a proxy that listens.
type Server struct {
	settings Settings
	reacher  *reacher
	server   *http.Server
	listener *listener
	requests chan struct{} // a place for each that is under way
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu     sync.Mutex
	told   map[string]bool
	closed bool
}

// Listen starts a proxy. Close ends it.
func Listen(settings Settings) (*Server, error) {
	r, err := newReacher(settings.Hosts)
	if err != nil {
		return nil, fmt.Errorf("sandbox.hosts: %w", err)
	}
	l, err := listenSocket(settings.Socket)
	if err != nil {
		return nil, fmt.Errorf("listen for the sandbox's network: %w", err)
	}
	return serve(settings, r, l), nil
}

// Serve starts a proxy on a listener, which it closes in the end.
func Serve(settings Settings, l net.Listener) (*Server, error) {
	r, err := newReacher(settings.Hosts)
	if err != nil {
		return nil, fmt.Errorf("sandbox.hosts: %w", err)
	}
	return serve(settings, r, l), nil
}

func serve(settings Settings, r *reacher, l net.Listener) *Server {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		settings: settings, reacher: r, cancel: cancel,
		listener: newListener(l, mostClients),
		requests: make(chan struct{}, mostRequests),
		told:     map[string]bool{},
	}
	s.server = &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handle(ctx, w, r) }),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          silent,
		// Else "OPTIONS *" would be answered before we hear of it.
		DisableGeneralOptionsHandler: true,
	}
	s.wg.Go(func() {
		if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) && ctx.Err() == nil {
			s.log(fmt.Sprintf("the sandbox has no network any more: %v", err))
		}
	})
	return s
}

// silent takes what net/http has to say about clients. They are told themselves.
var silent = log.New(io.Discard, "", 0)

// Close ends the proxy and every connection through it. It comes back when
// nothing of it is left.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	err := s.server.Close()
	s.listener.closeAll()
	s.wg.Wait()
	s.listener.wait()
	return err
}

func (s *Server) log(text string) {
	if s.settings.Log != nil {
		s.settings.Log(text)
	}
}

// handle answers one request. The context is that of the proxy's life.
func (s *Server) handle(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		return
	}
	defer s.wg.Done()
	select {
	case s.requests <- struct{}{}:
		defer func() { <-s.requests }()
	default:
		answer(w, http.StatusServiceUnavailable, fmt.Sprintf("%d requests are under way, and no more are taken", mostRequests))
		return
	}
	p, err := placeOf(r)
	switch {
	case err != nil:
		answer(w, http.StatusBadRequest, err.Error())
	case r.Method == http.MethodConnect:
		s.tunnel(ctx, w, p)
	default:
		s.pass(w, r, p)
	}
}

// enter counts a request in that Close has to wait for.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Add(1)
	}
	return !s.closed
}

// fail tells a client why it does not get where it wanted to.
func (s *Server) fail(w http.ResponseWriter, err error) {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		s.tell(*refusal)
		answer(w, http.StatusForbidden, refusal.Error())
		return
	}
	answer(w, http.StatusBadGateway, err.Error())
}

// answer is one line, and the end of the connection.
func answer(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "refrain: %s\n", text) // whoever asked may be gone
}

// tell passes a refusal on, if it is the first of its host. Who makes hosts up
// is not told of without end.
func (s *Server) tell(r Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told[r.Host] || len(s.told) > mostRefusals {
		return
	}
	s.told[r.Host] = true
	if len(s.told) > mostRefusals {
		s.log(fmt.Sprintf("the sandbox was refused more than %d hosts: the others are not told", mostRefusals))
		return
	}
	if s.settings.Refused != nil {
		s.settings.Refused(r)
	}
}

// tunnel connects, and then only copies. It outlives a client that has no more
// to say, but not the proxy.
func (s *Server) tunnel(ctx context.Context, w http.ResponseWriter, p place) {
	far, err := s.reacher.reach(ctx, p)
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		s.tell(*refusal)
		turnAway(w, refusal)
		return
	case err != nil:
		s.fail(w, err)
		return
	}
	near, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = far.Close()
		return
	}
	_ = near.SetDeadline(time.Time{})
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = far.Close()
		_ = near.Close()
		return
	}
	bridge.Join(ctx, &ahead{near, rw.Reader}, far)
}

// turnAway refuses a tunnel. Few programs show what is in the answer, and many
// show its first line, so all of it is there, too.
func turnAway(w http.ResponseWriter, r *Refusal) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		answer(w, http.StatusForbidden, r.Error())
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(hearTime))
	_, _ = fmt.Fprintf(c, "HTTP/1.1 403 Forbidden: %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\nrefrain: %s\n",
		r.Error(), len("refrain: \n")+len(r.Error()), r.Error())
	if half, ok := c.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		// What it had sent ahead would take the answer away with it, unread.
		_, _ = io.CopyN(io.Discard, c, headerBytes)
	}
}

// pass sends a plain request on, and the answer back. Only what is meant for the
// other end goes on: the headers between us and the client do not.
func (s *Server) pass(w http.ResponseWriter, r *http.Request, p place) {
	far, err := s.reacher.reach(r.Context(), p)
	if err != nil {
		s.fail(w, err)
		return
	}
	defer far.Close()
	(&httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.URL.Host, pr.Out.Host = p.authority(), ""
			pr.Out.URL.RawQuery = pr.In.URL.RawQuery // as it was, also where it is odd
		},
		Transport:     over(far),
		FlushInterval: -1, // an answer may come word by word
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, err error) { s.fail(w, err) },
		ErrorLog:      silent,
	}).ServeHTTP(w, r)
}

// over sends one request over a connection that is there. Had net/http to dial
// by itself, it would go on with that when nobody waits for it any more.
func over(c net.Conn) http.RoundTripper {
	var used atomic.Bool
	return &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			if used.Swap(true) {
				return nil, errors.New("the connection broke")
			}
			return c, nil
		},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: answerBytes,
	}
}

// ahead is a connection of which something was read already.
type ahead struct {
	net.Conn
	r *bufio.Reader
}

func (a *ahead) Read(b []byte) (int, error) { return a.r.Read(b) }

func (a *ahead) CloseWrite() error {
	if c, ok := a.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}
