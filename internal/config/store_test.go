package config

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// keep stores the settings as a run's record does and reads them back.
func keep(t *testing.T, r *Resolved) map[string]Stored {
	t.Helper()
	b, err := json.MarshalIndent(r.Masked(), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	var old map[string]Stored
	if err := json.Unmarshal(b, &old); err != nil {
		t.Fatal(err)
	}
	return old
}

func TestDiff(t *testing.T) {
	before := "loop.max_time = \"90m\"\nstop.patterns = [\"a\", \"b\"]\n[agents.a]\ncommand = [\"a\", \"--key\", \"s\"]\nenv.X = \"1\"\n"
	tests := []struct {
		name, after string
		want        []loop.Change
	}{
		{"nothing changed", before, nil},
		{"only written otherwise", "loop.max_time = \"1h30m\"\nstop.patterns = ['a', 'b']\n[agents.a]\ncommand = [\"a\", \"--key\", \"s\"]\nenv.X = \"1\"\n", nil},
		{"a secret changed", "loop.max_time = \"90m\"\nstop.patterns = [\"a\", \"b\"]\n[agents.a]\ncommand = [\"a\", \"--key\", \"t\"]\nenv.X = \"2\"\n", nil},
		{"values changed, came and went", "done.promise = \"X\"\nstop.patterns = [\"a\"]\n[agents.a]\ncommand = \"b\"\nenv.X = \"1\"\nenv.Y = \"1\"\n", []loop.Change{
			{Key: "agents.a.command", Old: `["a", "--key", "***"]`, New: `"b"`},
			{Key: "agents.a.env.Y", Old: "", New: `"***"`},
			{Key: "done.failure_promise", Old: `""`, New: `"BLOCKED"`},
			{Key: "done.promise", Old: `""`, New: `"X"`},
			{Key: "loop.max_time", Old: `"1h30m"`, New: `"0s"`},
			{Key: "stop.patterns", Old: `["a", "b"]`, New: `["a"]`},
		}},
		{"an agent went", "loop.max_time = \"90m\"\nstop.patterns = [\"a\", \"b\"]\n", []loop.Change{
			{Key: "agents.a.command", Old: `["a", "--key", "***"]`, New: ""},
			{Key: "agents.a.env.X", Old: `"***"`, New: ""},
		}},
	}
	old := keep(t, load(t, treeWith(t, before)))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Diff(old, load(t, treeWith(t, tt.after)).Masked())); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiffAcrossVersions(t *testing.T) {
	r := load(t, treeWith(t, "stop.failures = 4"))
	old := keep(t, r)
	delete(old, "done.match")    // as if this version were the first to have it
	delete(old, "stop.failures") // the same, but somebody set it
	old["done.older"] = Stored{Value: json.RawMessage("1"), Layer: "built-in"}
	want := []loop.Change{{Key: "stop.failures", Old: "", New: "4"}}
	if diff := cmp.Diff(want, Diff(old, r.Masked())); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestDiffOfGates(t *testing.T) {
	before := "commands = { test = \"a && b <x\", as_gates = true }\n[[gate]]\nname = \"vet\"\nrun = \"go vet\"\npin = [\"*_test.go\"]\n"
	tests := []struct {
		name, after string
		want        []loop.Change
	}{
		{"nothing changed", before, nil},
		{"a default is written out", before + "timeout = \"10m\"\n", nil},
		{"a key changed", before + "min_tests = 1\n", []loop.Change{
			{Key: "gate.vet", Old: `{ run = "go vet", pin = ["*_test.go"] }`, New: `{ run = "go vet", min_tests = 1, pin = ["*_test.go"] }`},
		}},
		{"a gate came", before + "[[gate]]\nname = \"b.c\"\nrun = \"x\"\n", []loop.Change{{Key: `gate."b.c"`, New: `{ run = "x" }`}}},
		{"a gate went, and a command is one no more", "commands = { test = \"a && b <x\" }", []loop.Change{
			{Key: "commands.as_gates", Old: "true", New: "false"},
			{Key: "gate.test", Old: `{ run = "a && b <x" }`},
			{Key: "gate.vet", Old: `{ run = "go vet", pin = ["*_test.go"] }`},
		}},
	}
	old := keep(t, load(t, treeWith(t, before)))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Diff(old, load(t, treeWith(t, tt.after)).Masked())); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiffOfParts(t *testing.T) {
	toml := "[procedures.p]\nparts = [\"a.md\", { section = \"S\", text = \"<x>\" }]\n[procedures.q]\nparts = [\"q.md\"]\n"
	tests := []struct {
		name, after string
		want        []loop.Change
	}{
		{"nothing changed", toml, nil},
		{"a part changed", "[procedures.p]\nparts = [\"a.md\"]\n", []loop.Change{
			{Key: "procedures.p.parts", Old: `["a.md", { section = "S", text = "<x>" }]`, New: `["a.md"]`},
		}},
	}
	run := func(toml string) *Resolved {
		s := treeWith(t, toml)
		s.Procedure = "p"
		return load(t, s)
	}
	old := keep(t, run(toml))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Diff(old, run(tt.after).Masked())); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGuarded(t *testing.T) {
	for key, want := range map[string]bool{
		"done.promise": true, "done.match": true, "done.failure_promise": true, "loop.exit_zero_is_done": true, "loop.max_iterations": false, "agent": false,
		"gate.test": true, `gate."a.b"`: true, "gate.gate-1": false, "proof.setup": true, "git.protect": true, "git.checkpoint": true, "git.commit": false, "commands.test": false,
		"limits.fallback": true, "limits.max_wait": false, `prices."gpt-5.1".input`: true, "notify.command": true, "notify.webhook.url": true, "trace.endpoint": true, "trace.headers.A": true,
		"metrics.file": true, "stop.repeats": false, "stop.cost_without_progress": false, "session.mode": false, "context.redline": false, "budget.cost_usd": false,
	} {
		if got := Guarded(key); got != want {
			t.Errorf("Guarded(%s) = %v, want %v", key, got, want)
		}
	}
}
