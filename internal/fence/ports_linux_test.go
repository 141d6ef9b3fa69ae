package fence

import (
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestPlacesOf(t *testing.T) {
	for _, tt := range []struct {
		forward string
		want    []string
	}{
		{"localhost:5432", []string{"127.0.0.1:5432", "[::1]:5432"}},
		{"127.0.0.2:80", []string{"127.0.0.2:80"}},
		{"[::1]:80", []string{"[::1]:80"}},
		{"[::ffff:127.0.0.1]:80", []string{"127.0.0.1:80"}},
		{"192.0.2.1:80", nil},
		{"example.com:80", nil},
		{"localhost", nil},
		{"localhost:99999", nil},
	} {
		places, err := placesOf(tt.forward)
		var got []string
		for _, p := range places {
			got = append(got, p.String())
		}
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.want != nil) {
			t.Errorf("placesOf(%q) = %v, %v; want %v", tt.forward, got, err, tt.want)
		}
	}
}

// proxyOf answers everybody on a socket: a tunnel with yes, and then with what it
// was asked for.
func proxyOf(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "proxy")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skipf("no socket with a path: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() { // until the listener is closed
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b := make([]byte, 100)
			n, _ := conn.Read(b)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
			_, _ = conn.Write(b[:n])
			_ = conn.Close()
		}
	}()
	return path
}

// free is a port that nobody had just now.
func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestPortsLeadToTheProxy(t *testing.T) {
	proxy, port, forwarded := proxyOf(t), free(t), "localhost:"+strconv.Itoa(free(t))
	open, err := openPorts(Policy{ProxyPort: port, Forward: []string{forwarded, strings.Replace(forwarded, "localhost", "127.0.0.1", 1)}}, proxy)
	if err != nil {
		t.Fatal(err)
	}
	defer open.close()
	for _, tt := range []struct{ at, say, want string }{
		{netip.AddrPortFrom(loopback, uint16(port)).String(), "hello", "HTTP/1.1 200 OK\r\n\r\nhello"},
		{forwarded, "", "CONNECT " + forwarded + " HTTP/1.1\r\nHost: " + forwarded + "\r\n\r\n"},
	} {
		conn, err := net.Dial("tcp", tt.at)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(time.Minute)) // else who waits for both would wait for ever
		_, _ = io.WriteString(conn, tt.say)
		if got, err := io.ReadAll(conn); string(got) != tt.want {
			t.Errorf("at %s: %q, %v; want %q", tt.at, got, err, tt.want)
		}
		_ = conn.Close()
	}
	idle, err := net.Dial("tcp", forwarded)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	open.close() // does not wait for who says nothing
	if l, err := net.Listen("tcp", netip.AddrPortFrom(loopback, uint16(port)).String()); err != nil {
		t.Errorf("the port is still taken: %v", err)
	} else {
		_ = l.Close()
	}
}

func TestAPortThatIsTakenIsAnError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if open, err := openPorts(Policy{ProxyPort: free(t), Forward: []string{l.Addr().String()}}, "/no/such"); err == nil {
		open.close()
		t.Error("it was opened all the same")
	}
}
