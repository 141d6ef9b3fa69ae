package config

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/stop"
)

func TestDefaults(t *testing.T) {
	want := Config{
		Agent: "auto", Prompt: "PROMPT.md",
		Claims: Claims{Tell: true, From: 1},
		Loop: Loop{
			IterationTimeout: 2 * time.Hour, IdleTimeout: 15 * time.Minute,
			ExitZeroIsDone: setting.Automatic, IterationContext: setting.Automatic, PromptAs: "stdin", Output: "tui", OnInterrupt: "two-step", Progress: []string{"files", "commits", "plan", "tests"},
			Gates: true, Inhibit: true,
		},
		Ask:   Ask{At: []string{}, Default: "continue"},
		Done:  Done{Match: "line", Proof: "auto", Require: "auto", Tests: "kept"},
		Proof: Proof{Baseline: true, Copy: []string{}},
		Stop: stop.Settings{
			Failures: 3, RedGates: 5, TestFailures: 5, NoProgress: 5, Repeats: 4, Patterns: []string{}, Scripts: []string{}, SkipsCount: true,
			Done: stop.Completion{Confirmations: 1}, Limit: stop.ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour},
			Session: stop.Sessions{Redline: 85, MinIterations: 1}, Pace: stop.Pacing{Backoff: time.Second, MaxBackoff: time.Minute},
			Values: setting.Values{},
		},
		Budget:      Budget{PromptTokens: 100_000},
		Limits:      Limits{Fallback: []string{}, Patience: 2 * time.Minute},
		Session:     Session{Mode: "fresh", HandoffTokens: 4000},
		Context:     Context{Warn: 70, OnRedline: "finish"},
		Hooks:       Hooks{Enabled: true, Timeout: 30 * time.Second},
		Git:         Git{Checkpoint: true, WatchAbove: 20_000, CommitTemplate: "{task}", BranchTemplate: "loop/{timestamp}", OnRegression: "keep", Protect: []string{}},
		Feedback:    Feedback{Enabled: true, MaxTokens: 2000, Summaries: 5},
		Permissions: Permissions{Mode: "work", Trusted: []string{}},
		Proc:        Proc{Keep: []string{}},
		Places: Places{
			Sandbox: Sandbox{Mode: "auto", Allow: []string{}, Hide: []string{}, Env: []string{}, Network: "open", Hosts: []string{}, Options: []string{}},
			Fleet: Fleet{
				Address: "127.0.0.1:7233", Namespace: "default", Queue: "default", Branch: "refrain/{{name}}", Lease: time.Minute, Patience: 2 * time.Minute,
				LegTime: 30 * time.Minute, Sticky: true, Worker: FleetWorker{Queue: "default", Trust: []string{}, Grace: 30 * time.Second},
			},
		},
		Progress:  Progress{Ignore: []string{"PROGRESS.md", "NOTES.md", "progress.txt"}, Only: []string{}},
		Retention: Retention{Transcripts: 200},
		Reports: Reports{
			Notify: Notify{
				On: messages, Desktop: setting.Automatic, Bell: setting.Automatic, WaitingAfter: 10 * time.Minute, Every: time.Minute, PerHour: 20, Email: Email{To: []string{}},
			},
			Log: Log{Level: "info", Format: "text"},
		},
		Tables: Tables{Agents: map[string]agent.Table{}, Prices: map[string]Price{}, Procedures: map[string]ProcedureTable{}},
	}
	for _, r := range settings() {
		if r.At == nil {
			want.Stop.Values[r.Key] = r.Default
		}
	}
	if diff := cmp.Diff(want, load(t, Sources{}).Config); diff != "" {
		t.Errorf("with no sources (-want +got):\n%s", diff)
	}
}

