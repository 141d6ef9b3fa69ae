package scaffold

import (
	"encoding/json"

	"github.com/refrain-loop/refrain/internal/text"
)

var deno = row{
	kind: Deno, markers: []string{"deno.json", "deno.jsonc"}, testFiles: []string{"*_test.*", "*.test.*"},
	test: "deno test", build: "deno check .", lint: "deno lint", adapt: adaptDeno,
}

// adaptDeno prefers the project's own tasks: they know which permissions its
// tests need.
func adaptDeno(p tree, t *Toolchain) {
	var config struct {
		Tasks map[string]json.RawMessage `json:"tasks"` // texts or tables
	}
	if err := json.Unmarshal(text.PlainJSON([]byte(p.read(t.Marker))), &config); err != nil {
		t.broken(t.Marker, err)
		return
	}
	for name, c := range map[string]*Command{"test": &t.Test, "build": &t.Build, "lint": &t.Lint} {
		if config.Tasks[name] != nil {
			c.Line = "deno task " + name
		}
	}
}
