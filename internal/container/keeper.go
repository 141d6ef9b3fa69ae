package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Keeper runs processes in containers that are made alike. It may be used from
// several goroutines.
type Keeper struct {
	engine Engine
	box    Box
	mark   proc.Mark
	client runner // runs the engine's clients; what these start outlives nobody

	mu    sync.Mutex
	free  []*room
	made  int
	lives sync.WaitGroup // of the containers
}

// NewKeeper makes a keeper. The clients are run by another one, which has the same
// mark. Nothing is started before the first Run.
func NewKeeper(e Engine, b Box, mark proc.Mark, clients *proc.Keeper) *Keeper {
	return &Keeper{engine: e, box: b, mark: mark, client: clients.Run}
}

// leave is how long what a process left behind is given to go, and glance how often
// it is looked at.
const (
	leave  = 2 * time.Second
	glance = 50 * time.Millisecond
)

// Run runs a process in a container, to its end, and ends whatever it has started.
// Spec.Env is its environment inside. The error is as that of a proc.Keeper; a
// container that can not be had is a *proc.FenceError.
func (k *Keeper) Run(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	if len(s.Argv) == 0 {
		return k.client(ctx, s) // which says so
	}
	r, err := k.take(ctx)
	if ctx.Err() != nil {
		k.give(r)
		return k.client(ctx, s) // which starts nothing, and says why
	}
	if err != nil {
		return loop.Exit{}, &proc.FenceError{Kind: fence.Kind(k.engine.Program), Err: err}
	}
	inside := s
	var handed []string
	inside.Env, handed = split(proc.Environ(), append(s.Env, k.mark.Environ()...))
	inside.Argv = k.engine.exec(r.name, realDir(s.Dir), handed, k.program(s.Argv))
	inside.Dir, inside.Plain, inside.Role = "/", true, proc.Own // the client is outside
	var removed atomic.Bool
	inside.Relay = func(signal string) {
		if signal == "KILL" {
			removed.Store(true)
			r.end(s.Warn)
			return
		}
		_, _ = k.ask(k.engine.signal(r.name, signal)) // who does not hear it is removed later
	}
	work := meter{usage: func() (string, error) { return k.ask(k.engine.usage(r.name)) }}
	inside.Busy = func() bool { return s.Busy != nil && s.Busy() || work.active() }
	exit, err := k.client(ctx, inside)
	if removed.Load() {
		return exit, err
	}
	switch lost := k.tidy(r, s.Warn); {
	case err != nil || exit.Cause != loop.Exited || exit.Zero():
		return exit, err
	case lost:
		return loop.Exit{Signal: "KILL", Cause: loop.Signaled}, &proc.KeeperError{Program: s.Argv[0], How: "lost its container"}
	}
	return exit, nil
}

// realDir is a folder as it is mounted.
func realDir(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// program is a command as the image knows it: what lies outside of all mounts is
// looked up by its name.
func (k *Keeper) program(argv []string) []string {
	path := argv[0]
	if !filepath.IsAbs(path) {
		return argv
	}
	for _, m := range k.box.Mounts {
		if path == m.To || strings.HasPrefix(path, strings.TrimSuffix(m.To, "/")+"/") {
			return argv
		}
	}
	return append([]string{filepath.Base(path)}, argv[1:]...)
}

// tidy ends what a process has left in its container, which then is free. It tells
// whether the container is gone.
func (k *Keeper) tidy(r *room, warn func(loop.Warning)) (lost bool) {
	left, err := r.others()
	if err == nil && left > 0 {
		_, _ = k.ask(k.engine.signal(r.name, "TERM"))
		for deadline := time.Now().Add(leave); err == nil && left > 0 && time.Now().Before(deadline); left, err = r.others() {
			time.Sleep(glance)
		}
	}
	if err != nil || left > 0 {
		r.end(warn)
		return err != nil
	}
	k.give(r)
	return false
}

// Ready has a container be there before the first Run.
func (k *Keeper) Ready(func(loop.Warning)) error {
	r, err := k.take(context.Background())
	if err != nil {
		return &proc.FenceError{Kind: fence.Kind(k.engine.Program), Err: err}
	}
	k.give(r)
	return nil
}

// Close ends all containers, and waits until they are gone.
func (k *Keeper) Close() {
	k.mu.Lock()
	free := k.free
	k.free = nil
	k.mu.Unlock()
	for _, r := range free {
		r.end(nil)
	}
	k.lives.Wait()
}

// take gives a container in which nobody is, a new one if need be.
func (k *Keeper) take(ctx context.Context) (*room, error) {
	for {
		k.mu.Lock()
		if len(k.free) == 0 {
			k.made++
			name := k.name(k.made)
			k.mu.Unlock()
			return k.open(ctx, name)
		}
		r := k.free[len(k.free)-1]
		k.free = k.free[:len(k.free)-1]
		k.mu.Unlock()
		select {
		case <-r.gone: // somebody has removed it
			r.end(nil)
		default:
			return r, nil
		}
	}
}

func (k *Keeper) give(r *room) {
	if r == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.free = append(k.free, r)
}

// name is one that no other runner has.
func (k *Keeper) name(n int) string {
	return strings.Join([]string{"refrain", plain(k.mark.Run), k.box.Role, number(n), strings.ToLower(rand.Text()[:8])}, "-")
}

// plain is a name with what an engine takes.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '.':
			return r
		}
		return '-'
	}, name)
}

// ask asks the engine, whatever becomes of the run.
func (k *Keeper) ask(argv []string) (string, error) {
	return ask(context.Background(), k.client, argv, os.Environ())
}

var errGone = errors.New("it has ended")

// unkept warns of a container that is still there.
func unkept(name, program string, err error) loop.Warning {
	return loop.Warning{
		Text: fmt.Sprintf("container %s can not be removed: %v", name, err),
		Hint: fmt.Sprintf("remove it with \"%s rm -f %s\"; resume, or the next run here, tries again", program, name),
		Key:  proc.Unkept,
	}
}
