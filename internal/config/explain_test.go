package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSettingsInTheirOrder(t *testing.T) {
	s := treeWith(t, "[procedures.p]\nmodel = \"m\"\n[agents.z]\ncommand = \"z\"\n[agents.b]\nenv = { Y = \"1\", X = \"2\" }\n[prices.\"m.1\"]\noutput = 1\ninput = 2\n")
	var got []string
	for _, setting := range load(t, s).Settings() {
		got = append(got, setting.Key)
		if setting.Value == "" || setting.Layer == "" {
			t.Errorf("%s: value %q, layer %q; want both", setting.Key, setting.Value, setting.Layer)
		}
	}
	var want []string
	for _, r := range settings() {
		if r.Each == nil {
			want = append(want, r.Key)
		}
	}
	want = append(want, "agents.b.env.X", "agents.b.env.Y",
		"agents.z.command", "agents.z.program", "agents.z.prompt", "agents.z.model_flag", "agents.z.resume_flag", "agents.z.max_turns", "agents.z.context_window", "agents.z.script",
		`prices."m.1".input`, `prices."m.1".output`, "procedures.p.model")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestExplain(t *testing.T) {
	r := load(t, treeWith(t, "\n[loop]\nmax_iterations = 7\n"))
	got, err := r.Explain("loop.max_iterations")
	want := Explanation{
		Setting: Setting{Key: "loop.max_iterations", Origin: Origin{Value: "7", Layer: "project", Where: "refrain.toml:3"}, Overrode: []Origin{{Value: "0", Layer: "built-in"}}},
		Type:    `whole number, "none" or "unlimited"`,
		Default: "0; 50 for an ad-hoc prompt; 20 for an ad-hoc command",
		Env:     "REFRAIN_LOOP_MAX_ITERATIONS",
		Doc:     "counted iterations at most; 0, \"none\" and \"unlimited\" are no limit",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Explain: %v (-want +got):\n%s", err, diff)
	}
	unset, err := r.Explain("agents.mine.prompt")
	if err != nil || unset.Layer != "" || unset.Env != "" || unset.Default != `"stdin"` {
		t.Errorf("Explain(agents.mine.prompt) = %+v, %v, want its default and no value", unset, err)
	}
}

func TestExplainWhatIsNoKey(t *testing.T) {
	tests := []struct{ name, key, what, hint string }{
		{"a misspelt key", "loop.max_iteration", `unknown key "loop.max_iteration"`, `did you mean "loop.max_iterations"?`},
		{"a table", "loop", `"loop" is a table, not a key`, `"refrain config show" lists the keys in it`},
		{"no key at all", "a b", `"a b" is not a key`, "write it like loop.max_iterations"},
		{"nothing", "", `"" is not a key`, "write it like loop.max_iterations"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, Sources{}).Explain(tt.key)
			var problems *Errors
			if !errors.As(err, &problems) || problems.Error() != tt.what || problems.Hint() != tt.hint {
				t.Errorf("Explain(%q) = %v, want %s, hint %s", tt.key, err, tt.what, tt.hint)
			}
		})
	}
}
