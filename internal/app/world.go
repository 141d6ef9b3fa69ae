package app

import (
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearse"
)

// world is what surrounds a run: those who look after it, the time, and what runs
// its processes.
type world struct {
	*attendants
	shared engine.Shared
	clock  engine.Clock // nil is the one on the wall
	exec   rehearse.Exec
}

func (j *Job) world(w RunOptions, o opened, keeper *proc.Keeper, state *stateFile) (*world, error) {
	if sim := w.Simulation; sim != nil {
		sim.Opened(o.run, func() { w.Control.Stop(loop.Asked{Now: true}) })
		return &world{attendants: &attendants{}, clock: sim.Clock, exec: sim.Exec(keeper.Run)}, nil
	}
	attendants, err := j.attend(w, o, keeper, state)
	if err != nil {
		return nil, err
	}
	shared, release := j.shared(o.run.Meta().Name)
	attendants.closers = append(attendants.closers, release)
	return &world{attendants: attendants, shared: shared, exec: keeper.Run}, nil
}
