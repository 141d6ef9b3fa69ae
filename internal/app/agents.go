package app

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearsal"
)

// builtInAgents can be named without being configured. The back end "command"
// is reached by "-- COMMAND" and by [agents.NAME] tables, not by its name.
func builtInAgents() []string {
	return slices.DeleteFunc(agent.Names(), func(name string) bool { return name == "command" })
}

// prepareAgent makes the agent that the request or the settings name.
func (j *Job) prepareAgent() error {
	if len(j.Request.Command) > 0 {
		for _, f := range j.Request.Flags {
			if f.Key == "agent" || f.Key == "model" {
				return &UsageError{
					What: fmt.Sprintf("%s means nothing to a command after --", f.Name),
					Hint: "put it into the command itself, or describe the agent in an [agents.NAME] table",
				}
			}
		}
		a, err := agent.New(agent.Options{Name: "command", Command: j.Request.Command})
		if err != nil {
			return &UsageError{What: err.Error()}
		}
		j.agent, j.agentName = a, filepath.Base(j.Request.Command[0])
		return j.checkBudget("text")
	}
	name, err := j.chooseAgent()
	if err != nil {
		return err
	}
	table := j.config().Agents[name]
	if j.config().Model != "" && table.ModelFlag == "" {
		return &UsageError{
			What: fmt.Sprintf("agent %s cannot be told a model", name),
			Hint: fmt.Sprintf("set agents.%s.model_flag to the flag that takes it, or leave the model out", name),
		}
	}
	a, err := makeAgent(name, table, j.Tree)
	if err != nil {
		return &UsageError{What: fmt.Sprintf("agent %s: %v", name, err), Hint: "see \"refrain agents\""}
	}
	j.agent, j.agentName = a, name
	return j.checkBudget(table.Format)
}

// checkBudget refuses a budget that nobody could keep: an agent that prints
// plain text does not say what it uses up.
func (j *Job) checkBudget(format string) error {
	budget := j.config().Budget
	if format != "text" || budget.CostUSD == 0 && budget.Tokens == 0 {
		return nil
	}
	return &UsageError{
		What: fmt.Sprintf("%s does not say what it uses, so neither budget.cost_usd nor budget.tokens can be kept", j.agentName),
		Hint: "limit the run with -n or --max-time instead",
	}
}

// chooseAgent is the agent by name, or the only one that is installed.
func (j *Job) chooseAgent() (string, error) {
	if name := j.config().Agent; name != "auto" {
		return name, nil
	}
	found := installed(j.config().Agents)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &UsageError{
			What: "no agent: none is configured, and none was named",
			Hint: "pass a command after --, name one with -a, or add an [agents.NAME] table to refrain.toml",
		}
	}
	return "", &UsageError{
		What: "several agents are configured and installed: " + strings.Join(found, ", "),
		Hint: "choose one with -a NAME, or set agent = \"NAME\" in refrain.toml",
	}
}

// installed lists the configured agents whose program can be found.
func installed(agents map[string]config.Agent) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		argv, err := argvOf(agents[name].Command)
		if err != nil || len(argv) == 0 {
			continue
		}
		if _, err := exec.LookPath(argv[0]); err == nil {
			found = append(found, name)
		}
	}
	return found
}

func argvOf(c config.Command) ([]string, error) {
	if c.Line != "" {
		return agent.Split(c.Line)
	}
	return c.Argv, nil
}

// makeAgent turns an [agents.NAME] table into an agent.
func makeAgent(name string, table config.Agent, tree string) (agent.Agent, error) {
	argv, err := argvOf(table.Command)
	if err != nil {
		return nil, fmt.Errorf("split its command: %w", err)
	}
	o := agent.Options{
		Name: name, Command: argv, Prompt: table.Prompt, Format: table.Format,
		ModelFlag: table.ModelFlag, First: table.FirstSignal, Env: table.Env,
	}
	switch {
	case len(argv) > 0:
		o.Name = "command"
	case name == "rehearsal":
		if o.Self, err = proc.HelperCommand("rehearsal"); err != nil {
			return nil, err
		}
		if o.Script = table.Script; o.Script != "" && !filepath.IsAbs(o.Script) {
			o.Script = filepath.Join(tree, o.Script)
		}
		if err := checkScript(o.Script); err != nil {
			return nil, err
		}
	}
	return agent.New(o)
}

// checkScript finds a mistake in a rehearsal script before the run exists.
func checkScript(path string) error {
	if path == "" {
		return nil // the agent itself says that there is none
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read its script: %w", err)
	}
	if _, err := rehearsal.Parse(b); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}

// AgentInfo tells of one agent that a run could use.
type AgentInfo struct {
	Name    string   `json:"name"`
	BuiltIn bool     `json:"built_in"`
	Command []string `json:"command,omitempty"`
	Path    string   `json:"path,omitempty"` // of its program, when it was found
	Found   bool     `json:"found"`
	Note    string   `json:"note,omitempty"`
}

// CalledAs is how a run would call the agent, or why it can't.
func (a AgentInfo) CalledAs() string {
	if a.Note != "" && len(a.Command) == 0 {
		return a.Note
	}
	called := agent.Join(a.Command)
	if a.Note != "" {
		called += " (" + a.Note + ")"
	}
	return called
}

// Agents lists the built-in and the configured agents.
func Agents(settings *config.Resolved) []AgentInfo {
	list := []AgentInfo{
		{Name: "command", BuiltIn: true, Found: true, Note: "any program: refrain run [-p PROMPT] -- PROGRAM ARGS…"},
		{Name: "rehearsal", BuiltIn: true, Found: true, Note: "plays a script: set agents.rehearsal.script; no key, no network"},
	}
	agents := settings.Config.Agents
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		if name == "rehearsal" && agents[name].Command.IsZero() {
			list[1].Note = "plays " + agents[name].Script
			continue
		}
		argv, err := argvOf(agents[name].Command)
		info := AgentInfo{Name: name, Command: config.MaskArgs(argv)}
		switch {
		case err != nil:
			info.Note = err.Error()
		case len(argv) == 0:
			info.Note = "has no command"
		default:
			info.Path, err = exec.LookPath(argv[0])
			info.Found = err == nil
			if err != nil {
				info.Note = "not found on PATH"
			}
		}
		list = append(list, info)
	}
	return list
}
