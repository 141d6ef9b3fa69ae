package proc

import (
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/refrain-loop/refrain/internal/loop"
)

// ownGroup keeps Ctrl+C in the console from reaching the process.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// nameless: an open file keeps its name here.
const nameless = false

// group is a job: the process and all that it starts, wherever they go. The
// system ends the job when its last handle is closed, and so also when the
// runner dies. What the process starts before it is in the job escapes it.
type group struct {
	job     windows.Handle // 0 when there is none
	process *os.Process
}

func gather(p *os.Process) (group, error) {
	g := group{process: p}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g, fmt.Errorf("create a job: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		handleErr := p.WithHandle(func(handle uintptr) {
			err = windows.AssignProcessToJobObject(job, windows.Handle(handle))
		})
		if handleErr != nil {
			err = handleErr
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return g, fmt.Errorf("put process %d into a job: %w", p.Pid, err)
	}
	g.job = job
	return g, nil
}

// signal ends everyone in the job. Windows has no signals to ask with.
func (g group) signal(string) {
	if g.job == 0 {
		_ = g.process.Kill()
		return
	}
	_ = windows.TerminateJobObject(g.job, 1)
}

func (g group) close() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
	}
}

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
func (p *pipe) stop() { time.AfterFunc(ladder.pipes, func() { p.Close() }) }

// readNow has nothing to read from: a pipe that is given up is closed.
func readNow(*os.File, []byte) int { return 0 }
