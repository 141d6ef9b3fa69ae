// Package foreign knows the words of the systems that people come from: flags,
// commands, variables and keys that mean nothing here, and what to say instead.
//
// It only answers who asks: a word that is ours is never looked up, and one that
// nobody knows has no answer.
package foreign

import (
	"slices"
	"strings"
)

// Word is something that another system says on its command line or in the
// environment, and what to say here.
type Word struct {
	System string // whose it is
	Theirs string
	Ours   string // what to do instead, as a hint says it
}

// flags are those of other systems that no command here has, without their
// dashes. One that means different things to different systems has a row for each.
var flags = []Word{
	{"rooda", "u", "--unlimited"},
	{"rooda", "d", "--dry-run"},
	{"rooda", "c", "--context TEXT"},
	{"rooda", "v", "-o lines shows all that the agent says, --set log.level=debug what the runner does"},
	{"rooda", "verbose", "-o lines shows all that the agent says, --set log.level=debug what the runner does"},
	{"rooda", "q", "-o quiet"},
	{"rooda", "quiet", "-o quiet"},
	{"rooda", "log-level", "--set log.level=LEVEL"},
	{"rooda", "config", "settings are in refrain.toml at the root of the work tree, and in your own config.toml; -C FOLDER names another work tree"},
	{"rooda", "ai-cmd", "write the command after --, as in refrain run build -- claude -p"},
	{"rooda", "ai-cmd-alias", "-a NAME"},
	{"descartes", "c", "write the command after --, as in refrain run -p 'Fix it' -- my-agent"},
	{"descartes", "command", "write the command after --, as in refrain run -p 'Fix it' -- my-agent"},
	{"descartes", "w", "-C FOLDER"},
	{"descartes", "working-dir", "-C FOLDER"},
	{"descartes", "backend", "-a claude or -a opencode; a command of your own goes after --"},
	{"descartes", "auto-commit", "--commit"},
	{"descartes", "timeout", "--iteration-timeout 10m"},
	{"descartes", "verify", "--gate COMMAND"},
	{"descartes", "spec-file", "--context @FILE"},
	{"descartes", "s", "refrain resume RUN: a run is known by its name, and \"refrain ls\" lists them"},
	{"descartes", "state-file", "refrain resume RUN: a run is known by its name, and \"refrain ls\" lists them"},
	{"descartes", "scud-tag", "tasks are in a markdown file: --plan FILE"},
	{"descartes", "tune", "nothing to switch on: what failed is told to the next agent (feedback.enabled)"},
	{"descartes", "no-tune", "--set feedback.enabled=false"},
	{"descartes", "max-tune-attempts", "--set stop.failures=N"},
	{"ralph-claude-code", "calls", "there is no cap on calls in an hour; a usage limit is waited for (limits.wait)"},
	{"ralph-claude-code", "c", "there is no cap on calls in an hour; a usage limit is waited for (limits.wait)"},
	{"ralph-claude-code", "t", "--iteration-timeout 15m"},
	{"ralph-claude-code", "timeout", "--iteration-timeout 15m"},
	{"ralph-claude-code", "monitor", "-o tui, or \"refrain watch\" in another terminal"},
	{"ralph-claude-code", "live", "-o live"},
	{"ralph-claude-code", "l", "-o live"},
	{"ralph-claude-code", "status", "refrain status"},
	{"ralph-claude-code", "allowed-tools", "--permissions own, and the tools in the agent's own settings"},
	{"ralph-claude-code", "no-continue", "--session fresh"},
	{"ralph-claude-code", "session-expiry", "--set session.max_time=24h"},
	{"ralph-claude-code", "reset-session", "--session fresh, or \"refrain reboot\" for a run that is alive"},
	{"ralph-claude-code", "reset-circuit", "\"refrain resume\" goes on with a run that was given up"},
	{"ralph-claude-code", "circuit-status", "refrain status"},
	{"ralph-claude-code", "auto-reset-circuit", "\"refrain resume\" goes on with a run that was given up"},
	{"ralph-claude-code", "notify", "--set notify.desktop=true"},
	{"ralph-claude-code", "b", "nothing to switch on: every iteration is kept, and \"refrain rollback\" goes back to one"},
	{"ralph-claude-code", "backup", "nothing to switch on: every iteration is kept, and \"refrain rollback\" goes back to one"},
	{"ralph-claude-code", "rollback", "refrain rollback"},
	{"ralph-claude-code", "output-format", "-o json prints the events of the run"},
	{"ralph", "tool", "-a NAME"},
	{"ralph-tui", "iterations", "-n N"},
	{"ralph-tui", "prd", "\"refrain import\" makes a plan of prd.json; then refrain build"},
	{"ralph-tui", "tracker", "tasks are in a markdown file: --plan FILE"},
	{"ralph-tui", "epic", "tasks are in a markdown file: --plan FILE"},
	{"ralph-tui", "headless", "-o plain"},
	{"ralph-tui", "delay", "--set loop.iteration_delay=1s"},
	{"ralph-tui", "serial", "nothing to switch on: iterations never run side by side"},
	{"ralph-tui", "parallel", "start another run with --worktree"},
	{"ralph-tui", "resume", "refrain resume"},
	{"ralph-tui", "on-error", "--set stop.failures=N"},
	{"ralph-tui", "max-retries", "--set stop.failures=N"},
	{"ralphex", "review", "a [[gate]] with agent and prompt reviews the work"},
	{"ralphex", "tasks-only", "refrain build --plan FILE"},
	{"ralphex", "task-model", "-m NAME"},
	{"ralphex", "session-timeout", "--iteration-timeout 30m"},
	{"ralphex", "wait", "nothing to switch on: a usage limit is waited for (limits.wait)"},
	{"ralphex", "skip-finalize", "leave it out: nothing follows when a run is done"},
}

