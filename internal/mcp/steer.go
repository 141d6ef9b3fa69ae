package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
)

// answerTime is how long a live run has to take a command.
const answerTime = 30 * time.Second

// steered is what came of a command.
type steered struct {
	Run    string      `json:"run"`
	Effect string      `json:"effect"`
	State  loop.Status `json:"state"`
}

func (f face) pause(ctx context.Context, in theRun) (steered, error) {
	return f.steer(ctx, in.Run, control.Command{Command: control.Pause})
}

func (f face) resume(ctx context.Context, in theRun) (steered, error) {
	return f.steer(ctx, in.Run, control.Command{Command: control.Resume})
}

func (f face) reboot(ctx context.Context, in theRun) (steered, error) {
	return f.steer(ctx, in.Run, control.Command{Command: control.Reboot})
}

func (f face) skip(ctx context.Context, in theRun) (steered, error) {
	return f.steer(ctx, in.Run, control.Command{Command: control.Skip})
}

type stopIn struct {
	theRun
	Now bool `json:"now,omitempty" jsonschema:"end the agent, too; left out: the iteration is finished first"`
}

func (f face) stop(ctx context.Context, in stopIn) (steered, error) {
	if in.Now {
		return f.steer(ctx, in.Run, control.Command{Command: control.StopNow})
	}
	return f.steer(ctx, in.Run, control.Command{Command: control.Stop})
}

type noteIn struct {
	theRun
	Text string `json:"text" jsonschema:"what the next agent should know"`
}

func (f face) addNote(ctx context.Context, in noteIn) (steered, error) {
	return f.steer(ctx, in.Run, control.Command{Command: control.Note, Text: in.Text})
}

type raiseIn struct {
	theRun
	Key   string `json:"key" jsonschema:"loop.max_iterations, loop.max_time, budget.cost_usd, budget.tokens or limits.max_wait"`
	Value string `json:"value" jsonschema:"the new total, such as 20 or 8h"`
}

func (f face) raise(ctx context.Context, in raiseIn) (steered, error) {
	return f.steer(ctx, in.Run, control.Command{Command: control.Raise, Key: in.Key, Value: in.Value})
}

// steer gives a command to a live run. It does not wait for the effect, which
// may be an iteration away: no client waits that long for a tool.
func (f face) steer(ctx context.Context, ref string, c control.Command) (steered, error) {
	store, entry, err := f.find(ref)
	if err != nil {
		return steered{}, err
	}
	if f.Inside != "" && entry.ID == f.Inside {
		return steered{}, &advice{
			fmt.Sprintf("you are a part of %s: an agent does not steer its own run", entry.Name),
			"do your work and end; what the next agent should know belongs into a file of the project",
		}
	}
	holder, alive := store.Holder()
	switch {
	case !alive || holder.Run != entry.Name:
		return steered{}, notRunning(entry.Name, store.Status(entry))
	case holder.Socket == "":
		return steered{}, &advice{entry.Name + " takes no commands", "it is just starting, or could not open its socket: try again, or tell a person"}
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c.NoWait = true
	answer, err := control.Dial(holder.Socket).Do(ctx, c)
	if refused := (*control.Refused)(nil); errors.As(err, &refused) {
		return steered{}, &advice{fmt.Sprintf("%s did not take %q: %s", entry.Name, refused.Command, refused.Why), "get_run shows what it is doing"}
	}
	if err != nil {
		return steered{}, err
	}
	return steered{Run: entry.Name, Effect: answer.Effect, State: answer.State}, nil
}

func notRunning(run string, s loop.Status) error {
	do := "get_run tells how it ended"
	if s != loop.Done {
		do += "; a person can go on with it: \"refrain resume " + run + "\""
	}
	return &advice{fmt.Sprintf("%s is not running: it is %s", run, s), do}
}
