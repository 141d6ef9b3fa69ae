package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// child is a started process and our ends of its pipes.
type child struct {
	cmd                   *exec.Cmd
	at                    time.Time
	stdin, stdout, stderr pipe
	pulse                 pulse

	gone    chan struct{} // closed when it has ended; it is not reaped by then
	unknown error         // set before gone: its end could not be watched
}

// start starts the process. On error nothing is left open.
func start(s Spec) (*child, error) {
	if len(s.Argv) == 0 {
		return nil, &StartError{Err: errors.New("the command is empty")}
	}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = append([]string{}, s.Env...) // never nil, which would mean ours
	cmd.SysProcAttr = ownGroup()

	c := &child{cmd: cmd, gone: make(chan struct{})}
	theirs, err := c.connect(s.Stdin != nil)
	if err != nil {
		c.hangUp()
		closeAll(theirs...)
		return nil, fmt.Errorf("start %s: %w", s.Argv[0], err)
	}
	c.at = time.Now()
	c.pulse.last = c.at
	err = cmd.Start()
	closeAll(theirs...)
	if err != nil {
		c.hangUp()
		return nil, startError(s, err)
	}
	return c, nil
}

// connect makes the pipes and gives the ends that belong to the process.
func (c *child) connect(stdin bool) (theirs []*os.File, err error) {
	if stdin {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		c.cmd.Stdin, c.stdin.File = r, w
		theirs = append(theirs, r)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return theirs, err
	}
	c.cmd.Stdout, c.stdout.File = w, r
	theirs = append(theirs, w)

	r, w, err = os.Pipe()
	if err != nil {
		return theirs, err
	}
	c.cmd.Stderr, c.stderr.File = w, r
	return append(theirs, w), nil
}

// hangUp closes our ends of the pipes.
func (c *child) hangUp() { closeAll(c.stdin.File, c.stdout.File, c.stderr.File) }

func (c *child) pid() int { return c.cmd.Process.Pid }

// watch says when the process has ended. It does not reap it: until then its
// group id cannot be given to anybody else, and so a signal to the group
// cannot hit a stranger.
func (c *child) watch() {
	c.unknown = awaitEnd(c.cmd.Process)
	close(c.gone)
}

// signal sends to the whole group. An error is of no use: the group has ended,
// which gone will tell, or it is not ours to signal.
func (c *child) signal(name string) { signalGroup(c.cmd.Process, name) }

// reap collects the exit of a process that has ended, and ends what it left
// in its group. Its streams end soon after.
func (c *child) reap() (loop.Exit, error) {
	c.signal("KILL")
	closeAll(c.stdin.File) // nobody is left to read it
	c.stdout.stop()
	c.stderr.stop()
	err := c.cmd.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return loop.Exit{}, err
	}
	if c.unknown != nil {
		return loop.Exit{}, c.unknown
	}
	return exitOf(c.cmd.ProcessState), nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
