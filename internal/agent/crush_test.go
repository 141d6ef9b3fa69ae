package agent

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestCrushCommands(t *testing.T) {
	env := []string{"CRUSH_DISABLE_METRICS=1", "CRUSH_DISABLE_PROVIDER_AUTO_UPDATE=1"}
	checkCommands(t, "crush", nil, []commandTest{
		{
			"the prompt comes on stdin",
			Options{Permissions: "work"},
			Call{HasPrompt: true, Prompt: "do it"},
			Command{Argv: []string{"crush", "run", "--quiet"}, Env: env, Stdin: "do it", First: "INT"},
		},
		{
			"with a model",
			Options{Permissions: "full"},
			Call{Model: "a/b"},
			Command{Argv: []string{"crush", "run", "--quiet", "--model", "a/b"}, Env: env, First: "INT"},
		},
	})
}

// Its badge for an error has more than one form. What it says on stdout is none.
func TestCrushErrors(t *testing.T) {
	const reason = "Agent processing failed: unauthorized: invalid x-api-key."
	for _, tt := range []struct {
		name  string
		lines []string
		want  loop.ErrorKind
	}{
		{"a line of its own", []string{"!", "!   ERROR  ", "!", "!  " + reason}, loop.ErrAuth},
		{"one line", []string{"!  ERROR  " + reason}, loop.ErrAuth},
		{"a word", []string{"!Error: " + reason}, loop.ErrAuth},
		{"a louder one", []string{"! ERROR! ", "!", "! " + reason}, loop.ErrAuth},
		{"in colours", []string{"!\x1b[1;41m ERROR \x1b[0m", "!", "!  " + reason}, loop.ErrAuth},
		{"what the agent says", []string{"ERROR", reason}, loop.ErrAgent},
		{"something else", []string{"!ERRORS were found: unauthorized"}, loop.ErrAgent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := aside("crush", append(tt.lines, "")...)
			if got := all[len(all)-1].(*loop.AgentResult); kindOf(got) != tt.want {
				t.Errorf("%+v, want %q", got.Error, tt.want)
			}
		})
	}
}
