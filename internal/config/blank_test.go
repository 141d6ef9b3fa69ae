package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/setting"
)

// samples is a value for each kind of setting that no default has, as a file
// writes it; and for keys that want something in particular.
var (
	samples = map[*setting.Kind]string{
		setting.Text: `"some-text"`, setting.Line: `"some text"`, setting.Int: "4321", setting.Positive: "4321", setting.Percent: "99", setting.Iterations: "4321",
		setting.Number: "4321.5", setting.Duration: `"17s"`, setting.BranchKind: `"some-branch"`, setting.AutoKind: "true", setting.ExitKind: "true",
		setting.List: `["some-text"]`, setting.CommandKind: `["some", "text"]`, setting.Setup: `"some text"`, partList: `["some.md"]`,
	}
	sampleOf = map[string]string{
		"agent": `"rehearsal"`, "fleet.address": `"fleet.example.com:7233"`, "fleet.branch": `"some/{{id}}"`, "fleet.tls_cert": `"/some"`, "fleet.tls_key": `"/some"`, "fleet.tls_ca": `"~/some"`, "fleet.worker.root": `"/some"`, "ask.at": `["7"]`, "proof.copy": `["some"]`, "notify.quiet": `"22:00-07:00"`, "notify.email.to": `["a@example.com"]`, "notify.email.from": `"a@example.com"`,
		"notify.email.server": `"smtp.example.com"`, "notify.ntfy.url": `"https://example.com/topic"`, "loop.max_backoff": `"17h"`, "context.warn": "12",
		"git.branch_template": `"some/{timestamp}"`, "git.commit_template": `"some {iteration}"`, "metrics.listen": `"127.0.0.1:4321"`, "trust.folders": `["/some"]`, "sandbox.allow": `["/some"]`, "sandbox.hide": `["/some"]`, "sandbox.hosts": `["some.example.com"]`,
	}
)

// besides is what else must be set for a key.
var besides = map[string]string{
	"sandbox.hosts":      "sandbox.network = \"listed\"\n",
	"notify.email.to":    "notify.email.server = \"smtp.example.com\"\nnotify.email.from = \"b@example.com\"\n",
	"done.gates":         "[[gate]]\nname = \"test\"\nrun = \"make\"\n",
	"done.require":       "[[gate]]\nname = \"test\"\nrun = \"make\"\n",
	"done.confirmations": "[[gate]]\nname = \"test\"\nrun = \"make\"\n",
}

// sample is a value of the row that is not its default, as a file writes it.
func sample(r setting.Row) string {
	written, ok := sampleOf[r.Key]
	switch {
	case ok:
		return written
	case r.Kind == setting.Bool:
		return setting.Render(r.Default != true)
	case r.Choices != nil:
		i := slices.IndexFunc(r.Choices, func(c string) bool { return c != "" && c != r.Default })
		if r.Kind == setting.List {
			return setting.Render([]string{r.Choices[i]})
		}
		return setting.Quote(r.Choices[i])
	case r.Secret || strings.HasSuffix(r.Key, ".url") || strings.HasSuffix(r.Key, ".endpoint"):
		return `"https://example.com/some"`
	}
	return samples[r.Kind]
}

// Each key is set by the user's own file, and taken back by whoever is above it.
func TestAnySettingCanBeTakenBack(t *testing.T) {
	defaults := load(t, Sources{})
	for _, r := range settings() {
		if r.Each != nil || r.Key == "profile" {
			continue
		}
		user := t.TempDir() + "/config.toml"
		write(t, user, r.Key+" = "+sample(r)+"\n"+besides[r.Key])
		set := load(t, Sources{UserFile: user})
		want, err := defaults.Explain(r.Key)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := set.Explain(r.Key)
		if got.Layer != "user" || got.Value == want.Value && !r.Secret {
			t.Errorf("%s: %s from %s, want another value than %s from the user's file", r.Key, got.Value, got.Layer, want.Value)
			continue
		}
		over := map[string]Sources{
			"environment": {UserFile: user, Environ: []string{envName(r.Key) + "="}},
			"flag":        {UserFile: user, Flags: []Flag{{setFlag, r.Key, ""}}},
		}
		if !onlyByUser(r.Key) && r.Key != hideKey { // which a project only adds to
			project := treeWith(t, r.Key+" = \"\"\n")
			project.UserFile = user
			over["project"] = project
		}
		for layer, s := range over {
			back, err := Load(s)
			if err != nil {
				t.Errorf("%s taken back by %s: %v", r.Key, layer, err)
				continue
			}
			e, _ := back.Explain(r.Key)
			none := r.Default
			if empty, what, _ := r.Read([]any{}); r.Kind == setting.List && what == "" {
				none = empty // where a list may be empty, that is what a blank is
			}
			if string(e.Value) != setting.Render(none) || e.Layer != layer || len(e.Overrode) == 0 || e.Overrode[0].Layer != "user" {
				t.Errorf("%s taken back by %s: %s from %s over %v, want %s", r.Key, layer, e.Value, e.Layer, e.Overrode, none)
			}
			var fresh Config
			for i, row := range rows(&fresh) {
				if row.Key == r.Key && row.At != nil {
					got := reflect.ValueOf(rows(&back.Config)[i].At).Elem().Interface()
					if !reflect.DeepEqual(got, none) {
						t.Errorf("%s taken back by %s is %#v in the settings, want %#v", r.Key, layer, got, none)
					}
				}
			}
		}
	}
}

