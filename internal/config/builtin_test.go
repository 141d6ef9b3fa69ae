package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const planning = "[loop]\nmax_iterations = 10\n[done]\npromise = \"PLAN READY\"\nproof = \"none\"\n[[gate]]\nname = \"spell\"\nrun = \"spell\"\n"

func TestABuiltInProcedure(t *testing.T) {
	const layer = "procedure plan (built-in)"
	const top = "prompt = \"top.md\"\ndone = { promise = \"DONE\", plan = \"PLAN.md\", gates = true }\nloop.exit_zero_is_done = true\nloop.max_iterations = 30\nstop.failures = 9\n"
	tests := []struct {
		name, toml, key string
		want            Origin
		over            []Origin
	}{
		{"above the top of a file", top, "loop.max_iterations", Origin{"10", layer, ""}, []Origin{{"30", "project", "refrain.toml:4"}, {"0", "built-in", ""}}},
		{"below its own table", top + "[procedures.plan]\nloop.max_iterations = 4\n", "loop.max_iterations", Origin{"4", "procedure plan", "refrain.toml:7"}, []Origin{{"10", layer, ""}, {"30", "project", "refrain.toml:4"}, {"0", "built-in", ""}}},
		{"what it does not set is from below", top, "stop.failures", Origin{"9", "project", "refrain.toml:5"}, []Origin{{"3", "built-in", ""}}},
		{"its promise", top, "done.promise", Origin{`"PLAN READY"`, layer, ""}, []Origin{{`"DONE"`, "project", "refrain.toml:2"}, {`""`, "built-in", ""}}},
		{"no plan", top, "done.plan", Origin{`""`, layer, ""}, []Origin{{`"PLAN.md"`, "project", "refrain.toml:2"}, {`""`, "built-in", ""}}},
		{"a plan of its table", top + "[procedures.plan]\ndone.plan = \"P.md\"\n", "done.plan", Origin{`"P.md"`, "procedure plan", "refrain.toml:7"}, []Origin{{`""`, layer, ""}, {`"PLAN.md"`, "project", "refrain.toml:2"}, {`""`, "built-in", ""}}},
		{"no end by gates", top, "done.gates", Origin{"false", layer, ""}, []Origin{{"true", "project", "refrain.toml:2"}, {"false", "built-in", ""}}},
		{"no end by exit zero", top, "loop.exit_zero_is_done", Origin{`"auto"`, layer, ""}, []Origin{{"true", "project", "refrain.toml:3"}, {`"auto"`, "built-in", ""}}},
		{"no file for its prompt", top, "prompt", Origin{`""`, layer, ""}, []Origin{{`"top.md"`, "project", "refrain.toml:1"}, {`"PROMPT.md"`, "built-in", ""}}},
		{"a file of its table", top + "[procedures.plan]\nprompt = \"p.md\"\n", "prompt", Origin{`"p.md"`, "procedure plan", "refrain.toml:7"}, []Origin{{`""`, layer, ""}, {`"top.md"`, "project", "refrain.toml:1"}, {`"PROMPT.md"`, "built-in", ""}}},
		{"blocked, for it has a promise", "", "done.failure_promise", Origin{`"BLOCKED"`, "built-in", "when done.promise is set"}, nil},
		{"its gate", "", "gate.spell", Origin{`{ run = "spell" }`, layer, ""}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := treeWith(t, tt.toml)
			s.Procedure, s.Builtin, s.Procedures = "plan", planning, []string{"plan"}
			got, err := load(t, s).Explain(tt.key)
			want := Setting{Key: tt.key, Origin: tt.want, Overrode: tt.over}
			if diff := cmp.Diff(want, got.Setting); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestNoPromiseIsNotBlocked(t *testing.T) {
	s := treeWith(t, "done.promise = \"DONE\"\n")
	s.Procedure, s.Builtin, s.Procedures = "build", "done.plan = \"PLAN.md\"\n", []string{"build"}
	if got := load(t, s).Config.Done; got.Promise != "" || got.FailurePromise != "" || got.Plan != "PLAN.md" {
		t.Errorf("done = %+v, want only the plan", got)
	}
}

func TestAnAliasIsTheProcedure(t *testing.T) {
	s := treeWith(t, "[procedures.plan]\nmodel = \"m\"\n")
	s.Procedure, s.Builtin = "planning", planning
	s.Procedures, s.Aliases = []string{"plan"}, map[string]string{"planning": "plan"}
	r := load(t, s)
	got, err := r.Explain("loop.max_iterations")
	if err != nil || got.Layer != "procedure plan (built-in)" || r.Config.Model != "m" {
		t.Errorf("max_iterations from %q, model %q, %v; want both from the procedure plan", got.Layer, r.Config.Model, err)
	}
}
