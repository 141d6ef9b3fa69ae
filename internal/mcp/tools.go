package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// offer adds every tool that is allowed here. Each is one line in this table.
func (f face) offer(s *sdk.Server) {
	const andThen = " It answers at once; watch_run tells when it has taken effect."

	add(s, look, "list_runs", "List the runs of the work tree, the latest first: state, iterations, cost, and why each ended.", f.listRuns)
	add(s, look, "get_run", "Where one run stands: state and phase, iterations, limits, streaks, totals, refused claims, whether it can be left alone, and seq, the number of its latest event, to watch from.", f.getRun)
	add(s, look, "watch_run", "Wait for the next events of a run, for at most wait_seconds, and give them as the journal has them, long texts cut. "+
		"Returns as soon as there is one that is wanted, and at the end of the run. Call it again with the \"after\" of the answer: nothing is missed in between.", f.watchRun)
	add(s, look, "list_iterations", "The last finished iterations of a run, oldest first, one line of facts each: result, claim, gates, tests, changes, cost, and what was decided.", f.listIterations)
	add(s, look, "get_iteration", "One iteration in full: outcome, verdict, what changed, what the gates told the next agent, and the end of the agent's transcript. Also of the one that is under way.", f.getIteration)
	if f.ReadOnly {
		return
	}

	add(s, mend, "add_note", "Tell the next agent of a live run something: the note is in its prompt. The agent that is working now does not see it.", f.addNote)
	add(s, mend, "pause_run", "Hold a live run before its next iteration; the one under way is finished."+andThen, f.pause)
	add(s, mend, "resume_run", "Let a paused run go on, or cut short what a waiting one waits for. A run that is over is not started again.", f.resume)
	add(s, mend, "reboot_run", "Give up the agent's session, after this iteration, so that the next one begins with a fresh context. Only of use when the run keeps its session."+andThen, f.reboot)
	add(s, harm, "skip_iteration", "End the agent that is working now and go on with the next iteration. Its changes to files stay."+andThen, f.skip)
	add(s, harm, "stop_run", "Stop a live run after this iteration or, with now, at once. A stopped run can be resumed by a person."+andThen, f.stop)
	if f.Raise {
		add(s, harm, "raise_limit", "Change a limit of a live run. The value is the new total, not an addition; 0 is no limit. It may cost more money than was agreed.", f.raise)
	}
	if f.Start != nil {
		add(s, harm, "start_run", "Start a run in the background, in this work tree, and give its name. Name a procedure (such as plan or build), or write a prompt and, in until, the words with which the agent claims to be done. "+
			"Set limits: it spends money until it is done or stopped.", f.start)
	}
}

// hint is what a client may tell a person before it calls a tool.
type hint int

const (
	look hint = iota // changes nothing
	mend             // changes what can be changed back
	harm             // ends or spends something
)

func (h hint) annotations() *sdk.ToolAnnotations {
	no, destroys := false, h == harm
	return &sdk.ToolAnnotations{ReadOnlyHint: h == look, DestructiveHint: &destroys, OpenWorldHint: &no}
}

// add offers one tool. Its schemas are those of the types, and its errors are
// told to the agent, which can do something about most of them.
func add[In, Out any](s *sdk.Server, h hint, name, description string, do func(context.Context, In) (Out, error)) {
	tool := &sdk.Tool{Name: name, Description: description, Annotations: h.annotations()}
	sdk.AddTool(s, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		out, err := do(ctx, in)
		if err != nil {
			err = explain(err)
		}
		return nil, out, err
	})
}
