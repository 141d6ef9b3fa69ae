package container

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// room is a container that lives.
type room struct {
	keeper *Keeper
	name   string
	own    int           // processes of its own
	stdin  *proc.Held    // with its end the container ends
	gone   chan struct{} // closed when it has
	once   sync.Once
}

// openTime is how long a container may take to be there.
const openTime = time.Minute

// open makes a container and waits until it is there.
func (k *Keeper) open(ctx context.Context, name string) (*room, error) {
	r := &room{keeper: k, name: name, stdin: proc.NewHeld(), gone: make(chan struct{})}
	there := make(chan struct{})
	var complaint last
	var failed error
	var once sync.Once
	spec := proc.Spec{
		Argv: k.engine.run(name, k.box, []string{runLabel + "=" + k.mark.Run, runnerLabel + "=" + k.mark.Runner}),
		Env:  os.Environ(), Dir: "/", Stdin: r.stdin, Stderr: proc.Sink{Line: complaint.hear}, Plain: true,
		Stdout: proc.Sink{Line: func(line []byte, _ bool) {
			if strings.TrimSpace(string(line)) == ready {
				once.Do(func() { close(there) })
			}
		}},
	}
	k.lives.Go(func() { // until the pipe is closed, or the container is removed
		defer close(r.gone)
		exit, err := k.client(context.Background(), spec)
		switch {
		case err != nil:
			failed = err
		case exit.Code != nil:
			failed = said(complaint.line(), *exit.Code)
		default:
			failed = errGone
		}
	})
	select {
	case <-there:
	case <-r.gone:
		return nil, &Error{What: "start a container from " + k.box.Image, Remedy: "try it with \"" + k.engine.Program + " run --rm " + k.box.Image + " true\"", Err: failed}
	case <-ctx.Done():
		r.end(nil)
		return nil, context.Cause(ctx)
	case <-time.After(openTime):
		r.end(nil)
		return nil, &Error{What: "start a container from " + k.box.Image, Remedy: "see whether " + k.engine.Program + " is at work on something else", Err: context.DeadlineExceeded}
	}
	var err error
	if r.own, err = r.count(); err != nil {
		r.end(nil)
		return nil, &Error{What: "look into a container from " + k.box.Image, Err: err}
	}
	return r, nil
}

// count is how many processes are in the container.
func (r *room) count() (int, error) {
	answer, err := r.keeper.ask(r.keeper.engine.processes(r.name))
	if err != nil {
		return 0, err
	}
	return max(0, strings.Count(strings.TrimSpace(answer), "\n")), nil // without the heading
}

// others is how many are in it that are none of its own.
func (r *room) others() (int, error) {
	n, err := r.count()
	return n - r.own, err
}

// end removes the container with all that is in it, once.
func (r *room) end(warn func(loop.Warning)) {
	r.once.Do(func() {
		_, err := r.keeper.ask(r.keeper.engine.remove(r.name))
		r.stdin.Release() // with which it ends, too
		if err == nil || isGone(err) {
			return
		}
		if warn != nil {
			warn(unkept(r.name, r.keeper.engine.Program, err))
		}
	})
}

// isGone tells whether the engine complains that there is no such container, or that
// it is being removed already.
func isGone(err error) bool {
	said := strings.ToLower(err.Error())
	return strings.Contains(said, "no such container") || strings.Contains(said, "no container with") || strings.Contains(said, "already in progress")
}
