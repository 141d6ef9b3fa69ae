package app

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// DryRun is what the first iteration of a job would do.
type DryRun struct {
	Procedure string         `json:"procedure"`
	Agent     string         `json:"agent"`
	Command   string         `json:"command"` // quoted as a shell would need it
	Tokens    int            `json:"tokens"`  // an estimate
	Budget    int            `json:"budget"`
	Prompt    string         `json:"prompt,omitempty"`
	Warnings  []loop.Warning `json:"warnings,omitempty"`
}

// DryRun says what would run. Nothing is started and nothing is written.
func (j *Job) DryRun() (DryRun, error) {
	return j.dryRun(j.firstPrompt)
}

// DryRun says what the next iteration would be, with what its agent would hear of
// those before.
func (c *Continuation) DryRun(ctx context.Context) (DryRun, error) {
	runs, err := c.records.open()
	if err != nil {
		return DryRun{}, err
	}
	var gates []string
	if last := c.Entry.Last; last != nil {
		outcome := last.Payload.(*loop.IterationFinished).Outcome
		if c.prompt != nil {
			c.prompt.Last = &outcome
		}
		gates = journal.ReadFeedback(runs.AttemptDir(c.Entry.Name, last.Iter, last.Attempt))
	}
	var next prompt.Prompt
	if c.prompt != nil {
		s, err := runs.Recall(c.Entry.Name, c.Entry.State)
		if err != nil {
			return DryRun{}, err
		}
		if next, err = c.prompt.Build(ctx, s, s.Next(), gates); err != nil {
			return DryRun{}, request.PromptProblem(err)
		}
	}
	return c.dryRun(next)
}

func (j *Job) dryRun(p prompt.Prompt) (DryRun, error) {
	d := DryRun{
		Procedure: j.Request.Name(), Agent: j.lineup.Name(),
		Budget: j.Config().Budget.PromptTokens, Warnings: j.Warnings(),
	}
	d.Prompt, d.Tokens = p.Text, p.Tokens
	command, program, err := j.shownCommand(d.Prompt)
	d.Command = command
	if _, lookErr := exec.LookPath(program); err == nil && lookErr != nil && !j.Config().Sandbox.Boxed() {
		d.Warnings = append(d.Warnings, loop.Warning{Text: program + " cannot be found or executed", Hint: "install it, or correct its name"})
	}
	return d, err
}

// shownCommand is the agent's command with words in place of the prompt and
// without secrets.
func (j *Job) shownCommand(words string) (shown, program string, err error) {
	cmd, err := j.lineup.Workers[0].Agent.Command(agent.Call{
		HasPrompt: j.prompt != nil, Prompt: words, PromptFile: "prompt.md", Model: j.Config().Model,
	})
	var prompt *agent.PromptError
	if errors.As(err, &prompt) {
		return "", "", &request.UsageError{What: prompt.What, Hint: prompt.Fix}
	}
	if err != nil {
		return "", "", &request.UsageError{What: fmt.Sprintf("agent %s: %v", j.lineup.Name(), err), Hint: request.HintOf(err), Cause: err}
	}
	argv := slices.Clone(cmd.Argv) // the agent may have kept it
	for i, arg := range argv {
		if arg == words && words != "" {
			argv[i] = "PROMPT"
		}
	}
	return text.JoinArgs(setting.MaskArgs(argv)), cmd.Argv[0], nil
}
