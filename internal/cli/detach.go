package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// detachedMark tells a process that it is a run which nobody watches.
const detachedMark = "REFRAIN_DETACHED"

// startTime is how long a detached run may take until it answers.
const startTime = time.Minute

// detach starts this very command once more, without a terminal, and waits until
// that run takes commands, or has ended before. It prepares nothing itself: what
// is made for a run is made by whoever runs it.
func detach(sh *shell, readsStdin bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	dir, err := os.MkdirTemp("", "refrain-detached-*")
	if err != nil {
		return fmt.Errorf("keep what the run says at its start: %w", err)
	}
	defer os.RemoveAll(dir)
	words, err := os.Create(filepath.Join(dir, "words"))
	if err != nil {
		return fmt.Errorf("keep what the run says at its start: %w", err)
	}
	defer words.Close()
	started := filepath.Join(dir, "started")
	cmd := exec.Command(self, undetached(os.Args[1:])...)
	cmd.Env = append(os.Environ(), detachedMark+"="+started)
	cmd.Stderr = words
	if readsStdin {
		cmd.Stdin = os.Stdin
	}
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the run: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return awaitRun(sh, started, cmd.Process.Pid, ended, words)
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

// beginning is what a detached run says of itself.
type beginning struct {
	Run      string `json:"run"`
	Asks     bool   `json:"asks,omitempty"`     // it may be about to ask somebody
	Question string `json:"question,omitempty"` // it is waiting for the answer
}

// awaitRun waits until the process says that its run has begun. One that asks is
// waited for until it has, or goes on without: who answers next is understood.
func awaitRun(sh *shell, started string, pid int, ended <-chan error, words *os.File) error {
	deadline := time.After(startTime)
	for {
		var run beginning // half of it is no JSON
		said, err := files.ReadFile(context.Background(), started, 64<<10)
		begun := err == nil && json.Unmarshal(said, &run) == nil
		if begun && !run.Asks {
			run.tell(sh, pid)
			return nil
		}
		select {
		case err := <-ended:
			return startedBadly(sh, err, words)
		case <-deadline:
			if begun {
				run.tell(sh, pid)
				return nil
			}
			return failure{"the run does not answer", "\"refrain status\" shows what it is doing", statusFailed}
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (b beginning) tell(sh *shell, pid int) {
	sh.say("%s is running (pid %d): refrain status %[1]s, refrain watch %[1]s, refrain stop %[1]s", b.Run, pid)
	switch {
	case b.Question != "":
		sh.say("It asks: %s: refrain approve %s", text.Line(b.Question), b.Run)
	case b.Asks:
		sh.say("It is going to ask: refrain approve %s", b.Run)
	}
}

// startedBadly passes on what a run said that has ended already, and how it ended.
func startedBadly(sh *shell, err error, words *os.File) error {
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

// detached is the file in which a run that nobody watches says that it has begun;
// empty: somebody may be watching. Its children do not hear of it.
var detached string

// announcer says that a detached run has begun, and takes commands. Where it asks
// before its first iteration, the question is told too.
type announcer struct {
	file     string
	attended bool
	run      string
	begun    bool
}

func (a *announcer) Observe(e loop.Event) {
	now := beginning{Run: a.run}
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		a.run, now.Run, now.Asks = p.Name, p.Name, a.attended
	case *loop.RunAsked:
		now.Question = p.Question
	case *loop.IterationStarted, *loop.RunWaiting, *loop.RunPaused, *loop.RunFinished:
	default:
		return
	}
	if a.begun {
		return
	}
	a.begun = !now.Asks
	said, err := json.Marshal(now)
	if err == nil {
		_ = os.WriteFile(a.file, said, 0o600) // else nobody waits for it any more
	}
}
