//go:build unix

package proc

import (
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/refrain-loop/refrain/internal/loop"
)

// ownGroup puts the process into a session, and so a group, of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// nameless: an open file can lose its name, and then never stays behind.
const nameless = true

// group is the process group that a process leads.
type group int

func gather(p *os.Process) (group, error) { return group(p.Pid), nil }

// signal sends to everyone in the group.
func (g group) signal(name string) { _ = unix.Kill(-int(g), unix.SignalNum("SIG"+name)) }

func (g group) close() {}

func exitOf(state *os.ProcessState) loop.Exit { return exitBy(state.Sys().(syscall.WaitStatus)) }

func exitBy(status syscall.WaitStatus) loop.Exit {
	if status.Signaled() {
		return loop.Exit{Signal: signalName(status.Signal())}
	}
	code := status.ExitStatus()
	return loop.Exit{Code: &code}
}

// signalName is the short name, such as KILL. Real-time signals have none.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return strings.TrimPrefix(name, "SIG")
	}
	return s.String()
}

// stop gives the stream up after the time for held pipes.
func (p *pipe) stop() { _ = p.SetReadDeadline(time.Now().Add(ladder.pipes)) }

// readNow reads what the pipe holds at this moment, without waiting for more.
func readNow(f *os.File, buf []byte) (n int) {
	if err := f.SetReadDeadline(time.Time{}); err != nil {
		return 0
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	err = conn.Read(func(fd uintptr) bool {
		for {
			var readErr error
			if n, readErr = unix.Read(int(fd), buf); readErr != unix.EINTR {
				return true
			}
		}
	})
	if err != nil {
		return 0
	}
	return max(n, 0)
}
