package proxy

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"github.com/refrain-loop/refrain/internal/files"
)

// longestSocket is what every system takes for the path of a socket: 104 bytes on
// macOS, 108 on Linux, one of them the end.
const longestSocket = 103

// listenSocket opens a socket for us alone, in a folder for us alone: between
// being made and being closed to others, it is out of their reach already.
func listenSocket(path string) (net.Listener, error) {
	if err := files.MakeOwn(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if len(path) > longestSocket {
		return listenFar(path)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket && deserted(path) {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// listenFar opens a socket whose path is too long to be said: what is said begins at
// its folder. It is left there in the end.
func listenFar(path string) (net.Listener, error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	short := fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path))
	if runtime.GOOS != "linux" || len(short) > longestSocket {
		return nil, fmt.Errorf("%s is too long for a socket: %d bytes, and the system takes %d", path, len(path), longestSocket)
	}
	l, err := net.Listen("unix", short)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // by then it is the path of something else
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// deserted tells whether nobody listens on a socket any more.
func deserted(path string) bool {
	c, err := net.Dial("unix", path)
	if err == nil {
		_ = c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// listener takes so many connections at once, and can close all of them, also
// those that net/http has handed over.
type listener struct {
	net.Listener
	places chan struct{}
	ended  chan struct{}
	wg     sync.WaitGroup // of open connections

	mu     sync.Mutex
	open   map[*client]struct{}
	closed bool
}

func newListener(l net.Listener, most int) *listener {
	return &listener{
		Listener: l, places: make(chan struct{}, most), ended: make(chan struct{}),
		open: map[*client]struct{}{},
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.ended:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	one := &client{Conn: c, of: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		<-l.places
		_ = c.Close()
		return nil, net.ErrClosed
	}
	l.wg.Add(1)
	l.open[one] = struct{}{}
	return one, nil
}

// closeAll closes every connection; there will be no others.
func (l *listener) closeAll() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.ended)
	}
	var all []*client
	for c := range l.open {
		all = append(all, c)
	}
	l.mu.Unlock()
	for _, c := range all {
		_ = c.Close()
	}
}

// wait comes back when every connection is closed.
func (l *listener) wait() { l.wg.Wait() }

// client is a connection that gives its place back.
type client struct {
	net.Conn
	of   *listener
	once sync.Once
}

func (c *client) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.of.mu.Lock()
		delete(c.of.open, c)
		c.of.mu.Unlock()
		<-c.of.places
		c.of.wg.Done()
	})
	return err
}

func (c *client) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
