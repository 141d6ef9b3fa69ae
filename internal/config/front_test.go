package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// brings is a prompt that brings one setting along, on line 3 of its file.
func brings(key string, value any) func(*Resolved) ([]Front, *Problem) {
	return func(*Resolved) ([]Front, *Problem) {
		return []Front{{File: "PROMPT.md", Settings: map[string]any{key: value}, Lines: map[string]int{key: 3}}}, nil
	}
}

func TestAPromptLiesAboveTheProjectAndBelowItsProceduresTable(t *testing.T) {
	s := treeWith(t, "[stop]\nfailures = 13\n\n[procedures.build]\nstop.failures = 14\n")
	s.Procedure, s.Builtin = "build", "[stop]\nfailures = 18\n"
	s.Front = brings("stop.failures", 7)
	got, err := load(t, s).Explain("stop.failures")
	if err != nil {
		t.Fatal(err)
	}
	want := Setting{
		Key:    "stop.failures",
		Origin: Origin{Value: "14", Layer: "procedure build", Where: "refrain.toml:5"},
		Overrode: []Origin{
			{Value: "7", Layer: "prompt", Where: "PROMPT.md:3"},
			{Value: "13", Layer: "project", Where: "refrain.toml:2"},
			{Value: "18", Layer: "procedure build (built-in)"},
			{Value: "3", Layer: "built-in"},
		},
	}
	if diff := cmp.Diff(want, got.Setting); diff != "" {
		t.Errorf("stop.failures (-want +got):\n%s", diff)
	}
}

func TestAPromptIsAskedWhenItIsKnownWhich(t *testing.T) {
	s := treeWith(t, "prompt = \"other.md\"\n")
	asked := ""
	s.Front = func(r *Resolved) ([]Front, *Problem) {
		asked = r.Config.Prompt
		return brings("done.promise", "READY")(r)
	}
	c := load(t, s).Config
	if asked != "other.md" {
		t.Errorf("the prompt %q was asked, want other.md", asked)
	}
	if c.Done.Promise != "READY" || c.Done.FailurePromise != "BLOCKED" {
		t.Errorf("the promises are %q and %q, want READY and BLOCKED, which goes with it", c.Done.Promise, c.Done.FailurePromise)
	}
}

func TestWhatAPromptMaySet(t *testing.T) {
	tests := []struct {
		name  string
		key   string
		value any
		want  string // the problem; "" is none
	}{
		{"a text", "done.promise", "READY", ""},
		{"a truth", "claims.tell", false, ""},
		{"a number", "budget.cost_usd", 2.5, ""},
		{"a whole number for a number", "budget.cost_usd", 2, ""},
		{"a list", "progress.ignore", []any{"a.md", "b.md"}, ""},
		{"a duration", "loop.max_time", "30m", ""},
		{"a number for a duration", "loop.max_time", 30, `PROMPT.md:3: loop.max_time must be a duration such as "90s" or "30m", not 30`},
		{"numbers in a list of texts", "progress.ignore", []any{1}, "PROMPT.md:3: progress.ignore must be a list of text, not this list"},
		{"a blank promise", "done.promise", " ", "PROMPT.md:3: done.promise must not be blank"},
		{"a key that is unknown", "done.promised", "x", `PROMPT.md:3: unknown key "done.promised"`},
		{"what is no key", "a b", "x", `PROMPT.md:3: "a b" is not a key`},
		{"a table", "done", "x", "PROMPT.md:3: done cannot be set in a prompt"},
		{"the prompt", "prompt", "x.md", "PROMPT.md:3: prompt cannot be set in a prompt"},
		{"a profile", "profile", "rooda", "PROMPT.md:3: profile cannot be set in a prompt"},
		{"the log", "log.file", "x", "PROMPT.md:3: log.file cannot be set in a prompt"},
		{"a gate", "gate.test.run", "true", "PROMPT.md:3: gate.test.run cannot be set in a prompt"},
		{"an agent's table", "agents.mine.command", "x", "PROMPT.md:3: agents.mine.command cannot be set in a prompt"},
		{"a session", "session.mode", "keep", ""},
		{"a command for messages", "notify.command", "x", "PROMPT.md:3: notify.command cannot be set in a prompt"},
		{"a header", "notify.webhook.headers.A", "x", "PROMPT.md:3: notify.webhook.headers.A cannot be set in a prompt"},
		{"an address for traces", "trace.endpoint", "http://x", "PROMPT.md:3: trace.endpoint cannot be set in a prompt"},
		{"a file for metrics", "metrics.file", "x", "PROMPT.md:3: metrics.file cannot be set in a prompt"},
		{"a price", `prices."m.1".input`, 1, `PROMPT.md:3: prices."m.1".input cannot be set in a prompt`},
		{"a procedure's table", "procedures.build.done.promise", "x", "PROMPT.md:3: procedures.build.done.promise cannot be set in a prompt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, p := range problems(t, Sources{Front: brings(tt.key, tt.value)}) {
				got += p.String()
			}
			if got != tt.want {
				t.Errorf("%s: %v: got %q, want %q", tt.key, tt.value, got, tt.want)
			}
		})
	}
}

func TestAPromptThatCannotBeReadIsAProblem(t *testing.T) {
	bad := Problem{File: "PROMPT.md", Line: 2, What: "a value is missing", Hint: "write one"}
	got := problems(t, Sources{Front: func(*Resolved) ([]Front, *Problem) { return nil, &bad }})
	if diff := cmp.Diff([]Problem{bad}, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
