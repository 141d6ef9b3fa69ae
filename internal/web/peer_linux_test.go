package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Who sends what it wants and is gone before anybody looks who that was steers nothing.
func TestNobodySteersAndLeaves(t *testing.T) {
	s := newScene(t)
	p := &typed{}
	s.Program = p
	s.Inside = func(int) bool { return false }
	left, answered := make(chan struct{}), make(chan int, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-left
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		answered <- w.Code
	}))
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	cookie := s.Access.sign(time.Now().Add(time.Hour).Unix())
	if _, err := fmt.Fprintf(c, "POST /api/start HTTP/1.1\r\nHost: 127.0.0.1:4117\r\nX-Refrain: 1\r\nCookie: %s=%s\r\nContent-Length: 2\r\n\r\n{}", s.Access.cookie(), cookie); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	close(left)
	if code := <-answered; code != http.StatusForbidden || len(p.lines) > 0 {
		t.Errorf("answered %d, typed %q; want refused", code, p.lines)
	}
}

// The socket of a process that hides what it has open is nobody's that can be seen.
func TestSuspects(t *testing.T) {
	ofARun := func(pid int) bool { return pid == 7 }
	for _, tt := range []struct {
		name            string
		holders, hidden []int
		want            string
	}{
		{"a browser", []int{3}, nil, ""},
		{"a browser, beside an agent that hides", []int{3}, []int{7}, ""},
		{"an agent", []int{7}, nil, fromARun},
		{"an agent that has handed it on", []int{3, 7}, nil, fromARun},
		{"a tunnel of another session", nil, []int{3, 4}, ""},
		{"an agent that hides", nil, []int{3, 7}, fromARun},
		{"nobody, and nobody hides", nil, nil, fromNobody},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := suspect(tt.holders, tt.hidden, ofARun); got != tt.want {
				t.Errorf("suspect(%v, %v) = %q, want %q", tt.holders, tt.hidden, got, tt.want)
			}
		})
	}
}

func TestWhoIsHere(t *testing.T) {
	for from, want := range map[string]string{"127.0.0.1:1": fromNobody, "[::1]:1": fromNobody, "[::ffff:127.0.0.1]:1": fromNobody, "192.0.2.1:1234": "", "nobody": ""} {
		if got := barred(&http.Request{RemoteAddr: from}, func(int) bool { return true }); got != want {
			t.Errorf("from %s: %q, want %q", from, got, want)
		}
	}
}
