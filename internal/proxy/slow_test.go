package proxy

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener without a system below it, so that its time can be ours.
type pipes struct {
	coming chan net.Conn
	ended  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.coming:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { close(p.ended); return nil }

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }

// Who takes too long to say what it wants gives its place back. Who has a tunnel
// may be silent for as long as it likes: a model may think for an hour.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{names: map[string]string{"good.org": "93.184.216.34"}}
		reacher := w.reacher(t, "good.org")
		far := make(chan net.Conn, 1)
		reacher.dial = pipeTo(far)
		l := &pipes{make(chan net.Conn), make(chan struct{})}
		s := serve(Settings{}, reacher, l)
		defer s.Close()

		slow := take(l)
		io.WriteString(slow, "CONNECT good.org:443 HTTP/1.1\r\nX: ")
		began := time.Now()
		io.Copy(io.Discard, slow)
		if took := time.Since(began); took != headerTime {
			t.Errorf("a slow client had %v, want %v", took, headerTime)
		}

		near := take(l)
		defer near.Close()
		io.WriteString(near, "CONNECT good.org:443 HTTP/1.1\r\nHost: x\r\n\r\n")
		io.ReadFull(near, make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n")))
		other := <-far
		defer other.Close()
		time.Sleep(24 * time.Hour)
		go io.WriteString(other, "done")
		got := make([]byte, 4)
		if _, err := io.ReadFull(near, got); err != nil || string(got) != "done" {
			t.Errorf("after a day came %q, %v", got, err)
		}
	})
}

// A tunnel in which both ends are stuck ends with the proxy, too.
func TestCloseEndsATunnelThatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{names: map[string]string{"good.org": "93.184.216.34"}}
		reacher := w.reacher(t, "good.org")
		far := make(chan net.Conn, 1)
		reacher.dial = pipeTo(far)
		l := &pipes{make(chan net.Conn), make(chan struct{})}
		s := serve(Settings{}, reacher, l)

		near := take(l)
		defer near.Close()
		io.WriteString(near, "CONNECT good.org:443 HTTP/1.1\r\nHost: x\r\n\r\n")
		io.ReadFull(near, make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n")))
		io.WriteString(near, "nobody reads this")
		synctest.Wait()
		began := time.Now()
		if err := s.Close(); err != nil || time.Since(began) != 0 {
			t.Errorf("Close = %v after %v", err, time.Since(began))
		}
		(<-far).Close()
	})
}

func take(l *pipes) net.Conn {
	near, c := net.Pipe()
	l.coming <- c
	return near
}
