package control

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	mostBody = 64 << 10
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
			refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("the run has %d clients already: close some of them", mostClients))
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
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBody)).Decode(&c)
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
		ring: s.ring, turns: s.turns, past: s.of.Past, at: after,
		send: func(frames []byte) error {
			if _, err := w.Write(frames); err != nil {
				return err
			}
			return out.Flush()
		},
	}
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
