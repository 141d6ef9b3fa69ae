//go:build unix

package fleettest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// server is a Temporal server on a port of this machine, with a file to remember.
type server struct {
	yard    *yard
	address string
	cmd     *exec.Cmd
	gone    chan struct{}
}

func (y *yard) newServer() *server {
	y.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		y.Fatal(err)
	}
	s := &server{yard: y, address: l.Addr().String()}
	l.Close() // it is the server's from now on
	y.Cleanup(func() { s.stop(syscall.SIGKILL) })
	s.start()
	return s
}

// start starts the server, where it was before.
func (s *server) start() {
	s.yard.Helper()
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		s.yard.Fatal(err)
	}
	home := filepath.Join(s.yard.dir, "server")
	if err := os.MkdirAll(home, 0o700); err != nil {
		s.yard.Fatal(err)
	}
	log := s.yard.log("server")
	s.cmd = exec.Command(s.yard.temporal, "server", "start-dev", "--headless", "--ip", host, "--port", port,
		"--db-filename", filepath.Join(home, "fleet.db"), "--log-level", "error")
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TZ=UTC"}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.yard.Fatal(err)
	}
	cmd, gone := s.cmd, make(chan struct{})
	s.gone = gone
	go func() {
		defer close(gone)
		defer log.Close()
		_ = cmd.Wait() // we end it
	}()
	s.yard.until("the server answers", func() bool {
		select {
		case <-gone:
			s.yard.Fatalf("the server has ended:\n%s", s.yard.tail("server"))
		default:
		}
		c, err := net.Dial("tcp", s.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// stop ends the server.
func (s *server) stop(with syscall.Signal) {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Signal(with) // it may have ended by itself
	<-s.gone
	s.cmd = nil
}
