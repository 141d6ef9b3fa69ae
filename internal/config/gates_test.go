package config

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// testGate is a gate that has nothing but a name and a command.
func testGate(name, run string) Gate {
	return Gate{Name: name, Run: run, Timeout: 10 * time.Minute, When: "always", Pin: []string{}, Require: "pass", Retries: 2}
}

func TestEveryKeyOfAGate(t *testing.T) {
	s := treeWith(t, `
[[gate]]
name = "test"
run = "go test ./..."
timeout = "5m"
when = "claim"
min_tests = 12
pin = ["*_test.go", "!new_test.go"]
require = "no_worse"
retries = 5

[[gate]]
name = "review.1"
agent = "auto"
prompt = "Is every error handled?"
`)
	review := testGate("review.1", "")
	review.Agent, review.Prompt = "auto", "Is every error handled?"
	want := []Gate{
		{Name: "test", Run: "go test ./...", Timeout: 5 * time.Minute, When: "claim", MinTests: 12, Pin: []string{"*_test.go", "!new_test.go"}, Require: "no_worse", Retries: 5},
		review,
	}
	if diff := cmp.Diff(want, load(t, s).Config.Gates); diff != "" {
		t.Errorf("gates (-want +got):\n%s", diff)
	}
}

func TestGatesOfLayers(t *testing.T) {
	gate := func(list, name, rest string) string {
		return "[[" + list + "]]\nname = \"" + name + "\"\n" + rest + "\n"
	}
	project := treeWith(t, gate("gate", "b", `run = "b of the project"`)+gate("gate", "c", `run = "c"`)+gate("procedures.p.gate", "d", `run = "d"`))
	user := filepath.Join(t.TempDir(), "config.toml")
	write(t, user, gate("gate", "a", `run = "a"`)+gate("gate", "b", "run = \"b of the user\"\nmin_tests = 3"))
	fromFlags := []Flag{{"--gate", "gate", "x"}, {"--gate", "gate", "y"}}
	commands := set(t, "commands.as_gates=true", "commands.test=go test", "commands.build=go build")
	tests := []struct {
		name string
		from Sources
		want []Gate
	}{
		{"none", Sources{}, nil},
		{"lower layers come first", Sources{UserFile: user, Tree: project.Tree}, []Gate{testGate("a", "a"), testGate("b", "b of the project"), testGate("c", "c")}},
		{"those of a procedure follow when it is run", Sources{Tree: project.Tree, Procedure: "p"}, []Gate{testGate("b", "b of the project"), testGate("c", "c"), testGate("d", "d")}},
		{"those of flags come last and have numbers", Sources{Tree: project.Tree, Flags: fromFlags}, []Gate{testGate("b", "b of the project"), testGate("c", "c"), testGate("gate-1", "x"), testGate("gate-2", "y")}},
		{"commands come first", Sources{Tree: project.Tree, Flags: commands}, []Gate{testGate("build", "go build"), testGate("test", "go test"), testGate("b", "b of the project"), testGate("c", "c")}},
		{"commands are no gates unless asked", Sources{Flags: set(t, "commands.test=go test")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, load(t, tt.from).Config.Gates); diff != "" {
				t.Errorf("gates (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAGateTakesThePlaceOfACommand(t *testing.T) {
	s := treeWith(t, "[commands]\ntest = \"go test\"\nlint = \"go vet\"\nas_gates = true\n[[gate]]\nname = \"test\"\nrun = \"make test\"\n")
	want := []Gate{testGate("lint", "go vet"), testGate("test", "make test")}
	if diff := cmp.Diff(want, load(t, s).Config.Gates); diff != "" {
		t.Errorf("gates (-want +got):\n%s", diff)
	}
}

func TestProblemsOfGates(t *testing.T) {
	const gate = "[[gate]]\nname = \"a\"\nrun = \"x\"\n"
	const shape = "write [[gate]], with a name and the other keys below it"
	tests := []struct {
		name, toml string
		want, hint string
	}{
		{"one table", "[gate]\nname = \"a\"", `refrain.toml:1:2: gate must be a list of tables`, shape},
		{"a named table", "[gate.test]\nrun = \"a\"", `refrain.toml:1:2: gate must be a list of tables`, shape},
		{"a list of text", "\ngate = [\"go test\"]", `refrain.toml:2:1: gate must be a list of tables`, shape},
		{"one in a procedure", "[procedures.p.gate]\nname = \"a\"", `refrain.toml:1:2: procedures.p.gate must be a list of tables`, "write [[procedures.p.gate]], with a name and the other keys below it"},
		{"a misspelt list", "[[gates]]\nname = \"a\"", `refrain.toml:1:3: unknown key "gates"`, "did you mean [[gate]], or done.gates?"},
		{"several gates in a procedure", "[[procedures.p.gates]]\nname = \"a\"", `refrain.toml:1:3: unknown key "procedures.p.gates"`, "did you mean [[procedures.p.gate]], or done.gates?"},
		{"a misspelt list in a procedure", "[[procedures.p.gat]]\nname = \"a\"", `refrain.toml:1:3: unknown key "procedures.p.gat"`, `did you mean "procedures.p.gate"?`},

		{"no name", gate + "[[gate]]\nrun = \"x\"", `refrain.toml:4:3: gate has no name`, `add name = "test"`},
		{"a blank name", "[[gate]]\nname = \"\"\nrun = \"x\"", `refrain.toml:2:1: gate.name must not be blank`, "write a text, or leave the key out"},
		{"a name with a slash", "[[gate]]\nname = \"a/b\"\nrun = \"x\"", `refrain.toml:2:1: gate.name must not be "a/b"`, "use letters, digits, ., - and _, 64 at most, and begin with a letter or a digit"},
		{"a folder for a name", "[[gate]]\nname = \"..\"\nrun = \"x\"", `refrain.toml:2:1: gate.name must not be ".."`, "use letters, digits, ., - and _, 64 at most, and begin with a letter or a digit"},
		{"the runner's own name", "[[gate]]\nname = \"protect\"\nrun = \"x\"", `refrain.toml:2:1: gate.name must not be "protect": the check of git.protect is called so`, "give the gate another name"},
		{"a name of flags", "[[gate]]\nname = \"gate-1\"\nrun = \"x\"", `refrain.toml:2:1: gate.name must not be "gate-1": gates of --gate are called so`, "give the gate another name"},
		{"a name twice", gate + "\n[[gate]]\nrun = \"y\"\nname = \"A\"", `refrain.toml:7:1: another gate is called "a" already`, "give each gate a name of its own"},

		{"a misspelt key", gate + "timout = \"1m\"", `refrain.toml:4:1: unknown key "gate.a.timout"`, `did you mean "gate.a.timeout"?`},
		{"a misspelt key of the second", gate + "[[gate]]\nname = \"b\"\nruns = \"y\"", `refrain.toml:6:1: unknown key "gate.b.runs"`, `did you mean "gate.b.run"?`},
		{"a misspelt key in an inline table", "gate = [{ name = \"a\", run = \"x\" }, { name = \"b\", rn = \"y\" }]", `refrain.toml:1:50: unknown key "gate.b.rn"`, `did you mean "gate.b.run"?`},
		{"a misspelt key in a procedure", "[[procedures.p.gate]]\nname = \"a\"\nrun = \"x\"\nwen = \"claim\"", `refrain.toml:4:1: unknown key "procedures.p.gate.a.wen"`, `did you mean "procedures.p.gate.a.when"?`},
		{"a table in a gate", gate + "[gate.env]\nX = \"1\"", `refrain.toml:4:2: unknown key "gate.a.env"`, `"refrain config show" lists every key`},
		{"a bad value", gate + "timeout = 60", `refrain.toml:4:1: gate.a.timeout must be a duration such as "90s" or "30m", not 60`, `write "60s"`},
		{"a bad choice", gate + "when = \"claims\"", `refrain.toml:4:1: gate.a.when must be "always" or "claim", not "claims"`, `did you mean "claim"?`},
		{"a blank command", "[[gate]]\nname = \"a\"\nrun = \" \"", `refrain.toml:3:1: gate.a.run must not be blank`, "write a text, or leave the key out"},
		{"a list for a command", "[[gate]]\nname = \"a\"\nrun = [\"x\"]", `refrain.toml:3:1: gate.a.run must be text, not this list`, "write one text in quotes"},

		{"nothing to run", "[[gate]]\nname = \"a\"", `refrain.toml:1:3: gate.a has nothing to run`, `add run = "COMMAND", or agent and prompt for a reviewer`},
		{"a command and a reviewer", gate + "agent = \"auto\"\nprompt = \"?\"", `refrain.toml:1:3: gate.a has both run and agent`, "make it two gates: a command and a reviewer"},
		{"a command with a prompt", gate + "prompt = \"?\"", `refrain.toml:1:3: gate.a has both run and prompt`, "leave out the prompt, or write agent instead of run"},
		{"a reviewer without a prompt", "[[gate]]\nname = \"a\"\nagent = \"auto\"", `refrain.toml:1:3: gate.a has an agent but no prompt`, "add prompt, to say what the agent is to judge"},
		{"a prompt for nobody", "[[gate]]\nname = \"a\"\nprompt = \"?\"", `refrain.toml:1:3: gate.a has a prompt but no agent`, `add agent = "NAME", or agent = "auto"`},
		{"a reviewer that counts tests", "[[gate]]\nname = \"a\"\nagent = \"auto\"\nprompt = \"?\"\nmin_tests = 1", `refrain.toml:1:3: gate.a has min_tests, but a reviewer runs no tests`, "leave it out, or make a gate of its own with run"},
		{"an unknown reviewer", "[[gate]]\nname = \"a\"\nagent = \"reharsal\"\nprompt = \"?\"", `refrain.toml:3:1: no agent is called "reharsal"`, `did you mean "rehearsal"?`},

		{"done by gates without any", "done.gates = true", `refrain.toml:1:1: done.gates is true, but there is no gate`, noGates},
		{"confirmations without a gate", "done.confirmations = 2", `refrain.toml:1:1: done.confirmations wants proven claims, but there is no gate to prove one`, noGates},
		{"a clean checkout of nothing", "done.proof = \"clean\"\ngit.checkpoint = false", `refrain.toml:1:1: done.proof is "clean", but git.checkpoint is false, so there is nothing to check out`, `set git.checkpoint = true, or done.proof = "workspace"`},
		{"a rollback to nothing", "git.checkpoint = false\ngit.on_regression = \"rollback\"", `refrain.toml:2:1: git.on_regression is "rollback", but git.checkpoint is false, so there is nothing to go back to`, `set git.checkpoint = true, or git.on_regression = "keep"`},
		{"files that nobody counts", "git.checkpoint = false\nstop.max_files = 9", `refrain.toml:2:1: stop.max_files is set, but git.checkpoint is false, so nobody counts the files`, `set git.checkpoint = true, or stop.max_files = 0`},
		{"no worse than nothing", "proof.baseline = false\n" + gate + "require = \"no_worse\"", `refrain.toml:5:1: gate.a.require is "no_worse", but proof.baseline is false, so there is nothing to compare with`, `set proof.baseline = true, or require = "pass"`},
		{"pinned to nothing", "git.checkpoint = false\n" + gate + "pin = [\"x\"]", `refrain.toml:5:1: gate.a.pin is set, but git.checkpoint is false, so nothing keeps these files as they were`, "set git.checkpoint = true, or leave out the pin"},
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

func TestWhatGoesTogether(t *testing.T) {
	const gate = "\n[[gate]]\nname = \"a\"\nrun = \"x\"\n"
	for name, toml := range map[string]string{
		"a proof without gates":           "done.proof = \"clean\"",
		"commits without checkpoints":     "git = { commit = true, checkpoint = false }",
		"done by gates":                   "done.gates = true\ndone.confirmations = 3" + gate,
		"done by the gates of commands":   "done.gates = true\ncommands = { lint = \"x\", as_gates = true }",
		"commands as gates, and none yet": "commands.as_gates = true",
		"no gates, written out":           "gate = []",
		"no proof, and no checkpoints":    "done.proof = \"none\"\ngit.checkpoint = false" + gate,
	} {
		t.Run(name, func(t *testing.T) {
			if got := problems(t, treeWith(t, toml)); got != nil {
				t.Errorf("%s\ngave %v, want nothing", toml, got)
			}
		})
	}
}

func TestExplainGates(t *testing.T) {
	s := treeWith(t, "[[gate]]\nname = \"a\"\nrun = \"TOKEN=x y\"\nmin_tests = 1\n[[procedures.p.gate]]\nname = \"a\"\nagent = \"auto\"\nprompt = \"?\"\n")
	s.Procedure = "p"
	s.Flags = []Flag{{"--gate", "gate", "make"}}
	r := load(t, s)
	tests := []struct {
		key  string
		want Setting
	}{
		{"gate", Setting{Key: "gate", Origin: Origin{Value: `["a", "gate-1"]`, Layer: "procedure p and flag"}}},
		{"gate.a", Setting{
			Key: "gate.a", Origin: Origin{Value: `{ agent = "auto", prompt = "?" }`, Layer: "procedure p", Where: "refrain.toml:5"},
			Overrode: []Origin{{Value: `{ run = "TOKEN=*** y", min_tests = 1 }`, Layer: "project", Where: "refrain.toml:1"}},
		}},
		{"gate.a.name", Setting{Key: "gate.a.name", Origin: Origin{Value: `"a"`, Layer: "procedure p", Where: "refrain.toml:6"}, Overrode: []Origin{{Value: `"a"`, Layer: "project", Where: "refrain.toml:2"}}}},
		{"gate.a.run", Setting{Key: "gate.a.run"}},
		{"gate.a.min_tests", Setting{Key: "gate.a.min_tests", Origin: Origin{Value: "0", Layer: "built-in"}, Overrode: []Origin{{Value: "1", Layer: "project", Where: "refrain.toml:4"}}}},
		{"gate.gate-1.run", Setting{Key: "gate.gate-1.run", Origin: Origin{Value: `"make"`, Layer: "flag", Where: "--gate"}}},
		{"procedures.p.gate", Setting{Key: "procedures.p.gate", Origin: Origin{Value: `["a"]`, Layer: "project"}}},
		{"procedures.p.gate.a.agent", Setting{Key: "procedures.p.gate.a.agent", Origin: Origin{Value: `"auto"`, Layer: "project", Where: "refrain.toml:7"}}},
		{"procedures.q.gate", Setting{Key: "procedures.q.gate"}},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			got, err := r.Explain(tt.key)
			if diff := cmp.Diff(tt.want, got.Setting); err != nil || diff != "" || got.Doc == "" || got.Env != "" {
				t.Errorf("Explain = %+v, %v (-want +got):\n%s", got, err, diff)
			}
		})
	}
}

func TestExplainNoGate(t *testing.T) {
	tests := []struct{ name, key, what, hint string }{
		{"a misspelt gate", "gate.tset", `no gate is called "tset"`, `did you mean "test"?`},
		{"a gate like no other", "procedures.p.gate.x.run", `no gate is called "x"`, "add [[procedures.p.gate]] to refrain.toml"},
		{"a misspelt key", "gate.test.rum", `unknown key "gate.test.rum"`, `did you mean "gate.test.run"?`},
	}
	r := load(t, treeWith(t, "[[gate]]\nname = \"test\"\nrun = \"x\"\n"))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.Explain(tt.key)
			var problems *Errors
			if !errors.As(err, &problems) || problems.Error() != tt.what || problems.Hint() != tt.hint {
				t.Errorf("Explain(%q) = %v, want %s, hint %s", tt.key, err, tt.what, tt.hint)
			}
		})
	}
}

func TestGatesAreSettings(t *testing.T) {
	var got []string
	for _, s := range load(t, treeWith(t, "[[procedures.p.gate]]\nname = \"z\"\nrun = \"z\"\n[agents.b]\nformat = \"text\"\n[[gate]]\nname = \"y.1\"\nrun = \"y\"\n[[gate]]\nname = \"x\"\nrun = \"x\"\n")).Settings() {
		if s.Layer != "built-in" {
			got = append(got, s.Key+" = "+string(s.Value))
		}
	}
	want := []string{`gate."y.1" = { run = "y" }`, `gate.x = { run = "x" }`, `agents.b.format = "text"`, `procedures.p.gate.z = { run = "z" }`}
	if !slices.Equal(got, want) {
		t.Errorf("settings = %q, want %q", got, want)
	}
}

// However the gates of two layers are called, each name is there once, where it
// came first and as it was said last.
func TestGatesMergeByName(t *testing.T) {
	tree, home := t.TempDir(), t.TempDir()
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 0, 5, rapid.ID)
	rapid.Check(t, func(rt *rapid.T) {
		s := Sources{Tree: tree, UserFile: filepath.Join(home, "config.toml")}
		lower, upper := names.Draw(rt, "user"), names.Draw(rt, "project")
		toml := func(names []string, run string) string {
			text := ""
			for _, name := range names {
				text += "[[gate]]\nname = \"" + name + "\"\nrun = \"" + run + "\"\n"
			}
			return text
		}
		write(t, s.UserFile, toml(lower, "user"))
		write(t, filepath.Join(tree, FileName), toml(upper, "project"))
		var want []Gate
		for _, name := range lower {
			run := "user"
			if slices.Contains(upper, name) {
				run = "project"
			}
			want = append(want, testGate(name, run))
		}
		for _, name := range upper {
			if !slices.Contains(lower, name) {
				want = append(want, testGate(name, "project"))
			}
		}
		if diff := cmp.Diff(want, load(t, s).Config.Gates); diff != "" {
			rt.Fatalf("gates (-want +got):\n%s", diff)
		}
	})
}
