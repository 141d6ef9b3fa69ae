package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/view"
)

const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 32 << 10
	maxBody    = 1 << 20
	bodyTime   = 10 * time.Second
	// answerTime is how long a client may take to read an answer that is no stream.
	answerTime = 30 * time.Second
	// closeTime is how long the end waits for who is being answered.
	closeTime = 2 * time.Second
	// maxRequests are answered at once. Every page has one stream.
	maxRequests = 512
)

// Options are what a server has to know. Its functions are called from many
// goroutines at once.
type Options struct {
	Version string
	Here    string // the work tree that it was started in; empty: none
	Access  Access

	// Stores gives the records of every project of this user.
	Stores func() ([]journal.Store, error)
	// Look folds a run into what is shown of it now. Closely also looks for processes
	// that it has left.
	Look, LookClosely func(journal.Store, journal.Entry) *view.Run
	// Coming are runs that have no records yet; nil: there are none.
	Coming func() []*view.Run
	// Do has a live run carry out a command; nil: it listens at a socket of this machine.
	Do func(ctx context.Context, s journal.Store, run string, c control.Command) (control.Answer, error)
	// Files brings what the checkpoints of a run hold; nil: it is here.
	Files func(ctx context.Context, e journal.Entry) error
	// Tasks are those of a run's plan, as they stand now; nil: nobody knows.
	Tasks func(s journal.Store, run string) ([]Task, error)
	// Explain says an error as a person at a terminal hears it.
	Explain func(error) (why, hint string)
	// Raisable are the settings that can be changed of a live run.
	Raisable []string
	// Inside tells whether a process belongs to a live run.
	Inside func(pid int) bool
	// Tunnel says that a tunnel or a proxy of this machine stands in front, which may hide
	// what it holds: who cannot be seen may act, unless a process of a run hides, too.
	Tunnel bool
	// Farewell is what pages are told when the server ends.
	Farewell string
	// Program is what starts runs; nil: none is started from the page.
	Program Program
	// Limits are what providers have told the runs of this user.
	Limits func(now time.Time) ([]Limit, error)
}

// Server is the page and what it asks for.
type Server struct {
	Options
	boot     string // tells two servers apart
	fleet    *fleet
	ledgers  ledgers
	channels channels
	pages    *pages
	slots    chan struct{} // of requests

	closing context.Context // done when the server is about to end
	close   context.CancelFunc
	wg      sync.WaitGroup
}

// New makes a server. Close must be called when it is no longer needed.
func New(o Options) (*Server, error) {
	p, err := loadPages()
	if err != nil {
		return nil, err
	}
	s := &Server{Options: o, boot: newBoot(), pages: p, slots: make(chan struct{}, maxRequests)}
	s.closing, s.close = context.WithCancel(context.Background())
	s.Access.tries = new(tries)
	s.fleet = newFleet(o)
	return s, nil
}

func newBoot() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Close ends what the server has begun.
func (s *Server) Close() {
	s.close()
	s.wg.Wait()
}

// Serve answers at a listener until ctx ends. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0), // the terminal is for people
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		s.close() // streams end themselves
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		if h.Shutdown(leaving) != nil {
			_ = h.Close() // who still reads has read enough
		}
		err = <-ended
	}
	s.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the page: %w", err)
}

// Handler answers every request.
func (s *Server) Handler() http.Handler {
	open, inner := http.NewServeMux(), http.NewServeMux()
	s.routes(open, inner)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		default:
			refuse(w, http.StatusServiceUnavailable, "there are too many requests at once", "close some pages")
			return
		}
		guardHeaders(w.Header())
		limits := http.NewResponseController(w)
		_ = limits.SetWriteDeadline(time.Now().Add(answerTime)) // a recorder has none
		if r.ContentLength != 0 {
			// A body that never comes is waited for before an answer, also where nobody wants one.
			_ = limits.SetReadDeadline(time.Now().Add(bodyTime))
		}
		if err := s.Access.check(r); err != nil {
			refuse(w, http.StatusForbidden, err.Error(), "open the address that \"refrain serve\" printed")
			return
		}
		if _, pattern := open.Handler(r); pattern != "" {
			open.ServeHTTP(w, r)
			return
		}
		s.Access.letIn(w, r, inner)
	})
}

