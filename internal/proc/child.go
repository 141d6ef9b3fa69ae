package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/outside"
)

// process is a started process, whoever its parent is.
type process interface {
	pid() int

	// ended is closed when the process itself has ended; what it started may
	// live on.
	ended() <-chan struct{}

	// signal sends to the whole group that the process leads. There is no
	// error: the group has ended, which ended will tell, or it is not ours to
	// signal.
	signal(name string)

	// kill ends the process and, as far as they can be known, all below it.
	kill()

	// reap follows ended. It ends whoever is left and tells how the process
	// ended; the cause is for others to say.
	reap() (loop.Exit, error)

	// unasked follows reap: the process had ended before any signal reached it.
	unasked() bool

	// family is the process and who it started, as far as can be told.
	family() ([]entry, error)
}

// starter starts the program that cmd describes.
type starter func(s Spec, cmd *exec.Cmd, files stdio) (process, error)

// stdio is the process's ends of its streams: stdin, stdout, stderr.
type stdio [3]*os.File

func (f stdio) close() { closeAll(f[:]...) }

// child is a process and our ends of its streams.
type child struct {
	process
	at             time.Time
	stdin          *os.File // nil when it is empty
	stdout, stderr stream
	output         lastOutput
	busy           func() bool // asked when it is silent; nil is never
}

// start starts the process. On error nothing is left open.
func start(s Spec, starter starter) (*child, error) {
	if len(s.Argv) == 0 {
		return nil, &StartError{Err: errors.New("the command is empty")}
	}
	cmd := s.command()
	cmd.Dir = s.Dir

	c := &child{}
	theirs, err := c.connect(s)
	if err != nil {
		c.hangUp()
		theirs.close()
		return nil, fmt.Errorf("start %s: %w", s.Argv[0], err)
	}
	c.at = time.Now()
	c.output.last = c.at
	c.process, err = starter(s, cmd, theirs)
	theirs.close()
	if err != nil {
		c.hangUp()
		return nil, startError(s, err)
	}
	work := cpuMeter{process: c.process}
	c.busy = func() bool { return s.Busy != nil && s.Busy() || work.active() }
	return c, nil
}

// command is what is started. For the runner itself it is no program of a folder in
// which an agent writes.
func (s Spec) command() *exec.Cmd {
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Env = append([]string{}, s.Env...) // never nil, which would mean ours
	if s.Role != Own {
		return cmd
	}
	if name := s.Argv[0]; name == filepath.Base(name) { // a path is that, wherever it leads
		cmd.Path, cmd.Err = outside.Find(name)
	}
	if !s.Untouched {
		cmd.Env = outside.Environ(cmd.Env)
	}
	return cmd
}

// connect makes the streams and gives the ends that belong to the process.
func (c *child) connect(s Spec) (theirs stdio, err error) {
	if s.Stdin == nil {
		theirs[0], err = os.Open(os.DevNull)
	} else {
		theirs[0], c.stdin, err = os.Pipe()
	}
	if err != nil {
		return theirs, err
	}
	connectOut := newPipe
	if s.StdoutFile {
		connectOut = newFollower
	}
	if c.stdout, theirs[1], err = connectOut(); err != nil {
		return theirs, err
	}
	c.stderr, theirs[2], err = newPipe()
	return theirs, err
}

// stopStreams is for a process that is gone, with all that could be ended:
// nobody is left to read its stdin, and its output ends soon.
func (c *child) stopStreams() {
	closeAll(c.stdin)
	c.stdout.stop()
	c.stderr.stop()
}

// hangUp closes our ends of the streams.
func (c *child) hangUp() {
	closeAll(c.stdin)
	for _, s := range []stream{c.stdout, c.stderr} {
		if s != nil {
			_ = s.Close()
		}
	}
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// startError tells a missing folder from a missing program: for the kernel
// both are "no such file or directory".
func startError(s Spec, err error) error {
	var lost *KeeperError
	var unfenced *FenceError
	if errors.As(err, &lost) || errors.As(err, &unfenced) {
		return err // it says nothing of the program
	}
	if s.Dir != "" {
		if dirErr := checkDir(s.Dir); dirErr != nil {
			return fmt.Errorf("start %s in its folder: %w", s.Argv[0], dirErr)
		}
	}
	var lookup *exec.Error
	var path *fs.PathError
	switch { // these name the program again
	case errors.As(err, &lookup):
		err = lookup.Err
	case errors.As(err, &path):
		err = path.Err
	}
	return &StartError{Program: s.Argv[0], Err: err}
}

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return nil
}

// cpuMeter knows how much processor time a process and its family have used.
type cpuMeter struct {
	process
	at   time.Time
	used map[ident]time.Duration
}

// active tells whether they have used more than a twentieth of one processor
// since it was last asked. An agent that hangs still wakes up now and then, some
// for a hundredth of the time; a compiler that prints nothing works. Where the
// system does not tell, it is no.
func (m *cpuMeter) active() bool {
	family, err := m.family()
	if err != nil {
		return false
	}
	before, since := m.used, m.at
	m.at, m.used = time.Now(), map[ident]time.Duration{}
	var more time.Duration
	for _, one := range family {
		m.used[one.ident] = one.cpu
		more += max(one.cpu-before[one.ident], 0)
	}
	return before != nil && more > m.at.Sub(since)/20
}
