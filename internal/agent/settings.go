package agent

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Table is one [agents.NAME] table. A table with a command describes an agent
// of the user's, and has every default; one without tunes a built-in agent, and
// what it does not set is empty, so that the agent's own choice stands.
type Table struct {
	Command     setting.Command
	Program     string
	Prompt      string
	Format      string
	ModelFlag   string
	ResumeFlag  string
	FirstSignal string
	MaxTurns    int
	// ContextWindow is in tokens; 0 is not known.
	ContextWindow int
	Env           map[string]string
	Script        string // only for the agent "rehearsal"
}

// Known tells whether it is the agent's own program that is started, and not one
// that the settings name.
func (t Table) Known() bool { return t.Command.IsZero() && t.Program == "" }

// Rows is every setting of one agent, below [agents.NAME].
func Rows(t *Table) []setting.Row {
	return []setting.Row{
		{
			Key: "command", Kind: setting.CommandKind, At: &t.Command,
			Doc: "the program and its arguments: a list, or one text split as a shell would, without a shell",
		},
		{
			Key: "program", Kind: setting.Text, At: &t.Program, Default: "",
			Doc: "the program of a built-in agent, where it has another name or place; its arguments stay",
		},
		{
			Key: "prompt", Kind: setting.Text, At: &t.Prompt, Default: "stdin", Choices: []string{"stdin", "arg", "env", "file"},
			Doc: "how the prompt reaches the agent: on stdin, as the last argument, in the variable PROMPT, or as the name of a file; {prompt} and {prompt_file} in the command stand for the prompt itself",
		},
		{
			Key: "format", Kind: setting.Text, At: &t.Format, Choices: choices(),
			Doc: "how the agent's output is read: text, or as one of the built-in agents prints it; empty is that agent's own, else text",
		},
		{
			Key: "model_flag", Kind: setting.Text, At: &t.ModelFlag, Default: "",
			Doc: "the flag that takes the model, such as --model",
		},
		{
			Key: "resume_flag", Kind: setting.Text, At: &t.ResumeFlag, Default: "",
			Doc: "the flag that takes the session to continue, such as --resume",
		},
		{
			Key: "first_signal", Kind: setting.Text, At: &t.FirstSignal, Choices: []string{"INT", "TERM", "HUP"},
			Doc: "the signal by which the agent is first asked to end; empty is the built-in agent's own, else TERM",
		},
		{
			Key: "max_turns", Kind: setting.Int, At: &t.MaxTurns, Default: 0,
			Doc: "turns of the agent in one attempt, for agents that have such a limit; 0 is none",
		},
		{
			Key: "context_window", Kind: setting.Int, At: &t.ContextWindow, Default: 0,
			Doc: "the model's context in tokens, where the agent does not tell; 0 is not known",
		},
		{
			Key: "env", Kind: setting.Variables, At: &t.Env, Each: &variable,
			Doc: "variables added to the agent's environment; never shown",
		},
		{
			Key: "script", Kind: setting.Text, At: &t.Script, Default: "", File: true,
			Doc: "the rehearsal script; only for the built-in agent \"rehearsal\"",
		},
	}
}

// choices is the formats as people are shown them: the plainest first.
func choices() []string {
	const plainest = "text"
	others := slices.DeleteFunc(Formats(), func(f string) bool { return f == plainest })
	return append([]string{plainest}, others...)
}

// variable is the row of one name below [agents.NAME.env].
var variable = setting.Row{Key: "NAME", Kind: setting.Text, Secret: true, Name: variableName, Doc: "a variable in the agent's environment"}

func variableName(name string) (what, hint string) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return setting.Quote(name) + " is not a name for a variable", "use letters, digits and _"
	}
	return "", ""
}
