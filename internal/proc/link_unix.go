//go:build unix

package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
)

// request is what the runner asks of its keeper.
type request struct {
	ID     int
	Do     verb
	Path   string // of a program to start, with what follows
	Argv   []string
	Env    []string
	Dir    string
	Mark   string // the entry of Env that only this child has
	Signal string
	Leave  time.Duration // what it leaves behind is given after TERM
	Plain  bool          // it needs no cgroup

	files []int // its stdin, stdout and stderr
}

type verb int

const (
	doStart  verb = iota + 1
	doSignal      // to the group
	doKill        // everyone below
)

// report is what the keeper tells of a child.
type report struct {
	ID     int
	Of     news
	PID    int
	Errno  syscall.Errno // of a start that failed
	Status syscall.WaitStatus
	Held   bool   // the kernel holds all together that it starts
	Asked  bool   // it was sent a signal before it ended
	Left   []int  // who could not be ended
	Why    string // a keeper cannot be had

	Unfenced *lack  // the fence can not be raised
	Absent   string // of a start that failed: what is not there for the keeper

	Refused fence.Refusal // by the fence
}

// lack is a fence that can not be raised, as it is told.
type lack struct {
	Kind fence.Kind
	What string
	Why  string
}

// lackOf is nil when there is no error.
func lackOf(k fence.Kind, err error) *lack {
	if err == nil {
		return nil
	}
	var said *fence.Error
	if errors.As(err, &said) {
		return &lack{Kind: said.Kind, What: said.What, Why: said.Err.Error()}
	}
	return &lack{Kind: k, Why: err.Error()}
}

func (l *lack) err() error {
	return &FenceError{Kind: l.Kind, Err: &fence.Error{Kind: l.Kind, What: l.What, Err: errors.New(l.Why)}}
}

// unfenced is the error of a start that failed within a fence.
func unfenced(k fence.Kind, err error) error {
	var said *FenceError
	if errors.As(err, &said) {
		return err
	}
	return &FenceError{Kind: k, Err: err}
}

// failure is why a program was not started. What is there for us, and not for a keeper
// that is in namespaces, is hidden by the fence: who looks would not understand.
func (r report) failure() error {
	if r.Unfenced != nil {
		return r.Unfenced.err()
	}
	if r.Absent == "" {
		return r.Errno
	}
	if _, err := os.Stat(r.Absent); err != nil {
		return r.Errno
	}
	return (&lack{Kind: fence.Namespaces, What: "see " + r.Absent, Why: "it is not there inside"}).err()
}

// absentFor tells which of the things that a start needs is not there in namespaces.
func (k *keeping) absentFor(r request) string {
	if k.inside == nil {
		return ""
	}
	for _, path := range []string{r.Dir, r.Path} {
		if _, err := os.Stat(path); err != nil {
			return path
		}
	}
	return ""
}

type news int

const (
	isReady    news = iota + 1 // the keeper is there, unless Why says otherwise
	hasStarted                 // or not: Errno
	hasExited                  // the child itself
	isSwept                    // and now all that it left
	wasRefused                 // somebody, by the fence
)

// link carries messages, and open files with them, between the runner and its
// keeper. When one of them dies the other reads the end, so it is also the line
// by which each knows that the other lives.
type link struct {
	conn *net.UnixConn
	in   *bufio.Reader
	came []int // files that have come and were not taken yet

	mu sync.Mutex // held while sending
}

// newLink takes over the file.
func newLink(f *os.File) (*link, error) {
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("open the link to the keeper: %w", err)
	}
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		_ = conn.Close()
		return nil, errors.New("open the link to the keeper: it is no socket of this system")
	}
	l := &link{conn: socket}
	l.in = bufio.NewReader(inbound{l})
	return l, nil
}

// send sends one message, and files with its first bytes. They stay open here.
func (l *link) send(m message, files ...*os.File) error {
	var rights []byte
	if len(files) > 0 {
		var with []int
		for _, f := range files {
			with = append(with, int(f.Fd()))
		}
		rights = syscall.UnixRights(with...)
	}
	p := encoded(m)
	if len(p)-4 > longestMessage {
		return errNoMessage
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n, _, err := l.conn.WriteMsgUnix(p, rights, nil)
	if err != nil || n == len(p) {
		return err
	}
	_, err = l.conn.Write(p[n:])
	return err
}

func (l *link) receive(m message) error { return decode(l.in, m) }

// take gives the files that came with the message that was received last.
func (l *link) take(n int) ([]int, error) {
	if len(l.came) < n {
		return nil, fmt.Errorf("%d of %d files came with the message", len(l.came), n)
	}
	files := l.came[:n:n]
	l.came = l.came[n:]
	return files, nil
}

// inbound is the link as a reader of bytes, which sets files aside that come
// with them.
type inbound struct{ *link }

func (l inbound) Read(p []byte) (int, error) {
	rights := make([]byte, syscall.CmsgSpace(len(stdio{})*4))
	n, size, _, _, err := l.conn.ReadMsgUnix(p, rights)
	if err != nil {
		return 0, err // where n is -1
	}
	if n == 0 {
		return 0, io.EOF
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:size])
	if err != nil {
		return n, err
	}
	for _, m := range messages {
		files, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return n, err
		}
		l.came = append(l.came, files...)
	}
	return n, nil
}
