package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblemsInAFile(t *testing.T) {
	const list = `"refrain config show" lists every key`
	tests := []struct {
		name, toml string
		want, hint string
	}{
		{"a misspelt key", "[loop]\n\n  max_iteration = 3\n", `refrain.toml:3:3: unknown key "loop.max_iteration"`, `did you mean "loop.max_iterations"?`},
		{"a misspelt dotted key", "loop.bakoff = \"1s\"", `refrain.toml:1:1: unknown key "loop.bakoff"`, `did you mean "loop.backoff"?`},
		{"a misspelt key in an inline table", "loop = { max_time = \"1s\", max_tim = 1 }", `refrain.toml:1:27: unknown key "loop.max_tim"`, `did you mean "loop.max_time"?`},
		{"a key without its table", "max_iterations = 3", `refrain.toml:1:1: unknown key "max_iterations"`, `did you mean "loop.max_iterations"?`},
		{"a misspelt table", "[lop]\nbackoff = 1\ndir = 2", `refrain.toml:1:2: unknown key "lop"`, `did you mean "loop"?`},
		{"a key in the wrong table", "[hooks]\nstarted = \"x\"", `refrain.toml:2:1: unknown key "hooks.started"`, `did you mean "hooks.run.started"?`},
		{"a misspelt table in a table", "[hooks.rum]\nstarted = \"x\"", `refrain.toml:1:2: unknown key "hooks.rum"`, `did you mean "hooks.run"?`},
		{"a key like no other", "colour = 1", `refrain.toml:1:1: unknown key "colour"`, list},
		{"a quoted key with a dot", `"loop.dir" = "x"`, `refrain.toml:1:1: unknown key "\"loop.dir\""`, `did you mean "loop.dir"?`},
		{"a misspelt key of an agent", "[agents.mine]\ncomand = \"x\"", `refrain.toml:2:1: unknown key "agents.mine.comand"`, `did you mean "agents.mine.command"?`},
		{"a misspelt key of a procedure", "[procedures.build.done]\npromis = \"x\"", `refrain.toml:2:1: unknown key "procedures.build.done.promis"`, `did you mean "procedures.build.done.promise"?`},
		{"a profile in a procedure", "[procedures.build]\nprofile = \"rooda\"", `refrain.toml:2:1: unknown key "procedures.build.profile"`, `"profile" can only stand at the top of the file`},
		{"a log in a procedure", "[procedures.build.log]\nlevel = \"info\"", `refrain.toml:1:2: unknown key "procedures.build.log"`, `"log" can only stand at the top of the file`},
		{"an agent in a procedure", "[procedures.build.agents.x]\n", `refrain.toml:1:2: unknown key "procedures.build.agents"`, `"agents" can only stand at the top of the file`},
		{"a list of tables", "[[loop]]\ndir = \"\"", `refrain.toml:1:3: loop must be a table`, "write [loop] with its keys below it"},
		{"a table that is text", "agents.mine = \"x\"", `refrain.toml:1:1: agents.mine must be a table`, "write [agents.mine] with its keys below it"},
		{"a bad name of an agent", "[agents.\"a b\"]", `refrain.toml:1:2: "a b" is not a name for one of the agents`, "use letters, digits, - and _, and begin with a letter or a digit"},
		{"a bad name of a variable", "agents.a.env.\"x=y\" = \"\"", `refrain.toml:1:1: "x=y" is not a name for a variable`, "use letters, digits and _"},

		{"text for a number", "stop.failures = \"3\"", `refrain.toml:1:1: stop.failures must be a whole number, 0 or more, not "3"`, "write 3 without quotes"},
		{"a negative number", "stop.failures = -1", `refrain.toml:1:1: stop.failures must be a whole number, 0 or more, not -1`, ""},
		{"a fraction for a whole number", "stop.failures = 1.5", `refrain.toml:1:1: stop.failures must be a whole number, 0 or more, not 1.5`, ""},
		{"a word for a limit", "loop.max_iterations = \"many\"", `refrain.toml:1:1: loop.max_iterations must be a whole number, 0 or more, or "none" or "unlimited", not "many"`, ""},
		{"no number for dollars", "budget.cost_usd = nan", `refrain.toml:1:1: budget.cost_usd must be a number, 0 or more, not NaN`, ""},
		{"text for a truth", "claims.tell = \"yes\"", `refrain.toml:1:1: claims.tell must be true or false, not "yes"`, "write true"},
		{"a number for a truth", "claims.tell = 0", `refrain.toml:1:1: claims.tell must be true or false, not 0`, "write false"},
		{"a number for a duration", "loop.backoff = 30", `refrain.toml:1:1: loop.backoff must be a duration such as "90s" or "30m", not 30`, `write "30s"`},
		{"a duration without a unit", "loop.backoff = \"30\"", `refrain.toml:1:1: loop.backoff must be a duration such as "90s" or "30m", not "30"`, `write "30s"`},
		{"zero without a unit", "loop.backoff = \"0\"", `refrain.toml:1:1: loop.backoff must be a duration such as "90s" or "30m", not "0"`, `write "0s"`},
		{"a duration in words", "loop.backoff = \"a while\"", `refrain.toml:1:1: loop.backoff must be a duration such as "90s" or "30m", not "a while"`, `write it like "90s", "30m" or "1h30m"`},
		{"a negative duration", "loop.backoff = \"-5s\"", `refrain.toml:1:1: loop.backoff must be a duration such as "90s" or "30m", not "-5s"`, `write it like "90s", "30m" or "1h30m"`},
		{"quotes around a truth", "loop.exit_zero_is_done = \"true\"", `refrain.toml:1:1: loop.exit_zero_is_done must be "auto", "alone", true or false, not "true"`, "write true without quotes"},
		{"a number for text", "model = 4", `refrain.toml:1:1: model must be text, not 4`, "put it in quotes"},
		{"a date for text", "model = 2026-01-01", `refrain.toml:1:1: model must be text, not a date or time`, "put it in quotes"},
		{"a table for text", "[prompt]\nfile = \"x\"", `refrain.toml:1:2: prompt must be text, not a table`, "write one text in quotes"},
		{"text for a list", "stop.scripts = \"a.sh\"", `refrain.toml:1:1: stop.scripts must be a list of text, not "a.sh"`, `write ["a.sh"]`},
		{"a list with a number", "stop.scripts = [\"a\", 1]", `refrain.toml:1:1: stop.scripts must be a list of text, not this list`, ""},
		{"a list with a blank", "stop.patterns = [\" \"]", `refrain.toml:1:1: stop.patterns must not be blank`, "write a text, or leave the key out"},
		{"an empty command", "agents.x.command = []", `refrain.toml:1:1: agents.x.command must be a list of text, or text, that begins with a program, not this list`, `write command = ["program", "argument"]`},
		{"a NUL", "model = \"a\\u0000\"", `refrain.toml:1:1: model must not contain a NUL character`, "no program can be given one"},

		{"a wrong choice", "done.match = \"lines\"", `refrain.toml:1:1: done.match must be "line", "tag" or "substring", not "lines"`, `did you mean "line"?`},
		{"a wrong choice in a list", "loop.progress = [\"test\"]", `refrain.toml:1:1: loop.progress must be a list of "files", "commits", "plan" or "tests", not "test"`, `did you mean "tests"?`},
		{"no progress at all", "loop.progress = []", `refrain.toml:1:1: loop.progress is empty, so nothing would count as progress`, "set stop.no_progress = 0 to go on without progress"},
		{"an unknown profile", "profile = \"roda\"", `refrain.toml:1:1: profile must be "descartes", "fresher", "rooda" or "tachikoma", not "roda"`, `did you mean "rooda"?`},
		{"a blank promise", "[done]\npromise = \" \"", `refrain.toml:2:1: done.promise must not be blank`, `write a text, or "" to take back what other layers say`},
		{"a blank failure promise", "done.failure_promise = \" \"", `refrain.toml:1:1: done.failure_promise must not be blank`, `write "" for none`},
		{"a bad pattern", "stop.patterns = [\"ok\", \"(\"]", `refrain.toml:1:1: stop.patterns has a bad pattern "(": missing closing ): ` + "`(`", "write it in Go's regular expressions, and put a backslash before special characters"},
		{"a folder outside", "loop.dir = \"../x\"", `refrain.toml:1:1: loop.dir must be a folder below the work tree, not "../x"`, `write it without a leading "/" or ".."`},
		{"both promises alike", "done.promise = \"X  Y\"\ndone.failure_promise = \"X Y\"", `refrain.toml:2:1: done.promise and done.failure_promise are both "X  Y"`, "give them different texts, so that the agent can say which it means"},
		{"a promise like the default for blocked", "done.promise = \"BLOCKED\"", `refrain.toml:1:1: done.promise and done.failure_promise are both "BLOCKED"`, "give them different texts, so that the agent can say which it means"},
		{"a back-off above its limit", "loop.backoff = \"5m\"", `refrain.toml:1:1: loop.backoff (5m) is longer than loop.max_backoff (1m)`, `raise loop.max_backoff, or set loop.backoff = "0s" for none`},
		{"an unknown agent", "agent = \"reharsal\"", `refrain.toml:1:1: no agent is called "reharsal"`, `did you mean "rehearsal"?`},
		{"an agent like no other", "agent = \"x\"", `refrain.toml:1:1: no agent is called "x"`, "known are command, rehearsal"},
		{"an agent without a command", "[agents.mine]\nprompt = \"arg\"", `refrain.toml:1:2: agents.mine has no command`, `add command = ["program", "argument"]`},
		{"a script for another agent", "[agents.mine]\ncommand = \"x\"\nscript = \"s\"", `refrain.toml:3:1: agents.mine.script is only for the agent "rehearsal"`, "write it below [agents.rehearsal]"},
		{"a command for the rehearsal", "[agents.rehearsal]\ncommand = \"x\"", `refrain.toml:2:1: agents.rehearsal.command means nothing: that agent is built in`, "give the agent that you mean another name"},

		{"a blank plan", "done.plan = \" \"", `refrain.toml:1:1: done.plan must not be blank`, `write a text, or "" to take back what other layers say`},
		{"no confirmation", "done.confirmations = 0", `refrain.toml:1:1: done.confirmations must be a whole number, 1 or more, not 0`, ""},
		{"a blank setup", "proof.setup = \" \"", `refrain.toml:1:1: proof.setup must be a list of text that begins with a program, or text, "" or "none", not this text`, `write setup = "npm ci", or "none" for no setup`},
		{"a copy from outside", "proof.copy = [\"deps\", \"a/../../x\"]", `refrain.toml:1:1: proof.copy must be paths below the work tree, not "a/../../x"`, `write them without a leading "/" or ".."`},
		{"a copy of everything", "proof.copy = [\"./\"]", `refrain.toml:1:1: proof.copy must be paths below the work tree, not "./"`, `write them without a leading "/" or ".."`},
		{"a blank command", "commands.test = \" \"", `refrain.toml:1:1: commands.test must not be blank`, `write "" for none`},
		{"a list for a command", "commands.test = [\"go\"]", `refrain.toml:1:1: commands.test must be text, not this list`, "write one text in quotes"},
		{"a number for a branch", "git.branch = 1", `refrain.toml:1:1: git.branch must be true, false or the name of a branch, not 1`, ""},
		{"quotes around a branch's truth", "git.branch = \"true\"", `refrain.toml:1:1: git.branch must be true, false or the name of a branch, not "true"`, "write true without quotes"},
		{"a branch with a space", "git.branch = \"a b\"", `refrain.toml:1:1: git.branch must be true, false or the name of a branch, not "a b"`, ""},
		{"a template of nothing", "git.commit_template = \"{iteration} {n}\"", `refrain.toml:1:1: git.commit_template has {n}, which stands for nothing`, "use {task}, {iteration}, {run}, {procedure}, {summary}, {timestamp}"},
		{"a branch by iteration", "git.branch_template = \"x/{iteration}\"", `refrain.toml:1:1: git.branch_template has {iteration}, which stands for nothing`, "use {timestamp}, {procedure}"},

		{"the same agent twice", "limits.fallback = [\"rehearsal\", \"rehearsal\"]", `refrain.toml:1:1: limits.fallback has "rehearsal" twice`, "write each once"},
		{"an unknown agent to fall back to", "limits.fallback = [\"reharsal\"]", `refrain.toml:1:1: no agent is called "reharsal"`, `did you mean "rehearsal"?`},
		{"any agent to fall back to", "limits.fallback = [\"auto\"]", `refrain.toml:1:1: limits.fallback has "auto", which is not an agent`, "write the name of one"},
		{"the agent itself to fall back to", "agent = \"rehearsal\"\nlimits.fallback = [\"rehearsal\"]", `refrain.toml:2:1: limits.fallback has "rehearsal", which is the agent itself`, "name another one"},
		{"a resume flag for the rehearsal", "[agents.rehearsal]\nresume_flag = \"-r\"", `refrain.toml:2:1: agents.rehearsal.resume_flag means nothing: that agent is built in`, "give the agent that you mean another name"},
		{"a wrong kind of session", "session.mode = \"keeps\"", `refrain.toml:1:1: session.mode must be "fresh" or "keep", not "keeps"`, `did you mean "keep"?`},
		{"no iteration between reboots", "session.min_iterations = 0", `refrain.toml:1:1: session.min_iterations must be a whole number, 1 or more, not 0`, ""},
		{"no percent", "context.redline = 0", `refrain.toml:1:1: context.redline must be a whole number from 1 to 100, not 0`, ""},
		{"too many percent", "context.redline = 101", `refrain.toml:1:1: context.redline must be a whole number from 1 to 100, not 101`, ""},
		{"a percent sign", "context.redline = \"85%\"", `refrain.toml:1:1: context.redline must be a whole number from 1 to 100, not "85%"`, "write 85 without quotes"},
		{"a part for percent", "context.redline = 0.85", `refrain.toml:1:1: context.redline must be a whole number from 1 to 100, not 0.85`, ""},
		{"a warning above the redline", "context.warn = 90", `refrain.toml:1:1: context.warn (90) is above context.redline (85)`, "lower context.warn, or raise context.redline"},
		{"a redline below the warning", "context.redline = 60", `refrain.toml:1:1: context.warn (70) is above context.redline (60)`, "lower context.warn, or raise context.redline"},

		{"a program twice", "[agents.mine]\ncommand = \"a\"\nprogram = \"b\"", `refrain.toml:3:1: agents.mine.program means nothing beside agents.mine.command, which names the program too`, "leave one of them out"},
		{"a program of nobody", "[agents.mine]\nprogram = \"b\"", `refrain.toml:1:2: agents.mine has no command`, `add command = ["program", "argument"]`},

		{"no TOML", "loop\n", `refrain.toml:1:5: not valid TOML: expected '=' after key`, "texts need quotes, keys need an = sign, and no key or table may come twice"},
		{"a key twice", "model = \"a\"\nmodel = \"b\"", `refrain.toml:2:1: not valid TOML: key model is already defined`, "texts need quotes, keys need an = sign, and no key or table may come twice"},
		{"no UTF-8", "model = \"a\"\nprompt = \"\xff\"", `refrain.toml:2:11: byte 0xff is not UTF-8`, "save the file as UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := treeWith(t, tt.toml)
			s.Agents = []string{"command", "rehearsal"}
			got := problems(t, s)
			if len(got) != 1 || got[0].String() != tt.want || got[0].Hint != tt.hint {
				t.Errorf("%s\ngave %#v\nwant %s\nhint %s", tt.toml, got, tt.want, tt.hint)
			}
		})
	}
}

