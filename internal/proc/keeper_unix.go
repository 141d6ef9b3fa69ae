//go:build unix

package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// hello is how long a new keeper may take to say that it is there.
const hello = 10 * time.Second

// staff is the process that keeps the others. There is one at a time; when it
// is killed the next Run gets a new one.
type staff struct {
	mu     sync.Mutex
	line   *line // nil before the first
	none   bool  // none can be had, which was said
	lastID int
}

// start has the keeper start the process.
func (k *Keeper) start(s Spec, cmd *exec.Cmd, files stdio) (process, error) {
	line, id, err := k.reach(s)
	if err != nil {
		return nil, err
	}
	if line == nil {
		return startDirect(s, cmd, files)
	}
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	mark := k.mark.child(strconv.Itoa(id))
	cmd.Env = append(cmd.Env, mark)
	dir, err := filepath.Abs(cmd.Dir)
	if err != nil {
		return nil, err
	}
	return line.start(request{
		ID: id, Do: doStart, Path: cmd.Path, Argv: cmd.Args, Env: cmd.Environ(), Dir: dir, Mark: mark,
	}, files, s.warn)
}

// reach gives the line to a keeper that lives, and a number for a new child. It
// is nil when no keeper can be had.
func (k *Keeper) reach(s Spec) (*line, int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lastID++
	if k.none || k.line != nil && k.line.alive() {
		return k.line, k.lastID, nil
	}
	if k.line != nil {
		k.line.mourn(s.warn)
		k.line = nil
	}
	line, err := hire(k.mark, k.spare)
	var noHelper *NoHelperError
	if errors.As(err, &noHelper) {
		return nil, 0, err
	}
	if err != nil {
		k.none = true
		s.warn(loop.Warning{
			Text: "no keeper can be started: " + err.Error(),
			Hint: "what an agent starts in a session of its own can outlive its iteration, and all of it the runner; look for it after the run",
		})
		return nil, 0, nil
	}
	k.line = line
	return line, k.lastID, nil
}

// Close ends the keeper, and first whatever it still keeps. It waits for both.
func (k *Keeper) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.line == nil {
		return
	}
	_ = k.line.conn.CloseWrite() // fails when the keeper is dead, which is as well
	select {
	case <-k.line.dead:
	case <-time.After(2 * ladder.patience): // it gives up in half of that
		k.line.dismiss()
	}
	k.line = nil
}

// line is the runner's line to a keeper, with the children it keeps.
type line struct {
	*link
	keeper *exec.Cmd
	mark   Mark
	spare  []string
	dead   chan struct{} // closed when the keeper is gone
	end    error         // set before: how it ended
	burial sync.Once

	mu       sync.Mutex
	children map[int]*kept
}

// hire starts a keeper, in a session of its own: Ctrl+C is not meant for it.
func hire(mark Mark, spare []string) (*line, error) {
	argv, err := HelperCommand(keeperName, append([]string{mark.Run, mark.Runner}, spare...)...)
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
	l := &line{link: link, keeper: cmd, mark: mark, spare: spare, dead: make(chan struct{}), children: map[int]*kept{}}
	if err := l.greet(); err != nil {
		link.conn.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		return nil, err
	}
	go l.listen() // until the keeper is gone, which Close waits for
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
	l.end = l.keeper.Wait()
	l.mu.Lock()
	for _, child := range l.children {
		child.lose()
	}
	l.mu.Unlock()
	close(l.dead)
}

// dismiss ends a keeper that does not answer.
func (l *line) dismiss() {
	_ = l.keeper.Process.Kill()
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

// mourn ends what a dead keeper kept: its children carry our mark.
func (l *line) mourn(warn func(loop.Warning)) {
	l.burial.Do(func() {
		_, err := hunt(context.Background(), prey{spare: l.spare, match: func(env []string) bool {
			return slices.Contains(env, runnerName+"="+l.mark.Runner)
		}})
		w := loop.Warning{
			Text: fmt.Sprintf("the keeper of the processes of this run has ended (%v); all that could be found of what it kept was ended, and a new one takes over", l.end),
			Hint: "if you did not end it, look for what did: the system may be short of memory",
		}
		if err != nil {
			w.Text += "; some of it may still run: " + err.Error()
		}
		warn(w)
	})
}
