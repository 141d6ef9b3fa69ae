package proc

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
)

// What the keeper refuses is told before the process ends that wanted it.
func TestRefusalsAreToldOnce(t *testing.T) {
	needLandlock(t)
	s := newScene(t)
	socket := filepath.Join(t.TempDir(), "outside")
	echo(t, "unix", socket)
	server, forwarded := echo(t, "tcp", "127.0.0.1:0").String(), echo(t, "tcp", "127.0.0.1:0").String()
	proxy := echo(t, "tcp", "127.0.0.1:0")

	p := fenceFor(fence.Landlock, s.file)
	p.Proxy, p.ProxyPort, p.Forward = "/the/socket", proxy.(*net.TCPAddr).Port, []string{forwarded}
	var told []fence.Refusal
	k := NewKeeper(s.mark, nil).Within(p).Telling(func(r fence.Refusal) { told = append(told, r) })
	for _, tt := range []struct{ network, address, want string }{
		{"unix", socket, "refused\n"},
		{"unix", socket, "refused\n"},
		{"tcp", server, "refused\n"},
		{"tcp", forwarded, "tcp heard: who is there?\n"},
		{"tcp", proxy.String(), "tcp heard: who is there?\n"},
	} {
		if got := said(t, k, helperSpec(t, "ask", tt.network, tt.address)); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.network, tt.address, got, tt.want)
		}
	}
	k.Close()
	if want := []fence.Refusal{{Socket: socket}, {Address: server}}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

// What is forwarded is at the same place inside, and asked of the proxy.
func TestInNamespacesAForwardedPortLeadsToTheProxy(t *testing.T) {
	s := newSceneApart(t)
	dir := t.TempDir()
	p := spaces(s.tree)
	p.Proxy, p.ProxyPort, p.Forward = filepath.Join(dir, "proxy"), 3128, []string{"localhost:80"}
	l, err := net.Listen("unix", p.Proxy)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // until the listener is closed
		conn, err := l.Accept()
		if err != nil {
			return
		}
		b := make([]byte, 100)
		n, _ := conn.Read(b)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		asked, _, _ := strings.Cut(string(b[:n]), "\r\n")
		said, _ := io.ReadAll(conn)
		_, _ = fmt.Fprintf(conn, "%s: %s\n", asked, said)
		_ = conn.Close()
	}()
	k := NewKeeper(s.mark, nil).Within(p)
	defer k.Close()
	for _, tt := range []struct{ address, want string }{
		{"127.0.0.1:80", "CONNECT localhost:80 HTTP/1.1: who is there?\n"},
		{"127.0.0.1:81", "refused\n"},
	} {
		if got := said(t, k, helperSpec(t, "ask", "tcp", tt.address)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.address, got, tt.want)
		}
	}
}
