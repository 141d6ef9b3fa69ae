package proxy

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/bridge"
)

// A service on the host's loopback is to be had inside, by a program that knows
// of no proxy: all the way, with nothing made up.
func TestServiceOfTheHost(t *testing.T) {
	service := echo(t)
	_, port, err := net.SplitHostPort(service)
	if err != nil {
		t.Fatal(err)
	}
	hosts := []string{"localhost:" + port}
	forwards := Forwards(hosts)
	if len(forwards) != 1 || forwards[0] != hosts[0] {
		t.Fatalf("Forwards(%q) = %v", hosts, forwards)
	}
	socket := filepath.Join(shortDir(t), "own", "proxy.sock")
	s, err := Listen(Settings{Socket: socket, Hosts: hosts})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- bridge.Serve(ctx, inside, bridge.Through(func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}, forwards[0]))
	}()
	c, err := net.Dial("tcp", inside.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "select 1")
	c.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(c); err != nil || string(got) != "select 1" {
		t.Errorf("the service said %q, %v", got, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