func TestProblemsOutsideFiles(t *testing.T) {
	tests := []struct {
		name       string
		from       Sources
		want, hint string
	}{
		{"an unknown variable", Sources{Environ: []string{"REFRAIN_LOOP_BAKOFF=1s"}}, "REFRAIN_LOOP_BAKOFF: unknown variable REFRAIN_LOOP_BAKOFF", `did you mean "REFRAIN_LOOP_BACKOFF"?`},
		{"a variable like no other", Sources{Environ: []string{"REFRAIN_X=1"}}, "REFRAIN_X: unknown variable REFRAIN_X", "unset it: names that begin with REFRAIN_ are settings"},
		{"an agent in the environment", Sources{Environ: []string{"REFRAIN_AGENTS_MINE_COLOUR=x"}}, "REFRAIN_AGENTS_MINE_COLOUR: unknown variable REFRAIN_AGENTS_MINE_COLOUR", "agents, prices and procedures are set in refrain.toml or with --set"},
		{"a bad value in the environment", Sources{Environ: []string{"REFRAIN_CLAIMS_TELL=yes"}}, `REFRAIN_CLAIMS_TELL: claims.tell must be true or false, not "yes"`, "write true"},
		{"a gate in the environment", Sources{Environ: []string{"REFRAIN_GATE_TEST_RUN=x"}}, "REFRAIN_GATE_TEST_RUN: unknown variable REFRAIN_GATE_TEST_RUN", "gates are set in refrain.toml or with --gate"},
		{"a gate after --set", Sources{Flags: set(t, "gate=go test")}, "--set: a gate cannot be set with --set", "add one with --gate COMMAND, or write [[gate]] in refrain.toml"},
		{"a key of a gate after --set", Sources{Flags: set(t, "procedures.p.gate.test.run=go test")}, "--set: a gate cannot be set with --set", "add one with --gate COMMAND, or write [[gate]] in refrain.toml"},
		{"a blank gate", Sources{Flags: []Flag{{"--gate", "gate", " "}}}, "--gate: the command of a gate must not be blank", `write it like --gate "go test ./..."`},
		{"a branch without its name", Sources{Flags: []Flag{{"--branch", "git.branch", ""}}}, `--branch: git.branch must be true, false or the name of a branch, not ""`, "give it a value; --set git.branch= takes back what other layers say"},
		{"a secret gate that was not stored", Sources{Flags: []Flag{{"--gate", "gate", "TOKEN=*** x"}}}, "--gate: the value of gate.gate-1 was not stored with the run, because it is secret", "start a new run with the secret in the environment"},
		{"a secret command that was not stored", Sources{Flags: set(t, "commands.test=TOKEN=*** x", "commands.as_gates=true")}, "--set: the value of commands.test was not stored with the run, because it is secret", "pass it again: --set commands.test=VALUE"},
		{"a blank number in the environment", Sources{Environ: []string{"REFRAIN_STOP_FAILURES= "}}, `REFRAIN_STOP_FAILURES: stop.failures must be a whole number, 0 or more, not " "`, ""},
		{"a broken list in the environment", Sources{Environ: []string{`REFRAIN_STOP_SCRIPTS=["a", b]`}}, `REFRAIN_STOP_SCRIPTS: stop.scripts must be a list of text, not "[\"a\", b]"`, `write ["[\"a\", b]"]`},
		{"a blank promise in the environment", Sources{Environ: []string{"REFRAIN_DONE_PROMISE= "}}, "REFRAIN_DONE_PROMISE: done.promise must not be blank", `write a text, or "" to take back what other layers say`},
		{"a blank promise as a flag", Sources{Flags: []Flag{{"--until", "done.promise", ""}}}, "--until: done.promise must not be blank", "give it a value; --set done.promise= takes back what other layers say"},
		{"a bad number as a flag", Sources{Flags: []Flag{{"--max-iterations", "loop.max_iterations", "many"}}}, `--max-iterations: loop.max_iterations must be a whole number, 0 or more, or "none" or "unlimited", not "many"`, ""},
		{"a duration flag without a unit", Sources{Flags: []Flag{{"--max-time", "loop.max_time", "30"}}}, `--max-time: loop.max_time must be a duration such as "90s" or "30m", not "30"`, `write "30s"`},
		{"an unknown key after --set", Sources{Flags: set(t, "loop.max=1")}, `--set: unknown key "loop.max"`, `"refrain config show" lists every key`},
		{"a table after --set", Sources{Flags: set(t, "agents.x.env=1")}, "--set: agents.x.env is a table, not a key", "set one key in it, like agents.x.env.NAME=VALUE"},
		{"a table in a table after --set", Sources{Flags: set(t, "hooks.run=x")}, "--set: hooks.run is a table, not a key", "set one key in it, like hooks.run.NAME=VALUE"},
		{"a broken list of parts", Sources{Flags: set(t, `procedures.p.act=["a", b]`)}, `--set: procedures.p.act must be a list of parts, not "[\"a\", b]"`, `write ["[\"a\", b]"]`},
		{"a part for a prompt that is a file", Sources{Procedure: "p", Procedures: []string{"p"}, Environ: []string{"REFRAIN_PROMPT=x.md"}, Flags: []Flag{{"--act", "procedures.p.act", "a.md"}}}, `--act: procedures.p.act is set, but so is the prompt's file, "x.md"`, "leave one of them out: a prompt is a file or made of parts"},
		{"settings of ours that are broken", Sources{Procedure: "p", Procedures: []string{"p"}, Builtin: "[loop]\nmax = 1"}, `procedure p (built-in):2:1: unknown key "loop.max"`, `"refrain config show" lists every key`},
		{"no key after --set", Sources{Flags: set(t, "a b=1")}, `--set: "a b" is not a key`, "write it like loop.max_iterations"},
		{"an unknown procedure", Sources{Procedure: "biuld", Procedures: []string{"build", "plan"}}, `no procedure is called "biuld"`, `did you mean "build"? "refrain procedures" lists them all`},
		{"an unknown procedure like an alias", Sources{Procedure: "bulding", Procedures: []string{"build"}, Aliases: map[string]string{"building": "build"}}, `no procedure is called "bulding"`, `did you mean "building"? "refrain procedures" lists them all`},
		{"a part of an unknown procedure", Sources{Procedure: "biuld", Procedures: []string{"build"}, Flags: []Flag{{"--act", "procedures.biuld.act", "a.md"}}}, `no procedure is called "biuld"`, `did you mean "build"? "refrain procedures" lists them all`},
		{"a procedure like no other", Sources{Procedure: "x"}, `no procedure is called "x"`, `add [procedures.x] to refrain.toml for one of your own; "refrain procedures" lists them all`},
		{"a secret that was not stored", Sources{Flags: set(t, "agents.x.command=x", "agents.x.env.KEY=***")}, "--set: the value of agents.x.env.KEY was not stored with the run, because it is secret", "pass it again: --set agents.x.env.KEY=VALUE"},
		{"a secret argument that was not stored", Sources{Flags: set(t, `agents.x.command=["x", "--token", "***"]`)}, "--set: the value of agents.x.command was not stored with the run, because it is secret", "pass it again: --set agents.x.command=VALUE"},
		{"a secret address that was not stored", Sources{Flags: set(t, "notify.slack.url=***")}, "--set: the value of notify.slack.url was not stored with the run, because it is secret", "pass it again: --set notify.slack.url=VALUE"},
		{"headers that are no table", Sources{Environ: []string{"REFRAIN_TRACE_HEADERS=hunter2"}}, "REFRAIN_TRACE_HEADERS: trace.headers must be a table, not this text", `write it like { NAME = "value" }`},
		{"a header that is no text", Sources{Environ: []string{"REFRAIN_TRACE_HEADERS={ X-A = 1 }"}}, "REFRAIN_TRACE_HEADERS: trace.headers.X-A must be text, not a number", "put it in quotes"},
		{"headers after --set", Sources{Flags: set(t, "trace.headers=x")}, "--set: trace.headers is a table, not a key", "set one key in it, like trace.headers.NAME=VALUE"},
		{"a price in the environment", Sources{Environ: []string{"REFRAIN_PRICES_X_INPUT=1"}}, "REFRAIN_PRICES_X_INPUT: unknown variable REFRAIN_PRICES_X_INPUT", "agents, prices and procedures are set in refrain.toml or with --set"},
		{"a folder for a file", Sources{UserFile: t.TempDir()}, "FILE: cannot be read: it is a folder, not a file", "make it a file that you may read, or move it away"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.Replace(tt.want, "FILE", tt.from.UserFile, 1)
			got := problems(t, tt.from)
			if len(got) != 1 || got[0].String() != want || got[0].Hint != tt.hint {
				t.Errorf("gave %#v\nwant %s\nhint %s", got, want, tt.hint)
			}
		})
	}
}

