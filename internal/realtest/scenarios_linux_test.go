package realtest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/fakemodel"
	"github.com/refrain-loop/refrain/internal/loop"
)

// scenario is a run by which some rows of the table in docs/agents.md are filled.
type scenario struct {
	rows []string
	// play gives for each row "ok", or in a few words what came instead.
	play func(*world) []string
}

const fine = "ok"

// scenarios is every one, in the order of the table.
var scenarios = []scenario{
	{[]string{"write", "shell", "parallel tools", "model"}, playWork},
	{[]string{"error, then recovery"}, playRecovery},
	{[]string{"limit of two hours", "fallback"}, playLimit},
	{[]string{"quota"}, trouble(fakemodel.Turn{Error: &fakemodel.Error{Kind: "quota"}}, "", loop.ErrBilling)},
	{[]string{"overload"}, trouble(fakemodel.Turn{Error: &fakemodel.Error{Kind: "overloaded"}}, loop.Unavailable, loop.ErrOverloaded, loop.ErrServer)},
	{[]string{"cut"}, trouble(fakemodel.Turn{Text: "This reply will be cut in its middle.", Break: "mid"}, loop.Unavailable, loop.ErrNetwork, loop.ErrServer)},
	{[]string{"auth"}, trouble(fakemodel.Turn{Error: &fakemodel.Error{Kind: "auth"}}, "", loop.ErrAuth)},
	{[]string{"unknown model"}, trouble(fakemodel.Turn{Error: &fakemodel.Error{Kind: "model"}}, "", loop.ErrModel)},
	{[]string{"context"}, trouble(fakemodel.Turn{Error: &fakemodel.Error{Kind: "context"}}, "", loop.ErrContextOverflow)},
	{[]string{"refusal"}, trouble(fakemodel.Turn{Text: "I cannot help with that.", Stop: "refusal"}, "", loop.ErrRefusal)},
	{[]string{"kill: Ctrl+C twice"}, playInterrupts},
	{[]string{"kill: time-out"}, playTimeout},
	{[]string{"kill: of the runner"}, playRunnerKilled},
	{[]string{"background tool"}, playBackground},
	{[]string{"false claim"}, playFalseClaim},
	{[]string{"plan"}, playPlan},
	{[]string{"sessions"}, playSessions},
	{[]string{"budget"}, playBudget},
	{[]string{"permissions"}, playPermissions},
}

// brisk has what an agent does in silence ended soon, and leaves a busy machine the time
// to start the slowest.
func brisk(more ...string) []string {
	return append([]string{"-n", "1", "--idle-timeout", "110s", "--iteration-timeout", "115s", "--set", "limits.patience=2s"}, more...)
}

// first is what came of the first attempt; the run may go on.
func (r *runner) first() loop.IterationFinished {
	r.Helper()
	r.until("the first attempt has ended", func() bool { return len(of[*loop.IterationFinished](r.journal())) > 0 })
	return *of[*loop.IterationFinished](r.journal())[0]
}

// refused tells whether the run was refused before it began.
func (r *runner) refused() bool {
	r.Helper()
	r.wait()
	return r.cmd.ProcessState.ExitCode() == 3
}

// came is an outcome that is not what it should be, in two words.
func came(o loop.Outcome) string {
	switch {
	case o.Result == loop.OK && o.Error == nil:
		return "success"
	case o.Error == nil:
		return string(o.Result)
	}
	return string(o.Result) + "/" + string(o.Error.Kind)
}

func okIf(holds bool, otherwise string) string {
	if holds {
		return fine
	}
	return otherwise
}

