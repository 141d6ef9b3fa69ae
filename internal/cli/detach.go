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

// onScreenMark tells it that somebody was there at its start, on a screen of its own.
const onScreenMark = "REFRAIN_ON_SCREEN"

// startTime is how long a detached run may take until it answers.
const startTime = time.Minute

// detach starts a command of ours without a terminal, and waits until its run takes
// commands, or has ended before.
func detach(sh *shell, stdin *os.File, args ...string) error {
	a, err := startApart(stdin, args)
	if err != nil {
		return err
	}
	defer a.close()
	return a.await(sh)
}

// apartRun is a run in a process of its own, which no terminal ends.
type apartRun struct {
	cmd   *exec.Cmd
	dir   string
	words *os.File      // what it says on stderr
	told  int64         // how much of that was passed on
	ended chan struct{} // closed when the process is gone
	err   error         // how it went, then

	signal string // the last one that was passed on to it
}

// startApart starts a command of ours without a terminal. It prepares nothing itself:
// what is made for a run is made by whoever runs it.
func startApart(stdin *os.File, args []string, marks ...string) (*apartRun, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	dir, err := os.MkdirTemp("", "refrain-detached-*")
	if err != nil {
		return nil, fmt.Errorf("keep what the run says at its start: %w", err)
	}
	a := &apartRun{dir: dir, ended: make(chan struct{})}
	if a.words, err = os.Create(filepath.Join(dir, "words")); err != nil {
		a.close()
		return nil, fmt.Errorf("keep what the run says at its start: %w", err)
	}
	a.cmd = exec.Command(self, args...)
	a.cmd.Env = append(append(os.Environ(), detachedMark+"="+a.started()), marks...)
	a.cmd.Stderr = a.words
	if stdin != nil {
		a.cmd.Stdin = stdin
	}
	apart(a.cmd)
	if err := a.cmd.Start(); err != nil {
		a.close()
		return nil, fmt.Errorf("start the run: %w", err)
	}
	go func() {
		a.err = a.cmd.Wait()
		close(a.ended)
	}()
	return a, nil
}

// started is the file in which the run says that it has begun.
func (a *apartRun) started() string { return filepath.Join(a.dir, "started") }

// close lets go of the run, which goes on if it has not ended.
func (a *apartRun) close() {
	if a.words != nil {
		_ = a.words.Close()
	}
	_ = os.RemoveAll(a.dir)
}

// again is this very command for a process that nobody watches: without --detach and
// without a screen, and with more flags.
func again(sh *shell, more ...string) []string { return undetached(sh.args, more...) }

func undetached(args []string, more ...string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	before := slices.DeleteFunc(slices.Clone(args[:end]), func(arg string) bool { return arg == "--detach" || strings.HasPrefix(arg, "--detach=") })
	return slices.Concat(before, more, []string{"--output", "quiet"}, args[end:])
}

// beginning is what a detached run says of itself.
type beginning struct {
	Run      string `json:"run"`
	Asks     bool   `json:"asks,omitempty"`     // it may be about to ask somebody
	Question string `json:"question,omitempty"` // it is waiting for the answer
}

// begun is what the run says of its beginning, once it has.
func (a *apartRun) begun() (run beginning, ok bool) {
	said, err := files.ReadFile(context.Background(), a.started(), 64<<10)
	return run, err == nil && json.Unmarshal(said, &run) == nil // half of it is no JSON
}

// looking is how often a run that starts is looked for.
const looking = 20 * time.Millisecond

// await waits until the process says that its run has begun. One that asks is
// waited for until it has, or goes on without: who answers next is understood.
func (a *apartRun) await(sh *shell) error {
	deadline := time.After(startTime)
	for {
		run, begun := a.begun()
		if begun && !run.Asks {
			run.tell(sh, a.cmd.Process.Pid)
			return nil
		}
		select {
		case <-a.ended:
			return a.startedBadly(sh)
		case <-deadline:
			if begun {
				run.tell(sh, a.cmd.Process.Pid)
				return nil
			}
			return failure{"the run does not answer", "\"refrain status\" shows what it is doing", statusFailed}
		case <-time.After(looking):
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

// passOn gives what the run has said on stderr since the last time.
func (a *apartRun) passOn(to io.Writer) {
	n, _ := io.Copy(to, io.NewSectionReader(a.words, a.told, maxWords))
	a.told += n
}

// maxWords is more than a run says on stderr.
const maxWords = 1 << 20

// startedBadly passes on what a run said that has ended already, and how it ended.
func (a *apartRun) startedBadly(sh *shell) error {
	a.passOn(sh.err)
	var exit *exec.ExitError
	switch {
	case sh.status != 0: // a signal came meanwhile
	case errors.As(a.err, &exit):
		sh.status = max(exit.ExitCode(), statusFailed) // a signal ended it: none of its own
	case a.err != nil:
		return a.err
	case a.told == 0:
		fmt.Fprintln(sh.out, "the run has ended already: refrain status tells how")
	}
	return nil
}

// detached is the file in which a run that nobody watches says that it has begun;
// empty: somebody may be watching. Its children do not hear of it.
var detached string

// begunOnScreen tells that it was started by the full screen.
var begunOnScreen bool

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
	case *loop.RunResumed:
		now.Asks = a.attended
	case *loop.RunAsked:
		now.Question = p.Question
	case *loop.IterationStarted, *loop.RunWaiting, *loop.RunPaused, *loop.RunParked, *loop.RunFinished:
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
