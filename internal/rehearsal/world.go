package rehearsal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// world is what a player acts in: a process of its own, or a stage inside the
// process of the runner.
type world interface {
	now() time.Time
	// rest lets time pass. It fails when the agent is ended meanwhile.
	rest(d time.Duration) error
	// die ends the agent where it stands.
	die() error
	// deafen makes the agent, and what it starts from now on, deaf to polite
	// signals.
	deafen()
	// run runs a program to its end, and gives its exit status; nil when a
	// signal ended it.
	run(program) (*int, error)
	// daemon starts a shell command and leaves it behind.
	daemon(command string) error
}

// program is something to run for real.
type program struct {
	argv   []string
	env    []string // on top of the agent's own
	stdin  string
	output io.Writer // for both streams; nil is nowhere
}

// process is the world of a player that is an agent's process itself.
type process struct{}

// pipeWait is how long a command that has ended may keep its output open
// through a job it left in the background.
const pipeWait = 200 * time.Millisecond

func (process) now() time.Time { return time.Now() }

func (process) rest(d time.Duration) error {
	time.Sleep(d)
	return nil
}

func (p process) die() error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return fmt.Errorf("find this process: %w", err)
	}
	if err := self.Kill(); err != nil {
		return fmt.Errorf("kill this process: %w", err)
	}
	return p.rest(time.Hour) // the end is a moment away
}

func (process) deafen() { signal.Ignore(os.Interrupt, syscall.SIGTERM) }

// run leaves the program in the agent's process group: what ends the agent ends
// it too.
func (process) run(p program) (*int, error) {
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(p.stdin), p.output, p.output
	cmd.WaitDelay = pipeWait
	var status *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &status) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return &code, nil
	}
	return nil, nil
}

// daemon gives the command the agent's stdout to hold.
func (process) daemon(command string) error {
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, detached()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start daemon %q: %w", command, err)
	}
	if err := cmd.Process.Release(); err != nil {
		return fmt.Errorf("leave daemon %q: %w", command, err)
	}
	return nil
}