func TestDefaultsByKindOfRun(t *testing.T) {
	tests := []struct {
		name  string
		kind  Kind
		flags []Flag
		key   string
		want  Origin
	}{
		{"a procedure has no limit", Procedure, nil, "loop.max_iterations", Origin{Value: "0", Layer: "built-in"}},
		{"an ad-hoc prompt has one", AdHocPrompt, nil, "loop.max_iterations", Origin{Value: "50", Layer: "built-in", Where: "for an ad-hoc prompt"}},
		{"an ad-hoc command has a lower one", AdHocCommand, nil, "loop.max_iterations", Origin{Value: "20", Layer: "built-in", Where: "for an ad-hoc command"}},
		{"a procedure stops without progress", Procedure, nil, "stop.no_progress", Origin{Value: "5", Layer: "built-in"}},
		{"an ad-hoc command does not", AdHocCommand, nil, "stop.no_progress", Origin{Value: "0", Layer: "built-in", Where: "for an ad-hoc command"}},
		{"a procedure stops when it repeats itself", Procedure, nil, "stop.repeats", Origin{Value: "4", Layer: "built-in"}},
		{"an ad-hoc command may repeat itself", AdHocCommand, nil, "stop.repeats", Origin{Value: "0", Layer: "built-in", Where: "for an ad-hoc command"}},
		{"unless asked to stop", AdHocCommand, set(t, "stop.repeats=3"), "stop.repeats", Origin{Value: "3", Layer: "flag", Where: "--set"}},
		{"without a promise nothing means blocked", Procedure, nil, "done.failure_promise", Origin{Value: `""`, Layer: "built-in"}},
		{"with a promise BLOCKED does", Procedure, []Flag{{"--until", "done.promise", "DONE"}}, "done.failure_promise", Origin{Value: `"BLOCKED"`, Layer: "built-in", Where: "when done.promise is set"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := load(t, Sources{Kind: tt.kind, Flags: tt.flags}).Explain(tt.key)
			if err != nil || got.Origin != tt.want {
				t.Errorf("Explain(%s) = %+v, %v, want %+v", tt.key, got.Origin, err, tt.want)
			}
		})
	}
}

func TestLayersInTheirOrder(t *testing.T) {
	s := treeWith(t, "[stop]\nfailures = 13\n\n[procedures.build]\nstop.failures = 14\n")
	s.UserFile = filepath.Join(t.TempDir(), "config.toml")
	write(t, s.UserFile, "profile = \"fresher\"\nstop.failures = 12\n")
	s.Procedure, s.Builtin = "build", "[stop]\nfailures = 18\n"
	s.Environ = []string{"REFRAIN_STOP_FAILURES=15"}
	s.Flags = set(t, "stop.failures=16", "stop.failures=17")

	got, err := load(t, s).Explain("stop.failures")
	if err != nil {
		t.Fatal(err)
	}
	want := Setting{
		Key:    "stop.failures",
		Origin: Origin{Value: "17", Layer: "flag", Where: "--set"},
		Overrode: []Origin{
			{Value: "16", Layer: "flag", Where: "--set"},
			{Value: "15", Layer: "environment", Where: "REFRAIN_STOP_FAILURES"},
			{Value: "14", Layer: "procedure build", Where: "refrain.toml:5"},
			{Value: "13", Layer: "project", Where: "refrain.toml:2"},
			{Value: "12", Layer: "user", Where: s.UserFile + ":2"},
			{Value: "18", Layer: "procedure build (built-in)"},
			{Value: "1", Layer: "profile fresher", Where: "fresher.toml:40"},
			{Value: "3", Layer: "built-in"},
		},
	}
	if diff := cmp.Diff(want, got.Setting); diff != "" {
		t.Errorf("stop.failures (-want +got):\n%s", diff)
	}
}

func TestProcedureTables(t *testing.T) {
	s := treeWith(t, "[procedures.build]\ndone.promise = \"BUILT\"\nloop.max_iterations = 5\n[procedures.plan.loop]\nmax_iterations = 2\n[procedures.empty]\n")
	for name, want := range map[string]int{"": 0, "build": 5, "plan": 2, "empty": 0} {
		s.Procedure = name
		if got := load(t, s).Config.Stop.Iterations; got != want {
			t.Errorf("procedure %q: max_iterations = %d, want %d", name, got, want)
		}
	}
	s.Procedure, s.Flags = "build", set(t, "procedures.build.loop.max_iterations=6")
	if got := load(t, s).Config.Stop.Iterations; got != 6 {
		t.Errorf("a flag for the procedure's table: max_iterations = %d, want 6", got)
	}
	s.Environ = []string{"REFRAIN_LOOP_MAX_ITERATIONS=7"}
	if got := load(t, s).Config.Stop.Iterations; got != 7 {
		t.Errorf("the environment over the procedure's table: max_iterations = %d, want 7", got)
	}
	want := map[string]ProcedureTable{"build": {}, "empty": {}, "plan": {}}
	if diff := cmp.Diff(want, load(t, s).Config.Procedures); diff != "" {
		t.Errorf("procedures (-want +got):\n%s", diff)
	}
}

