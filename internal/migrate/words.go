package migrate

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
	{"rooda", "v", "-o plain shows all that the agent says, --set log.level=debug what the runner does"},
	{"rooda", "verbose", "-o plain shows all that the agent says, --set log.level=debug what the runner does"},
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
	{"fresher", "docker", "start refrain in your container"},
	{"fresher", "docker shell", "start refrain in your container"},
	{"fresher", "docker build", "start refrain in your container"},
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
	{"fresher", "FRESHER_SMART_TERMINATION", "for false, set REFRAIN_STOP_NO_PROGRESS=0, and REFRAIN_DONE_PLAN to nothing"},
	{"fresher", "FRESHER_DANGEROUS_PERMISSIONS", "set REFRAIN_PERMISSIONS_MODE=full for true, =work for false"},
	{"fresher", "FRESHER_MAX_TURNS", "pass --set agents.claude.max_turns=N"},
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
	{"rooda", "ROODA_LOOP_SHOW_AI_OUTPUT", "pass -o plain or -o live"},
	{"rooda", "ROODA_", "unset it: nothing stands for it here"},
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
		said = append(said, whose(w.System)+" "+dashes+name+": "+w.Ours)
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
			return whose(w.System) + " " + strings.Join(words, " ") + ": " + hint
		}
	}
	return ""
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

func whose(system string) string {
	if strings.HasSuffix(system, "s") {
		return system + "'"
	}
	return system + "'s"
}
