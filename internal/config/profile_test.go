package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProfilesLoadClean(t *testing.T) {
	if got, want := Profiles(), []string{"descartes", "fresher", "rooda", "tachikoma"}; !cmp.Equal(got, want) {
		t.Fatalf("Profiles() = %q, want %q", got, want)
	}
	for _, name := range Profiles() {
		r := load(t, Sources{Flags: []Flag{{"--profile", "profile", name}}, Agents: []string{"claude", "command", "rehearsal"}})
		set := 0
		for _, s := range r.Settings() {
			if s.Layer == "profile "+name {
				set++
			}
		}
		if r.Config.Profile != name || set == 0 {
			t.Errorf("profile %s: resolved as %q with %d settings", name, r.Config.Profile, set)
		}
	}
}

// pin is what a requirement of one of the systems comes to.
type pin struct {
	ids string // of the requirements
	key string
	is  Value
}

// noPause and asItIs are what several systems have in common.
var (
	noPause = []pin{
		{"X-10", "loop.iteration_delay", `"0s"`},
		{"X-10", "loop.backoff", `"0s"`},
		{"X-08 CFG-50", "loop.iteration_timeout", `"0s"`},
		{"X-08 CFG-50", "loop.idle_timeout", `"0s"`},
		{"X-11", "session.mode", `"fresh"`},
	}
	asItIs = []pin{
		{"X-15", "loop.iteration_context", "false"},
		{"X-13 PRM-01 PRM-04", "loop.freeze_prompt", "false"},
		{"X-02", "loop.exit_zero_is_done", "false"},
		{"X-39", "git.commit", "false"},
		{"X-13", "feedback.enabled", "false"},
	}
)

func TestTachikoma(t *testing.T) {
	wantProfile(t, "tachikoma", asItIs, []pin{
		{"CFG-01 CFG-17", "loop.dir", `""`},
		{"CFG-02 PRM-01", "prompt", `"prompt.md"`},
		{"CFG-03 LIM-04 X-06", "loop.max_iterations", "0"},
		{"CFG-04 X-10", "loop.iteration_delay", `"5s"`},
		{"CFG-04 X-10", "loop.backoff", `"0s"`},
		{"CFG-07 END-17 X-38", "stop.test_failures", "3"},
		{"CFG-07 FAIL-07 X-01", "stop.failures", "3"},
		{"CFG-08 END-18 X-18", "stop.no_progress", "5"},
		{"X-18", "loop.progress", `["files", "tests"]`},
		{"CFG-09 END-19", "stop.patterns", "[]"},
		{"CFG-10 END-20", "stop.scripts", "[]"},
		{"CFG-11 X-34", "agent", `"claude"`},
		{"CFG-16 X-08", "loop.iteration_timeout", `"30m"`},
		{"X-08", "loop.idle_timeout", `"0s"`},
		{"X-25", "loop.skips_count", "false"},
		{"X-18", "stop.repeats", "0"},
		{"CFG-13 X-11", "session.mode", `"keep"`},
		{"CFG-12", "session.max_time", `"1h"`},
		{"CFG-05 SESS-01 X-11", "context.redline", "85"},
		{"SESS-02 SESS-07", "context.on_redline", `"finish"`},
	})
}

func TestRooda(t *testing.T) {
	wantProfile(t, "rooda", noPause, asItIs, []pin{
		{"CFG-24 FAIL-02 X-01", "stop.failures", "3"},
		{"CFG-25 PRM-05", "budget.prompt_tokens", "100000"},
		{"CFG-28 LIM-01 X-06", "loop.max_iterations", "0"},
		{"FAIL-09 X-27", "stop.gates_are_failures", "true"},
		{"FAIL-09", "stop.red_gates", "0"},
		{"FAIL-09", "done.proof", `"workspace"`},
		{"FAIL-09", "proof.baseline", "false"},
		{"X-18", "stop.no_progress", "0"},
		{"X-18", "stop.repeats", "0"},
		{"X-38", "stop.test_failures", "0"},
		{"SIG-02 X-04", "loop.on_interrupt", `"kill"`},
		{"OUT-01", "loop.output", `"lines"`},
	})
}

