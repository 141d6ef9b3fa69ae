package rehearsal

import "syscall"

// detached starts a process in a group of its own, which is as far from the
// agent as Windows allows while it holds the agent's output.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
