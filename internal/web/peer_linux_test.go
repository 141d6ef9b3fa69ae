package web

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

// A socket that is on its way between two processes is nobody's: an agent could hide
// behind that.
func TestASocketOnItsWayIsRefused(t *testing.T) {
	s := newScene(t)
	p := &typed{}
	s.Program = p
	s.Inside = func(int) bool { return false }
	inner, gone, answered := s.Handler(), make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(answered)
		<-gone // nobody has the socket any more, and it is looked for from here on
		inner.ServeHTTP(w, r)
	}))
	defer server.Close()

	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	client, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	to := server.Listener.Addr().(*net.TCPAddr)
	if err := unix.Connect(client, &unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}); err != nil {
		t.Fatal(err)
	}

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:4117/api/start", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.known(r)
	text := fmt.Sprintf("POST /api/start HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n%s: 1\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
		r.Host, r.Header.Get("Cookie"), header)
	if _, err := unix.Write(client, []byte(text[:len(text)-4])); err != nil { // not yet the last of the head
		t.Fatal(err)
	}
	other, err := unix.Dup(client) // by which the rest goes; the server looks when nobody has it
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(client), nil, 0); err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(client)
	if _, err := unix.Write(other, []byte(text[len(text)-4:])); err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(other)
	close(gone)

	var answer struct{ OK bool }
	<-answered
	told := s.takenBack(pair[1])
	_, body, _ := strings.Cut(told, "\r\n\r\n")
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.OK || len(p.lines) > 0 || !strings.HasPrefix(told, "HTTP/1.1 403") {
		t.Errorf("answered %q (%v), typed %q", told, err, p.lines)
	}
}

// takenBack is what came meanwhile on a socket that was sent.
func (s *scene) takenBack(from int) string {
	s.t.Helper()
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(from, make([]byte, 1), rights, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil {
		s.t.Fatal(err)
	}
	sockets, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		s.t.Fatal(err)
	}
	defer unix.Close(sockets[0])
	var all strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := unix.Read(sockets[0], buffer)
		if n <= 0 || err != nil {
			return all.String()
		}
		all.Write(buffer[:n])
	}
}
