package story

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// overTime is how a command ends that was not over in time.
const overTime = 124

// busy is how much longer a machine may take that has other things to do. What
// hangs, hangs that long as well.
const busy = 5

// Limit is a program for stories: "limit 20s COMMAND ARGS…" ends as the command
// does, or kills it when it hangs. The time is what an idle machine may take.
func Limit() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: limit DURATION COMMAND ARGS…")
		os.Exit(2)
	}
	most, err := time.ParseDuration(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "limit:", err)
		os.Exit(2)
	}
	most *= busy
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(os.Stderr, "limit: not over after %v\n", most)
		os.Exit(overTime)
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "limit:", err)
		os.Exit(2)
	}
}
