//go:build unix

package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// hello is how long a new keeper may take to say that it is there.
const hello = 10 * time.Second

// line is the runner's line to a keeper, with the children it keeps.
type line struct {
	*link
	started *exec.Cmd // the keeper's warden, or itself where there is none
	keeper  ident
	mark    Mark
	spare   []string
	dead    chan struct{} // closed when the keeper is gone, and its warden
	burial  sync.Once
	ears    sync.WaitGroup // what listens, and watches

	mu       sync.Mutex
	children map[int]*kept
	fate     string // what happened to the keeper; empty while it lives
	sure     bool   // all that a dead keeper kept was ended
	loose    bool   // somebody was started whom the kernel does not hold
}

// hire starts a keeper, in a session of its own: Ctrl+C is not meant for it.
func hire(mark Mark, spare []string) (*line, error) {
	argv, err := HelperCommand(hired, append([]string{mark.Run, mark.Runner}, spare...)...)
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
	cmd.Dir, cmd.Env = "/", unmarked(os.Environ())
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		link.conn.Close()
		return nil, err
	}
	theirs.Close()
	l := &line{link: link, started: cmd, mark: mark, spare: spare, dead: make(chan struct{}), children: map[int]*kept{}}
	if err := l.greet(); err != nil {
		link.conn.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		return nil, err
	}
	// Both end when the keeper is gone, which Close waits for.
	l.ears.Go(l.listen)
	l.ears.Go(l.watch)
	return l, nil
}

// greet waits for the keeper's first word.
func (l *line) greet() error {
	_ = l.conn.SetReadDeadline(time.Now().Add(hello))
	defer func() { _ = l.conn.SetReadDeadline(time.Time{}) }()
	var r report
	if err := l.receive(&r); err != nil {
		return fmt.Errorf("no word from the keeper: %w", err)
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
		l.mu.Lock()
		child := l.children[r.ID]
		l.mu.Unlock()
		if child != nil {
			child.hear(r)
		}
	}
	l.conn.Close() // so that a keeper that lives, and is not understood, ends
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
	l.sure = code == 0 || code == endedAll
	switch {
	case l.fate != "":
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
// anything. One that is seen so only once may have been let go meanwhile.
func (l *line) watch() {
	for seen := 0; ; {
		select {
		case <-l.dead:
			return
		case <-time.After(ladder.glance):
		}
		e, err := readEntry(l.keeper.pid)
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		if seen++; err != nil || e.ident != l.keeper || !e.stopped() {
			seen = 0
		}
		if seen == 2 {
			l.dismiss("was stopped")
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
		if _, all := endCgroups(cgroupsIn(ownCgroup(), func(m Mark) bool { return m == l.mark }), l.spare); all && !l.loose {
			l.sure = true
		}
		_, err := hunt(context.Background(), prey{spare: l.spare, match: func(_ int, env []string) bool {
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
