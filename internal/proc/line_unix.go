//go:build unix

package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

// wasStopped is what has happened to a keeper that somebody holds with a signal.
const wasStopped = "was stopped"

// began is what the rounds of all keepers are counted from, so that the runner is woken
// once for all of them.
var began = time.Now()

// hello is how long a new keeper may take to say that it is there.
const hello = 10 * time.Second

// line is the runner's line to a keeper, with the children it keeps.
type line struct {
	*link
	started *exec.Cmd // the keeper's warden, or itself where there is none
	keeper  ident
	mark    Mark
	spare   []string
	apart   bool                // the kernel ends all with the keeper
	refused func(fence.Refusal) // hears what the fence refuses; nil: nobody does
	dead    chan struct{}       // closed when the keeper is gone, and its warden
	burial  sync.Once
	ears    sync.WaitGroup // what listens, and watches

	mu       sync.Mutex
	children map[int]*kept
	fate     string // what happened to the keeper; empty while it lives
	sure     bool   // all that a dead keeper kept was ended
	loose    bool   // somebody was started whom the kernel does not hold
}

// hire starts a keeper, in a session of its own: Ctrl+C is not meant for it.
// What is within the fence goes over the link, for everybody can read arguments.
func hire(mark Mark, spare []string, within fence.Policy, refused func(fence.Refusal)) (*line, error) {
	argv, err := HelperCommand(hired, append([]string{mark.Run, mark.Runner, within.Word()}, spare...)...)
	if err != nil {
		return nil, err
	}
	ours, theirs, err := newPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	link, err := newLink(ours)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = "/", keeperEnviron(os.Environ(), within.Kind)
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		_ = link.conn.Close()
		return nil, err
	}
	_ = theirs.Close()
	l := &line{link: link, started: cmd, mark: mark, spare: spare, apart: within.Kind == fence.Namespaces, refused: refused, dead: make(chan struct{}), children: map[int]*kept{}}
	if err := l.greet(within); err != nil {
		_ = link.conn.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		return nil, err
	}
	// Both end when the keeper is gone, which Close waits for.
	l.ears.Go(l.listen)
	l.ears.Go(l.watch)
	return l, nil
}

// greet tells the keeper which fence to raise, and waits for its first word.
func (l *line) greet(within fence.Policy) error {
	_ = l.conn.SetDeadline(time.Now().Add(hello))
	defer func() { _ = l.conn.SetDeadline(time.Time{}) }()
	if within.Raised() {
		_ = l.send((*policy)(&within)) // where that fails there is no word either
	}
	var r report
	if err := l.receive(&r); err != nil {
		return fmt.Errorf("no word from the keeper: %w", err)
	}
	if r.Unfenced != nil {
		return r.failure()
	}
	if r.Why != "" {
		return errors.New(r.Why)
	}
	l.keeper.pid = r.PID
	if e, err := readEntry(r.PID); err == nil {
		l.keeper = e.ident
	}
	return nil
}

// listen hands on what the keeper tells, until it is dead.
func (l *line) listen() {
	for {
		var r report
		if l.receive(&r) != nil {
			break
		}
		if r.Of == wasRefused {
			if l.refused != nil {
				l.refused(r.Refused)
			}
			continue
		}
		l.mu.Lock()
		child := l.children[r.ID]
		l.mu.Unlock()
		if child != nil {
			child.hear(r)
		}
	}
	_ = l.conn.Close() // so that a keeper that lives, and is not understood, ends
	late := time.AfterFunc(2*ladder.patience, func() { _ = l.started.Process.Kill() })
	_ = l.started.Wait() // its state tells
	late.Stop()
	l.bury(l.started.ProcessState)
	close(l.dead)
}

// bury notes how the keeper ended, and that its children have with it.
func (l *line) bury(state *os.ProcessState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	code := state.ExitCode()
	l.sure = code == 0 || code == endedAll || code == stoppedAll
	switch {
	case l.fate != "":
	case code == stoppedAll || code == stoppedSome:
		l.fate = wasStopped
	case code == endedAll || code == endedSome || code < 0:
		l.fate = "was killed"
	default:
		l.fate = fmt.Sprintf("has ended (%v)", state)
	}
	for _, child := range l.children {
		child.lose(l.fate)
	}
}

// watch ends a keeper that was stopped, for it would neither tell nor end
// anything, where its warden does not. One that is seen so only once may have been
// let go meanwhile.
func (l *line) watch() {
	for seen := 0; ; {
		select {
		case <-l.dead:
			return
		case <-time.After(ladder.round - time.Since(began)%ladder.round): // all at once
		}
		e, err := readEntry(l.keeper.pid)
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		if seen++; err != nil || e.ident != l.keeper || !e.stopped() {
			seen = 0
		}
		if seen == 2 {
			l.dismiss(wasStopped)
			return
		}
	}
}

// dismiss ends a keeper that is no longer one, for what happened to it. Its
// warden then ends what it kept.
func (l *line) dismiss(fate string) {
	l.mu.Lock()
	if l.fate == "" {
		l.fate = fate
	}
	l.mu.Unlock()
	if l.keeper.started == 0 {
		_ = l.started.Process.Kill()
	}
	entry{ident: l.keeper}.kill()
	<-l.dead
}

func (l *line) alive() bool {
	select {
	case <-l.dead:
		return false
	default:
		return true
	}
}

