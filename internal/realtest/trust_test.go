package realtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
)

// A clone with files for the CLI: nothing of them acts before a person agrees, nor
// when nothing of the clone is to be read; and once somebody has agreed, they do.
func TestAClonesFilesActOnlyOnceTheyAreTrusted(t *testing.T) {
	each(t, only("claude", "codex"), func(t *testing.T, r recipe) {
		w := newTrappedWorld(t, r)
		w.env = slices.DeleteFunc(w.env, func(v string) bool { return strings.HasPrefix(v, "REFRAIN_TRUST_FOLDERS=") })
		w.env = append(w.env, traps[r.name].env...)
		if trust := traps[r.name].trust; trust != nil {
			trust(w) // which is not enough for us
		}

		asked := w.run("-n", "1")
		asked.exits(3)
		if said := asked.said.String(); !strings.Contains(said, "nobody has trusted what this work tree would run: "+r.name) {
			t.Errorf("it said %q, want who would run", said)
		}
		if got := w.happened(); len(got) > 0 {
			t.Fatalf("before anybody agreed this happened: %q", got)
		}
		if played := w.model.State().Played; len(played) > 0 {
			t.Errorf("the CLI was called: %v", played)
		}

		if !slices.Contains(agent.Ignores(), r.name) {
			t.Fatalf("%s cannot be told to read nothing", r.name)
		}
		w.run("--untrusted", "-n", "1").exits(0)
		if got := w.happened(); len(got) > 0 {
			t.Fatalf("in a run that reads nothing of the clone this happened: %q", got)
		}
		if got := w.read("hello.txt"); strings.TrimSpace(got) != "hello refrain" {
			t.Errorf("the agent wrote %q, want its work done", got)
		}

		w.must("refrain", "trust")
		w.run("-n", "1").wait()
		if got, want := w.happened(), traps[r.name].acts; !slices.Equal(got, want) {
			t.Errorf("once it is trusted this happened: %q, want %q, or this test shows nothing", got, want)
		}
	})
}
