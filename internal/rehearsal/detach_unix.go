//go:build unix

package rehearsal

import "syscall"

// detached starts a process in a session of its own, as real agents start
// their tools: a signal to the agent's group does not reach it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