// mourn ends what is left of what a dead keeper kept: it carries our mark.
func (l *line) mourn(warn func(loop.Warning)) {
	l.burial.Do(func() {
		if l.apart {
			l.sure = l.keeperGone()
		} else if _, all := endCgroups(cgroupsIn(ownCgroup(), func(m Mark) bool { return m == l.mark }), l.spare); all && !l.loose {
			l.sure = true
		}
		_, err := killMarked(context.Background(), target{spare: l.spare, match: func(_ int, env []string) bool {
			return slices.Contains(env, runnerName+"="+l.mark.Runner)
		}})
		w := loop.Warning{Hint: "if you did not end it, look for what did: the agent, or a system that is short of memory"}
		ended := "all that it kept"
		if !l.sure || err != nil {
			ended, w.Key = "all that could be found of what it kept", Unkept
		}
		w.Text = fmt.Sprintf("the keeper of the processes of this run %s; %s was ended, and a new one takes over", l.fate, ended)
		if err != nil {
			w.Text += "; some of it may still run: " + err.Error()
		}
		warn(w)
	})
}

// keeperGone waits until the keeper has surely ended, and tells whether it has. When it
// is the first of its namespace, nobody in there has outlived it.
func (l *line) keeperGone() bool {
	for deadline := time.Now().Add(ladder.patience); ; time.Sleep(pause) {
		e, err := readEntry(l.keeper.pid)
		if err != nil || e.ident != l.keeper || e.ended() {
			return !errors.Is(err, errors.ErrUnsupported)
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// unmarked is the environment without marks, such as those that a runner
// inside a run has from the run around it.
func unmarked(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == runName || name == runnerName || name == childName
	})
}

// keeperEnviron is the environment of a keeper. One processor is enough for it, and
// spares it the search for more work each time it wakes; but not where it answers
// for the connects of what it keeps, which each wait in the kernel for another. What it
// starts has the environment that the runner says, and not this one.
func keeperEnviron(env []string, kind fence.Kind) []string {
	env = unmarked(env)
	if kind == fence.Landlock {
		return env
	}
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, processors) })
	return append(env, processors+"1")
}

const processors = "GOMAXPROCS="

// newPair makes both ends of a link, for one of them to be inherited.
func newPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "runner"), os.NewFile(uintptr(fds[1]), "keeper"), nil
}

// kept is a process that the keeper started, and of which it tells.
type kept struct {
	line   *line
	id     int
	name   string
	number int
	warn   func(loop.Warning)

	answer chan report   // to the wish to start
	gone   chan struct{} // closed when it has ended, or the keeper has
	clean  chan struct{} // closed when nothing of it is left
	exit   loop.Exit     // set before gone is closed
	asked  bool          // likewise: a signal had reached it
	lost   string        // what happened to its keeper before it could tell the exit
	left   []int         // set before clean is closed
}

// hear takes in a report. They come in order, and from one goroutine.
func (p *kept) hear(r report) {
	switch r.Of {
	case hasStarted:
		if r.Errno == 0 && !r.Held {
			p.line.mu.Lock()
			p.line.loose = true
			p.line.mu.Unlock()
		}
		p.answer <- r
	case hasExited:
		p.exit, p.asked = exitBy(r.Status), r.Asked
		close(p.gone)
	case isSwept:
		p.left = r.Left
		close(p.clean)
	}
}

// lose is the end of a process whose keeper died: it is killed too.
func (p *kept) lose(how string) {
	select {
	case <-p.gone:
	default:
		p.exit, p.lost = loop.Exit{Signal: "KILL"}, how
		close(p.gone)
	}
}

func (p *kept) forget() {
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	delete(p.line.children, p.id)
}

func (p *kept) pid() int { return p.number }

func (p *kept) ended() <-chan struct{} { return p.gone }

func (p *kept) unasked() bool { return !p.asked && p.lost == "" }

// signal asks the keeper, which knows whether the process still has its number.
// When it cannot be asked it is dead, and so is the process soon.
func (p *kept) signal(name string) {
	_ = p.line.send(&request{ID: p.id, Do: doSignal, Signal: name})
}

// kill does not take no for an answer, even from the keeper.
func (p *kept) kill() {
	_ = p.line.send(&request{ID: p.id, Do: doKill})
	select {
	case <-p.gone:
	case <-time.After(2 * ladder.patience):
		p.line.dismiss("did not answer")
	}
}

// family is all that the keeper keeps: whoever left the process's tree is the
// keeper's own child now.
func (p *kept) family() ([]entry, error) {
	t, err := readBelow(p.line.keeper.pid)
	if err != nil {
		return nil, err
	}
	return t.below(p.line.keeper.pid), nil
}

func (p *kept) reap() (loop.Exit, error) {
	defer p.forget()
	select {
	case <-p.clean:
	case <-p.line.dead:
		p.line.mourn(p.warn)
	case <-time.After(ladder.leave + 2*ladder.patience): // it gives up earlier
		p.line.dismiss("did not answer")
		p.line.mourn(p.warn)
	}
	if len(p.left) > 0 {
		p.warn(loop.Warning{
			Text: fmt.Sprintf("what process %d started does not end: %v", p.number, p.left),
			Hint: "see with ps what it waits for, or whose it is; resume, or the next run here, tries again",
			Key:  Unkept,
		})
	}
	if p.lost != "" {
		return p.exit, &KeeperError{Program: p.name, How: p.lost}
	}
	return p.exit, nil
}