func (w *world) exists(name string) bool {
	_, err := os.Stat(filepath.Join(w.tree, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Fatal(err)
	}
	return err == nil
}

func shell(command string) fakemodel.ToolCall {
	args, _ := json.Marshal(map[string]string{"command": command, "description": "a command of the test"}) // strings cannot fail
	return fakemodel.ToolCall{Name: "$shell", Args: args}
}

func playWork(w *world) []string {
	script := w.script("tools")
	last := len(script.Turns) - 1
	script.Turns = slices.Insert(script.Turns, last, fakemodel.Turn{
		Text: "Two at once.", ToolCalls: []fakemodel.ToolCall{shell("echo one > one.txt"), shell("echo two > two.txt; exit 3")},
	})
	w.model.Play(w, script)
	run := w.run(brisk("--until", "DONE")...)
	run.wait()
	o := run.first().Outcome
	if o.Result != loop.OK {
		return []string{came(o), came(o), came(o), came(o)}
	}
	return []string{
		okIf(w.exists("hello.txt") && strings.TrimSpace(w.read("hello.txt")) == "hello refrain", "not written"),
		okIf(strings.Contains(w.transcript(1), "shell-ok"), "not told"),
		okIf(w.exists("one.txt") && w.exists("two.txt"), "not both"),
		okIf(o.Model != "" && strings.HasSuffix(w.recipe.model, o.Model), "told "+o.Model),
	}
}

// playRecovery is one bad answer, which is the agent's own business.
func playRecovery(w *world) []string {
	script := w.script("tools")
	script.Index = "counter"
	script.Turns = append([]fakemodel.Turn{{Error: &fakemodel.Error{Kind: "server"}}}, script.Turns...)
	w.model.Play(w, script)
	run := w.run("-n", "1", "--idle-timeout", "60s", "--until", "DONE")
	run.wait()
	return []string{okIf(len(w.outcomes()) == 1 && run.first().Outcome.Result == loop.OK, came(run.first().Outcome))}
}

const twoHours = 2 * 60 * 60

// limited has the model turn everybody away for two hours, in the way of the provider.
func (w *world) limited() {
	e := fakemodel.Error{Kind: "usage_limit", ResetsInS: twoHours, Headers: map[string]string{"retry-after": "7200"}}
	if w.recipe.name == "gemini" { // Google has no header for it
		e.Headers = nil
		e.Body = json.RawMessage(`{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Resource has been exhausted (e.g. check quota).",
			"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7200s"}]}}`)
	}
	w.model.Play(w, fakemodel.Script{Side: "never", Turns: []fakemodel.Turn{{Error: &e, Repeat: -1}}})
}

// standIn is flags by which another agent goes on while the first cannot, and does the
// work.
var standIn = []string{
	"--set", `limits.fallback=["standin"]`, "--set", "agents.standin.format=text",
	"--set", `agents.standin.command=["sh", "-c", "cat > /dev/null; echo done > standin.txt; echo '<promise>DONE</promise>'"]`,
}

func playLimit(w *world) []string {
	if w.recipe.name == "claude" {
		w.env = append(slices.DeleteFunc(w.env, func(v string) bool { return v == "ANTHROPIC_API_KEY=sk-test" }), "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-test")
	}
	w.limited()
	run := w.run(append(brisk("--until", "DONE"), standIn...)...)
	first := run.first()
	run.wait()
	return []string{limitCame(first), w.standInCame()}
}

// limitCame is "ok" for an attempt that is limited for two hours and counts for nothing.
func limitCame(f loop.IterationFinished) string {
	o := f.Outcome
	switch {
	case o.Result != loop.Limited || o.Limit == nil:
		return came(o)
	case f.State.Totals.Iterations != 0 || f.State.Totals.Failed != 0:
		return "counted"
	case o.Limit.Until.IsZero():
		return "no time"
	}
	// Some tell the minute without the seconds, and a busy machine takes its time.
	left := o.Limit.Until.Sub(o.EndedAt)
	return okIf(left > 110*time.Minute && left < 125*time.Minute, "wrong time")
}

// standInCame is "ok" when the other agent has done the work in the one iteration there was.
func (w *world) standInCame() string {
	list, ends := w.outcomes(), of[*loop.RunFinished](w.journal())
	switch {
	case len(list) < 2 || list[1].Agent != "standin":
		return "none"
	case len(ends) != 1 || ends[0].State != loop.Done || ends[0].Totals.Iterations != 1:
		return "not done"
	}
	return okIf(w.exists("standin.txt"), "no work")
}

// trouble is a model that gives nothing but one turn, and what the first attempt should
// come to.
func trouble(turn fakemodel.Turn, result loop.Result, kinds ...loop.ErrorKind) func(*world) []string {
	turn.Repeat = -1
	return func(w *world) []string {
		script := fakemodel.Script{Turns: []fakemodel.Turn{turn}}
		if turn.Error != nil {
			script.Side = "never"
		}
		if turn.Stop == "refusal" && w.recipe.name == "gemini" { // Google keeps all of a reply that it blocks
			script.Turns[0].Text = ""
		}
		w.model.Play(w, script)
		o := w.run(brisk("--until", "DONE")...).first().Outcome
		right := o.Error != nil && slices.Contains(kinds, o.Error.Kind) && (result == "" || o.Result == result)
		return []string{okIf(right, came(o))}
	}
}

func playInterrupts(w *world) []string {
	run := w.sleeping()
	run.signal(os.Interrupt)
	run.until("the first Ctrl+C is heard", func() bool { return len(of[*loop.CommandReceived](w.journal())) > 0 })
	run.signal(os.Interrupt)
	alive := w.aliveAfter(ladder)
	run.wait()
	return []string{w.ended(alive, loop.Interrupted)}
}

func playTimeout(w *world) []string {
	for limit := 10 * time.Second; !w.asleep(); limit *= 2 {
		if limit > patience {
			return []string{"no tool"}
		}
		w.drowsy("--iteration-timeout", limit.String()).wait()
	}
	return []string{w.ended(w.survivors(), loop.TimedOut)}
}

func playRunnerKilled(w *world) []string {
	run := w.sleeping()
	run.signal(syscall.SIGKILL)
	alive := w.aliveAfter(ladder)
	run.wait()
	return []string{okIf(len(alive) == 0, "left behind")}
}

// ended is "ok" when nobody is left and the last attempt came to this.
func (w *world) ended(alive map[int]string, want loop.Result) string {
	if len(alive) > 0 {
		return "left behind"
	}
	list := w.outcomes()
	if len(list) == 0 {
		return "no outcome"
	}
	return okIf(list[len(list)-1].Result == want, came(list[len(list)-1]))
}

func playBackground(w *world) []string {
	w.model.Play(w, fakemodel.Load(w, "longtool", map[string]string{"COMMAND": "nohup setsid sleep 347 >/dev/null 2>&1 & touch asleep"}))
	run := w.run(brisk()...)
	run.wait()
	if !w.asleep() {
		return []string{"no tool"}
	}
	return []string{w.ended(w.survivors(), loop.OK)}
}

func playFalseClaim(w *world) []string {
	run := w.run(brisk("--until", "DONE", "--gate", "test -e what-nobody-makes")...)
	run.wait()
	o, ends := run.first().Outcome, of[*loop.RunFinished](w.journal())
	switch {
	case o.Claim == nil:
		return []string{"not heard"}
	case len(ends) != 1 || ends[0].State == loop.Done:
		return []string{"believed"}
	}
	return []string{fine}
}

func playPlan(w *world) []string {
	w.write(filepath.Join(w.tree, "PLAN.md"), "# Plan\n\n- [ ] the only task\n")
	w.must("git", "add", "-A")
	w.must("git", "commit", "-q", "-m", "plan")
	w.model.Play(w, fakemodel.Script{Index: "conversation", Turns: []fakemodel.Turn{
		{Text: "Doing it.", ToolCalls: []fakemodel.ToolCall{shell("printf '# Plan\\n\\n- [x] the only task\\n' > PLAN.md")}},
		{Text: "The task is done."},
	}})
	run := w.run(brisk("--plan", "PLAN.md")...)
	run.wait()
	ends := of[*loop.RunFinished](w.journal())
	return []string{okIf(len(ends) == 1 && ends[0].State == loop.Done && ends[0].Reason == loop.ByPlan, came(run.first().Outcome))}
}

func playSessions(w *world) []string {
	script := w.script("text")
	script.Rules = []fakemodel.Rule{{Contains: script.Turns[0].Text, Turn: fakemodel.Turn{Text: "I remember."}}}
	w.model.Play(w, script)
	run := w.run(brisk("-n", "2", "--session", "keep")...)
	if run.refused() {
		return []string{"refused"}
	}
	list := w.outcomes()
	switch {
	case len(list) != 2:
		return []string{came(run.first().Outcome)}
	case list[0].Session == "" || list[0].Session != list[1].Session:
		return []string{"not one session"}
	}
	return []string{okIf(slices.Contains(w.model.State().Played, "rule 0"), "forgotten")}
}

// playBudget spends the budget with the first reply, before a tool that takes a while.
func playBudget(w *world) []string {
	w.model.Play(w, fakemodel.Script{Index: "conversation", Turns: []fakemodel.Turn{
		{Text: "A dear reply.", Usage: &fakemodel.Usage{Input: 5000, Output: 500}, ToolCalls: []fakemodel.ToolCall{shell("touch asleep; sleep 25; touch woke")}},
		{Text: "Awake."},
	}})
	run := w.run(brisk("-n", "2", "--max-tokens", "3000")...)
	if run.refused() {
		return []string{"refused"}
	}
	ends := of[*loop.RunFinished](w.journal())
	switch {
	case len(ends) != 1 || ends[0].Reason != loop.ByTokens:
		return []string{"not kept"}
	case w.exists("woke"):
		return []string{"at the end"}
	}
	return []string{fine}
}

// playPermissions lets the agent change files and run nothing.
func playPermissions(w *world) []string {
	w.model.Play(w, fakemodel.Script{Index: "conversation", Turns: []fakemodel.Turn{
		{Text: "A command.", ToolCalls: []fakemodel.ToolCall{shell("sh -c 'echo ran > ran.txt'")}},
		{Text: "That was it."},
	}})
	run := w.run(brisk("--permissions", "edits")...)
	if run.refused() {
		return []string{"refused"}
	}
	return []string{okIf(!w.exists("ran.txt"), "runs commands")}
}

// rowsOf is the names of all rows.
func rowsOf() []string {
	var list []string
	for _, s := range scenarios {
		list = append(list, s.rows...)
	}
	return list
}
