package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
)

// become runs another program by our name, and ends as it does.
func become(sh *shell, program string, args []string) error {
	cmd := &exec.Cmd{Path: program, Args: append([]string{ourName}, args...), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // both hear a Ctrl+C, and it says how it ends
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		sh.status = exit.ExitCode()
		return nil
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", program, err)
	}
	return nil
}
