package config

import (
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/setting"
)

// rows is every setting that is not in a table of the user's naming, in the
// order in which people are shown them. A new setting is one field and one line.
func rows(c *Config) []setting.Row {
	return slices.Concat([]setting.Row{
		{
			Key: "agent", Kind: setting.Text, At: &c.Agent, Default: "auto", Required: true,
			Doc: "the coding agent: a built-in name or one of [agents.NAME]; auto takes the only one on PATH",
		},
		{
			Key: "model", Kind: setting.Text, At: &c.Model, Default: "",
			Doc: "the model, passed to the agent when set",
		},
		{
			Key: "prompt", Kind: setting.Text, At: &c.Prompt, Default: "PROMPT.md", Required: true,
			Doc: "the prompt's file, read anew for every iteration; a procedure that is made of parts has none",
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
			Key: "loop.max_iterations", Kind: setting.Iterations, At: &c.Loop.MaxIterations, Default: 0,
			Conditional: []setting.ConditionalDefault{{When: setting.ForPrompt, Value: 50}, {When: setting.ForCommand, Value: 20}},
			Doc:         "counted iterations at most; 0, \"none\" and \"unlimited\" are no limit",
		},
		{
			Key: "loop.iteration_delay", Kind: setting.Duration, At: &c.Loop.IterationDelay, Default: time.Duration(0),
			Doc: "a fixed pause between iterations",
		},
		{
			Key: "loop.backoff", Kind: setting.Duration, At: &c.Loop.Backoff, Default: time.Second,
			Doc: "the pause after a failed iteration, doubled each time in a row; \"0s\" is none",
		},
		{
			Key: "loop.max_backoff", Kind: setting.Duration, At: &c.Loop.MaxBackoff, Default: time.Minute,
			Doc: "the longest that loop.backoff grows to",
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
			Key: "loop.max_time", Kind: setting.Duration, At: &c.Loop.MaxTime, Default: time.Duration(0),
			Doc: "how long the whole run may live, waits included; \"0s\" is no limit",
		},
		{
			Key: "loop.exit_zero_is_done", Kind: setting.AutoKind, At: &c.Loop.ExitZeroIsDone, Default: setting.Automatic,
			Doc: "whether an agent that exits with 0 ends the run as done; auto: only for an ad-hoc command with no promise, plan or gate",
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
			Key: "loop.on_interrupt", Kind: setting.Text, At: &c.Loop.OnInterrupt, Default: "two-step", Choices: []string{"two-step", "finish", "kill"},
			Doc: "what Ctrl+C does: finish this iteration at the first and kill the agent at the second, only finish, or kill at once",
		},
		{
			Key: "loop.dir", Kind: setting.Text, At: &c.Loop.Dir, Default: "", Check: below,
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
			Key: "loop.skips_count", Kind: setting.Bool, At: &c.Loop.SkipsCount, Default: true,
			Doc: "an iteration that a hook or a command skips is a counted one",
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
			Key: "ask.at", Kind: setting.List, At: &c.Ask.At, Default: []string{}, Check: iterationNumbers,
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
			Key: "done.promise", Kind: setting.Text, At: &c.Done.Promise, Default: "", Required: true, Check: aPromise,
			Doc: "the run is done when the agent says <promise>TEXT</promise> with this text",
		},
		{
			Key: "done.match", Kind: setting.Text, At: &c.Done.Match, Default: "line", Choices: []string{"line", "tag", "substring"},
			Doc: "where the promise counts: the tag alone on its line, the tag anywhere in the agent's text, or the bare text anywhere",
		},
		{
			Key: "done.failure_promise", Kind: setting.Text, At: &c.Done.FailurePromise, Default: "", Check: aPromise,
			Conditional: []setting.ConditionalDefault{{When: setting.WhenPromised, Value: "BLOCKED"}},
			Doc:         "the promise by which the agent says that it cannot go on; wins over done.promise; empty is none",
		},
		{
			Key: "done.plan", Kind: setting.Text, At: &c.Done.Plan, Default: "", Required: true,
			Doc: "a markdown file of tasks; the run is done when it has tasks and none is open or in progress",
		},
		{
			Key: "done.written", Kind: setting.Text, At: &c.Done.Written, Default: "",
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
			Doc: "tests and what decides about them: kept: they hold as they were when the run began, or the agent says of each why not; pinned: they hold as they were; free: they are the agent's",
		},
		{
			Key: "done.confirmations", Kind: setting.Positive, At: &c.Done.Confirmations, Default: 1,
			Doc: "how many claims in a row, each with its proof, end the run",
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
			Key: "proof.copy", Kind: setting.List, At: &c.Proof.Copy, Default: []string{}, Required: true, Check: allBelow,
			Doc: "paths that git ignores and the clean checkout needs, copied from the work tree before the first iteration",
		},

		{
			Key: "stop.failures", Kind: setting.Int, At: &c.Stop.Failures, Default: 3,
			Doc: "give up after this many failed iterations in a row; 0 is never",
		},
		{
			Key: "stop.red_gates", Kind: setting.Int, At: &c.Stop.RedGates, Default: 5,
			Doc: "give up after this many iterations in a row with a failing gate or a refused claim and no better test results; 0 is never",
		},
		{
			Key: "stop.test_failures", Kind: setting.Int, At: &c.Stop.TestFailures, Default: 5,
			Doc: "give up after this many iterations in a row in which tests failed and no more passed than at best; 0 is never",
		},
		{
			Key: "stop.no_progress", Kind: setting.Int, At: &c.Stop.NoProgress, Default: 5,
			Conditional: []setting.ConditionalDefault{{When: setting.ForCommand, Value: 0}},
			Doc:         "give up after this many iterations in a row without progress; 0 is never",
		},
		{
			Key: "stop.cost_without_progress", Kind: setting.Number, At: &c.Stop.CostWithoutProgress, Default: 0.0,
			Doc: "give up after this many dollars without progress; 0 is never",
		},
		{
			Key: "stop.repeats", Kind: setting.Int, At: &c.Stop.Repeats, Default: 4,
			Conditional: []setting.ConditionalDefault{{When: setting.ForCommand, Value: 0}},
			Doc:         "give up after this many iterations in a row with the same failing tests, the same error or the same change, or going back and forth between two states of the files; 0 is never",
		},
		{
			Key: "stop.gates_are_failures", Kind: setting.Bool, At: &c.Stop.GatesAreFailures, Default: false,
			Doc: "an iteration with a failing gate counts into stop.failures as well",
		},
		{
			Key: "stop.patterns", Kind: setting.List, At: &c.Stop.Patterns, Default: []string{}, Required: true, Check: regexps,
			Doc: "regular expressions; one that matches the agent's text or stderr stops the run",
		},
		{
			Key: "stop.scripts", Kind: setting.List, At: &c.Stop.Scripts, Default: []string{}, Required: true,
			Doc: "programs that run after each iteration, for at most 5s; exit 0 stops the run",
		},

		{
			Key: "budget.cost_usd", Kind: setting.Number, At: &c.Budget.CostUSD, Default: 0.0,
			Doc: "dollars that the whole run may cost; 0 is no limit",
		},
		{
			Key: "budget.tokens", Kind: setting.Int, At: &c.Budget.Tokens, Default: 0,
			Doc: "tokens that the whole run may use; 0 is no limit",
		},
		{
			Key: "budget.prompt_tokens", Kind: setting.Int, At: &c.Budget.PromptTokens, Default: 100_000,
			Doc: "warn when the prompt is estimated above this; 0 is never",
		},

		{
			Key: "limits.wait", Kind: setting.Bool, At: &c.Limits.Wait, Default: true,
			Doc: "wait when the provider says that a usage limit is reached, or is unavailable; false: the first such attempt ends the run",
		},
		{
			Key: "limits.max_wait", Kind: setting.Duration, At: &c.Limits.MaxWait, Default: 6 * time.Hour,
			Doc: "the longest single wait; a limit that lasts longer stops the run at once",
		},
		{
			Key: "limits.fallback", Kind: setting.List, At: &c.Limits.Fallback, Default: []string{}, Required: true, Check: eachOnce,
			Doc: "agents to use, in this order, while the first one is at a limit, out of credit or signed out",
		},

		{
			Key: "session.mode", Kind: setting.Text, At: &c.Session.Mode, Default: "fresh", Choices: []string{"fresh", "keep"},
			Doc: "a new session of the agent for each iteration, or one that is kept until a reboot",
		},
		{
			Key: "session.max_time", Kind: setting.Duration, At: &c.Session.MaxTime, Default: time.Duration(0),
			Doc: "reboot a kept session that is older than this; \"0s\" is no limit",
		},
		{
			Key: "session.max_iterations", Kind: setting.Int, At: &c.Session.MaxIterations, Default: 0,
			Doc: "reboot a kept session after this many iterations; 0 is no limit",
		},
		{
			Key: "session.min_iterations", Kind: setting.Positive, At: &c.Session.MinIterations, Default: 1,
			Doc: "iterations at least between two reboots for the context's sake",
		},
		{
			Key: "session.handoff_tokens", Kind: setting.Int, At: &c.Session.HandoffTokens, Default: 4000,
			Doc: "how long the handoff into a fresh session may be after a reboot, estimated; 0 is none",
		},

		{
			Key: "context.redline", Kind: setting.Percent, At: &c.Context.Redline, Default: 85,
			Doc: "reboot a kept session that fills more of the model's window than this, in percent, by the agent's own figures",
		},
		{
			Key: "context.warn", Kind: setting.Percent, At: &c.Context.Warn, Default: 70,
			Doc: "warn above this",
		},
		{
			Key: "context.on_redline", Kind: setting.Text, At: &c.Context.OnRedline, Default: "finish", Choices: []string{"finish", "kill"},
			Doc: "above the redline, let the iteration finish or end its agent at once",
		},

		{
			Key: "commands.build", Kind: setting.Line, At: &c.Commands.Build, Default: "", Check: emptyOrNotBlank,
			Doc: "how the project is built",
		},
		{
			Key: "commands.lint", Kind: setting.Line, At: &c.Commands.Lint, Default: "", Check: emptyOrNotBlank,
			Doc: "how the project is linted",
		},
		{
			Key: "commands.test", Kind: setting.Line, At: &c.Commands.Test, Default: "", Check: emptyOrNotBlank,
			Doc: "how the project is tested",
		},
		{
			Key: "commands.as_gates", Kind: setting.Bool, At: &c.Commands.AsGates, Default: false,
			Doc: "the commands are gates, called build, lint and test, before all others",
		},

		{
			Key: "hooks.enabled", Kind: setting.Bool, At: &c.Hooks.Enabled, Default: true,
			Doc: "run the hooks: the programs in .refrain/hooks and the commands of hooks.run",
		},
		{
			Key: "hooks.timeout", Kind: setting.Duration, At: &c.Hooks.Timeout, Default: 30 * time.Second,
			Doc: "how long a hook may take, with all that it starts; \"0s\" is no limit",
		},
		{
			Key: "hooks.run.started", Kind: setting.Line, At: &c.Hooks.Run.Started, Default: "", Check: emptyOrNotBlank,
			Doc: "a command for the shell, instead of .refrain/hooks/started: when the run begins or is resumed; exit 2 ends it",
		},
		{
			Key: "hooks.run.next_iteration", Kind: setting.Line, At: &c.Hooks.Run.NextIteration, Default: "", Check: emptyOrNotBlank,
			Doc: "the same for next_iteration: before each iteration; exit 1 skips it, exit 2 ends the run",
		},
		{
			Key: "hooks.run.post_iteration", Kind: setting.Line, At: &c.Hooks.Run.PostIteration, Default: "", Check: emptyOrNotBlank,
			Doc: "the same for post_iteration: after each iteration; exit 2 ends the run",
		},
		{
			Key: "hooks.run.failed", Kind: setting.Line, At: &c.Hooks.Run.Failed, Default: "", Check: emptyOrNotBlank,
			Doc: "the same for failed: after an iteration that went wrong",
		},
		{
			Key: "hooks.run.finished", Kind: setting.Line, At: &c.Hooks.Run.Finished, Default: "", Check: emptyOrNotBlank,
			Doc: "the same for finished: once, when the run ends",
		},

		{
			Key: "git.checkpoint", Kind: setting.Bool, At: &c.Git.Checkpoint, Default: true,
			Doc: "keep the whole work tree as it is after each agent, outside your branches, index and stash",
		},
		{
			Key: "git.commit", Kind: setting.Bool, At: &c.Git.Commit, Default: false,
			Doc: "commit after each iteration, the last one included",
		},
		{
			Key: "git.commit_template", Kind: setting.Text, At: &c.Git.CommitTemplate, Default: "loop: iteration {iteration}", Required: true, Check: commitTemplate,
			Doc: "the message of these commits, with {iteration}, {run}, {procedure}, {summary} and {timestamp}",
		},
		{
			Key: "git.branch", Kind: setting.BranchKind, At: &c.Git.Branch, Default: setting.Branch{},
			Doc: "work on a new branch: true names it by git.branch_template",
		},
		{
			Key: "git.branch_template", Kind: setting.Text, At: &c.Git.BranchTemplate, Default: "loop/{timestamp}", Required: true, Check: branchTemplate,
			Doc: "the name of that branch, with {timestamp} and {procedure}",
		},
		{
			Key: "git.on_regression", Kind: setting.Text, At: &c.Git.OnRegression, Default: "keep", Choices: []string{"keep", "rollback"},
			Doc: "what happens to an iteration after which gates or tests are worse than at best: it stays, or is undone, and the next prompt says why",
		},
		{
			Key: "git.protect", Kind: setting.List, At: &c.Git.Protect, Default: []string{}, Required: true,
			Doc: "files whose change fails the iteration, as patterns of a .gitignore file",
		},

		{
			Key: "feedback.enabled", Kind: setting.Bool, At: &c.Feedback.Enabled, Default: true,
			Doc: "tell the next agent what the runner saw: refused claims, near misses, what earlier iterations said of themselves",
		},
		{
			Key: "feedback.max_tokens", Kind: setting.Int, At: &c.Feedback.MaxTokens, Default: 2000,
			Doc: "how long that may be, estimated",
		},
		{
			Key: "feedback.summaries", Kind: setting.Int, At: &c.Feedback.Summaries, Default: 5,
			Doc: "how many earlier iterations are summed up in it, 10 at most",
		},

		{
			Key: "permissions.mode", Kind: setting.Text, At: &c.Permissions.Mode, Default: "work", Choices: []string{"own", "edits", "work", "full"},
			Doc: "what a built-in agent may do unasked: what its own settings say, change files, also run commands and commit (in its own sandbox, if it has one), anything",
		},
		{
			Key: "proc.keep", Kind: setting.List, At: &c.Proc.Keep, Default: []string{}, Required: true, Check: programs,
			Doc: "programs, by the name of their file, that may outlive the process that started them, such as build daemons; all others are ended with it",
		},
		{
			Key: "progress.ignore", Kind: setting.List, At: &c.Progress.Ignore, Default: []string{"PROGRESS.md", "NOTES.md", "progress.txt"}, Required: true,
			Doc: "files whose change is no progress",
		},
		{
			Key: "progress.only", Kind: setting.List, At: &c.Progress.Only, Default: []string{}, Required: true,
			Doc: "files whose change alone is progress, as patterns of a .gitignore file; empty is all",
		},
		{
			Key: "retention.transcripts", Kind: setting.Int, At: &c.Retention.Transcripts, Default: 200,
			Doc: "of how many iterations the raw output is kept, 0 is all; the journal keeps every summary",
		},
	}, notifyRows(&c.Notify), []setting.Row{
		{
			Key: "trace.endpoint", Kind: setting.Text, At: &c.Trace.Endpoint, Default: "", Check: traceAddress,
			Doc: "the base address of a collector that takes OTLP over HTTP, such as http://localhost:4318; empty is no traces",
		},
		{
			Key: "trace.headers", Kind: setting.Variables, At: &c.Trace.Headers, Each: &header,
			Doc: "headers of the requests; never shown",
		},
		{
			Key: "metrics.file", Kind: setting.Text, At: &c.Metrics.File, Default: "",
			Doc: "a file with the run's metrics in the text format of Prometheus, kept up to date",
		},
		{
			Key: "metrics.listen", Kind: setting.Text, At: &c.Metrics.Listen, Default: "", Check: loopback,
			Doc: "an address on this machine, such as 127.0.0.1:9464, where /metrics has the same",
		},

		{
			Key: "log.level", Kind: setting.Text, At: &c.Log.Level, Default: "info", Choices: []string{"debug", "info", "warn", "error"},
			Doc: "how much the runner logs",
		},
		{
			Key: "log.file", Kind: setting.Text, At: &c.Log.File, Default: "",
			Doc: "where the runner logs; without it, on stderr, and there only when log.level is set",
		},
		{
			Key: "log.format", Kind: setting.Text, At: &c.Log.Format, Default: "text", Choices: []string{"text", "json"},
			Doc: "how a line of the log looks",
		},
	})
}

