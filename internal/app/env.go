package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// environ is what every child of the run inherits: our own environment, and
// who it works for. The keeper adds the marks by which they are found.
func (j *Job) environ(run *journal.Run) []string {
	return append(withoutSecrets(os.Environ()),
		"REFRAIN_RUN="+run.Meta().Name,
		"REFRAIN_PROCEDURE="+run.Meta().Procedure,
		"REFRAIN_PROJECT_DIR="+j.Tree,
		"REFRAIN_RUN_DIR="+run.Dir(),
	)
}

// withoutSecrets leaves out what is set for the runner alone: an agent has no use
// for the passwords of the channels by which people are told.
func withoutSecrets(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return strings.HasPrefix(kv, "REFRAIN_NOTIFY_") || strings.HasPrefix(kv, "REFRAIN_TRACE_")
	})
}

// mark is what the children of this runner carry.
func (j *Job) mark(run *journal.Run) proc.Mark { return proc.NewMark(run.Meta().ID, j.Tree) }

// cleanUp ends what earlier runners of these runs have left here. That some of it
// does not end is a warning: it was so before, and the run can go on.
func (j *Job) cleanUp(ctx context.Context, runs ...string) []loop.Warning {
	ended, err := proc.CleanUp(ctx, j.Config().Proc.Keep, j.Tree, runs...)
	var list []loop.Warning
	if ended > 0 {
		list = append(list, loop.Warning{Text: fmt.Sprintf("ended what a runner which died had left (processes: %d)", ended)})
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		list = append(list, loop.Warning{
			Text: "what a runner which died had left may still run: " + err.Error(),
			Hint: "look for it with ps, and end it yourself",
		})
	}
	return list
}

// mayHaveLeft tells whether processes of a run may be left: its runner died, or said
// that it was not sure.
func mayHaveLeft(status loop.Status, past journal.Past) bool {
	return status == loop.Crashed || slices.Contains(past.State.WarnedKeys, loop.UnkeptKey)
}

// cleanUpOwn is cleanUp for the run itself, before it goes on. Where anything was
// left the keeper had died too, and who had lost its mark was not found.
func (c *Continuation) cleanUpOwn(ctx context.Context) []loop.Warning {
	list := c.cleanUp(ctx, c.Entry.ID)
	for i := range list {
		list[i].Key = proc.Unkept
	}
	return list
}

// scripts are the user's stop scripts; a relative path starts at the work tree.
func (j *Job) scripts() []string {
	var list []string
	for _, script := range j.Config().Stop.Scripts {
		list = append(list, j.InTree(script))
	}
	return list
}

func signals(names []string) []loop.Signal {
	var list []loop.Signal
	for _, name := range names {
		list = append(list, loop.Signal(name))
	}
	return list
}
