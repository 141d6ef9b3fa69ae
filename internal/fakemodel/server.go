package fakemodel

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server plays a script to whoever asks.
type Server struct {
	URL string // http://127.0.0.1:PORT, for every format

	http *httptest.Server

	mu     sync.Mutex
	script Script
	next   int       // with "counter": the turn that comes next,
	plays  int       // and how often it was played
	resets time.Time // when the usage limit that is on is over; zero when none is
	seen   State
}

// State is what a server was asked so far.
type State struct {
	Requests int
	Main     int            // those that took a turn
	Side     int            // those that took none: titles and the like
	Played   []string       // "turn 0", "side", "rule 0" or "after", in order
	ByPath   map[string]int // "POST /v1/messages": 3
}

// Start serves the script until the test is over.
func Start(t testing.TB, script Script) *Server {
	t.Helper()
	if err := script.check(); err != nil {
		t.Fatal(err)
	}
	s := &Server{script: script, seen: State{ByPath: map[string]int{}}}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	t.Cleanup(s.Close)
	return s
}

// Close ends the server and every request that it still holds.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Play goes over to another script, from its first turn.
func (s *Server) Play(t testing.TB, script Script) {
	t.Helper()
	if err := script.check(); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.next, s.plays, s.resets = script, 0, 0, time.Time{}
}

// State is what the server was asked so far.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	seen.Played, seen.ByPath = slices.Clone(seen.Played), maps.Clone(seen.ByPath)
	return seen
}

// maxBody bounds a request; the longest that an agent was seen to send has a
// few megabytes.
const maxBody = 64 << 20

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.count(r)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusBadRequest, "cannot read the request: "+err.Error())
		return
	}
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		send(w, http.StatusOK, object{"input_tokens": len(body) / 4})
	case strings.HasSuffix(path, ":countTokens"):
		send(w, http.StatusOK, object{"totalTokens": len(body) / 4})
	case r.Method == http.MethodGet && strings.Contains(path+"/", "/models/"):
		send(w, http.StatusOK, models(path))
	case r.Method == http.MethodPost && dialectAt(path) != nil:
		q := read(dialectAt(path), path, body)
		q.n = n
		play(w, r, q, s.pick(q))
	case r.Method == http.MethodHead || path == "/":
		w.WriteHeader(http.StatusOK) // an agent looks whether anybody is there
	default:
		refuse(w, http.StatusNotFound, "no such endpoint: "+r.Method+" "+path)
	}
}

func (s *Server) count(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Requests++
	s.seen.ByPath[r.Method+" "+r.URL.Path]++
	return s.seen.Requests
}

func refuse(w http.ResponseWriter, status int, why string) {
	send(w, status, object{"error": object{"message": "fakemodel: " + why, "type": "fakemodel_error"}})
}

// models is a list of models in the caller's format.
func models(path string) object {
	var openAI, gemini []any
	for _, id := range []string{"fake-model", "claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro", "qwen3-coder-plus"} {
		openAI = append(openAI, object{
			"id": id, "object": "model", "type": "model", "display_name": id,
			"created": 1700000000, "created_at": "2025-01-01T00:00:00Z", "owned_by": "fake",
		})
		gemini = append(gemini, object{
			"name": "models/" + id, "displayName": id, "inputTokenLimit": 1 << 20, "outputTokenLimit": 1 << 16,
			"supportedGenerationMethods": []string{"generateContent", "countTokens"},
		})
	}
	if strings.HasPrefix(path, "/v1beta/") {
		return object{"models": gemini}
	}
	return object{"object": "list", "data": openAI, "has_more": false}
}

// id names something in a reply so that a log can be matched with a request.
func id(kind string, n int) string { return fmt.Sprintf("%s_fake_%04d", kind, n) }
