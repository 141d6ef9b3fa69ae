package proc

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"

	"github.com/refrain-loop/refrain/internal/loop"
)

// ownGroup keeps Ctrl+C in the console from reaching the process.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// signalGroup ends the process. Windows has no signals to ask with, and no
// groups to end: what the process started outlives it, until job objects are
// used here.
func signalGroup(p *os.Process, name string) { _ = p.Kill() }

// awaitEnd returns when the process has ended.
func awaitEnd(p *os.Process) error {
	var waitErr error
	err := p.WithHandle(func(handle uintptr) {
		_, waitErr = windows.WaitForSingleObject(windows.Handle(handle), windows.INFINITE)
	})
	if err != nil {
		return fmt.Errorf("watch process %d: %w", p.Pid, err)
	}
	return os.NewSyscallError("WaitForSingleObject", waitErr)
}

func exitOf(state *os.ProcessState) loop.Exit {
	code := state.ExitCode()
	return loop.Exit{Code: &code}
}

// stop gives the stream up after the time for held pipes: such a pipe takes no
// deadline here, but closing it wakes who reads from it.
func (p pipe) stop() { time.AfterFunc(ladder.pipes, func() { p.Close() }) }

// readNow has nothing to read from: a pipe that is given up is closed.
func readNow(*os.File, []byte) int { return 0 }