func TestFresher(t *testing.T) {
	wantProfile(t, "fresher", noPause, asItIs, []pin{
		{"LIM-05 SRC-05 X-06", "loop.max_iterations", "0"},
		{"CFG-30 END-10 X-18", "stop.no_progress", "1"},
		{"END-08", "stop.limit_first", "true"},
		{"LIM-05 SRC-05 X-06", "procedures.plan.loop.max_iterations", "0"},
		{"CFG-30 END-10 X-18", "loop.progress", `["commits"]`},
		{"CFG-31 SRC-07 X-30", "permissions.mode", `"full"`},
		{"CFG-32 SRC-08", "agents.claude.max_turns", "50"},
		{"CFG-33 SRC-09", "model", `"sonnet"`},
		{"X-34 CMD-01", "agent", `"claude"`},
		{"X-27", "commands.as_gates", "false"},
		{"CFG-38 SRC-10", "hooks.enabled", "true"},
		{"CFG-39 SRC-11 HOOK-03", "hooks.timeout", `"30s"`},
		{"LIM-10 X-25", "loop.skips_count", "true"},
		{"FAIL-06 X-01", "stop.failures", "1"},
		{"X-18", "stop.repeats", "0"},
		{"X-38", "stop.test_failures", "0"},
		{"SIG-04 X-04", "loop.on_interrupt", `"finish"`},
	})
}

func TestDescartes(t *testing.T) {
	wantProfile(t, "descartes", noPause, []pin{
		{"CFG-46 LIM-02 X-06", "loop.max_iterations", "20"},
		{"CFG-47", "loop.dir", `""`},
		{"CFG-49 PRM-08 X-15", "loop.iteration_context", "true"},
		{"PRM-08", "claims.tell", "true"},
		{"PRM-08", "claims.from", "2"},
		{"CFG-45", "done.promise", `"COMPLETE"`},
		{"END-05", "done.any_exit", "true"},
		{"CFG-52", "loop.prompt_as", `"arg"`},
		{"CFG-44 X-13", "loop.freeze_prompt", "true"},
		{"CFG-55 X-39", "git.commit", "false"},
		{"CFG-56", "git.commit_template", `"loop: iteration {iteration}"`},
		{"CFG-57", "git.branch", "false"},
		{"CFG-58", "git.branch_template", `"loop/{timestamp}"`},
		{"END-02 X-16", "done.match", `"substring"`},
		{"X-17", "done.failure_promise", `""`},
		{"END-03 X-02", "loop.exit_zero_is_done", `"alone"`},
		{"END-04 X-01 X-09", "stop.failures", "0"},
		{"X-18", "stop.no_progress", "0"},
		{"X-18", "stop.repeats", "0"},
		{"X-38", "stop.test_failures", "0"},
		{"X-27", "stop.red_gates", "0"},
		{"X-13", "feedback.enabled", "false"},
		{"SIG-05 X-04", "loop.on_interrupt", `"finish"`},
	})
}

// wantProfile looks for all that the profile sets, and nothing else, whatever
// is run: some defaults depend on it.
func wantProfile(t *testing.T, name string, lists ...[]pin) {
	t.Helper()
	pinned := map[string]bool{}
	for _, kind := range []Kind{Procedure, AdHocPrompt, AdHocCommand} {
		r := load(t, Sources{Environ: []string{"REFRAIN_PROFILE=" + name}, Kind: kind})
		for _, list := range lists {
			for _, p := range list {
				pinned[p.key] = true
				if got, err := r.Explain(p.key); err != nil || got.Value != p.is || got.Layer != "profile "+name {
					t.Errorf("%s: %s = %s from %q, %v; want %s from the profile", p.ids, p.key, got.Value, got.Layer, err, p.is)
				}
			}
		}
		for _, s := range r.Settings() {
			if s.Layer == "profile "+name && !pinned[s.Key] {
				t.Errorf("the profile sets %s, and no requirement asks for it", s.Key)
			}
		}
	}
}

