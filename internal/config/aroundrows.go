package config

import (
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/wellformed"
)

// aroundRows is the settings of what happens around the agent: commands, hooks,
// git, what the next prompt hears, and where the runner writes.
func aroundRows(c *Config) []setting.Row {
	return []setting.Row{
		{
			Key: "commands.build", Kind: setting.Line, At: &c.Commands.Build, Default: "", Check: wellformed.EmptyOrNotBlank,
			Doc: "how the project is built",
		},
		{
			Key: "commands.lint", Kind: setting.Line, At: &c.Commands.Lint, Default: "", Check: wellformed.EmptyOrNotBlank,
			Doc: "how the project is linted",
		},
		{
			Key: "commands.test", Kind: setting.Line, At: &c.Commands.Test, Default: "", Check: wellformed.EmptyOrNotBlank,
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
			Key: "hooks.run.started", Kind: setting.Line, At: &c.Hooks.Run.Started, Default: "", Check: wellformed.EmptyOrNotBlank,
			Doc: "a command for the shell, instead of .refrain/hooks/started: when the run begins or is resumed; exit 2 ends it",
		},
		{
			Key: "hooks.run.next_iteration", Kind: setting.Line, At: &c.Hooks.Run.NextIteration, Default: "", Check: wellformed.EmptyOrNotBlank,
			Doc: "the same for next_iteration: before each iteration; exit 1 skips it, exit 2 ends the run",
		},
		{
			Key: "hooks.run.post_iteration", Kind: setting.Line, At: &c.Hooks.Run.PostIteration, Default: "", Check: wellformed.EmptyOrNotBlank,
			Doc: "the same for post_iteration: after each iteration; exit 2 ends the run",
		},
		{
			Key: "hooks.run.failed", Kind: setting.Line, At: &c.Hooks.Run.Failed, Default: "", Check: wellformed.EmptyOrNotBlank,
			Doc: "the same for failed: after an iteration that went wrong",
		},
		{
			Key: "hooks.run.finished", Kind: setting.Line, At: &c.Hooks.Run.Finished, Default: "", Check: wellformed.EmptyOrNotBlank,
			Doc: "the same for finished: once, when the run ends",
		},

		{
			Key: "git.checkpoint", Kind: setting.Bool, At: &c.Git.Checkpoint, Default: true,
			Doc: "keep the whole work tree as it is after each agent, outside your branches, index and stash",
		},
		{
			Key: "git.watch", Kind: setting.Bool, At: &c.Git.Watch, Default: false,
			Doc: "in a large work tree, look only at the files that Linux says somebody has written to, and at all of them before a claim is judged, before a rollback, and every 16th time",
		},
		{
			Key: "git.watch_above", Kind: setting.Int, At: &c.Git.WatchAbove, Default: 20_000,
			Doc: "from how many files on a work tree is a large one",
		},
		{
			Key: "git.commit", Kind: setting.Bool, At: &c.Git.Commit, Default: false,
			Doc: "commit after each iteration, the last one included",
		},
		{
			Key: "git.commit_template", Kind: setting.Text, At: &c.Git.CommitTemplate, Default: "{task}", Required: true, Check: commitTemplate,
			Doc: "the message of these commits, with {task} (what the iteration ticked off in the plan, or else \"loop: iteration N\"), {iteration}, {run}, {procedure}, {summary} and {timestamp}",
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
			Doc: "what happens to an iteration after which gates or tests are worse than the best so far: it stays, or is undone, and the next prompt says why",
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
			Key: "permissions.mode", Kind: setting.Text, At: &c.Permissions.Mode, Default: "work", Choices: agent.Permissions,
			Doc: "what a built-in agent may do unasked: what its own settings say, change files, also run commands and commit, anything",
		},
		{
			Key: "trust.folders", Kind: setting.List, At: &c.Permissions.Trusted, Default: []string{}, Required: true, Check: wellformed.AbsolutePaths,
			Doc: "folders whose work trees may run what they bring along, without a question, such as \"~/work\"; not to be set by a project",
		},
		{
			Key: "proc.keep", Kind: setting.List, At: &c.Proc.Keep, Default: []string{}, Required: true, Check: wellformed.Programs,
			Doc: "programs, by the name of their file, that may outlive the process that started them, such as build daemons; all others are ended with it",
		},
		{
			Key: "progress.ignore", Kind: setting.List, At: &c.Progress.Ignore, Default: []string{"PROGRESS.md", "NOTES.md", "progress.txt"}, Required: true,
			Doc: "files whose change does not count as progress",
		},
		{
			Key: "progress.only", Kind: setting.List, At: &c.Progress.Only, Default: []string{}, Required: true,
			Doc: "only changes of these files count as progress, as patterns of a .gitignore file; empty is all",
		},
		{
			Key: "retention.transcripts", Kind: setting.Int, At: &c.Retention.Transcripts, Default: 200,
			Doc: "of how many iterations the raw output is kept, 0 is all; the journal keeps every summary",
		},
		{
			Key: "retention.redact", Kind: setting.Bool, At: &c.Retention.Redact, Default: false,
			Doc: "take keys and passwords out of raw output and kept prompts too; from what else a run tells they are always taken out",
		},
		{
			Key: "sandbox.mode", Kind: setting.Text, At: &c.Sandbox.Mode, Default: "auto", Choices: SandboxModes,
			Doc: "what agents, gates, and what else a run starts are held in: the best that this machine has, one kind or a refusal, or nothing; docker and podman are never taken unasked, and need sandbox.image",
		},
		{
			Key: "sandbox.allow", Kind: setting.List, At: &c.Sandbox.Allow, Default: []string{}, Required: true, Check: wellformed.Allowed,
			Doc: "what they may use beyond the work tree: paths that they may write, such as \"~/out\", and by name \"docker\", \"ssh\", \"gpg\", \"dbus\" and \"display\"",
		},
		{
			Key: "sandbox.hide", Kind: setting.List, At: &c.Sandbox.Hide, Default: []string{}, Required: true, Check: wellformed.Hidden,
			Doc: "paths that they may not read, beyond keys and passwords in their usual places",
		},
		{
			Key: "sandbox.env", Kind: setting.List, At: &c.Sandbox.Env, Default: []string{}, Required: true, Check: wellformed.VariablePatterns,
			Doc: "variables, by name or pattern such as \"OPENAI_*\", that pass although they look like secrets, or are keys of agents, which gates, setups, hooks, stop scripts and commands in prompts do without",
		},
		{
			Key: "sandbox.network", Kind: setting.Text, At: &c.Sandbox.Network, Default: "open", Choices: Networks,
			Doc: "what they may reach of the network: all that this machine can, or only the hosts of the agent, the registries of the project's languages, and sandbox.hosts",
		},
		{
			Key: "sandbox.hosts", Kind: setting.List, At: &c.Sandbox.Hosts, Default: []string{}, Required: true, Check: wellformed.Hosts,
			Doc: "with sandbox.network = \"listed\", what else they may reach: \"example.com\", \".example.com\" for all below it, \"example.com:8443\", \"localhost:5432\" for a service of this machine",
		},
		{
			Key: "sandbox.image", Kind: setting.Text, At: &c.Sandbox.Image, Default: "", Check: wellformed.ImageName,
			Doc: "the image that containers are made of, with a shell, git, the agent and what the gates need; it is not pulled",
		},
		{
			Key: "sandbox.options", Kind: setting.List, At: &c.Sandbox.Options, Default: []string{}, Required: true,
			Doc: "more options of docker run or podman run, each an item of its own, such as \"--memory\", \"4g\"",
		},
		{
			Key: "trace.endpoint", Kind: setting.Text, At: &c.Trace.Endpoint, Default: "", Check: wellformed.TraceAddress,
			Doc: "the base address of a collector that takes OTLP over HTTP, such as http://localhost:4318; empty is no traces",
		},
		{
			Key: "trace.headers", Kind: setting.Variables, At: &c.Trace.Headers, Each: &header,
			Doc: "headers of the requests; never shown",
		},
		{
			Key: "metrics.file", Kind: setting.Text, At: &c.Metrics.File, Default: "", File: true,
			Doc: "a file with the run's metrics in the text format of Prometheus, kept up to date",
		},
		{
			Key: "metrics.listen", Kind: setting.Text, At: &c.Metrics.Listen, Default: "", Check: wellformed.Loopback,
			Doc: "an address on this machine, such as 127.0.0.1:9464, where /metrics has the same",
		},

		{
			Key: "log.level", Kind: setting.Text, At: &c.Log.Level, Default: "info", Choices: []string{"debug", "info", "warn", "error"},
			Doc: "how much the runner logs",
		},
		{
			Key: "log.file", Kind: setting.Text, At: &c.Log.File, Default: "", File: true,
			Doc: "where the runner logs; without it, on stderr, and there only when log.level is set",
		},
		{
			Key: "log.format", Kind: setting.Text, At: &c.Log.Format, Default: "text", Choices: []string{"text", "json"},
			Doc: "how a line of the log looks",
		},
	}
}

func commitTemplate(v any) (what, hint string) {
	return wellformed.Placeholders(v.(string), "task", "iteration", "run", "procedure", "summary", "timestamp")
}

func branchTemplate(v any) (what, hint string) {
	return wellformed.Placeholders(v.(string), "timestamp", "procedure")
}

// header is the row of one name in a table of headers.
var header = setting.Row{Key: "NAME", Kind: setting.Text, Secret: true, Required: true, Name: wellformed.HeaderName, Check: wellformed.HeaderValue, Doc: "a header of a request"}