// agentRows is every setting of one agent, below [agents.NAME].
func agentRows(a *Agent) []setting.Row {
	return []setting.Row{
		{
			Key: "command", Kind: setting.CommandKind, At: &a.Command,
			Doc: "the program and its arguments: a list, or one text split as a shell would, without a shell",
		},
		{
			Key: "prompt", Kind: setting.Text, At: &a.Prompt, Default: "stdin", Choices: []string{"stdin", "arg", "env", "file"},
			Doc: "how the prompt reaches the agent: on stdin, as the last argument, in the variable PROMPT, or as the name of a file",
		},
		{
			Key: "format", Kind: setting.Text, At: &a.Format, Choices: formats,
			Doc: "how the agent's output is read: text, or as one of the built-in agents prints it; empty is that agent's own, else text",
		},
		{
			Key: "model_flag", Kind: setting.Text, At: &a.ModelFlag, Default: "",
			Doc: "the flag that takes the model, such as --model",
		},
		{
			Key: "resume_flag", Kind: setting.Text, At: &a.ResumeFlag, Default: "",
			Doc: "the flag that takes the session to continue, such as --resume",
		},
		{
			Key: "first_signal", Kind: setting.Text, At: &a.FirstSignal, Choices: []string{"INT", "TERM", "HUP"},
			Doc: "the signal by which the agent is first asked to end; empty is the built-in agent's own, else TERM",
		},
		{
			Key: "max_turns", Kind: setting.Int, At: &a.MaxTurns, Default: 0,
			Doc: "turns of the agent in one attempt, for agents that have such a limit; 0 is none",
		},
		{
			Key: "context_window", Kind: setting.Int, At: &a.ContextWindow, Default: 0,
			Doc: "the model's context in tokens, where the agent does not tell; 0 is not known",
		},
		{
			Key: "env", Kind: setting.Variables, At: &a.Env, Each: &variable,
			Doc: "variables added to the agent's environment; never shown",
		},
		{
			Key: "script", Kind: setting.Text, At: &a.Script, Default: "",
			Doc: "the rehearsal script; only for the built-in agent \"rehearsal\"",
		},
	}
}

// signals is everything that can count as progress.
var signals = []string{"files", "commits", "plan", "tests"}

// formats is every kind of output that can be read. The agents know them too; a
// test of whoever knows both keeps the lists the same.
var formats = []string{"text", "aider", "claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen", "rehearsal"}

// The rows of one Name: below [agents.NAME.env], and in a table of headers.
var (
	variable = setting.Row{Key: "NAME", Kind: setting.Text, Secret: true, Name: variableName, Doc: "a variable in the agent's environment"}
	header   = setting.Row{Key: "NAME", Kind: setting.Text, Secret: true, Name: headerName, Check: headerValue, Doc: "a header of a request"}
)

// The rows as they are when nothing is loaded, for lookup and for documents.
var (
	settings       = rows(new(Config))
	agentSettings  = agentRows(new(Agent))
	priceSettings  = priceRows(new(Price))
	promptSettings = procedureRows(new(ProcedureTable))
)

// onlyAtTop tells whether a key cannot stand in a procedure's table.
func onlyAtTop(key string) bool {
	return key == "profile" || strings.HasPrefix(key, "log.")
}
