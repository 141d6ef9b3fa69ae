package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
)

// detachedMark tells a process that it is a run which nobody watches.
const detachedMark = "REFRAIN_DETACHED"

// startTime is how long a detached run may take until it answers.
const startTime = time.Minute

// detach starts this very command once more, without a terminal, and waits until
// that run takes commands, or has ended before.
func detach(sh *shell, job *app.Job) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	words, err := os.CreateTemp("", "refrain-detached-*")
	if err != nil {
		return fmt.Errorf("keep what the run says at its start: %w", err)
	}
	defer os.Remove(words.Name())
	defer words.Close()
	cmd := exec.Command(self, undetached(os.Args[1:])...)
	cmd.Env = append(os.Environ(), detachedMark+"=1")
	cmd.Stderr = words
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the run: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return sh.awaitRun(job.Tree, cmd.Process.Pid, ended, words)
}

// undetached is the arguments without the flag, and without a screen.
func undetached(args []string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	before := slices.DeleteFunc(slices.Clone(args[:end]), func(arg string) bool { return arg == "--detach" || strings.HasPrefix(arg, "--detach=") })
	return slices.Concat(before, []string{"--output", "quiet"}, args[end:])
}

// awaitRun waits until the process has a run that answers.
func (sh *shell) awaitRun(tree string, pid int, ended <-chan error, words *os.File) error {
	deadline := time.After(startTime)
	for {
		if name, ok := answering(tree, pid); ok {
			fmt.Fprintf(sh.out, "%s is running (pid %d): refrain status, refrain logs -f, refrain stop\n", name, pid)
			return nil
		}
		select {
		case err := <-ended:
			return sh.startedBadly(err, words)
		case <-deadline:
			return failure{"the run does not answer", "\"refrain status\" shows what it is doing", statusFailed}
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// answering is the run of a process, once it takes commands.
func answering(tree string, pid int) (string, bool) {
	store, err := journal.Open(tree)
	if err != nil {
		return "", false
	}
	h, alive := store.Holder()
	if !alive || h.PID != pid || h.Socket == "" {
		return "", false
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err = control.Dial(h.Socket).Run(ctx)
	return h.Run, err == nil
}

// startedBadly passes on what a run said that has ended already, and how it ended.
func (sh *shell) startedBadly(err error, words *os.File) error {
	if _, seek := words.Seek(0, io.SeekStart); seek == nil {
		_, _ = io.Copy(sh.err, words)
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		sh.status = exit.ExitCode()
	case err != nil:
		return err
	default:
		fmt.Fprintln(sh.out, "the run has ended already: refrain status tells how")
	}
	return nil
}

// detached tells whether this process is a run that nobody watches. Its children
// do not hear of it.
var detached bool

// noteDetached takes in that nobody watches: no terminal's end is ours.
func noteDetached() {
	if detached = os.Getenv(detachedMark) != ""; !detached {
		return
	}
	os.Unsetenv(detachedMark)
	signal.Ignore(syscall.SIGHUP)
}