func TestAgentsMergePerKey(t *testing.T) {
	s := treeWith(t, "[agents.mine]\ncommand = [\"mine\", \"--json\"]\nenv = { A = \"1\", \"b.c\" = \"2\" }\n[agents.rehearsal]\nscript = \"demo.toml\"\n")
	s.UserFile = filepath.Join(t.TempDir(), "config.toml")
	write(t, s.UserFile, "[agents.mine]\ncommand = \"other\"\nmodel_flag = \"--model\"\nenv.A = \"0\"\nenv.D = \"3\"\n")
	s.Agents = []string{"command", "rehearsal"}
	s.Flags = set(t, "agent=mine")

	want := map[string]agent.Table{
		"mine": {
			Command: setting.Command{Argv: []string{"mine", "--json"}}, Prompt: "stdin", ModelFlag: "--model",
			Env: map[string]string{"A": "1", "b.c": "2", "D": "3"},
		},
		"rehearsal": {Script: "demo.toml"},
	}
	if diff := cmp.Diff(want, load(t, s).Config.Agents); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
}

func TestValuesAsWritten(t *testing.T) {
	maxIterations := func(c Config) any { return c.Stop.Iterations }
	patterns := func(c Config) any { return c.Stop.Patterns }
	hooks := func(c Config) any { return c.Hooks.Run.ByPoint() }
	observe := func(c Config) any { return c.Procedures["p"].Observe }
	promise := func(c Config) any { return c.Done.Promise }
	maxTime := func(c Config) any { return c.Stop.Time }
	exitZero := func(c Config) any { return c.Loop.ExitZeroIsDone }
	onBranch := func(c Config) any { return c.Git.Branch }
	setUp := func(c Config) any { return c.Proof.Setup }
	both := func(toml, variable string) Sources {
		s := treeWith(t, toml)
		s.Environ = []string{variable}
		return s
	}
	tests := []struct {
		name string
		from Sources
		get  func(Config) any
		want any
	}{
		{"none is no limit", treeWith(t, `loop.max_iterations = "none"`), maxIterations, 0},
		{"unlimited is no limit", Sources{Kind: AdHocCommand, Environ: []string{"REFRAIN_LOOP_MAX_ITERATIONS=unlimited"}}, maxIterations, 0},
		{"0 is no limit", Sources{Kind: AdHocCommand, Flags: set(t, "loop.max_iterations=0")}, maxIterations, 0},
		{"a duration with two units", treeWith(t, `loop.max_time = "1h30m"`), maxTime, 90 * time.Minute},
		{"a bare duration after --set", Sources{Flags: set(t, "loop.max_time=90s")}, maxTime, 90 * time.Second},
		{"a quoted duration after --set", Sources{Flags: set(t, `loop.max_time="90s"`)}, maxTime, 90 * time.Second},
		{"auto as text", treeWith(t, `loop.exit_zero_is_done = "auto"`), exitZero, setting.Automatic},
		{"auto as truth", treeWith(t, `loop.exit_zero_is_done = false`), exitZero, setting.No},
		{"auto from the environment", Sources{Environ: []string{"REFRAIN_LOOP_EXIT_ZERO_IS_DONE=true"}}, exitZero, setting.Yes},
		{"a branch of the runner's naming", treeWith(t, `git.branch = true`), onBranch, setting.Branch{New: true}},
		{"a branch with a name", treeWith(t, `git.branch = "feat/x"`), onBranch, setting.Branch{New: true, Name: "feat/x"}},
		{"a branch by flag", Sources{Flags: []Flag{{"--branch", "git.branch", "true"}}}, onBranch, setting.Branch{New: true}},
		{"a branch by flag with a name", Sources{Flags: []Flag{{"--branch", "git.branch", "42"}}}, onBranch, setting.Branch{New: true, Name: "42"}},
		{"no branch after all", Sources{Environ: []string{"REFRAIN_GIT_BRANCH=false"}}, onBranch, setting.Branch{}},
		{"a setup as text", treeWith(t, `proof.setup = "npm ci"`), setUp, setting.Command{Line: "npm ci"}},
		{"a setup as a list", treeWith(t, `proof.setup = ["npm", "ci"]`), setUp, setting.Command{Argv: []string{"npm", "ci"}}},
		{"no setup", Sources{Environ: []string{"REFRAIN_PROOF_SETUP=none"}}, setUp, setting.Command{Line: NoSetup}},
		{"the lockfile's setup", treeWith(t, `proof.setup = ""`), setUp, setting.Command{}},
		{"the environment's text word for word", Sources{Environ: []string{`REFRAIN_DONE_PROMISE="X"`}}, promise, `"X"`},
		{"a flag's text word for word", Sources{Flags: []Flag{{"--until", "done.promise", "42"}}}, promise, "42"},
		{"a number as text after --set", Sources{Flags: set(t, "done.promise=42")}, promise, "42"},
		{"quotes removed after --set", Sources{Flags: set(t, `done.promise="all = done"`)}, promise, "all = done"},
		{"a list as TOML in the environment", Sources{Environ: []string{`REFRAIN_STOP_PATTERNS=["a,b", 'c']`}}, patterns, []string{"a,b", "c"}},
		{"a list with commas in the environment", Sources{Environ: []string{"REFRAIN_STOP_PATTERNS=[a-z]+, b"}}, patterns, []string{"[a-z]+", "b"}},
		{"an empty list in the environment", Sources{Environ: []string{"REFRAIN_STOP_PATTERNS="}}, patterns, []string{}},
		{"a list replaces", Sources{Environ: []string{"REFRAIN_STOP_PATTERNS=a"}, Flags: set(t, `stop.patterns=["b"]`)}, patterns, []string{"b"}},
		{"a byte order mark and CRLF", treeWith(t, "\ufeffloop.max_iterations = 3\r\n[done]\r\npromise = \"X\"\r\n"), promise, "X"},
		{"reserved names are no settings", Sources{Environ: []string{"REFRAIN_RUN_ID=loop_1", "REFRAIN_MAX_ITERATIONS=3", "REFRAIN_RUNNER=x"}}, maxIterations, 0},
		{"the last of two equal variables", Sources{Environ: []string{"REFRAIN_LOOP_MAX_ITERATIONS=bad", "REFRAIN_LOOP_MAX_ITERATIONS=4"}}, maxIterations, 4},
		{"a whole number of dollars", treeWith(t, "budget.cost_usd = 5"), func(c Config) any { return c.Stop.CostUSD }, 5.0},
		{"a folder below", treeWith(t, `loop.dir = "sub/folder"`), func(c Config) any { return c.Loop.Dir }, "sub/folder"},
		{"no hooks", Sources{}, hooks, map[string]string{}},
		{"hooks in a table", treeWith(t, "[hooks.run]\nstarted = \"a && b\"\nfailed = \"\"\nfinished = \"c\""), hooks, map[string]string{"started": "a && b", "finished": "c"}},
		{"hooks in the environment", Sources{Environ: []string{"REFRAIN_HOOKS_RUN_NEXT_ITERATION=a", "REFRAIN_HOOKS_RUN_POST_ITERATION=b", "REFRAIN_HOOKS_RUN_FAILED=c"}}, hooks, map[string]string{"next_iteration": "a", "post_iteration": "b", "failed": "c"}},
		{"headers merged by name", both("[trace.headers]\nA = \"1\"\n\"B.C\" = \"2\"\n", `REFRAIN_TRACE_HEADERS={ A = "3", D = "4" }`), func(c Config) any { return c.Trace.Headers }, map[string]string{"A": "3", "B.C": "2", "D": "4"}},
		{"no headers", Sources{}, func(c Config) any { return c.Notify.Webhook.Headers }, map[string]string(nil)},
		{"a header by flag", Sources{Flags: set(t, "notify.webhook.headers.X-Key=1")}, func(c Config) any { return c.Notify.Webhook.Headers }, map[string]string{"X-Key": "1"}},
		{"nothing is told", Sources{Environ: []string{"REFRAIN_NOTIFY_ON="}}, func(c Config) any { return c.Notify.On }, []string{}},
		{"no bell", Sources{Environ: []string{"REFRAIN_NOTIFY_BELL=false"}}, func(c Config) any { return c.Notify.Bell }, setting.No},
		{"the chosen agent among the others", both("agent = \"codex\"\nlimits.fallback = [\"claude\"]\n", "REFRAIN_AGENT=claude"), func(c Config) any { return c.Limits.Fallback }, []string{"claude"}},
		{"what a message says is no setting", Sources{Environ: []string{"REFRAIN_NOTIFY_KIND=done", "REFRAIN_SESSION=s"}}, maxIterations, 0},
		{"one part by flag", Sources{Flags: []Flag{{"--observe", "procedures.p.observe", "a, b.md"}}}, observe, Parts{{Section: "OBSERVE", File: "a, b.md", Key: "procedures.p.observe"}}},
		{"a list of parts by flag", Sources{Flags: []Flag{{"--observe", "procedures.p.observe", `["builtin:a/b", { text = "c" }]`}}}, observe, Parts{
			{Section: "OBSERVE", Builtin: "a/b", Key: "procedures.p.observe"},
			{Section: "OBSERVE", Text: "c", Key: "procedures.p.observe"},
		}},
		{"a command after --set", Sources{Flags: set(t, "agents.x.command=true --flag 'a b'")}, func(c Config) any { return c.Agents["x"].Command }, setting.Command{Line: "true --flag 'a b'"}},
		{"a command that is a word of TOML", Sources{Flags: set(t, "agents.x.command=true")}, func(c Config) any { return c.Agents["x"].Command }, setting.Command{Line: "true"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.get(load(t, tt.from).Config); !cmp.Equal(got, tt.want) {
				t.Errorf("got %#v, want %#v", got, tt.want)
			}
		})
	}
}