func TestUnreadableFile(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	s := treeWith(t, "")
	if err := os.Chmod(filepath.Join(s.Tree, FileName), 0); err != nil {
		t.Fatal(err)
	}
	_, err := Load(s)
	if want := "refrain.toml: cannot be read: permission denied"; err == nil || err.Error() != want {
		t.Errorf("Load = %v, want %s", err, want)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	s := treeWith(t, "modl = \"x\"\n[stop]\npatterns = [\"(\"]\nfailures = \"x\"\n[agents.a.env]\nTOKEN = 12345\n")
	s.Environ = []string{"REFRAIN_LOOP_BACKOFF=5"}
	s.Flags = set(t, "nope=1")
	var got []string
	for _, p := range problems(t, s) {
		got = append(got, p.String())
	}
	want := []string{
		`refrain.toml:1:1: unknown key "modl"`,
		"refrain.toml:3:1: stop.patterns has a bad pattern \"(\": missing closing ): `(`",
		`refrain.toml:4:1: stop.failures must be a whole number, 0 or more, not "x"`,
		`refrain.toml:6:1: agents.a.env.TOKEN must be text, not a number`,
		`REFRAIN_LOOP_BACKOFF: loop.backoff must be a duration such as "90s" or "30m", not "5"`,
		`--set: unknown key "nope"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	_, err := Load(s)
	if want := `refrain.toml:1:1: unknown key "modl" (and 5 more)`; err.Error() != want {
		t.Errorf("Error() = %s, want %s", err, want)
	}
}

func TestParseSetWithoutAValue(t *testing.T) {
	for _, arg := range []string{"loop.backoff", "=5", ""} {
		_, err := ParseSet(arg)
		var problems *Errors
		if !errors.As(err, &problems) || problems.Hint() != "write it like --set loop.max_iterations=5" {
			t.Errorf("ParseSet(%q) = %v, want an *Errors with a hint", arg, err)
		}
	}
}
