//go:build unix

package refrain_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain"
)

// CFG-59: settings can be written as JSON, and read back.
func TestTypedSettingsSayTheSameAsTheirText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "refrain.toml"), "[done]\npromise = \"NEVER\"\n[stop]\npatterns = [\"x\"]\n")
	got, err := refrain.SettingsOf(t.Context(), refrain.Options{Dir: dir, Prompt: "go", Trust: true, MaxIterations: refrain.Unlimited, Set: []refrain.Setting{
		refrain.KeyLoopMaxTime.Is(90 * time.Minute),
		refrain.KeyStopFailures.Is(refrain.Unlimited),
		refrain.KeyBudgetCostUSD.Is(2.5),
		refrain.KeyClaimsTell.Is(false),
		refrain.KeyDonePromise.Is(`"42" and more`),
		refrain.KeyLoopExitZeroIsDone.Is("false"),
		refrain.KeyLoopProgress.Is([]string{"files", "tests"}),
		refrain.KeyStopPatterns.Unset(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"loop.max_time": `"1h30m"`, "stop.failures": "0", "budget.cost_usd": "2.5", "claims.tell": "false", "done.promise": `"\"42\" and more"`,
		"loop.exit_zero_is_done": "false", "loop.progress": `["files","tests"]`, "loop.max_iterations": "0",
	} {
		if got[key] != want {
			t.Errorf("%s = %s, want %s", key, got[key], want)
		}
	}
	if strings.Contains(got["stop.patterns"], "x") {
		t.Errorf("stop.patterns = %s, want it taken back", got["stop.patterns"])
	}

	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]string
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	again, err := refrain.SettingsOf(t.Context(), refrain.Options{Dir: t.TempDir(), Prompt: "go", Settings: back})
	if err != nil || !maps.Equal(got, again) {
		t.Errorf("settings that went through JSON = %v, %v; want %v", again, err, got)
	}
}

// What holds for a run of a command can be handed to another one, too.
func TestSettingsOfACommandCanBeGivenBack(t *testing.T) {
	t.Parallel()
	o := refrain.Options{Dir: t.TempDir(), Command: script(claims), Prompt: "go", Until: "DONE", Set: []refrain.Setting{refrain.KeyLoopMaxTime.Is(3 * time.Hour)}}
	held, err := refrain.SettingsOf(t.Context(), o)
	if err != nil || held["loop.max_time"] != `"3h"` || held["agent"] != "" {
		t.Fatalf("settings = %v, %v; want those that mean something to a command", held, err)
	}
	if r := run(t, refrain.Options{Dir: t.TempDir(), Command: o.Command, Prompt: "go", Settings: held}); r.State != refrain.Done || r.Reason != refrain.ByPromise {
		t.Errorf("result = %+v, want done by the promise of the settings", r)
	}
	none := refrain.Options{Dir: t.TempDir(), Command: script("true"), Prompt: "go", Settings: map[string]string{"progress.ignore": "[]"}}
	if held, err = refrain.SettingsOf(t.Context(), none); err != nil || held["progress.ignore"] != "[]" {
		t.Errorf("settings = %v, %v; want an empty list where somebody said so", held, err)
	}
	held, err = refrain.SettingsOf(t.Context(), refrain.Options{Dir: t.TempDir(), Prompt: "go", CustomAgent: &speaker{}, Model: "large"})
	if err != nil || held["agent"] != "" || held["permissions.mode"] != "" || held["model"] != `"large"` {
		t.Errorf("settings of an agent of one's own = %v, %v; want its model, and nothing that it would be refused", held, err)
	}
}

// Whoever works, and whatever says so: what holds for a run can be the Settings of the
// same options, and of those that say no more than who works.
func TestWhatSettingsOfGivesIsTaken(t *testing.T) {
	t.Parallel()
	words := map[string]refrain.Options{
		"a prompt":    {Prompt: "go"},
		"a procedure": {Procedure: "build"},
	}
	workers := map[string]refrain.Options{
		"a command":                      {Command: script("true")},
		"a command with a place":         {Command: []string{"echo", "{prompt}"}},
		"an agent of one's own":          {CustomAgent: &speaker{}},
		"an agent that keeps a session":  {CustomAgent: keeper{}},
		"an agent by its name":           {Agent: "mine"},
		"an agent of the settings":       {Settings: map[string]string{"agent": "mine"}},
		"a rehearsal":                    {Agent: "rehearsal", Settings: map[string]string{"agents.rehearsal.script": "script.toml"}},
		"a command that gets a file":     {Command: script("true"), Settings: map[string]string{"loop.prompt_as": "file"}},
		"an agent with room for a model": {CustomAgent: &speaker{}, Model: "large"},
	}
	for word, w := range words {
		for _, profile := range []string{"", "fresher", "rooda", "descartes", "tachikoma"} {
			for worker, o := range workers {
				t.Run(worker+" "+word+" "+profile, func(t *testing.T) {
					t.Parallel()
					o.Dir, o.Prompt, o.Procedure, o.Trust = t.TempDir(), w.Prompt, w.Procedure, true
					write(t, filepath.Join(o.Dir, "refrain.toml"), "profile = \""+profile+"\"\n[agents.mine]\ncommand = [\"true\"]\n")
					write(t, filepath.Join(o.Dir, "script.toml"), "[[iteration]]\nsteps = [{ text = \"Hi\" }]\n")
					write(t, filepath.Join(o.Dir, "IMPLEMENTATION_PLAN.md"), "- [ ] a task\n")
					given, err := refrain.SettingsOf(t.Context(), o)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := refrain.Preflight(t.Context(), o); err != nil {
						t.Fatal(err)
					}
					again := o
					again.Settings = maps.Clone(given)
					for key, value := range o.Settings {
						if strings.HasPrefix(key, "agents.") {
							again.Settings[key] = value // a table is not given
						}
					}
					held, err := refrain.SettingsOf(t.Context(), again)
					if err != nil {
						t.Errorf("SettingsOf what it gave = %v", err)
					}
					for _, key := range slices.Sorted(maps.Keys(held)) {
						if held[key] != given[key] {
							t.Errorf("%s = %s, and %q when what SettingsOf gave is given again", key, given[key], held[key])
						}
					}
					if len(held) < 80 || len(held) != len(given) {
						t.Errorf("SettingsOf gave %d settings, and %d when they are given again", len(given), len(held))
					}
					if _, err := refrain.Preflight(t.Context(), again); err != nil {
						t.Errorf("a run with what SettingsOf gives = %v", err)
					}
				})
			}
		}
	}
}

// What cannot be taken is named.
func TestASettingThatMeansNothingIsNamed(t *testing.T) {
	t.Parallel()
	given, err := refrain.SettingsOf(t.Context(), refrain.Options{Dir: t.TempDir(), Agent: "claude", Prompt: "go"})
	if err != nil || given["agent"] != `"claude"` {
		t.Fatalf("settings = %v, %v; want the agent", given, err)
	}
	for name, o := range map[string]refrain.Options{"a command": {Command: script("true")}, "an agent": {CustomAgent: &speaker{}}} {
		o.Dir, o.Prompt, o.Settings = t.TempDir(), "go", given
		_, err := refrain.Run(t.Context(), o)
		var usage *refrain.UsageError
		if !errors.As(err, &usage) || !strings.Contains(usage.What, "Settings agent") {
			t.Errorf("%s with the settings of another agent = %v, want that the setting is named", name, err)
		}
	}
}

// keeper is a speaker that goes on with its session.
type keeper struct{}

func (keeper) Name() string                                    { return "keeper" }
func (keeper) Command(c refrain.Call) (refrain.Command, error) { return (&speaker{}).Command(c) }
func (keeper) Decoder() refrain.Decoder                        { return &ears{} }
func (keeper) Abilities() refrain.Abilities                    { return refrain.Abilities{Sessions: true} }

func TestSetWinsOverSettings(t *testing.T) {
	t.Parallel()
	got, err := refrain.SettingsOf(t.Context(), refrain.Options{
		Dir: t.TempDir(), Prompt: "go", Settings: map[string]string{"loop.max_time": "1h"}, Set: []refrain.Setting{refrain.KeyLoopMaxTime.Is(time.Minute)},
	})
	if err != nil || got["loop.max_time"] != `"1m"` {
		t.Errorf("loop.max_time = %s, %v", got["loop.max_time"], err)
	}
	if s := refrain.KeyLoopMaxTime.Is(time.Minute); s.Key() != "loop.max_time" || s.String() != "loop.max_time=1m0s" {
		t.Errorf("setting = %s", s)
	}
}

func TestARunWithoutALimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "refrain.toml"), "[loop]\nmax_iterations = 2\n")
	r := run(t, refrain.Options{
		Dir: dir, Command: script("echo x >> work; test $(wc -l < work) -lt 4 || " + claims), Until: "DONE", MaxIterations: refrain.Unlimited,
	})
	if r.State != refrain.Done || r.Totals.Iterations != 4 {
		t.Errorf("result = %+v, want it done in the fourth iteration", r)
	}
}

func TestAMissingAgentIsAnErrorBeforeAnythingBegins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "text")
	for name, o := range map[string]refrain.Options{
		"no-such-program": {Command: []string{"no-such-program"}},
		"mine":            {Agent: "mine", Prompt: "go", Settings: map[string]string{"agents.mine.command": `["/no/such/agent"]`}},
		"./file":          {Command: []string{"./file"}},
	} {
		o.Dir = dir
		r, err := refrain.Run(t.Context(), o)
		var missing *refrain.MissingAgentError
		if !errors.As(err, &missing) || missing.Agent != strings.TrimPrefix(name, "./") || missing.What == "" || r.State != "" {
			t.Errorf("Run with %s = %+v, %#v; want a *MissingAgentError", name, r, err)
		}
	}
	for r := range refrain.Runs(dir) {
		t.Errorf("there is a run: %+v", r)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v; want nothing new", list, err)
	}
}
