package main

import (
	"fmt"
	"strings"
)

// mutant is one small edit that breaks what a row asks for.
type mutant struct {
	row      string // of conformance/rows.txt: one of its stories must turn red
	what     string // is broken
	file     string
	old, new string
	unseen   string // why no story can notice it; empty: one must
}

// apply breaks the text of the file. What is to be replaced must be there once: a
// table that no longer fits the program says nothing about it.
func (m mutant) apply(text string) (string, error) {
	if n := strings.Count(text, m.old); n != 1 {
		return "", fmt.Errorf("%s: %s has %d places with %q, and not one: write the mutant anew", m.row, m.file, n, m.old)
	}
	return strings.Replace(text, m.old, m.new, 1), nil
}

// table is what is broken, in the order of the rows.
var table = []mutant{
	{row: "LOOP-02", what: "claude leaves a session behind", file: "internal/agent/claude.go", old: `args = append(args, "--no-session-persistence")`, new: `args = append(args, []string{}...)`},
	{row: "LOOP-04", what: "a kept session is never gone on with", file: "internal/engine/agent.go", old: `Session: state.SessionOf(a.Worker.Name),`, new: `Session: state.SessionOf(""),`},
	{row: "LOOP-08", what: "the pause between iterations is not told", file: "internal/engine/driver.go", old: "\td.Record(v.Waiting(d.Now(), until))\n", new: ""},
	{row: "LOOP-11", what: "a run that is paused does not say so", file: "internal/engine/driver.go", old: "\td.Record(&loop.RunPaused{})\n", new: "\td.Record(&loop.RunUnpaused{})\n"},
	{row: "LOOP-12", what: "building is no name of build", file: "internal/procedure/loops.go", old: `Aliases: []string{"building"},`, new: `Aliases: []string{"make"},`},
	{row: "LOOP-13", what: "a run is not called by its procedure", file: "internal/view/vocabulary.go", old: `named: func(r *Run) string { return r.Procedure },`, new: `named: func(r *Run) string { return r.Agent },`},

	{row: "LIM-01", what: "0 iterations is a limit of none", file: "internal/stop/iterations.go", old: `if most <= 0 || f.State`, new: `if most < 0 || f.State`},
	{row: "LIM-02", what: "nobody is warned of a run without an end", file: "internal/app/prepare.go", old: `Text: "nothing can end this run but you",`, new: `Text: "all is well",`},
	{row: "LIM-03", what: "the project wins over the procedure", file: "internal/config/layered.go", old: "\t\tl.project.procedure(procedure),\n", new: "\t\tl.project.procedure(procedure),\n\t\tl.project,\n"},
	{row: "LIM-06", what: "iterations are shown counted from 0", file: "internal/view/words.go", old: `fmt.Sprintf("iteration %d/%d", iteration, limit)`, new: `fmt.Sprintf("iteration %d/%d", iteration-1, limit)`},
	{row: "LIM-07", what: "a failed iteration does not count", file: "internal/loop/count.go", old: `row{"failed by the agent", true,`, new: `row{"failed by the agent", false,`},
	{row: "LIM-10", what: "a skipped iteration does not count", file: "internal/loop/count.go", old: `row{"skipped", true, keep, keep, keep}`, new: `row{"skipped", false, keep, keep, keep}`},
	{row: "LIM-14", what: "one iteration more than the limit", file: "internal/stop/iterations.go", old: `f.State.Totals.Iterations < most {`, new: `f.State.Totals.Iterations <= most {`},
	{row: "LIM-15", what: "a resume says the wrong iteration", file: "internal/view/narrator.go", old: `words.what(n.run), past.Next(), limit)`, new: `words.what(n.run), past.Next()-1, limit)`},

	{row: "CFG-04", what: "tachikoma: a pause of a second", file: "internal/config/profiles/tachikoma.toml", old: `iteration_delay = "5s"`, new: `iteration_delay = "1s"`},
	{row: "CFG-05", what: "tachikoma: contexts may be fuller", file: "internal/config/profiles/tachikoma.toml", old: `redline = 85`, new: `redline = 95`},
	{row: "CFG-07", what: "tachikoma: four failing tests", file: "internal/config/profiles/tachikoma.toml", old: `test_failures = 3`, new: `test_failures = 4`},
	{row: "CFG-12", what: "tachikoma: a session lasts a day", file: "internal/config/profiles/tachikoma.toml", old: `max_time = "1h"`, new: `max_time = "24h"`},
	{row: "CFG-13", what: "tachikoma: every session is fresh", file: "internal/config/profiles/tachikoma.toml", old: `mode = "keep"`, new: `mode = "fresh"`},
	{row: "CFG-24", what: "rooda: gives up after four failures", file: "internal/config/profiles/rooda.toml", old: "\nfailures = 3", new: "\nfailures = 4"},
	{row: "CFG-25", what: "rooda: a smaller budget", file: "internal/config/profiles/rooda.toml", old: `prompt_tokens = 100000`, new: `prompt_tokens = 10000`},
	{row: "CFG-33", what: "fresher: another model", file: "internal/config/profiles/fresher.toml", old: `model = "sonnet"`, new: `model = "opus"`},
	{row: "CFG-39", what: "fresher: hooks have a minute", file: "internal/config/profiles/fresher.toml", old: `timeout = "30s"`, new: `timeout = "60s"`},
	{row: "CFG-46", what: "descartes: 10 iterations", file: "internal/config/profiles/descartes.toml", old: `max_iterations = 20`, new: `max_iterations = 10`},
	{row: "CFG-49", what: "descartes: no block about the iteration", file: "internal/config/profiles/descartes.toml", old: `iteration_context = true`, new: `iteration_context = false`},
	{row: "CFG-58", what: "descartes: another name for branches", file: "internal/config/profiles/descartes.toml", old: `branch_template = "loop/{timestamp}"`, new: `branch_template = "run/{timestamp}"`},

	{row: "SRC-01", what: "the environment has no say", file: "internal/config/layered.go", old: "\t\tl.environ,\n\t\tl.flags,\n", new: "\t\tl.flags,\n"},
	{row: "SRC-08", what: "agents have no variables", file: "internal/config/flag.go", old: `envName("agents")+"_")`, new: `envName("agent")+"_")`},
	{row: "SRC-13", what: "the start does not tell the settings", file: "internal/app/run.go", old: `Settings: history.Set(j.Settings.Masked()),`, new: ``},

	{row: "PRM-01", what: "the prompt is read once", file: "internal/prompt/piece.go", old: `if err == nil && b.Frozen {`, new: `if err == nil {`},
	{row: "PRM-03", what: "phases have no headings", file: "internal/prompt/prompt.go", old: `text = "## " + piece.Section + "\n\n" + text`, new: `text = piece.Section + "\n\n" + text`},
	{row: "PRM-05", what: "every prompt is estimated at 77 tokens", file: "internal/prompt/prompt.go", old: `math.Ceil(float64(len(text)) / bytesPerToken)`, new: `math.Ceil(min(77, 77+float64(len(text))/bytesPerToken))`},
	{row: "PRM-07", what: "AGENTS.md is not in the system prompt", file: "internal/agent/claude.go", old: `if o.SystemFile != "" {`, new: `if o.SystemFile == "-" {`},
	{row: "PRM-08", what: "the second iteration has no block", file: "internal/prompt/prompt.go", old: `if b.IterationContext && iteration > 1 {`, new: `if b.IterationContext && iteration > 2 {`},
	{row: "PRM-08", what: "descartes: the prompt is read anew", file: "internal/config/profiles/descartes.toml", old: `freeze_prompt = true`, new: `freeze_prompt = false`},
	{row: "PRM-13", what: "the prompt that was sent is not kept", file: "internal/parts/prompt.go", old: "\ta.Dir.WritePrompt(a.Prompt)\n", new: "\ta.Dir.WritePrompt(\"\")\n"},

	{row: "CMD-01", what: "claude gets one turn more", file: "internal/agent/claude.go", old: `strconv.Itoa(o.MaxTurns)`, new: `strconv.Itoa(o.MaxTurns+1)`},
	{row: "CMD-02", what: "the prompt is not on stdin", file: "internal/agent/command.go", old: `cmd.Stdin = c.Prompt`, new: `cmd.Stdin = c.PromptFile`},
	{row: "CMD-03", what: "the prompt is not an argument", file: "internal/agent/command.go", old: "cmd.Argv = append(cmd.Argv, c.Prompt)\n", new: "cmd.Argv = append(cmd.Argv, c.PromptFile)\n"},
	{row: "CMD-10", what: "variables do not reach the agent", file: "internal/agent/command.go", old: `environ(a.Env)`, new: `environ(nil)`},
	{row: "CMD-11", what: "the agent works in the folder above", file: "internal/engine/agent.go", old: "\t\tDir:   e.Dir,\n", new: "\t\tDir:   e.Dir + \"/..\",\n"},

	{row: "RUN-01", what: "every iteration lasts 5 ms", file: "internal/engine/agent.go", old: `a.Duration = e.Clock.Now().Sub(a.Started).Truncate(time.Millisecond)`, new: `a.Duration = 5 * time.Millisecond`},
	{row: "RUN-02", what: "stderr is kept with stdout", file: "internal/engine/agent.go", old: `Stderr: proc.Sink{Raw: a.Dir.Stderr(),`, new: `Stderr: proc.Sink{Raw: a.Dir.Stdout(),`},
	{row: "RUN-07", what: "a time-out is called a failure", file: "internal/detect/ending.go", old: `loop.AtDeadline: loop.TimedOut,`, new: `loop.AtDeadline: loop.Failed,`},
	{row: "RUN-09", what: "a session lasts for ever", file: "internal/stop/session.go", old: `case s.MaxTime > 0 && held.Age(f.Now) >= s.MaxTime:`, new: `case s.MaxTime > 0 && held.Age(f.Now) >= s.MaxTime+time.Hour:`},
	{row: "RUN-14", what: "the time of all is that of the last", file: "internal/loop/stats.go", old: `t.Duration += o.Duration`, new: `t.Duration = o.Duration`},

	{row: "EVT-02", what: "the session of claude is not read", file: "internal/agent/claude_dialect.go", old: `loop.AgentSession{Session: v.str("session_id"),`, new: `loop.AgentSession{Session: v.str("session"),`},
	{row: "EVT-03", what: "what a tool is called with is not read", file: "internal/agent/claude_dialect.go", old: `gist(block.get("input"))`, new: `gist(block.get("inputs"))`},
	{row: "EVT-04", what: "results of tools belong to none", file: "internal/agent/claude_dialect.go", old: `block.str("tool_use_id")`, new: `block.str("id")`},
	{row: "EVT-08", what: "the cost is not read", file: "internal/agent/claude_dialect.go", old: `v.float("total_cost_usd")`, new: `v.float("cost")`},

	{row: "END-02", what: "the case of a promise matters", file: "internal/detect/loose.go", old: `strings.ToLower(text.Fold(line))`, new: `text.Fold(line)`},
	{row: "END-03", what: "exit status 0 is no end", file: "internal/stop/finished.go", old: `case claim == nil && c.ExitZero && !c.Proof &&`, new: `case claim == nil && c.ExitZero && c.Proof &&`},
	{row: "END-05", what: "descartes: the exit status counts beside a promise", file: "internal/config/profiles/descartes.toml", old: `any_exit = true`, new: `any_exit = false`},
	{row: "END-08", what: "fresher: what is noticed wins over the limit", file: "internal/config/profiles/fresher.toml", old: `limit_first = true`, new: `limit_first = false`},
	{row: "END-09", what: "a task that was begun is done", file: "internal/plan/parse.go", old: `"~": InProgress,`, new: `"~": Done,`},
	{row: "END-15", what: "the line at the limit says another number", file: "internal/view/ending.go", old: `(total: %s)", run.Max(), total)`, new: `(total: %s)", run.Max()+1, total)`},
	{row: "END-17", what: "failing tests end it one too late", file: "internal/stop/test_failures.go", old: `f.State.Streaks.TestFailures < most {`, new: `f.State.Streaks.TestFailures <= most {`},
	{row: "END-18", what: "no progress ends it one too late", file: "internal/stop/no_progress.go", old: `f.State.Streaks.NoProgress < most {`, new: `f.State.Streaks.NoProgress <= most {`},
	{row: "END-19", what: "patterns are not looked for on stderr", file: "internal/detect/patterns.go", old: `func (m *patterns) Complain(line []byte) { m.look(string(line)) }`, new: `func (m *patterns) Complain(line []byte) { m.look("") }`},
	{row: "END-20", what: "a script stops with status 1", file: "internal/parts/scripts.go", old: `if exit != nil && *exit == 0 {`, new: `if exit != nil && *exit == 1 {`},

	{row: "FAIL-02", what: "it gives up one failure too late", file: "internal/stop/failures.go", old: `f.State.Streaks.Failures < most {`, new: `f.State.Streaks.Failures <= most {`},
	{row: "FAIL-03", what: "a success does not set the count back", file: "internal/loop/count.go", old: `row{"ok", true, reset, reset, byProgress}`, new: `row{"ok", true, keep, reset, byProgress}`},
	{row: "FAIL-05", what: "a resume keeps the streak of failures", file: "internal/loop/state.go", old: `if p.From == Aborted || p.From == CouldNotRun {`, new: `if p.From == CouldNotRun {`},
	{row: "FAIL-06", what: "fresher: a second failure is waited for", file: "internal/config/profiles/fresher.toml", old: "\nfailures = 1", new: "\nfailures = 2"},
	{row: "FAIL-09", what: "a red gate is no failure", file: "internal/loop/count.go", old: `with stop.gates_are_failures", true, up, up,`, new: `with stop.gates_are_failures", true, reset, up,`},
	{row: "FAIL-12", what: "a time-out does not make the streak", file: "internal/loop/count.go", old: `row{"timed out, idle", true, upUnlessProgress,`, new: `row{"timed out, idle", true, keep,`},
	{row: "FAIL-13", what: "the last words on stderr are not kept", file: "internal/detect/lastwords.go", old: `explained.Message += ": " + words`, new: `explained.Message += ": " + words[:0]`},

	{row: "PROG-01", what: "a deleted file is a modified one", file: "internal/checkpoint/changes.go", old: "\t\tcase deleted:\n\t\t\tc.Deleted++\n", new: "\t\tcase deleted:\n\t\t\tc.Modified++\n"},
	{row: "PROG-03", what: "better tests are no progress", file: "internal/parts/tree.go", old: `a.Signals = append(a.Signals, loop.InTests)`, new: `a.Signals = append(a.Signals, "")`},
	{row: "PROG-04", what: "progress does not set the count back", file: "internal/loop/count.go", old: `case e == reset, e == byProgress && progress:`, new: `case e == reset:`},
	{row: "PROG-05", what: "a failed test of pytest is passed", file: "internal/tests/pytest.go", old: `"failed": Failed, "error": Failed,`, new: `"failed": Passed, "error": Failed,`},
	{row: "PROG-07", what: "tests are not kept one by one", file: "internal/proof/judge.go", old: `!ok || r.Interrupted {`, new: `ok || r.Interrupted {`},
	{row: "PROG-07", what: "an error is a failed test like any other", file: "internal/testlist/testlist.go", old: `one.Status = loop.StatusError`, new: `one.Status = loop.StatusFailed`},
	{row: "PROG-07", what: "a test that passed has no time", file: "internal/tests/named.go", old: `Status: t.Status, Duration: t.Duration, Error`, new: `Status: t.Status, Error`},
	{row: "PROG-09", what: "a summary has a heading of one sign only", file: "internal/detect/summary.go", old: `(?i)^#{2,3}[ \t]+summary:?$`, new: `(?i)^#[ \t]+summary:?$`},

	{row: "SESS-01", what: "a context is never too full", file: "internal/stop/session.go", old: `held.Percent > s.Redline &&`, new: `held.Percent > 100 &&`},
	{row: "SESS-02", what: "a reboot is not counted", file: "internal/loop/state.go", old: "\t\ts.Totals.Reboots++\n", new: ""},
	{row: "SESS-03", what: "a reboot that was asked for never comes", file: "internal/engine/driver.go", old: "\tif d.Desk.TakeReboot() {\n", new: "\tif d.Desk.TakeReboot() && d.Asking.Done {\n"},
	{row: "SESS-03", what: "a reboot forgets the end of a wait", file: "internal/view/run.go", old: "case *loop.RunPaused, *loop.RunUnpaused:\n", new: "case *loop.RunPaused, *loop.RunUnpaused, *loop.RunRebootStarted:\n"},
	{row: "SESS-06", what: "nobody is asked", file: "internal/engine/ask.go", old: `case d.Asking.Always:`, new: `case d.Asking.Always && d.Asking.Done:`},

	{row: "API-04", what: "who is paused can be paused", file: "internal/steer/acts.go", old: `case d.run.State().Paused:
		d.decline(o, "the run is paused already")`, new: `case d.run.State().Paused:
		d.accept(o, "paused")`},
	{row: "API-05", what: "a skipped iteration is called timed out", file: "internal/steer/acts.go", old: `proc.End(loop.OnSkip)`, new: `proc.End(loop.AtDeadline)`},
	{row: "API-08", what: "a program's note is not told", file: "control.go", old: `steer.Command{Name: "note", Text: text}`, new: `steer.Command{Name: "note", Text: "-" + text[:0]}`},
	{row: "API-08", what: "nobody knows that a decoder is at work", file: "decoder.go", old: `d.dead = d.control.guard("a decoder", false, what) != nil`, new: `what()`},
	{row: "API-09", what: "the id is no UUID", file: "internal/journal/begin.go", old: `"loop_%x-%x-%x-%x-%x"`, new: `"loop_%x%x%x%x%x"`},
	{row: "API-10", what: "nobody knows when a run was last active", file: "internal/view/status.go", old: `LastActivity: r.EndedAt(), `, new: ``},
	{row: "API-12", what: "what a hook says of an iteration is not read", file: "internal/hook/hook.go", old: `metadata(p, c.Metadata)`, new: `metadata(p, "")`},
	{row: "API-12", what: "an iteration does not say when it began", file: "internal/engine/step.go", old: `o.Metadata, o.StartedAt = a.Metadata, a.began()`, new: `o.Metadata = a.Metadata`},
	{row: "API-14", what: "what a program resumes is another run", file: "refrain.go", old: `result.Run, result.ID, result.Dir = found.Run, found.ID, found.Dir`, new: `result.Run, result.ID, result.Dir = found.Run, "", found.Dir`},
	{row: "API-15", what: "nothing to resume is not said", file: "internal/journal/find.go", old: `text := "there is no run here"`, new: `text := "no"`},

	{row: "EMIT-01", what: "the start does not tell the limits", file: "internal/app/run.go", old: `Limits: j.terms().Limits(), Counting:`, new: `Counting:`},
	{row: "EMIT-01", what: "a resume does not tell the settings", file: "internal/app/resume.go", old: `, Settings: history.Set(c.Settings.Masked()),`, new: `,`},
	{row: "EMIT-02", what: "the end has no figures", file: "internal/engine/driver.go", old: `Elapsed: state.Live, Totals: state.Totals,`, new: `Elapsed: state.Live,`},
	{row: "EMIT-04", what: "the rule that held is not told", file: "internal/engine/driver.go", old: "\td.Record(&loop.RunRule{Verdict: v})\n", new: ""},
	{row: "EMIT-09", what: "the signal is not told", file: "internal/steer/desk.go", old: `Signal: o.asked.Signal, Effect: effect`, new: `Signal: "", Effect: effect`},
	{row: "EMIT-10", what: "the beginning of a reboot is not told", file: "internal/engine/driver.go", old: `d.Record(started, &loop.RunRebootFinished{`, new: `d.Record(&loop.RunRebootFinished{`},

	{row: "STAT-01", what: "skipped iterations are called ok", file: "internal/loop/count.go", old: `s.Totals.Skipped++`, new: `s.Totals.OK++`},
	{row: "STAT-03", what: "old transcripts are kept", file: "internal/journal/run.go", old: `if keep < 1 {`, new: `if keep < 100 {`},
	{row: "STAT-05", what: "files that were made are not counted", file: "internal/loop/stats.go", old: "\t\t\tt.FilesCreated += c.Created\n", new: ""},
	{row: "STAT-08", what: "nobody knows that a promise was looked for", file: "internal/detect/claims.go", old: `o.PromiseChecked = c.want.done != ""`, new: `o.PromiseChecked = false`},

	{row: "STATE-03", what: "state.json is written at the end only", file: "internal/app/statefile.go", old: "case <-f.changed:\n\t\t\tf.write()\n", new: "case <-f.changed:\n"},
	{row: "STATE-06", what: "a run that gave up is not offered", file: "internal/cli/offer.go", old: `case loop.Aborted, loop.CouldNotRun:`, new: `case loop.CouldNotRun:`},
	{row: "STATE-07", what: "another run is not named", file: "internal/cli/failure.go", old: `what += ": " + h.Run`, new: `what += ": a run"`},
	{row: "STATE-08", what: "a damaged run is not moved aside out loud", file: "internal/app/records.go", old: `cannot be read (%v) and was moved aside"`, new: `cannot be read (%v)"`},
	{row: "STATE-09", what: "what was not saved is not told", file: "internal/view/narrator.go", old: `"WARNING: Could not save: %s"`, new: `"WARNING: %s"`},
	{row: "STATE-10", what: "the line after Ctrl+C says how to start", file: "internal/view/ending.go", old: `"Interrupted. %s Resume with: refrain resume %s"`, new: `"Interrupted. %s Resume with: refrain run %s"`},
	{row: "STATE-11", what: "rooda: a resume has our words", file: "internal/view/vocabulary.go", old: `before: "Previous session",`, new: `before: "Before",`},
	{row: "STATE-18", what: "files of a newer version are read", file: "internal/journal/meta.go", old: "\tcase m.Format > Format:\n", new: "\tcase m.Format > Format+100:\n"},

	{row: "SIG-01", what: "TERM is taken for Ctrl+C", file: "internal/cli/attend.go", old: `Now: true, Signal: name, Hint:`, new: `Now: true, Signal: "INT", Hint:`},
	{row: "SIG-02", what: "rooda: Ctrl+C lets the iteration finish", file: "internal/config/profiles/rooda.toml", old: `on_interrupt = "kill"`, new: `on_interrupt = "finish"`},
	{row: "SIG-04", what: "fresher: Ctrl+C ends the agent", file: "internal/config/profiles/fresher.toml", old: `on_interrupt = "finish"`, new: `on_interrupt = "kill"`},
	{row: "SIG-07", what: "TERM ends with the status of INT", file: "internal/cli/attend.go", old: `"INT": 130, "TERM": 143}`, new: `"INT": 130, "TERM": 130}`},

	{row: "HOOK-02", what: "a started hook cannot end the run", file: "internal/hook/hook.go", old: `Started:       {0: Continue, 2: Abort},`, new: `Started:       {0: Continue, 2: Continue},`},
	{row: "HOOK-03", what: "a hook may take for ever", file: "internal/app/run.go", old: `Timeout: loop.Millis(c.Timeout),`, new: `Timeout: loop.Millis(100 * c.Timeout),`},
	{row: "HOOK-04", what: "a status that means nothing is not told", file: "internal/hook/hook.go", old: `"exited with status %d, which means nothing here and counts as 0", *end.status`, new: `"exited with status %d", 0`},
	{row: "HOOK-05", what: "hooks are not told the iteration", file: "internal/hook/environ.go", old: `{"REFRAIN_ITERATION", known`, new: `{"REFRAIN_NUMBER", known`},
	{row: "HOOK-08", what: "no time passes for hooks", file: "internal/hook/environ.go", old: `int64(f.Elapsed/time.Second)`, new: `int64(f.Elapsed/time.Hour)`},
	{row: "HOOK-09", what: "hooks are not told why it ended", file: "internal/hook/environ.go", old: `string(f.FinishReason)}`, new: `string(f.FinishState)}`},
	{row: "HOOK-11", what: "hooks are told another folder", file: "internal/hook/environ.go", old: `{"REFRAIN_PROJECT_DIR", f.ProjectDir}`, new: `{"REFRAIN_PROJECT_DIR", f.RunDir}`},
	{row: "HOOK-12", what: "hooks cannot be switched off", file: "internal/hook/find.go", old: "\tif !enabled {\n", new: "\tif !enabled && tree == \"\" {\n"},
	{row: "HOOK-13", what: "there is no hook after an iteration", file: "internal/parts/hooks.go", old: `r := h.call(ctx, a, hook.PostIteration, about, o, nil)`, new: `r := h.call(ctx, a, hook.Failed, about, o, nil)`},

	{row: "GIT-01", what: "an iteration that claims is not committed", file: "internal/parts/commits.go", old: `if !c.Enabled || s.Undone(*o)`, new: `if !c.Enabled || o.Claim != nil || s.Undone(*o)`},
	{row: "GIT-02", what: "no branch is made", file: "internal/app/repository.go", old: "\tif !c.Branch.New {\n", new: "\tif !c.Branch.New || c.Branch.Name == \"\" {\n"},
	{row: "GIT-03", what: "commits are not counted", file: "internal/checkpoint/changes.go", old: `.between(ctx, before.facts, after.facts)`, new: `.between(ctx, before.facts, before.facts)`},

	{row: "CLI-05", what: "init does not say what is next", file: "internal/cli/init.go", old: `sh.say("Next: %s", s.Next())`, new: `sh.say("Ready: %s", s.Next())`},
	{row: "CLI-10", what: "the start does not tell the promise", file: "internal/term/live.go", old: `fmt.Sprintf("until %q", text.Line(p.Promise))`, new: `fmt.Sprintf("until %q", text.Line(""))`},
	{row: "CLI-11", what: "another sentence for a promise", file: "internal/view/ending.go", old: `fmt.Sprintf("promise %q found", text.Line(promise))`, new: `fmt.Sprintf("promise %q found", text.Line(promise)[:0])`},
	{row: "CLI-12", what: "a resume counts one too many", file: "internal/view/narrator.go", old: `text.Plural(past.Totals.Iterations, "iteration")`, new: `text.Plural(past.Totals.Iterations+1, "iteration")`},
	{row: "CLI-13", what: "status does not tell the promise", file: "internal/term/card.go", old: `fmt.Sprintf(", until %q", run.Promise)`, new: `fmt.Sprintf(", until %q", run.Promise[:0])`},

	{row: "OUT-01", what: "rooda's first line is ours", file: "internal/view/vocabulary.go", old: `starting: "Starting procedure:",`, new: `starting: "Starting",`},
	{row: "OUT-01", what: "rooda: a terminal has headings and cards", file: "internal/config/profiles/rooda.toml", old: `output = "lines"`, new: `output = "live"`},
	{row: "OUT-02", what: "lines on a terminal have no time", file: "internal/term/live.go", old: `return l.byAgent(e) + l.timed(facts)`, new: `return l.byAgent(e) + l.folded(facts)`},
	{row: "OUT-03", what: "the end of a run that gave up is no ERROR", file: "internal/view/ending.go", old: `"ERROR: Aborting after %s %s"`, new: `"Aborting after %s %s"`},
	{row: "OUT-06", what: "one that failed does not say how long it took", file: "internal/view/attempt.go", old: `failures, workedFor(o))}`, new: `failures, "")}`},
	{row: "OUT-07", what: "every dry run has 77 tokens", file: "internal/app/dryrun.go", old: `d.Prompt, d.Tokens = p.Text, p.Tokens`, new: `d.Prompt, d.Tokens = p.Text, 77`},
	{row: "OUT-10", what: "the log does not name the iteration", file: "internal/app/log.go", old: `slog.Int("iteration", e.Iter),`, new: `slog.Int("n", e.Iter),`},

	{row: "GUI-03", what: "the page has no word for the state", file: "internal/view/words.go", old: "\treturn string(s)\n", new: "\treturn string(s[:0])\n"},
	{row: "GUI-04", what: "the bar never moves", file: "internal/web/rows.go", old: `min(100, 100*s.Totals.Iterations/s.MaxIterations)`, new: `min(100, 0*s.Totals.Iterations/s.MaxIterations)`},
	{row: "GUI-05", what: "the page has no command", file: "internal/web/run.go", old: `Command: commandOf(one),`, new: `Command: commandOf(ship{}),`},
	{row: "GUI-08", what: "who is over can be steered", file: "internal/web/act.go", old: `one.entry.Name+" is not running"`, new: `one.entry.Name+" is busy"`},

	{row: "ERR-01", what: "init is not named", file: "internal/prompt/source.go", old: "`run \"refrain init\" and say what is to be built, or pass -p TEXT or -F FILE`", new: "`pass -p TEXT or -F FILE`"},
	{row: "ERR-02", what: "it is not said where to get claude", file: "internal/lineup/lineup.go", old: `"install it from " + home + ", or correct its name"`, new: `"install it, or correct its name" + home[:0]`},
	{row: "ERR-03", what: "the command that makes a plan is not named", file: "internal/plan/errors.go", old: `run \"refrain plan\" first, or`, new: ``},
	{row: "ERR-06", what: "the risk of --yolo is not told", file: "internal/cli/run.go", old: `"the same as --permissions full: in a container only"`, new: `"the same as --permissions full"`},

	{row: "NFR-01", what: "prompts of procedures have no title", file: "internal/procedure/loops.go", old: `all[i].Title = "# OODA Loop Iteration"`, new: `all[i].Title = ""`},
	{row: "NFR-05", what: "other words are a promise, too", file: "internal/detect/loose.go", old: `if strings.Contains(seen, promise) {`, new: `if strings.Contains(seen, promise[:0]) {`},
}
