package config

import (
	"slices"
	"strings"
	"time"
)

// row is one setting. The rows are the only place that knows a key, its kind,
// its default and its meaning; loading, checking, the environment's names, the
// schema and the reference all follow them.
type row struct {
	key      string
	kind     *kind
	at       any // where the value goes: a pointer into a Config, an Agent or the like
	builtin  any // its default; nil is none
	special  []special
	choices  []string // what a text, or each text of a list, may be
	required bool     // neither a blank text nor a list with a blank in it
	check    func(v any) (what, hint string)
	secret   bool // its value is never shown
	doc      string

	// A table of the user's naming has no value of its own, but one for each
	// name, so that layers merge per name.
	each *row                                  // the row of one name
	name func(name string) (what, hint string) // in that row: what is wrong with a name
}

// special is a default for some runs only.
type special struct {
	when  circumstance
	value any
}

// circumstance is when a special default holds, in words.
type circumstance string

const (
	forPrompt    circumstance = "for an ad-hoc prompt"
	forCommand   circumstance = "for an ad-hoc command"
	whenPromised circumstance = "when done.promise is set"
)

// rows is every setting that is not in a table of the user's naming, in the
// order in which people are shown them. A new setting is one field and one line.
func rows(c *Config) []row {
	return slices.Concat([]row{
		{
			key: "agent", kind: textKind, at: &c.Agent, builtin: "auto", required: true,
			doc: "the coding agent: a built-in name or one of [agents.NAME]; auto takes the only one on PATH",
		},
		{
			key: "model", kind: textKind, at: &c.Model, builtin: "",
			doc: "the model, passed to the agent when set",
		},
		{
			key: "prompt", kind: textKind, at: &c.Prompt, builtin: "PROMPT.md", required: true,
			doc: "the prompt's file, read anew for every iteration; a procedure that is made of parts has none",
		},
		{
			key: "profile", kind: textKind, at: &c.Profile, builtin: "", choices: append([]string{""}, Profiles()...),
			doc: "settings that reproduce another system's behaviour; every other source overrides them",
		},
		{
			key: "claims.tell", kind: truth, at: &c.Claims.Tell, builtin: true,
			doc: "with a promise set, end the prompt with how to claim done and how to say blocked",
		},

		{
			key: "loop.max_iterations", kind: iterations, at: &c.Loop.MaxIterations, builtin: 0,
			special: []special{{forPrompt, 50}, {forCommand, 20}},
			doc:     "counted iterations at most; 0, \"none\" and \"unlimited\" are no limit",
		},
		{
			key: "loop.iteration_delay", kind: duration, at: &c.Loop.IterationDelay, builtin: time.Duration(0),
			doc: "a fixed pause between iterations",
		},
		{
			key: "loop.backoff", kind: duration, at: &c.Loop.Backoff, builtin: time.Second,
			doc: "the pause after a failed iteration, doubled each time in a row; \"0s\" is none",
		},
		{
			key: "loop.max_backoff", kind: duration, at: &c.Loop.MaxBackoff, builtin: time.Minute,
			doc: "the longest that loop.backoff grows to",
		},
		{
			key: "loop.iteration_timeout", kind: duration, at: &c.Loop.IterationTimeout, builtin: 2 * time.Hour,
			doc: "how long one agent may run; \"0s\" is no limit",
		},
		{
			key: "loop.idle_timeout", kind: duration, at: &c.Loop.IdleTimeout, builtin: 15 * time.Minute,
			doc: "how long an agent may be silent; \"0s\" is no limit",
		},
		{
			key: "loop.max_time", kind: duration, at: &c.Loop.MaxTime, builtin: time.Duration(0),
			doc: "how long the whole run may live, waits included; \"0s\" is no limit",
		},
		{
			key: "loop.exit_zero_is_done", kind: auto, at: &c.Loop.ExitZeroIsDone, builtin: Automatic,
			doc: "whether an agent that exits with 0 ends the run as done; auto: only for an ad-hoc command with no promise, plan or gate",
		},
		{
			key: "loop.iteration_context", kind: auto, at: &c.Loop.IterationContext, builtin: Automatic,
			doc: "from the second iteration on, tell the agent which iteration this is; auto: for ad-hoc prompts and commands",
		},
		{
			key: "loop.freeze_prompt", kind: truth, at: &c.Loop.FreezePrompt, builtin: false,
			doc: "keep the prompt of the first iteration for the whole run",
		},
		{
			key: "loop.on_interrupt", kind: textKind, at: &c.Loop.OnInterrupt, builtin: "two-step", choices: []string{"two-step", "finish", "kill"},
			doc: "what Ctrl+C does: finish this iteration at the first and kill the agent at the second, only finish, or kill at once",
		},
		{
			key: "loop.dir", kind: textKind, at: &c.Loop.Dir, builtin: "", check: below,
			doc: "the folder below the work tree in which the agent runs",
		},
		{
			key: "loop.progress", kind: list, at: &c.Loop.Progress, builtin: signals, choices: signals, check: someProgress,
			doc: "what counts as progress: changed files, commits, ticked tasks of the plan, tests better than the best before",
		},
		{
			key: "loop.gates", kind: truth, at: &c.Loop.Gates, builtin: true,
			doc: "run the gates; false is for a run that does not touch what they judge",
		},
		{
			key: "loop.skips_count", kind: truth, at: &c.Loop.SkipsCount, builtin: true,
			doc: "an iteration that a hook or a command skips is a counted one",
		},
		{
			key: "loop.inhibit", kind: truth, at: &c.Loop.Inhibit, builtin: true,
			doc: "keep the machine awake while the run is alive",
		},

		{
			key: "loop.attended", kind: truth, at: &c.Loop.Attended, builtin: false,
			doc: "ask a person before each iteration: continue, skip, change the prompt, show what changed, leave a note, reboot, stop",
		},

		{
			key: "ask.done", kind: truth, at: &c.Ask.Done, builtin: false,
			doc: "ask a person before the run is declared done",
		},
		{
			key: "ask.at", kind: list, at: &c.Ask.At, builtin: []string{}, check: iterationNumbers,
			doc: "ask a person before the iterations with these numbers",
		},
		{
			key: "ask.on_failure", kind: truth, at: &c.Ask.OnFailure, builtin: false,
			doc: "ask a person after an iteration that failed",
		},
		{
			key: "ask.timeout", kind: duration, at: &c.Ask.Timeout, builtin: time.Duration(0),
			doc: "how long to wait for an answer; \"0s\" is for ever",
		},
		{
			key: "ask.default", kind: textKind, at: &c.Ask.Default, builtin: "continue", choices: []string{"continue", "skip", "stop"},
			doc: "the answer when none comes in time",
		},

		{
			key: "done.promise", kind: textKind, at: &c.Done.Promise, builtin: "", required: true, check: aPromise,
			doc: "the run is done when the agent says <promise>TEXT</promise> with this text",
		},
		{
			key: "done.match", kind: textKind, at: &c.Done.Match, builtin: "line", choices: []string{"line", "tag", "substring"},
			doc: "where the promise counts: the tag alone on its line, the tag anywhere in the agent's text, or the bare text anywhere",
		},
		{
			key: "done.failure_promise", kind: textKind, at: &c.Done.FailurePromise, builtin: "", check: aPromise,
			special: []special{{whenPromised, "BLOCKED"}},
			doc:     "the promise by which the agent says that it cannot go on; wins over done.promise; empty is none",
		},
		{
			key: "done.plan", kind: textKind, at: &c.Done.Plan, builtin: "", required: true,
			doc: "a markdown file of tasks; the run is done when it has tasks and none is open or in progress",
		},
		{
			key: "done.written", kind: textKind, at: &c.Done.Written, builtin: "",
			doc: "a markdown file that must hold tasks, open or not, before a claim is taken: for a run that writes a plan",
		},
		{
			key: "done.gates", kind: truth, at: &c.Done.Gates, builtin: false,
			doc: "passing gates are enough: no claim is needed",
		},
		{
			key: "done.proof", kind: textKind, at: &c.Done.Proof, builtin: "auto", choices: []string{"auto", "clean", "workspace", "none"},
			doc: "where gates judge a claim: in a clean checkout, in the work tree, or not at all; auto: in a clean checkout if they agree there before the first iteration, else in the work tree",
		},
		{
			key: "done.require", kind: textKind, at: &c.Done.Require, builtin: "auto", choices: []string{"auto", "proven", "kept", "tests_changed", "claimed"},
			doc: "the least level of proof that ends the run; auto: all but a bare claim where gates judge, else a claim; a claim below it is refused twice for the same reason, then a person is needed",
		},
		{
			key: "done.tests", kind: textKind, at: &c.Done.Tests, builtin: "kept", choices: []string{"kept", "pinned", "free"},
			doc: "tests and what decides about them: kept: they hold as they were when the run began, or the agent says of each why not; pinned: they hold as they were; free: they are the agent's",
		},
		{
			key: "done.confirmations", kind: counting, at: &c.Done.Confirmations, builtin: 1,
			doc: "how many claims in a row, each with its proof, end the run",
		},

		{
			key: "proof.baseline", kind: truth, at: &c.Proof.Baseline, builtin: true,
			doc: "run the gates once before the first iteration, in the work tree and in a clean checkout",
		},
		{
			key: "proof.setup", kind: setup, at: &c.Proof.Setup, builtin: Command{},
			doc: "the command that installs dependencies in each clean checkout, for at most 30m; empty is what the lockfile asks for, \"none\" is no setup",
		},
		{
			key: "proof.copy", kind: list, at: &c.Proof.Copy, builtin: []string{}, required: true, check: allBelow,
			doc: "paths that git ignores and the clean checkout needs, copied from the work tree before the first iteration",
		},

		{
			key: "stop.failures", kind: whole, at: &c.Stop.Failures, builtin: 3,
			doc: "give up after this many failed iterations in a row; 0 is never",
		},
		{
			key: "stop.red_gates", kind: whole, at: &c.Stop.RedGates, builtin: 5,
			doc: "give up after this many iterations in a row with a failing gate or a refused claim and no better test results; 0 is never",
		},
		{
			key: "stop.test_failures", kind: whole, at: &c.Stop.TestFailures, builtin: 5,
			doc: "give up after this many iterations in a row in which tests failed and no more passed than at best; 0 is never",
		},
		{
			key: "stop.no_progress", kind: whole, at: &c.Stop.NoProgress, builtin: 5,
			special: []special{{forCommand, 0}},
			doc:     "give up after this many iterations in a row without progress; 0 is never",
		},
		{
			key: "stop.cost_without_progress", kind: number, at: &c.Stop.CostWithoutProgress, builtin: 0.0,
			doc: "give up after this many dollars without progress; 0 is never",
		},
		{
			key: "stop.repeats", kind: whole, at: &c.Stop.Repeats, builtin: 4,
			special: []special{{forCommand, 0}},
			doc:     "give up after this many iterations in a row with the same failing tests, the same error or the same change, or going back and forth between two states of the files; 0 is never",
		},
		{
			key: "stop.gates_are_failures", kind: truth, at: &c.Stop.GatesAreFailures, builtin: false,
			doc: "an iteration with a failing gate counts into stop.failures as well",
		},
		{
			key: "stop.patterns", kind: list, at: &c.Stop.Patterns, builtin: []string{}, required: true, check: regexps,
			doc: "regular expressions; one that matches the agent's text or stderr stops the run",
		},
		{
			key: "stop.scripts", kind: list, at: &c.Stop.Scripts, builtin: []string{}, required: true,
			doc: "programs that run after each iteration, for at most 5s; exit 0 stops the run",
		},

		{
			key: "budget.cost_usd", kind: number, at: &c.Budget.CostUSD, builtin: 0.0,
			doc: "dollars that the whole run may cost; 0 is no limit",
		},
		{
			key: "budget.tokens", kind: whole, at: &c.Budget.Tokens, builtin: 0,
			doc: "tokens that the whole run may use; 0 is no limit",
		},
		{
			key: "budget.prompt_tokens", kind: whole, at: &c.Budget.PromptTokens, builtin: 100_000,
			doc: "warn when the prompt is estimated above this; 0 is never",
		},

		{
			key: "limits.wait", kind: truth, at: &c.Limits.Wait, builtin: true,
			doc: "wait when the provider says that a usage limit is reached, or is unavailable; false: the first such attempt ends the run",
		},
		{
			key: "limits.max_wait", kind: duration, at: &c.Limits.MaxWait, builtin: 6 * time.Hour,
			doc: "the longest single wait; a limit that lasts longer stops the run at once",
		},
		{
			key: "limits.fallback", kind: list, at: &c.Limits.Fallback, builtin: []string{}, required: true, check: eachOnce,
			doc: "agents to use, in this order, while the first one is at a limit, out of credit or signed out",
		},

		{
			key: "session.mode", kind: textKind, at: &c.Session.Mode, builtin: "fresh", choices: []string{"fresh", "keep"},
			doc: "a new session of the agent for each iteration, or one that is kept until a reboot",
		},
		{
			key: "session.max_time", kind: duration, at: &c.Session.MaxTime, builtin: time.Duration(0),
			doc: "reboot a kept session that is older than this; \"0s\" is no limit",
		},
		{
			key: "session.max_iterations", kind: whole, at: &c.Session.MaxIterations, builtin: 0,
			doc: "reboot a kept session after this many iterations; 0 is no limit",
		},
		{
			key: "session.min_iterations", kind: counting, at: &c.Session.MinIterations, builtin: 1,
			doc: "iterations at least between two reboots for the context's sake",
		},
		{
			key: "session.handoff_tokens", kind: whole, at: &c.Session.HandoffTokens, builtin: 4000,
			doc: "how long the handoff into a fresh session may be after a reboot, estimated; 0 is none",
		},

		{
			key: "context.redline", kind: percent, at: &c.Context.Redline, builtin: 85,
			doc: "reboot a kept session that fills more of the model's window than this, in percent, by the agent's own figures",
		},
		{
			key: "context.warn", kind: percent, at: &c.Context.Warn, builtin: 70,
			doc: "warn above this",
		},
		{
			key: "context.on_redline", kind: textKind, at: &c.Context.OnRedline, builtin: "finish", choices: []string{"finish", "kill"},
			doc: "above the redline, let the iteration finish or end its agent at once",
		},

		{
			key: "commands.build", kind: line, at: &c.Commands.Build, builtin: "", check: emptyOrNotBlank,
			doc: "how the project is built",
		},
		{
			key: "commands.lint", kind: line, at: &c.Commands.Lint, builtin: "", check: emptyOrNotBlank,
			doc: "how the project is linted",
		},
		{
			key: "commands.test", kind: line, at: &c.Commands.Test, builtin: "", check: emptyOrNotBlank,
			doc: "how the project is tested",
		},
		{
			key: "commands.as_gates", kind: truth, at: &c.Commands.AsGates, builtin: false,
			doc: "the commands are gates, called build, lint and test, before all others",
		},

		{
			key: "hooks.enabled", kind: truth, at: &c.Hooks.Enabled, builtin: true,
			doc: "run the hooks: the programs in .refrain/hooks and the commands of hooks.run",
		},
		{
			key: "hooks.timeout", kind: duration, at: &c.Hooks.Timeout, builtin: 30 * time.Second,
			doc: "how long a hook may take, with all that it starts; \"0s\" is no limit",
		},
		{
			key: "hooks.run.started", kind: line, at: &c.Hooks.Run.Started, builtin: "", check: emptyOrNotBlank,
			doc: "a command for the shell, instead of .refrain/hooks/started: when the run begins or is resumed; exit 2 ends it",
		},
		{
			key: "hooks.run.next_iteration", kind: line, at: &c.Hooks.Run.NextIteration, builtin: "", check: emptyOrNotBlank,
			doc: "the same for next_iteration: before each iteration; exit 1 skips it, exit 2 ends the run",
		},
		{
			key: "hooks.run.post_iteration", kind: line, at: &c.Hooks.Run.PostIteration, builtin: "", check: emptyOrNotBlank,
			doc: "the same for post_iteration: after each iteration; exit 2 ends the run",
		},
		{
			key: "hooks.run.failed", kind: line, at: &c.Hooks.Run.Failed, builtin: "", check: emptyOrNotBlank,
			doc: "the same for failed: after an iteration that went wrong",
		},
		{
			key: "hooks.run.finished", kind: line, at: &c.Hooks.Run.Finished, builtin: "", check: emptyOrNotBlank,
			doc: "the same for finished: once, when the run ends",
		},

		{
			key: "git.checkpoint", kind: truth, at: &c.Git.Checkpoint, builtin: true,
			doc: "keep the whole work tree as it is after each agent, outside your branches, index and stash",
		},
		{
			key: "git.commit", kind: truth, at: &c.Git.Commit, builtin: false,
			doc: "commit after each iteration, the last one included",
		},
		{
			key: "git.commit_template", kind: textKind, at: &c.Git.CommitTemplate, builtin: "loop: iteration {iteration}", required: true, check: commitTemplate,
			doc: "the message of these commits, with {iteration}, {run}, {procedure}, {summary} and {timestamp}",
		},
		{
			key: "git.branch", kind: branch, at: &c.Git.Branch, builtin: Branch{},
			doc: "work on a new branch: true names it by git.branch_template",
		},
		{
			key: "git.branch_template", kind: textKind, at: &c.Git.BranchTemplate, builtin: "loop/{timestamp}", required: true, check: branchTemplate,
			doc: "the name of that branch, with {timestamp} and {procedure}",
		},
		{
			key: "git.on_regression", kind: textKind, at: &c.Git.OnRegression, builtin: "keep", choices: []string{"keep", "rollback"},
			doc: "what happens to an iteration after which gates or tests are worse than at best: it stays, or is undone, and the next prompt says why",
		},
		{
			key: "git.protect", kind: list, at: &c.Git.Protect, builtin: []string{}, required: true,
			doc: "files whose change fails the iteration, as patterns of a .gitignore file",
		},

		{
			key: "feedback.enabled", kind: truth, at: &c.Feedback.Enabled, builtin: true,
			doc: "tell the next agent what the runner saw: refused claims, near misses, what earlier iterations said of themselves",
		},
		{
			key: "feedback.max_tokens", kind: whole, at: &c.Feedback.MaxTokens, builtin: 2000,
			doc: "how long that may be, estimated",
		},
		{
			key: "feedback.summaries", kind: whole, at: &c.Feedback.Summaries, builtin: 5,
			doc: "how many earlier iterations are summed up in it, 10 at most",
		},

		{
			key: "permissions.mode", kind: textKind, at: &c.Permissions.Mode, builtin: "work", choices: []string{"own", "edits", "work", "full"},
			doc: "what a built-in agent may do unasked: what its own settings say, change files, also run commands and commit (in its own sandbox, if it has one), anything",
		},
		{
			key: "proc.keep", kind: list, at: &c.Proc.Keep, builtin: []string{}, required: true, check: programs,
			doc: "programs, by the name of their file, that may outlive the process that started them, such as build daemons; all others are ended with it",
		},
		{
			key: "progress.ignore", kind: list, at: &c.Progress.Ignore, builtin: []string{"PROGRESS.md", "NOTES.md", "progress.txt"}, required: true,
			doc: "files whose change is no progress",
		},
		{
			key: "progress.only", kind: list, at: &c.Progress.Only, builtin: []string{}, required: true,
			doc: "files whose change alone is progress, as patterns of a .gitignore file; empty is all",
		},
		{
			key: "retention.transcripts", kind: whole, at: &c.Retention.Transcripts, builtin: 200,
			doc: "of how many iterations the raw output is kept, 0 is all; the journal keeps every summary",
		},
	}, notifyRows(&c.Notify), []row{
		{
			key: "trace.endpoint", kind: textKind, at: &c.Trace.Endpoint, builtin: "", check: traceAddress,
			doc: "the base address of a collector that takes OTLP over HTTP, such as http://localhost:4318; empty is no traces",
		},
		{
			key: "trace.headers", kind: variables, at: &c.Trace.Headers, each: &header,
			doc: "headers of the requests; never shown",
		},
		{
			key: "metrics.file", kind: textKind, at: &c.Metrics.File, builtin: "",
			doc: "a file with the run's metrics in the text format of Prometheus, kept up to date",
		},
		{
			key: "metrics.listen", kind: textKind, at: &c.Metrics.Listen, builtin: "", check: loopback,
			doc: "an address on this machine, such as 127.0.0.1:9464, where /metrics has the same",
		},

		{
			key: "log.level", kind: textKind, at: &c.Log.Level, builtin: "info", choices: []string{"debug", "info", "warn", "error"},
			doc: "how much the runner logs",
		},
		{
			key: "log.file", kind: textKind, at: &c.Log.File, builtin: "",
			doc: "where the runner logs; without it, on stderr, and there only when log.level is set",
		},
		{
			key: "log.format", kind: textKind, at: &c.Log.Format, builtin: "text", choices: []string{"text", "json"},
			doc: "how a line of the log looks",
		},
	})
}

