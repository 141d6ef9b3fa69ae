package app

import (
	"context"

	"github.com/refrain-loop/refrain/internal/awake"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/notify"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
)

// checkAwake sees whether a run can keep the machine awake. That it cannot is no
// trouble where nothing sends the machine to sleep.
func checkAwake(ctx context.Context) Check {
	vigil := awake.Hold("refrain doctor")
	defer vigil.Release()
	select {
	case <-vigil.Tried():
	case <-ctx.Done():
	}
	if held, why := vigil.Held(); !held {
		return Check{"keep awake", Fine, "not possible here (" + why + "): a machine that goes to sleep holds its runs up", ""}
	}
	return Check{"keep awake", Fine, "the machine stays awake while a run is alive", ""}
}

// TestNotices sends a message to every channel that is set, and tells what came
// of it.
func TestNotices(ctx context.Context, dir string) ([]Check, error) {
	assignment, err := request.In(dir, request.Request{})
	if err != nil {
		return nil, err
	}
	j := &Job{Assignment: assignment}
	sender, err := notify.New(j.notices(nil, nil, proc.Run, func(loop.Warning) {}))
	if err != nil {
		return nil, &request.UsageError{What: err.Error(), Hint: "\"refrain config explain KEY\" tells where it is set"}
	}
	defer sender.Close()
	var list []Check
	for _, r := range sender.Test(ctx) {
		c := Check{"notify." + r.Channel, Fine, "sent", ""}
		if r.Err != nil {
			c = Check{"notify." + r.Channel, Problem, r.Err.Error(), "correct its settings: refrain config show"}
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		list = append(list, Check{"notify", Worry, "no channel is set", "set one: \"refrain config show\" lists the keys below notify"})
	}
	return list, nil
}
