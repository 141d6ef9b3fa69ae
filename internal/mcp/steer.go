package mcp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

// steering offers what changes a run. Each tool is one line in this table.
func (f face) steering(s *sdk.Server) {
	const andThen = " It answers at once; watch_run tells when it has taken effect."

	add(s, mend, "add_note", "Tell the next agent of a live run something: the note is in its prompt. The agent that is working now does not see it.", f.addNote)
	add(s, mend, "pause_run", "Hold a live run before its next iteration; the one under way is finished."+andThen, f.give(control.Pause))
	add(s, mend, "resume_run", "Let a paused run go on, or cut short what a waiting one waits for. A run that is over is not started again.", f.give(control.Resume))
	add(s, mend, "reboot_run", "Give up the agent's session, after this iteration, so that the next one begins with a fresh context. Only of use when the run keeps its session."+andThen, f.give(control.Reboot))
	add(s, harm, "skip_iteration", "End the agent that is working now and go on with the next iteration. Its changes to files stay."+andThen, f.give(control.Skip))
	add(s, harm, "stop_run", "Stop a live run after this iteration or, with now, at once. A stopped run can be resumed by a person."+andThen, f.stop)
	if f.Raise {
		add(s, harm, "raise_limit", "Change a limit of a live run. The value is the new total, not an addition; 0 is no limit. It may cost more money than was agreed.", f.raise)
	}
	if f.Start != nil {
		add(s, harm, "start_run", "Start a run in the background, in this work tree, and give its name. Name a procedure (such as plan or build), or write a prompt and, in until, the words with which the agent claims to be done. "+
			"Set limits: it spends money until it is done or stopped.", f.start)
	}
}

// give is a tool that gives a live run a command without more words.
func (f face) give(command string) func(context.Context, theRun) (steered, error) {
	return func(ctx context.Context, in theRun) (steered, error) {
		return f.steer(ctx, in.Run, control.Command{Command: command})
	}
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

// startIn is what an agent may say of a run that it starts. It names no command
// and no settings: what runs, and with which rights, is the person's to say.
type startIn struct {
	Procedure     string  `json:"procedure,omitempty" jsonschema:"the procedure to run, such as plan or build; left out: only the prompt"`
	Prompt        string  `json:"prompt,omitempty" jsonschema:"what the agent is told in every iteration; left out: the prompt of the procedure, or PROMPT.md"`
	Until         string  `json:"until,omitempty" jsonschema:"the promise: done when the agent prints it in a promise tag and the gates agree"`
	Agent         string  `json:"agent,omitempty" jsonschema:"left out: as configured"`
	Model         string  `json:"model,omitempty" jsonschema:"left out: as configured"`
	MaxIterations int     `json:"max_iterations,omitempty" jsonschema:"left out: as configured"`
	MaxTime       string  `json:"max_time,omitempty" jsonschema:"such as 90m or 8h"`
	MaxCostUSD    float64 `json:"max_cost_usd,omitempty"`
	MaxTokens     int     `json:"max_tokens,omitempty"`
}

// args are the arguments of "refrain run". A value stands behind a "=", where
// it cannot be taken for a flag.
func (in startIn) args() ([]string, error) {
	var args []string
	if in.Procedure != "" {
		if strings.HasPrefix(in.Procedure, "-") { // it would be a flag
			return nil, &advice{fmt.Sprintf("%q is not the name of a procedure", in.Procedure), "use one that \"refrain procedures\" lists"}
		}
		args = append(args, in.Procedure)
	}
	for _, f := range []struct{ name, value string }{
		{"prompt", in.Prompt},
		{"until", in.Until},
		{"agent", in.Agent},
		{"model", in.Model},
		{"max-iterations", number(in.MaxIterations)},
		{"max-time", in.MaxTime},
		{"max-cost", number(in.MaxCostUSD)},
		{"max-tokens", number(in.MaxTokens)},
	} {
		if f.value != "" {
			args = append(args, "--"+f.name+"="+f.value)
		}
	}
	return args, nil
}

// number is a limit as a flag takes it; 0 was left out.
func number[N int | float64](n N) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'f', -1, 64)
}

func (f face) start(ctx context.Context, in startIn) (runRow, error) {
	if f.Inside != "" {
		return runRow{}, &advice{"you are a part of a run: what an agent starts ends with its iteration", "leave it to a person, or to an agent outside the run"}
	}
	args, err := in.args()
	if err != nil {
		return runRow{}, err
	}
	name, err := f.Start(ctx, args)
	if err != nil {
		return runRow{}, err
	}
	store, entry, err := f.find(name)
	if err != nil {
		return runRow{}, err
	}
	return rowOf(f.Look(store, entry).Status(time.Now())), nil
}