// agentRows is every setting of one agent, below [agents.NAME].
func agentRows(a *Agent) []row {
	return []row{
		{
			key: "command", kind: command, at: &a.Command,
			doc: "the program and its arguments: a list, or one text split as a shell would, without a shell",
		},
		{
			key: "prompt", kind: textKind, at: &a.Prompt, builtin: "stdin", choices: []string{"stdin", "arg", "env", "file"},
			doc: "how the prompt reaches the agent: on stdin, as the last argument, in the variable PROMPT, or as the name of a file",
		},
		{
			key: "format", kind: textKind, at: &a.Format, choices: formats,
			doc: "how the agent's output is read: text, or as one of the built-in agents prints it; empty is that agent's own, else text",
		},
		{
			key: "model_flag", kind: textKind, at: &a.ModelFlag, builtin: "",
			doc: "the flag that takes the model, such as --model",
		},
		{
			key: "resume_flag", kind: textKind, at: &a.ResumeFlag, builtin: "",
			doc: "the flag that takes the session to continue, such as --resume",
		},
		{
			key: "first_signal", kind: textKind, at: &a.FirstSignal, choices: []string{"INT", "TERM", "HUP"},
			doc: "the signal by which the agent is first asked to end; empty is the built-in agent's own, else TERM",
		},
		{
			key: "max_turns", kind: whole, at: &a.MaxTurns, builtin: 0,
			doc: "turns of the agent in one attempt, for agents that have such a limit; 0 is none",
		},
		{
			key: "context_window", kind: whole, at: &a.ContextWindow, builtin: 0,
			doc: "the model's context in tokens, where the agent does not tell; 0 is not known",
		},
		{
			key: "env", kind: variables, at: &a.Env, each: &variable,
			doc: "variables added to the agent's environment; never shown",
		},
		{
			key: "script", kind: textKind, at: &a.Script, builtin: "",
			doc: "the rehearsal script; only for the built-in agent \"rehearsal\"",
		},
	}
}

// signals is everything that can count as progress.
var signals = []string{"files", "commits", "plan", "tests"}

// formats is every kind of output that can be read. The agents know them too; a
// test of whoever knows both keeps the lists the same.
var formats = []string{"text", "aider", "claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen", "rehearsal"}

// The rows of one name: below [agents.NAME.env], and in a table of headers.
var (
	variable = row{key: "NAME", kind: textKind, secret: true, name: variableName, doc: "a variable in the agent's environment"}
	header   = row{key: "NAME", kind: textKind, secret: true, name: headerName, check: headerValue, doc: "a header of a request"}
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
