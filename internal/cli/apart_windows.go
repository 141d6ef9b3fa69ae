package cli

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart gives a process no console, so that closing one does not end it.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}
