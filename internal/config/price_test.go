package config

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPricesMergePerKey(t *testing.T) {
	s := treeWith(t, "[prices.\"gpt-5.1\"]\noutput = 12\ncache_read = 0\n[prices.local]\ninput = 0\noutput = 0\n")
	s.UserFile = filepath.Join(t.TempDir(), "config.toml")
	write(t, s.UserFile, "[prices]\n\"gpt-5.1\" = { input = 1.5, output = 10, window = 272000 }\n")
	s.Flags = set(t, `prices."acme/new:8b".input=1`, `prices."acme/new:8b".output=2`)

	want := map[string]Price{
		"gpt-5.1":     {Input: 1.5, Output: 12, CacheWrite: 1.5, Window: 272_000},
		"local":       {},
		"acme/new:8b": {Input: 1, Output: 2, CacheRead: 1, CacheWrite: 1},
	}
	r := load(t, s)
	if diff := cmp.Diff(want, r.Config.Prices); diff != "" {
		t.Errorf("prices (-want +got):\n%s", diff)
	}
	got, err := r.Explain(`prices."gpt-5.1".output`)
	setting := Setting{Key: `prices."gpt-5.1".output`, Origin: Origin{Value: "12", Layer: "project", Where: "refrain.toml:2"}, Overrode: []Origin{{Value: "10", Layer: "user", Where: s.UserFile + ":2"}}}
	if diff := cmp.Diff(setting, got.Setting); err != nil || got.Env != "" || diff != "" {
		t.Errorf("Explain: %v, variable %q (-want +got):\n%s", err, got.Env, diff)
	}
}

func TestProblemsOfPrices(t *testing.T) {
	const number = "a number, 0 or more"
	tests := []struct {
		name, toml string
		want, hint string
	}{
		{"no quotes in a table", "[prices.gpt-5.1]\ninput = 1\noutput = 2", `refrain.toml:1:2: unknown key "prices.gpt-5.1"`, `write the model's name in quotes: prices."gpt-5.1"`},
		{"no quotes in a key", "prices.gpt-5.1.input = 1", `refrain.toml:1:1: unknown key "prices.gpt-5.1"`, `write the model's name in quotes: prices."gpt-5.1"`},
		{"a misspelt key", "[prices.gpt-5]\ninputs = 1", `refrain.toml:2:1: unknown key "prices.gpt-5.inputs"`, `did you mean "prices.gpt-5.input"?`},
		{"a misspelt key of a quoted model", "[prices.\"gpt-5.1\"]\ncache_reads = 1", `refrain.toml:2:1: unknown key "prices.\"gpt-5.1\".cache_reads"`, `did you mean "prices.\"gpt-5.1\".cache_read"?`},
		{"a misspelt table", "[price.x]\ninput = 1", `refrain.toml:1:2: unknown key "price"`, `did you mean "prices"?`},
		{"no price for what it writes", "[prices.x]\ninput = 1", `refrain.toml:1:2: prices.x has no output`, "add output = DOLLARS, for a million tokens; 0 is free"},
		{"no price for what it reads", "[prices.\"x.1\"]\noutput = 1", `refrain.toml:1:2: prices."x.1" has no input`, "add input = DOLLARS, for a million tokens; 0 is free"},
		{"a negative price", "prices.x = { input = -1, output = 1 }", `refrain.toml:1:14: prices.x.input must be ` + number + `, not -1`, ""},
		{"one price for all", "prices.x = 1", `refrain.toml:1:1: prices.x must be a table`, "write [prices.x] with its keys below it"},
		{"no name", "[prices.\"\"]", `refrain.toml:1:2: "" is not a name for a model`, "write it as the agent does"},
		{"a name with a space around it", "[prices.\" x\"]", `refrain.toml:1:2: " x" is not a name for a model`, "write it as the agent does"},
		{"in a procedure", "[procedures.p.prices.x]\ninput = 1", `refrain.toml:1:2: unknown key "procedures.p.prices"`, `"prices" can only stand at the top of the file`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := problems(t, treeWith(t, tt.toml))
			if len(got) != 1 || got[0].String() != tt.want || got[0].Hint != tt.hint {
				t.Errorf("%s\ngave %#v\nwant %s\nhint %s", tt.toml, got, tt.want, tt.hint)
			}
		})
	}
}

func TestAPriceWithoutQuotesAfterSet(t *testing.T) {
	got := problems(t, Sources{Flags: set(t, "prices.gpt-5.1.input=1")})
	want := Problem{File: "--set", Key: "prices.gpt-5.1.input", What: `unknown key "prices.gpt-5.1.input"`, Hint: `write the model's name in quotes: prices."gpt-5.1".input`}
	if diff := cmp.Diff([]Problem{want}, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