// The same for what stands in tables that the user names.
func TestATablesKeyCanBeTakenBack(t *testing.T) {
	user := t.TempDir() + "/config.toml"
	write(t, user, "agents.claude = { command = \"mine\", max_turns = 7, format = \"text\" }\nagents.mine = { command = \"x\", prompt = \"arg\" }\nprices.m = { input = 1, output = 2, cache_read = 3 }\nprocedures.p = { title = \"# T\", observe = [\"a.md\"], loop.max_iterations = 4, stop.failures = 8 }\n")
	s := treeWith(t, "agents.claude = { command = \"\", max_turns = \"\" }\nagents.mine.prompt = \"\"\nprices.m.cache_read = \"\"\nprocedures.p = { title = \"\", observe = \"\", loop.max_iterations = \"\" }\n")
	s.UserFile, s.Procedure, s.Agents = user, "p", []string{"claude"}
	r := load(t, s)
	claude := r.Config.Agents["claude"]
	if !claude.Command.IsZero() || claude.MaxTurns != 0 || claude.Format != "text" {
		t.Errorf("claude = %+v, want nothing of it but its format", claude)
	}
	if got := r.Config.Agents["mine"].Prompt; got != "stdin" {
		t.Errorf("mine gets its prompt by %q, want the default", got)
	}
	if got := r.Config.Prices["m"].CacheRead; got != 1 {
		t.Errorf("cache_read = %v, want that of input", got)
	}
	p := r.Config.Procedures["p"]
	if p.Title != "" || p.Observe != nil || r.Config.Stop.Iterations != 0 || r.Config.Stop.Failures != 8 {
		t.Errorf("procedure %+v, %d iterations, %d failures; want only the failures left", p, r.Config.Stop.Iterations, r.Config.Stop.Failures)
	}
	got, err := r.Explain("agents.claude.command")
	want := Setting{Key: "agents.claude.command", Origin: Origin{Blank: true, Layer: "project", Where: "refrain.toml:1"}, Overrode: []Origin{{Value: `"mine"`, Layer: "user", Where: user + ":1"}}}
	if diff := cmp.Diff(want, got.Setting); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if r.IsSet("agents.claude.command") || r.IsSet("loop.max_iterations") || !r.IsSet("stop.failures") {
		t.Error("what was taken back counts as set")
	}
	if _, stored := r.Masked()["agents.claude.command"]; stored {
		t.Error("what was taken back is stored with the run")
	}
}

func TestWhoWritesAboveABlankIsHeard(t *testing.T) {
	s := treeWith(t, "loop.iteration_timeout = \"\"\n")
	s.Environ = []string{"REFRAIN_PROFILE=tachikoma"}
	if got := load(t, s).Config.Loop.IterationTimeout; got != 2*time.Hour {
		t.Errorf("the profile's time, taken back, is %s, want the default", got)
	}
	s.Flags = set(t, "loop.iteration_timeout=7m")
	got, err := load(t, s).Explain("loop.iteration_timeout")
	over := []Origin{{Blank: true, Layer: "project", Where: "refrain.toml:1"}, {Value: `"30m"`, Layer: "profile tachikoma", Where: "tachikoma.toml:21"}, {Value: `"2h"`, Layer: "built-in"}}
	if err != nil || got.Value != `"7m"` || got.Blank || !cmp.Equal(got.Overrode, over) {
		t.Errorf("%+v, %v; want 7m over %v", got.Setting, err, over)
	}
}

// The model of a profile goes with its agent, also when that is taken back.
func TestTheModelOfAnAgentThatWasTakenBack(t *testing.T) {
	s := treeWith(t, "profile = \"fresher\"\nagent = \"\"\n")
	if c := load(t, s).Config; c.Agent != "auto" || c.Model != "" {
		t.Errorf("agent %q with model %q, want auto and none", c.Agent, c.Model)
	}
}

func TestABlankIsWrittenAsOne(t *testing.T) {
	got, err := Set([]byte("# mine\nloop.max_iterations = 8\n"), FileName, "loop.max_iterations", "")
	if want := "# mine\nloop.max_iterations = \"\"\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
