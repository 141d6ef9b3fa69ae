package app

import (
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/proc"
)

// world is what surrounds a run: those who look after it, the time, and what runs
// its processes.
type world struct {
	*attendants
	shared engine.Shared
	clock  engine.Clock // nil is the one on the wall
	exec   Exec
}

func (j *Job) world(w Watch, o opened, keeper *proc.Keeper, state *stateFile) (*world, error) {
	if w.Stage != nil {
		w.Stage.Opened(o.run)
		return &world{attendants: &attendants{}, clock: w.Stage.Clock, exec: w.Stage.Exec(keeper.Run)}, nil
	}
	attendants, err := j.attend(w, o, keeper, state)
	if err != nil {
		return nil, err
	}
	shared, release := j.shared(o.run.Meta().Name)
	attendants.closers = append(attendants.closers, release)
	return &world{attendants: attendants, shared: shared, exec: keeper.Run}, nil
}
