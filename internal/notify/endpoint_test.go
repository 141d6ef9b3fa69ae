package notify

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// secretPath is as secret as a password, and so is what follows it.
const (
	secretPath = "/services/T000/XXXXSECRET"
	secret     = secretPath + "?key=ALSOSECRET"
)

// server answers with a function, and keeps the requests.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		s.mu.Lock()
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
		n := len(s.requests)
		s.mu.Unlock()
		if answer != nil {
			answer(w, r, n)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// only is the one request that came.
func (s *server) only(t *testing.T) (*http.Request, string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) != 1 {
		t.Fatalf("%d requests, want one", len(s.requests))
	}
	return s.requests[0], s.bodies[0]
}

// at is an endpoint that does not pause.
func at(t *testing.T, url string) endpoint {
	t.Helper()
	e, err := newEndpoint("key", url)
	if err != nil {
		t.Fatal(err)
	}
	e.pause = 0
	return e
}

func TestPost(t *testing.T) {
	tests := []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, n int)
		tries  int
		want   string // the end of the error
	}{
		{"well", func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusNoContent) }, 1, ""},
		{"an error of the server's, once", func(w http.ResponseWriter, _ *http.Request, n int) {
			if n == 1 {
				w.WriteHeader(http.StatusBadGateway)
			}
		}, 2, ""},
		{"an error of the server's, twice", func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusBadGateway) }, 2, "127.0.0.1 answered 502 Bad Gateway"},
		{"an error of ours, with the URL in the answer", func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Error(w, "Cannot POST "+r.RequestURI, http.StatusNotFound)
		}, 1, "127.0.0.1 answered 404 Not Found"},
		{"a connection that is cut, once", func(_ http.ResponseWriter, _ *http.Request, n int) {
			if n == 1 {
				panic(http.ErrAbortHandler)
			}
		}, 2, ""},
		{"a connection that is cut, twice", func(http.ResponseWriter, *http.Request, int) { panic(http.ErrAbortHandler) }, 2, "127.0.0.1: EOF"},
		{"a place elsewhere", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Location", "http://elsewhere.invalid"+secret)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, 1, "127.0.0.1 redirects to another host (elsewhere.invalid)"},
		{"a place that is not encrypted the same", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Location", "https://"+r.Host+secret)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, 1, "127.0.0.1 redirects from http to https"},
		{"a place to which the message is not taken", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Location", "/other")
			w.WriteHeader(http.StatusFound)
		}, 1, "127.0.0.1 redirects without taking the message"},
		{"a place that is none", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Location", "http://%zz"+secret)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, 2, "127.0.0.1: the request failed"},
		{"round and round", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Location", secret)
			w.WriteHeader(http.StatusPermanentRedirect)
		}, 1 + maxHops, "127.0.0.1 redirects again and again"},
		{"a place beside", func(w http.ResponseWriter, _ *http.Request, n int) {
			if n == 1 {
				w.Header().Set("Location", "/beside")
				w.WriteHeader(http.StatusTemporaryRedirect)
			}
		}, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.answer)
			err := at(t, s.URL+secret).post(t.Context(), http.Header{"X-Mine": {"1"}}, []byte("the message"))
			if got := errorText(err); got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.requests) != tt.tries {
				t.Errorf("%d requests, want %d", len(s.requests), tt.tries)
			}
			for i, r := range s.requests {
				if r.Method != http.MethodPost || r.Header.Get("X-Mine") != "1" || r.Header.Get("User-Agent") != "refrain" || s.bodies[i] != "the message" {
					t.Errorf("request %d: %s %v %q", i+1, r.Method, r.Header, s.bodies[i])
				}
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestErrorsDoNotTellTheURL(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // so that nobody is there
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ctx := range map[string]context.Context{"nobody there": t.Context(), "ended": ended} {
		err := at(t, "http://user:PASSWORD@"+l.Addr().String()+secret).post(ctx, nil, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "127.0.0.1: ") || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "PASSWORD") {
			t.Errorf("%s: error %v, want the host only", name, err)
		}
	}
	e := at(t, "http://user:PASSWORD@example.com/a%20b%2Fcd"+secret)
	for _, leak := range []string{"T000", "XXXXSECRET", "key=ALSOSECRET", "ALSOSECRET", "PASSWORD", "user", "a b/cd", "a%20b%2Fcd"} {
		if err := e.trouble(errors.New("it said " + leak)); err.Error() != "example.com: the request failed" {
			t.Errorf("error %q tells %s", err, leak)
		}
	}
}

func TestNoSecondTryWhenTimeIsUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(http.ResponseWriter, *http.Request, int) {
		cancel()
		panic(http.ErrAbortHandler)
	})
	if err := at(t, s.URL+secret).post(ctx, nil, nil); err == nil {
		t.Error("no error")
	}
	s.only(t)
}