// routes is every address. Those in open need no cookie.
func (s *Server) routes(open, inner *http.ServeMux) {
	open.HandleFunc("GET /static/", s.pages.static)
	open.HandleFunc("GET /manifest.webmanifest", s.pages.file("manifest.webmanifest"))
	open.HandleFunc("GET /favicon.ico", s.pages.file("icon.svg"))
	open.HandleFunc("GET /login", s.loginPage)
	open.HandleFunc("POST /login", s.login)

	inner.HandleFunc("/", s.noSuch)
	inner.HandleFunc("GET /{$}", s.overviewPage)
	inner.HandleFunc("GET /api/overview", s.overview)
	inner.HandleFunc("GET /api/stream", s.overviewStream)

	const run = "/api/runs/{id}"
	of := runs{s}
	acts := actor{of}
	inner.HandleFunc("GET /runs/{id}", of.runPage)
	inner.HandleFunc("GET "+run, of.run)
	inner.HandleFunc("GET "+run+"/iterations", of.iterations)
	inner.HandleFunc("GET "+run+"/timeline", of.timeline)
	inner.HandleFunc("GET "+run+"/iterations/{n}", of.iteration)
	inner.HandleFunc("GET "+run+"/iterations/{n}/transcript", of.transcript)
	inner.HandleFunc("GET "+run+"/iterations/{n}/prompt", of.prompt)
	inner.HandleFunc("GET "+run+"/iterations/{n}/output", of.output)
	inner.HandleFunc("GET "+run+"/iterations/{n}/gates", of.gateOutputs)
	inner.HandleFunc("GET "+run+"/story", of.story)
	inner.HandleFunc("GET "+run+"/diff", of.diff)
	inner.HandleFunc("GET "+run+"/gates", of.gates)
	inner.HandleFunc("GET "+run+"/claims", of.claims)
	inner.HandleFunc("GET "+run+"/checkpoints", of.checkpoints)
	inner.HandleFunc("GET "+run+"/warnings", of.warnings)
	inner.HandleFunc("GET "+run+"/tasks", of.tasks)
	inner.HandleFunc("GET "+run+"/events", of.events)
	inner.HandleFunc("GET "+run+"/stream", streams{of}.runStream)

	inner.HandleFunc("POST "+run+"/commands", acts.command)
	inner.HandleFunc("POST "+run+"/rollback", acts.rollBack)
	inner.HandleFunc("POST "+run+"/resume", acts.resume)
	inner.HandleFunc("GET /api/start", acts.offers)
	inner.HandleFunc("POST /api/start", acts.start)
}

// guardHeaders are on every answer: nothing is loaded from elsewhere, nothing runs
// that is not ours, nobody frames the page, and nobody keeps it.
func guardHeaders(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// With none at all, browsers say of our own login that it comes from nowhere.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// noSuch is the answer to every other address: to a person a page.
func (s *Server) noSuch(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.notHere(w, fmt.Sprintf("There is nothing at %.200q.", r.URL.Path))
		return
	}
	refuse(w, http.StatusNotFound, fmt.Sprintf("there is nothing at %.200q, or not for %s", r.URL.Path, r.Method), "")
}

// refusal is the answer to what is not done.
type refusal struct {
	OK   bool   `json:"ok"` // never
	Why  string `json:"why"`
	Hint string `json:"hint,omitempty"`
}

func refuse(w http.ResponseWriter, status int, why, hint string) {
	answer(w, status, refusal{Why: why, Hint: hint})
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, content any) {
	b, err := json.Marshal(content)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"ok":false,"why":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	_, _ = w.Write(b) // a client that is gone misses it
}

// explain answers with an error in the words of the command line.
func (s *Server) explain(w http.ResponseWriter, status int, err error) {
	why, hint := err.Error(), ""
	if s.Explain != nil {
		why, hint = s.Explain(err)
	}
	refuse(w, status, why, hint)
}