func TestTheHighestProfileIsTaken(t *testing.T) {
	s := treeWith(t, "profile = \"rooda\"\nloop.on_interrupt = \"finish\"\n")
	s.Flags = []Flag{{"--profile", "profile", "fresher"}}
	c := load(t, s).Config
	if c.Stop.Failures != 1 || c.Loop.OnInterrupt != "finish" {
		t.Errorf("failures %d, on_interrupt %s; want fresher's 1 and the project's finish", c.Stop.Failures, c.Loop.OnInterrupt)
	}
	s.Flags = []Flag{{"--profile", "profile", ""}}
	if got := load(t, s).Config.Stop.NoProgress; got != 5 {
		t.Errorf("with the profile taken away no_progress = %d, want 5", got)
	}
}

func TestTheModelOfAProfile(t *testing.T) {
	fresher := Origin{Value: `"sonnet"`, Layer: "profile fresher", Where: "fresher.toml:17"}
	tests := []struct {
		name  string
		flags []Flag
		want  Setting
	}{
		{"is for its agent", nil, Setting{Origin: fresher, Overrode: []Origin{{Value: `""`, Layer: "built-in"}}}},
		{"is for its agent, named again", set(t, "agent=claude"), Setting{Origin: fresher, Overrode: []Origin{{Value: `""`, Layer: "built-in"}}}},
		{"is for no other agent", set(t, "agent=rehearsal"), Setting{Origin: Origin{Value: `""`, Layer: "flag", Where: "--set"}, Overrode: []Origin{fresher, {Value: `""`, Layer: "built-in"}}}},
		{"is not the one that is asked for", set(t, "agent=codex", "model=m"), Setting{Origin: Origin{Value: `"m"`, Layer: "flag", Where: "--set"}, Overrode: []Origin{fresher, {Value: `""`, Layer: "built-in"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := load(t, Sources{Environ: []string{"REFRAIN_PROFILE=fresher"}, Flags: tt.flags}).Explain("model")
			tt.want.Key = "model"
			if diff := cmp.Diff(tt.want, got.Setting); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestProfilesWithAProcedure(t *testing.T) {
	s := Sources{Environ: []string{"REFRAIN_PROFILE=fresher"}, Procedure: "plan", Procedures: []string{"plan"}, Builtin: "[loop]\nprogress = [\"files\"]\n"}
	c := load(t, s).Config
	if c.Loop.Progress[0] != "files" || c.Hooks.Timeout != 30*time.Second {
		t.Errorf("progress %q, hooks.timeout %s; want the procedure's files and the profile's 30s", c.Loop.Progress, c.Hooks.Timeout)
	}
}

// What a profile says of a procedure lies over what that brings along, and below
// what people write.
func TestAProfileSpeaksOfAProcedure(t *testing.T) {
	s := treeWith(t, "profile = \"fresher\"\n")
	s.Procedure, s.Procedures, s.Builtin = "plan", []string{"plan"}, "loop.max_iterations = 10\n"
	if got, err := load(t, s).Explain("loop.max_iterations"); err != nil || got.Value != "0" || got.Layer != "profile fresher" || got.Overrode[0].Layer != "procedure plan (built-in)" {
		t.Errorf("%+v, %v; want the profile's 0 over the procedure's 10", got.Setting, err)
	}
	s.Flags = set(t, "loop.max_iterations=")
	if got := load(t, s).Config.Stop.Iterations; got != 0 {
		t.Errorf("taken back it is %d, want the default", got)
	}
	write(t, s.Tree+"/"+FileName, "profile = \"fresher\"\nloop.max_iterations = 8\n")
	s.Flags = nil
	if got := load(t, s).Config.Stop.Iterations; got != 8 {
		t.Errorf("with 8 in the file it is %d", got)
	}
}