// commands are those of other systems that are none here. NAME stands for one
// word.
var commands = []Word{
	{"rooda", "list", "\"refrain procedures\" lists the procedures, \"refrain ls\" the runs"},
	{"rooda", "info", "refrain procedures NAME"},
	{"rooda", "info NAME", "refrain procedures NAME"},
	{"descartes", "loop", "refrain run"},
	{"descartes", "loop start", "refrain run -p 'Fix it' --until COMPLETE -- my-agent"},
	{"descartes", "loop resume", "refrain resume"},
	{"descartes", "loop status", "refrain status"},
	{"descartes", "loop cancel", "refrain stop"},
	{"descartes", "loop tune", "refrain note RUN 'TEXT', then refrain resume"},
	{"descartes", "cancel", "refrain stop"},
	{"fresher", "migrate-plan", "nothing to do: a plan in one file and one in a folder are both read"},
	{"fresher", "upgrade", "install a newer refrain, as you installed this one"},
	{"fresher", "docker", "refrain run --sandbox docker"},
	{"fresher", "docker shell", "docker run -it with the image in sandbox.image"},
	{"fresher", "docker build", "refrain init --dockerfile, then docker build"},
	{"ralph-claude-code", "enable", "refrain import, or refrain init"},
	{"ralph-claude-code", "monitor", "refrain watch"},
	{"ralph-tui", "setup", "refrain init"},
	{"ralph-tui", "create-prd", "refrain plan 'WHAT YOU WANT'"},
	{"ralph-tui", "prime", "refrain plan 'WHAT YOU WANT'"},
	{"ralph-tui", "convert", "refrain import"},
	{"ralph-tui", "migrate", "refrain import"},
}

