package agent

import "testing"

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
