package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loopback is a listener of our own.
func loopback(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// serve answers each connection of a new listener, and tells its address.
func serve(t *testing.T, answer func(net.Conn)) string {
	l := loopback(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			answer(c)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

// over is a connection over a new bridge to an address. The bridge ends with the
// test.
func over(t *testing.T, dial Dial) net.Conn {
	t.Helper()
	l := loopback(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, dial) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve = %v, want none after a cancel", err)
		}
	})
	return c
}

func to(address string) Dial {
	return func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}
}

// Somebody who has said all still hears the answer, however long that is.
func TestHalfCloseGoesThrough(t *testing.T) {
	said := bytes.Repeat([]byte("words "), 1<<17)
	c := over(t, to(serve(t, func(c net.Conn) {
		all, err := io.ReadAll(c) // ends only when the other end has said all
		if err == nil {
			c.Write(all)
		}
	})))
	go func() {
		c.Write(said)
		c.(*net.TCPConn).CloseWrite()
	}()
	if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, said) {
		t.Errorf("over the bridge came %d bytes, %v; want the %d that were said", len(got), err, len(said))
	}
}

// Who takes no more may have said something all the same: a server that says no
// in the middle of an upload is still heard.
func TestWhoTakesNoMoreIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, a := net.Pipe()
		b, far := net.Pipe()
		ended := make(chan struct{})
		go func() { Join(t.Context(), deaf{a}, b); close(ended) }()
		if _, err := far.Write([]byte("an upload")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // it has not been taken
		go func() { near.Write([]byte("no")) }()
		got := make([]byte, 2)
		if _, err := io.ReadFull(far, got); string(got) != "no" {
			t.Errorf("heard %q, %v", got, err)
		}
		near.Close()
		far.Close()
		<-ended
	})
}

// deaf is an end that takes nothing.
type deaf struct{ net.Conn }

func (deaf) Write([]byte) (int, error) { return 0, errors.New("it takes no more") }

func TestNobodyThere(t *testing.T) {
	c := over(t, func(context.Context) (net.Conn, error) { return nil, errors.New("nobody is there") })
	if got, err := io.ReadAll(c); len(got) > 0 {
		t.Errorf("heard %q, %v, want a closed connection", got, err)
	}
}

// The end of the context ends connections that nobody would close.
func TestCancelEndsAll(t *testing.T) {
	l := loopback(t)
	far := loopback(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, to(far.Addr().String())) }()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	held, err := far.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()

	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v", err)
	}
	if _, err := io.ReadAll(near); errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the listener still takes connections")
	}
}

func TestListenerThatFails(t *testing.T) {
	l := loopback(t)
	l.Close()
	if err := Serve(t.Context(), l, to("")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve on a closed listener = %v", err)
	}
}

func TestThrough(t *testing.T) {
	tests := []struct {
		name, answer string
		want         string // what comes through; empty: nothing does
	}{
		{"a proxy that lets through", "HTTP/1.1 200 Connection established\r\n\r\nhello", "hello"},
		{"with headers, and no reason", "HTTP/1.0 200\r\nVia: x\r\n\r\nhello", "hello"},
		{"a proxy that refuses", "HTTP/1.1 403 Forbidden\r\n\r\nnot listed", ""},
		{"a status that only begins well", "HTTP/1.1 2000 OK\r\n\r\nhello", ""},
		{"no proxy at all", "220 mail.example.com ESMTP\r\n\r\n", ""},
		{"an answer without an end", strings.Repeat("x", 2*longestAnswer), ""},
		{"no answer", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := make(chan string, 1)
			address := serve(t, func(c net.Conn) {
				want := "CONNECT localhost:5432 HTTP/1.1\r\nHost: localhost:5432\r\n\r\n"
				got := make([]byte, len(want))
				io.ReadFull(c, got)
				asked <- string(got)
				io.WriteString(c, tt.answer)
			})
			c, err := Through(to(address), "localhost:5432")(t.Context())
			if got := <-asked; !strings.HasPrefix(got, "CONNECT localhost:5432 HTTP/1.1\r\n") {
				t.Errorf("the proxy was asked %q", got)
			}
			if (err == nil) != (tt.want != "") {
				t.Fatalf("Through = %v", err)
			}
			if err != nil {
				return
			}
			defer c.Close()
			if got, err := io.ReadAll(c); err != nil || string(got) != tt.want {
				t.Errorf("through came %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// One who is gone, and another who never closes, do not stay for ever.
func TestSilenceAfterTheEndOfOneWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, a := net.Pipe()
		b, far := net.Pipe()
		ended := make(chan struct{})
		go func() { Join(t.Context(), silent{a}, b); close(ended) }()
		defer near.Close()
		defer far.Close()

		for range 3 { // a sign of life puts it off
			time.Sleep(linger - time.Second)
			if _, err := far.Write([]byte("x")); err != nil {
				t.Fatalf("after %v: %v", linger-time.Second, err)
			}
			near.Read(make([]byte, 1))
		}
		time.Sleep(linger - time.Second)
		select {
		case <-ended:
			t.Fatal("ended before its time")
		default:
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("still there")
			near.Close()
			far.Close()
		}
	})
}

// silent is an end that has said all.
type silent struct{ net.Conn }

func (silent) Read([]byte) (int, error) { return 0, io.EOF }
