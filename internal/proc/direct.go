package proc

import (
	"errors"
	"os/exec"
	"sync/atomic"

	"github.com/refrain-loop/refrain/internal/loop"
)

// direct is a child of this very process.
type direct struct {
	cmd     *exec.Cmd
	group   group
	gone    chan struct{}
	unknown error // set before gone is closed: its end could not be watched
	asked   atomic.Bool
}

func startDirect(s Spec, cmd *exec.Cmd, files stdio) (process, error) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	group, err := gather(cmd.Process)
	if err != nil {
		s.warn(loop.Warning{Text: "what " + s.Argv[0] + " starts may outlive it: " + err.Error()})
	}
	p := &direct{cmd: cmd, group: group, gone: make(chan struct{})}
	go p.watch() // until the process has ended, which reap waits for
	return p, nil
}

func (p *direct) pid() int               { return p.cmd.Process.Pid }
func (p *direct) ended() <-chan struct{} { return p.gone }
func (p *direct) unasked() bool          { return !p.asked.Load() }

func (p *direct) family() ([]entry, error) {
	t, err := readBelow(p.pid())
	if err != nil {
		return nil, err
	}
	return append(t.below(p.pid()), t.all[p.pid()]), nil
}

func (p *direct) signal(name string) {
	select {
	case <-p.gone:
	default:
		if !hasEnded(p.pid()) {
			p.asked.Store(true)
		}
	}
	p.group.signal(name)
}

func (p *direct) kill() { p.signal("KILL") }

// watch says when the process has ended. It does not reap it: until then its
// group id cannot be given to anybody else, and so a signal to the group
// cannot hit a stranger.
func (p *direct) watch() {
	p.unknown = awaitEnd(p.cmd.Process)
	close(p.gone)
}

func (p *direct) reap() (loop.Exit, error) {
	p.kill()
	err := p.cmd.Wait()
	p.group.close()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return loop.Exit{}, err
	}
	if p.unknown != nil {
		return loop.Exit{}, p.unknown
	}
	return exitOf(p.cmd.ProcessState), nil
}