// variables are those of other systems, and the key that stands for each here;
// where there is none, what to do.
var variables = []Word{
	{"fresher", "FRESHER_MODE", "say it: refrain plan, or refrain build"},
	{"fresher", "FRESHER_MAX_ITERATIONS", "set REFRAIN_LOOP_MAX_ITERATIONS"},
	{"fresher", "FRESHER_SMART_TERMINATION", "for false, set REFRAIN_STOP_NO_PROGRESS=0, and REFRAIN_DONE_PLAN, REFRAIN_DONE_PROMISE and REFRAIN_DONE_FAILURE_PROMISE to nothing"},
	{"fresher", "FRESHER_DANGEROUS_PERMISSIONS", "set REFRAIN_PERMISSIONS_MODE=full for true, =work for false"},
	{"fresher", "FRESHER_MAX_TURNS", "set REFRAIN_AGENTS_CLAUDE_MAX_TURNS"},
	{"fresher", "FRESHER_MODEL", "set REFRAIN_MODEL"},
	{"fresher", "FRESHER_TEST_CMD", "set REFRAIN_COMMANDS_TEST"},
	{"fresher", "FRESHER_BUILD_CMD", "set REFRAIN_COMMANDS_BUILD"},
	{"fresher", "FRESHER_LINT_CMD", "set REFRAIN_COMMANDS_LINT"},
	{"fresher", "FRESHER_IMPL_DIR", "set REFRAIN_DONE_PLAN to the folder"},
	{"fresher", "FRESHER_HOOKS_ENABLED", "set REFRAIN_HOOKS_ENABLED"},
	{"fresher", "FRESHER_HOOK_TIMEOUT", "set REFRAIN_HOOKS_TIMEOUT, with its unit: 30s"},
	{"fresher", "FRESHER_", "unset it: nothing stands for it here"},
	{"rooda", "ROODA_LOOP_AI_CMD", "pass the command after --"},
	{"rooda", "ROODA_LOOP_AI_CMD_ALIAS", "set REFRAIN_AGENT"},
	{"rooda", "ROODA_LOOP_ITERATION_MODE", "set REFRAIN_LOOP_MAX_ITERATIONS=0 for unlimited"},
	{"rooda", "ROODA_LOOP_DEFAULT_MAX_ITERATIONS", "set REFRAIN_LOOP_MAX_ITERATIONS"},
	{"rooda", "ROODA_LOOP_ITERATION_TIMEOUT", "set REFRAIN_LOOP_ITERATION_TIMEOUT, with its unit: 300s"},
	{"rooda", "ROODA_LOOP_FAILURE_THRESHOLD", "set REFRAIN_STOP_FAILURES"},
	{"rooda", "ROODA_LOOP_LOG_LEVEL", "set REFRAIN_LOG_LEVEL"},
	{"rooda", "ROODA_LOOP_SHOW_AI_OUTPUT", "pass -o lines or -o live"},
	{"rooda", "ROODA_", "unset it: nothing stands for it here"},
}

// folders are what other systems leave behind that holds no settings, and what to do
// with it. Who has settings to take over is told of those.
var folders = []Word{
	{"fresher", ".fresher", "its prompts go to .refrain/prompts/plan.md and build.md, its hooks below .refrain/hooks"},
	{"rooda", ".rooda", "no run goes on from there: \"refrain ls\" lists those that can"},
	{"descartes", ".descartes", "no run goes on from there: \"refrain ls\" lists those that can"},
	{"tachikoma", ".ralph/sessions", "no run goes on from there: \"refrain ls\" lists those that can"},
	{"tachikoma", ".ralph/state.json", "no run goes on from there: \"refrain ls\" lists those that can"},
}

// Where records are is one place for all runs, and no setting.
const records = "there is none: each run has a folder of its own, and \"refrain ls\" lists them; XDG_STATE_HOME moves them all"

