package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const planning = "[loop]\nmax_iterations = 10\n[done]\npromise = \"PLAN READY\"\nplan = \"\"\nproof = \"none\"\n[[gate]]\nname = \"spell\"\nrun = \"spell\"\n"

func TestABuiltInProcedure(t *testing.T) {
	const layer = "procedure plan (built-in)"
	const top = "prompt = \"top.md\"\ndone = { promise = \"DONE\", plan = \"PLAN.md\", gates = true }\nloop.exit_zero_is_done = true\nloop.max_iterations = 30\nstop.failures = 9\n"
	tests := []struct {
		name, toml, key string
		want            Origin
		over            []Origin
	}{
		{"below the top of a file", top, "loop.max_iterations", Origin{Value: "30", Layer: "project", Where: "refrain.toml:4"}, []Origin{{Value: "10", Layer: layer}, {Value: "0", Layer: "built-in"}}},
		{"below its own table", top + "[procedures.plan]\nloop.max_iterations = 4\n", "loop.max_iterations", Origin{Value: "4", Layer: "procedure plan", Where: "refrain.toml:7"}, []Origin{{Value: "30", Layer: "project", Where: "refrain.toml:4"}, {Value: "10", Layer: layer}, {Value: "0", Layer: "built-in"}}},
		{"above what nobody set", "", "loop.max_iterations", Origin{Value: "10", Layer: layer}, []Origin{{Value: "0", Layer: "built-in"}}},
		{"taken back by a file", "loop.max_iterations = \"\"", "loop.max_iterations", Origin{Value: "0", Blank: true, Layer: "project", Where: "refrain.toml:1"}, []Origin{{Value: "10", Layer: layer}, {Value: "0", Layer: "built-in"}}},
		{"what it does not set is from below", top, "stop.failures", Origin{Value: "9", Layer: "project", Where: "refrain.toml:5"}, []Origin{{Value: "3", Layer: "built-in"}}},
		{"its promise, unless a file has one", top, "done.promise", Origin{Value: `"DONE"`, Layer: "project", Where: "refrain.toml:2"}, []Origin{{Value: `"PLAN READY"`, Layer: layer}, {Value: `""`, Layer: "built-in"}}},
		{"no plan of a profile", "profile = \"descartes\"", "done.plan", Origin{Value: `""`, Blank: true, Layer: layer}, []Origin{{Value: `""`, Layer: "built-in"}}},
		{"no file for its prompt", top, "prompt", Origin{Value: `""`, Layer: layer}, []Origin{{Value: `"top.md"`, Layer: "project", Where: "refrain.toml:1"}, {Value: `"PROMPT.md"`, Layer: "built-in"}}},
		{"a file of its table", top + "[procedures.plan]\nprompt = \"p.md\"\n", "prompt", Origin{Value: `"p.md"`, Layer: "procedure plan", Where: "refrain.toml:7"}, []Origin{{Value: `""`, Layer: layer}, {Value: `"top.md"`, Layer: "project", Where: "refrain.toml:1"}, {Value: `"PROMPT.md"`, Layer: "built-in"}}},
		{"blocked, for it has a promise", "", "done.failure_promise", Origin{Value: `"BLOCKED"`, Layer: "built-in", Where: "when done.promise is set"}, nil},
		{"not of one with parts of its own", "[procedures.plan]\nparts = [{ text = \"a\" }]\n", "loop.max_iterations", Origin{Value: "0", Layer: "built-in"}, nil},
		{"not of one with all sections of its own", "[procedures.plan]\nobserve = []\norient = [{ text = \"a\" }]\ndecide = []\nact = []\n", "loop.max_iterations", Origin{Value: "0", Layer: "built-in"}, nil},
		{"of one that keeps a section", "[procedures.plan]\nobserve = [{ text = \"a\" }]\norient = []\ndecide = []\nact = \"\"\n", "loop.max_iterations", Origin{Value: "10", Layer: layer}, []Origin{{Value: "0", Layer: "built-in"}}},
		{"its gate", "", "gate.spell", Origin{Value: `{ run = "spell" }`, Layer: layer}, nil},
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
	s := treeWith(t, "done.promise = \"\"\n")
	s.Procedure, s.Builtin, s.Procedures = "build", "done = { promise = \"DONE\", plan = \"PLAN.md\" }\n", []string{"build"}
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
