//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// staff is who keeps the processes. There is one keeper at a time; when it is
// killed the next Run gets a new one.
type staff struct {
	mu     sync.Mutex
	line   *line // nil before the first
	none   bool  // none can be had, which was said
	told   bool  // that nothing is spared
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
		ID: id, Do: doStart, Path: cmd.Path, Argv: cmd.Args, Env: cmd.Environ(), Dir: dir, Mark: mark, Leave: ladder.leave, Plain: s.Plain,
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
	line, err := hire(k.mark, k.spare, k.fence, k.hear)
	var noHelper *NoHelperError
	if errors.As(err, &noHelper) {
		return nil, 0, err
	}
	if err != nil && k.fence.Raised() {
		return nil, 0, unfenced(k.fence.Kind, err)
	}
	if err != nil {
		k.none = true
		s.warn(loop.Warning{
			Text: "no keeper can be started: " + err.Error(),
			Hint: "what an agent starts in a session of its own can outlive its iteration, and all of it the runner; look for it after the run",
			Key:  Unkept,
		})
		return nil, 0, nil
	}
	k.line = line
	k.tellSpared(s)
	return line, k.lastID, nil
}

// tellSpared says once that nobody can be spared who is within namespaces.
func (k *Keeper) tellSpared(s Spec) {
	if k.told || !k.line.apart || len(k.spare) == 0 {
		return
	}
	k.told = true
	s.warn(loop.Warning{
		Text: fmt.Sprintf("in this sandbox nothing outlives the run: %s too will end with it", strings.Join(k.spare, ", ")),
		Hint: "start it yourself before the run, outside, or use another sandbox",
	})
}

// Ready has the keeper be there, with its fence, before the first Run. The error is
// that of a Run.
func (k *Keeper) Ready(warn func(loop.Warning)) error {
	_, _, err := k.reach(Spec{Warn: warn})
	return err
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
		k.line.dismiss("did not end")
	}
	k.line.ears.Wait()
	k.line = nil
}

// answerTime is more than any start takes, even from a slow network: a keeper
// that has not answered by then was stopped, and will not answer.
const answerTime = 30 * time.Second

func (l *line) start(r request, files stdio, warn func(loop.Warning)) (process, error) {
	p := &kept{
		line: l, id: r.ID, name: r.Argv[0], warn: warn,
		answer: make(chan report, 1), gone: make(chan struct{}), clean: make(chan struct{}),
	}
	l.mu.Lock()
	l.children[r.ID] = p
	l.mu.Unlock()
	if err := l.send(&r, files[:]...); err != nil {
		_ = l.conn.Close() // half a message cannot be taken back
	}
	select {
	case answer := <-p.answer:
		if answer.Errno != 0 || answer.Unfenced != nil {
			p.forget()
			return nil, answer.failure()
		}
		p.number = answer.PID
		return p, nil
	case <-time.After(answerTime):
		l.dismiss("did not answer")
	case <-l.dead:
	}
	p.forget()
	l.mourn(warn)
	return nil, &KeeperError{Program: p.name, How: l.fate}
}