// keys are those of other systems' settings that are none here, wherever they
// stand; a table is in brackets.
var keys = []Word{
	{"tachikoma", "working_dir", "-C FOLDER, or loop.dir for a folder below the work tree"},
	{"tachikoma", "prompt_path", "prompt"},
	{"tachikoma", "env_vars", "[agents.NAME.env]"},
	{"tachikoma", "claude_command", "agents.claude.program"},
	{"tachikoma", "max_test_failure_streak", "stop.test_failures, and stop.failures for iterations that went wrong"},
	{"tachikoma", "max_no_progress_iterations", "stop.no_progress"},
	{"tachikoma", "stop_on_patterns", "stop.patterns"},
	{"tachikoma", "custom_scripts", "stop.scripts"},
	{"tachikoma", "track_file_changes", "there is none: changes are always noticed, and loop.progress says what counts as progress"},
	{"tachikoma", "parse_tests", "there is none: test results are always read, and loop.progress says what counts as progress"},
	{"tachikoma", "max_in_memory", "there is none: the journal has everything, and is read from its end"},
	{"tachikoma", "persist", "there is none: every event is written down"},
	{"tachikoma", "persist_path", records},
	{"tachikoma", "context_redline_percent", "context.redline"},
	{"tachikoma", "session_timeout", "session.max_time"},
	{"tachikoma", "attended_mode", "loop.attended, or --ask"},
	{"tachikoma", "persist_sessions", "session.mode: one that is kept outlives the runner"},
	{"tachikoma", "state_dir", records},
	{"rooda", "default_iterations", "loop.max_iterations"},
	{"rooda", "default_max_iterations", "loop.max_iterations"},
	{"rooda", "iteration_mode", "loop.max_iterations, where 0 is unlimited"},
	{"rooda", "failure_threshold", "stop.failures"},
	{"rooda", "max_output_buffer", "there is none: all output is kept, and the end of it is what counts"},
	{"rooda", "log_level", "log.level"},
	{"rooda", "log_timestamp_format", "there is none: the log has whole times, and plain output those of the clock"},
	{"rooda", "show_ai_output", "-o says how a run is shown: live and lines have the agent's output, plain and quiet have not"},
	{"rooda", "ai_cmd", "[agents.NAME] command, or a command after --"},
	{"rooda", "ai_cmd_alias", "agent"},
	{"rooda", "ai_cmd_aliases", "[agents.NAME] command"},
	{"rooda", "ai_tools", "[agents.NAME] command"},
	{"fresher", "[fresher]", "\"refrain import\" makes a refrain.toml of .fresher/config.toml, and says what has no counterpart"},
	{"fresher", "smart_termination", "for false, done.plan = \"\", done.promise = \"\", done.failure_promise = \"\" and stop.no_progress = 0"},
	{"fresher", "dangerous_permissions", "permissions.mode = \"full\" for true, \"work\" for false"},
	{"fresher", "max_turns", "agents.claude.max_turns"},
	{"fresher", "archive_completed", "there is none: nothing is moved, and hidden folders of a plan are left out"},
	{"fresher", "single_file_threshold", "there is none: both kinds of plan are read, whatever their length"},
	{"fresher", "[paths]", "there are none: each run has a folder of its own, the prompts say specs/, and agents look for the code themselves"},
	{"fresher", "log_dir", records},
	{"fresher", "spec_dir", "there is none: the built-in prompts say specs/, and those of your own say what you want"},
	{"fresher", "src_dir", "there is none: agents look for the code themselves"},
	{"fresher", "impl_dir", "done.plan, which may be a folder"},
	{"fresher", "[docker]", "sandbox.mode = \"docker\", sandbox.image, and limits in sandbox.options"},
	{"fresher", "use_docker", "sandbox.mode = \"docker\", and sandbox.image"},
	{"fresher", "memory", "not yet: it is a limit of your container"},
	{"fresher", "cpus", "not yet: it is a limit of your container"},
	{"descartes", "completion_promise", "done.promise"},
	{"descartes", "working_directory", "-C FOLDER"},
	{"descartes", "include_iteration_context", "loop.iteration_context, and claims.tell for what it says of the promise"},
	{"descartes", "iteration_timeout_secs", "loop.iteration_timeout, with its unit: \"600s\""},
	{"descartes", "[backend]", "agent; what it is called with stands below [agents.NAME]"},
	{"descartes", "backend_type", "agent"},
	{"descartes", "environment", "[agents.NAME.env]"},
	{"descartes", "prompt_mode", "loop.prompt_as, or prompt below [agents.NAME]"},
	{"descartes", "output_format", "format below [agents.NAME]"},
	{"descartes", "auto_commit", "git.commit"},
	{"descartes", "create_branch", "git.branch"},
	{"descartes", "state_file", records},
}