// Whatever sources set a key, the highest of them holds and the others follow
// in their order.
func TestHighestLayerHolds(t *testing.T) {
	tree, home := t.TempDir(), t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		s := Sources{Tree: tree, UserFile: filepath.Join(home, "config.toml"), Procedure: "p"}
		value := func(name string) string {
			if !rapid.Bool().Draw(rt, name) {
				return ""
			}
			return rapid.StringMatching(`[1-9][0-9]{0,3}`).Draw(rt, name+" value")
		}
		user, file, table, variable, flag := value("user"), value("project"), value("procedure"), value("environment"), value("flag")
		line := func(key, v string) string {
			if v == "" {
				return ""
			}
			return key + " = " + v + "\n"
		}
		write(t, s.UserFile, line("stop.failures", user))
		write(t, filepath.Join(tree, FileName), line("stop.failures", file)+"[procedures.p]\n"+line("stop.failures", table))
		if variable != "" {
			s.Environ = []string{"REFRAIN_STOP_FAILURES=" + variable}
		}
		if flag != "" {
			s.Flags = []Flag{{"--set", "stop.failures", flag}}
		}
		var want []string
		for _, v := range []string{flag, variable, table, file, user, "3"} {
			if v != "" {
				want = append(want, v)
			}
		}
		e, err := load(t, s).Explain("stop.failures")
		if err != nil {
			rt.Fatal(err)
		}
		got := []string{string(e.Value)}
		for _, o := range e.Overrode {
			got = append(got, string(o.Value))
		}
		if !cmp.Equal(got, want) {
			rt.Fatalf("stop.failures from the top: %q, want %q", got, want)
		}
	})
}
