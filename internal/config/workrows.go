package config

import (
	"time"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/wellformed"
)

// workRows is the settings of what the agent is, what it is told and when it is
// done.
func workRows(c *Config) []setting.Row {
	return []setting.Row{
		{
			Key: "agent", Kind: setting.Text, At: &c.Agent, Default: "auto", Required: true,
			Doc: "the coding agent: a built-in name or one of [agents.NAME]; auto takes the only one on PATH",
		},
		{
			Key: "model", Kind: setting.Text, At: &c.Model, Default: "", Check: wellformed.NoFlag,
			Doc: "the model, passed to the agent when set",
		},
		{
			Key: "prompt", Kind: setting.Text, At: &c.Prompt, Default: "PROMPT.md", Required: true, File: true,
			Doc: "the prompt's file, read again for every iteration; a procedure that is made of parts has none",
		},
		{
			Key: "profile", Kind: setting.Text, At: &c.Profile, Default: "", Choices: append([]string{""}, Profiles()...),
			Doc: "settings that reproduce another system's behaviour; every other source overrides them",
		},
		{
			Key: "claims.tell", Kind: setting.Bool, At: &c.Claims.Tell, Default: true,
			Doc: "with a promise set, end the prompt with how to claim done and how to say blocked",
		},
		{
			Key: "claims.from", Kind: setting.Positive, At: &c.Claims.From, Default: 1,
			Doc: "the first iteration whose prompt says so",
		},

		{
			Key: "loop.iteration_timeout", Kind: setting.Duration, At: &c.Loop.IterationTimeout, Default: 2 * time.Hour,
			Doc: "how long one agent may run; \"0s\" is no limit",
		},
		{
			Key: "loop.idle_timeout", Kind: setting.Duration, At: &c.Loop.IdleTimeout, Default: 15 * time.Minute,
			Doc: "how long an agent may be silent; \"0s\" is no limit",
		},
		{
			Key: "loop.exit_zero_is_done", Kind: setting.ExitKind, At: &c.Loop.ExitZeroIsDone, Default: setting.Automatic,
			Doc: "whether an agent that exits with 0 ends the run as done; auto: only for an ad-hoc command with no promise, plan or gate; alone: for any run without them",
		},
		{
			Key: "loop.iteration_context", Kind: setting.AutoKind, At: &c.Loop.IterationContext, Default: setting.Automatic,
			Doc: "from the second iteration on, tell the agent which iteration this is; auto: for ad-hoc prompts and commands",
		},
		{
			Key: "loop.freeze_prompt", Kind: setting.Bool, At: &c.Loop.FreezePrompt, Default: false,
			Doc: "keep the prompt of the first iteration for the whole run",
		},
		{
			Key: "loop.prompt_as", Kind: setting.Text, At: &c.Loop.PromptAs, Default: "stdin", Choices: []string{"stdin", "arg", "env", "file"},
			Doc: "how a command after -- gets its prompt: on stdin, as the last argument, in the variable PROMPT, or as the name of a file; {prompt} and {prompt_file} in its arguments stand for the prompt itself",
		},
		{
			Key: "loop.on_interrupt", Kind: setting.Text, At: &c.Loop.OnInterrupt, Default: "two-step", Choices: []string{"two-step", "finish", "kill"},
			Doc: "what Ctrl+C does: finish this iteration at the first and kill the agent at the second, only finish, or kill at once",
		},
		{
			Key: "loop.output", Kind: setting.Text, At: &c.Loop.Output, Default: "tui", Choices: []string{"tui", "live", "lines", "plain", "quiet"},
			Doc: "how a run is shown on a terminal, unless -o says: on the whole screen (live where that cannot be drawn), as a log with a line that moves, as one whose lines are those of a plain log with what the agent says between them, as a plain log, or by its warnings and its end alone",
		},
		{
			Key: "loop.dir", Kind: setting.Text, At: &c.Loop.Dir, Default: "", Check: wellformed.Below, File: true,
			Doc: "the folder below the work tree in which the agent runs",
		},
		{
			Key: "loop.progress", Kind: setting.List, At: &c.Loop.Progress, Default: signals, Choices: signals, Check: someProgress,
			Doc: "what counts as progress: changed files, commits, ticked tasks of the plan, tests better than the best before",
		},
		{
			Key: "loop.gates", Kind: setting.Bool, At: &c.Loop.Gates, Default: true,
			Doc: "run the gates; false is for a run that does not touch what they judge",
		},
		{
			Key: "loop.inhibit", Kind: setting.Bool, At: &c.Loop.Inhibit, Default: true,
			Doc: "keep the machine awake while the run is alive",
		},

		{
			Key: "loop.attended", Kind: setting.Bool, At: &c.Loop.Attended, Default: false,
			Doc: "ask a person before each iteration: continue, skip, change the prompt, show what changed, leave a note, reboot, stop",
		},

		{
			Key: "ask.done", Kind: setting.Bool, At: &c.Ask.Done, Default: false,
			Doc: "ask a person before the run is declared done",
		},
		{
			Key: "ask.at", Kind: setting.List, At: &c.Ask.At, Default: []string{}, Check: wellformed.IterationNumbers,
			Doc: "ask a person before the iterations with these numbers",
		},
		{
			Key: "ask.on_failure", Kind: setting.Bool, At: &c.Ask.OnFailure, Default: false,
			Doc: "ask a person after an iteration that failed",
		},
		{
			Key: "ask.timeout", Kind: setting.Duration, At: &c.Ask.Timeout, Default: time.Duration(0),
			Doc: "how long to wait for an answer; \"0s\" is for ever",
		},
		{
			Key: "ask.default", Kind: setting.Text, At: &c.Ask.Default, Default: "continue", Choices: []string{"continue", "skip", "stop"},
			Doc: "the answer when none comes in time",
		},

		{
			Key: "done.promise", Kind: setting.Text, At: &c.Done.Promise, Default: "", Required: true, Check: wellformed.Promise,
			Doc: "the run is done when the agent says <promise>TEXT</promise> with this text",
		},
		{
			Key: "done.match", Kind: setting.Text, At: &c.Done.Match, Default: "line", Choices: []string{"line", "tag", "substring"},
			Doc: "where the promise counts: the tag alone on its line, the tag anywhere in the agent's text, or the bare text anywhere",
		},
		{
			Key: "done.any_exit", Kind: setting.Bool, At: &c.Done.AnyExit, Default: false,
			Doc: "the promise counts whatever the exit status of the agent",
		},
		{
			Key: "done.failure_promise", Kind: setting.Text, At: &c.Done.FailurePromise, Default: "", Check: wellformed.Promise,
			Conditional: []setting.ConditionalDefault{{When: setting.WhenPromised, Value: "BLOCKED"}},
			Doc:         "the promise by which the agent says that it cannot go on; wins over done.promise; empty is none",
		},
		{
			Key: "done.plan", Kind: setting.Text, At: &c.Done.Plan, Default: "", Required: true, File: true,
			Doc: "a markdown file of tasks; the run is done when it has tasks and none is open or in progress",
		},
		{
			Key: "done.written", Kind: setting.Text, At: &c.Done.Written, Default: "", File: true,
			Doc: "a markdown file that must hold tasks, open or not, before a claim is taken: for a run that writes a plan",
		},
		{
			Key: "done.gates", Kind: setting.Bool, At: &c.Done.Gates, Default: false,
			Doc: "passing gates are enough: no claim is needed",
		},
		{
			Key: "done.proof", Kind: setting.Text, At: &c.Done.Proof, Default: "auto", Choices: []string{"auto", "clean", "workspace", "none"},
			Doc: "where gates judge a claim: in a clean checkout, in the work tree, or not at all; auto: in a clean checkout if they agree there before the first iteration, else in the work tree",
		},
		{
			Key: "done.require", Kind: setting.Text, At: &c.Done.Require, Default: "auto", Choices: []string{"auto", "proven", "kept", "tests_changed", "claimed"},
			Doc: "the least level of proof that ends the run; auto: all but a bare claim where gates judge, else a claim; a claim below it is refused twice for the same reason, then a person is needed",
		},
		{
			Key: "done.tests", Kind: setting.Text, At: &c.Done.Tests, Default: "kept", Choices: []string{"kept", "pinned", "free"},
			Doc: "tests and the files that decide about them: kept: their old versions must pass, or the agent gives a reason for each; pinned: their old versions must pass; free: the agent may change them",
		},

		{
			Key: "proof.baseline", Kind: setting.Bool, At: &c.Proof.Baseline, Default: true,
			Doc: "run the gates once before the first iteration, in the work tree and in a clean checkout",
		},
		{
			Key: "proof.setup", Kind: setting.Setup, At: &c.Proof.Setup, Default: setting.Command{},
			Doc: "the command that installs dependencies in each clean checkout, for at most 30m; empty is what the lockfile asks for, \"none\" is no setup",
		},
		{
			Key: "proof.copy", Kind: setting.List, At: &c.Proof.Copy, Default: []string{}, Required: true, Check: wellformed.AllBelow,
			Doc: "paths that git ignores and the clean checkout needs, copied from the work tree before the first iteration",
		},

		{
			Key: "budget.prompt_tokens", Kind: setting.Int, At: &c.Budget.PromptTokens, Default: 100_000,
			Doc: "warn when the prompt is estimated above this; 0 is never",
		},

		{
			Key: "limits.fallback", Kind: setting.List, At: &c.Limits.Fallback, Default: []string{}, Required: true, Check: wellformed.EachOnce,
			Doc: "agents to use, in this order, while the first one is at a limit, out of credit or signed out",
		},
		{
			Key: "limits.patience", Kind: setting.Duration, At: &c.Limits.Patience, Default: 2 * time.Minute,
			Doc: "how long an agent may only try a request again, or wait to do so, before its attempt ends as `limited` or `unavailable`; 0 is as long as the agent itself does",
		},

		{
			Key: "session.mode", Kind: setting.Text, At: &c.Session.Mode, Default: "fresh", Choices: []string{"fresh", "keep"},
			Doc: "a new session of the agent for each iteration, or one that is kept until a reboot",
		},
		{
			Key: "session.handoff_tokens", Kind: setting.Int, At: &c.Session.HandoffTokens, Default: 4000,
			Doc: "how long the handoff into a fresh session may be after a reboot, estimated; 0 is none",
		},

		{
			Key: "context.warn", Kind: setting.Percent, At: &c.Context.Warn, Default: 70,
			Doc: "warn above this",
		},
		{
			Key: "context.on_redline", Kind: setting.Text, At: &c.Context.OnRedline, Default: "finish", Choices: []string{"finish", "kill"},
			Doc: "above the redline, let the iteration finish or end its agent at once",
		},
	}
}

// signals is everything that can count as progress.
var signals = []string{"files", "commits", "plan", "tests"}

func someProgress(v any) (what, hint string) {
	if len(v.([]string)) > 0 {
		return "", ""
	}
	return "is empty, so nothing would count as progress", "set stop.no_progress = 0 to go on without progress"
}