// lone are those that keys of ours end with, too: they are meant only where they
// stand by themselves.
var lone = []Word{
	{"tachikoma", "timeout", "loop.iteration_timeout"},
	{"rooda", "observe", "[procedures.NAME] observe"},
	{"rooda", "orient", "[procedures.NAME] orient"},
	{"rooda", "decide", "[procedures.NAME] decide"},
	{"rooda", "act", "[procedures.NAME] act"},
	{"fresher", "mode", "it is the command: refrain plan, or refrain build"},
	{"descartes", "command", "write the command after --, or below [agents.NAME]"},
	{"descartes", "args", "write them with the command, after -- or below [agents.NAME]"},
}

// Flag is what a flag that does not exist means to other systems, as a hint;
// empty when nobody knows it. It is given without its dashes.
func Flag(name string) string {
	dashes := "--"
	if len(name) == 1 {
		dashes = "-"
	}
	var said []string
	for i, w := range flags {
		if w.Theirs != name {
			continue
		}
		if i > 0 && slices.ContainsFunc(flags[:i], func(e Word) bool { return e.Theirs == name && e.Ours == w.Ours }) {
			continue
		}
		said = append(said, Whose(w.System)+" "+dashes+name+": "+w.Ours)
	}
	return strings.Join(said, "; ")
}

// Command is what words in the place of a command mean to another system, as a
// hint; empty when they are none of its commands, and so perhaps a sentence.
func Command(words []string) string {
	for _, w := range commands {
		theirs := strings.Fields(w.Theirs)
		if slices.EqualFunc(theirs, words, func(a, b string) bool { return a == b || a == "NAME" }) {
			hint := w.Ours
			if strings.Contains(w.Theirs, "NAME") {
				hint = strings.ReplaceAll(hint, "NAME", words[slices.Index(theirs, "NAME")])
			}
			return Whose(w.System) + " " + strings.Join(words, " ") + ": " + hint
		}
	}
	return ""
}

// Keys is every key that has an answer.
func Keys() []string {
	var list []string
	for _, w := range slices.Concat(keys, lone) {
		list = append(list, strings.Trim(w.Theirs, "[]"))
	}
	return list
}

// Key is what a key that does not exist means to another system, as a hint; empty
// when nobody knows it. It may stand in a table that is ours.
func Key(path []string) string {
	list := keys
	if len(path) == 1 {
		list = slices.Concat(keys, lone)
	}
	for _, w := range list {
		if strings.Trim(w.Theirs, "[]") == path[len(path)-1] {
			return Whose(w.System) + " " + w.Theirs + ": " + w.Ours
		}
	}
	return ""
}

// Folders are those of other systems that are there, one for each system.
func Folders(there func(path string) bool) []Word {
	var list []Word
	for _, w := range folders {
		if there(w.Theirs) && !slices.ContainsFunc(list, func(e Word) bool { return e.System == w.System }) {
			list = append(list, w)
		}
	}
	return list
}

// Variables are those of an environment that another system would read, with
// what to do instead. Their values are not told. What a runner tells its own
// children in the names of another system is meant for them.
func Variables(environ []string) []Word {
	if slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "REFRAIN_RUN_ID=") }) {
		return nil
	}
	var list []Word
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if value == "" {
			continue // as if it were not there
		}
		for _, w := range variables {
			if name == w.Theirs || strings.HasSuffix(w.Theirs, "_") && strings.HasPrefix(name, w.Theirs) {
				list = append(list, Word{w.System, name, w.Ours})
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b Word) int { return strings.Compare(a.Theirs, b.Theirs) })
	return list
}

// Whose is that something is a system's.
func Whose(system string) string {
	if strings.HasSuffix(system, "s") {
		return system + "'"
	}
	return system + "'s"
}
