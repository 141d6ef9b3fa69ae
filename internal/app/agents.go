package app

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearsal"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
)

// prepareAgent makes the agent that the request or the settings name.
func (j *Job) prepareAgent(context.Context) error {
	if j.Request.Extensions.Agent != nil {
		return j.takeOwnAgent()
	}
	if len(j.Request.Command) > 0 {
		for _, f := range j.Request.Flags {
			if f.Key == "agent" || f.Key == "model" || f.Key == "permissions.mode" {
				return &request.UsageError{
					What: fmt.Sprintf("%s means nothing to a command after --", f.Name),
					Hint: "put it into the command itself, or describe the agent in an [agents.NAME] table",
				}
			}
		}
		a, err := agent.New(agent.Options{Name: "command", Command: j.Request.Command})
		if err != nil {
			return &request.UsageError{What: err.Error()}
		}
		j.agent, j.agentName = a, filepath.Base(j.Request.Command[0])
		if err := j.checkSession(); err != nil {
			return err
		}
		return j.checkBudget("command", "text", "")
	}
	name, err := j.chooseAgent()
	if err != nil {
		return err
	}
	table := j.Config().Agents[name]
	if j.Config().Model != "" && table.ModelFlag == "" && (name == "rehearsal" || !table.Command.IsZero()) {
		return &request.UsageError{
			What: fmt.Sprintf("agent %s cannot be told a model", name),
			Hint: fmt.Sprintf("set agents.%s.model_flag to the flag that takes it, or leave the model out", name),
		}
	}
	if table.MaxTurns > 0 && (!agent.TraitsOf(name).Turns || !table.Command.IsZero()) {
		return &request.UsageError{
			What: fmt.Sprintf("agent %s cannot be told how many turns it may take", name),
			Hint: fmt.Sprintf("leave agents.%s.max_turns out, and limit the time with loop.iteration_timeout", name),
		}
	}
	if fix := refusedRoot(name, j.Config().Permissions.Mode); fix != "" && table.Command.IsZero() {
		return &request.UsageError{What: name + " refuses to skip permissions when run by root", Hint: fix}
	}
	a, err := j.makeAgent(name, table)
	if err != nil {
		return &request.UsageError{What: fmt.Sprintf("agent %s: %v", name, err), Hint: "see \"refrain agents\""}
	}
	j.agent, j.agentName = a, name
	if err := j.checkBudget(name, table.Format, j.Config().Model); err != nil {
		return err
	}
	if err := j.checkSession(); err != nil {
		return err
	}
	return j.prepareFallback()
}

// refusedRoot is what to do about an agent that would refuse to work as root;
// empty when it would not.
func refusedRoot(name, mode string) string {
	variable := agent.TraitsOf(name).Root
	if variable == "" || mode != "full" || os.Geteuid() != 0 || os.Getenv(variable) != "" {
		return ""
	}
	return "run as an ordinary user, use --permissions work, or set " + variable + "=1 if this is a container"
}

// remedy is what to do when the agent's program is not there.
func (j *Job) remedy() string {
	if len(j.Request.Command) > 0 {
		return remedyFor("")
	}
	return remedyFor(j.agentName)
}

func remedyFor(name string) string {
	if home := agent.TraitsOf(name).Home; home != "" {
		return "install it from " + home + ", or correct its name"
	}
	return "install it, or correct its name"
}

// billedBy is the variable that makes the agent bill an API key where it could
// bill a subscription; empty when the environment has none.
func billedBy(name string) string {
	for _, key := range agent.TraitsOf(name).Keys {
		if os.Getenv(key) != "" {
			return key
		}
	}
	return ""
}

// checkBudget refuses a budget that nobody could keep, because the agent does
// not say what it uses up.
func (j *Job) checkBudget(name, format, model string) error {
	budget := j.Config().Budget
	tokens, cost := agent.Tells(name, format, model, j.prices()...)
	if own := j.Request.Extensions.Agent; own != nil && own.Name == name {
		tokens, cost = own.Tokens, own.Cost
	}
	switch {
	case budget.CostUSD > 0 && !cost && tokens:
		return &request.UsageError{
			What: fmt.Sprintf("%s does not say what it costs, and the price of its model is not known, so budget.cost_usd cannot be kept", j.called(name)),
			Hint: "use budget.tokens (--max-tokens) instead, name a model with a known price (-m), or set its price in a [prices] table (\"refrain agents --prices\" lists those we know)",
		}
	case (budget.CostUSD > 0 || budget.Tokens > 0) && !tokens:
		return &request.UsageError{
			What: fmt.Sprintf("%s does not say what it uses, so neither budget.cost_usd nor budget.tokens can be kept", j.called(name)),
			Hint: "limit the run with -n or --max-time instead",
		}
	}
	return nil
}

// called is an agent's name for people: a command goes by its program's.
func (j *Job) called(name string) string {
	if name == "command" {
		return j.agentName
	}
	return name
}

// chooseAgent is the agent by name, or the only one that is installed.
func (j *Job) chooseAgent() (string, error) {
	if name := j.Config().Agent; name != "auto" {
		return name, nil
	}
	found := installed(j.Config().Agents)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &request.UsageError{
			What: "no agent: none is installed, and none was named",
			Hint: "install one (\"refrain agents\" lists those we know), pass a command after --, or add an [agents.NAME] table to refrain.toml",
		}
	}
	return "", &ChoiceError{Agents: found}
}

// ChoiceError says that several agents could be meant.
type ChoiceError struct{ Agents []string }

func (e *ChoiceError) Error() string {
	return "several agents are installed: " + strings.Join(e.Agents, ", ")
}

// installed lists the agents whose program can be found: the built-in CLIs and
// those of the user's tables.
func installed(agents map[string]config.Agent) []string {
	var found []string
	for _, name := range known(agents) {
		program := programOf(name, agents[name])
		if program == "" {
			continue
		}
		if _, err := exec.LookPath(program); err == nil {
			found = append(found, name)
		}
	}
	return found
}

// known is every agent that can be named, sorted.
func known(agents map[string]config.Agent) []string {
	names := slices.Concat(agent.BuiltIn(), slices.Collect(maps.Keys(agents)))
	slices.Sort(names)
	return slices.Compact(names)
}

// programOf is what an agent starts; empty for the rehearsal, which is part of
// this program, and for a table that cannot be read.
func programOf(name string, table config.Agent) string {
	argv, err := argvOf(table.Command)
	switch {
	case err != nil:
		return ""
	case len(argv) > 0:
		return argv[0]
	}
	return agent.Program(name)
}

func argvOf(c setting.Command) ([]string, error) {
	if c.Line != "" {
		return agent.Split(c.Line)
	}
	return c.Argv, nil
}

// makeAgent makes the agent of that name, with what its [agents.NAME] table
// changes.
func (j *Job) makeAgent(name string, table config.Agent) (agent.Agent, error) {
	return j.makeAgentWith(name, table, j.Config().Model)
}

func (j *Job) makeAgentWith(name string, table config.Agent, model string) (agent.Agent, error) {
	argv, err := argvOf(table.Command)
	if err != nil {
		return nil, err
	}
	o := agent.Options{
		Name: name, Command: argv, Prompt: table.Prompt, Format: table.Format,
		ModelFlag: table.ModelFlag, ResumeFlag: table.ResumeFlag, First: table.FirstSignal, Env: table.Env,
		Permissions: j.Config().Permissions.Mode, SystemFile: j.systemFile(), MaxTurns: table.MaxTurns,
		Model: model, ContextWindow: table.ContextWindow, Prices: j.prices(), Now: time.Now, Used: j.usedBefore,
	}
	switch {
	case !agent.KnowsCommand(name):
		o.Name = "command"
	case name == "rehearsal":
		if o.Self, err = proc.HelperCommand("rehearsal"); err != nil {
			return nil, err
		}
		if table.Script != "" {
			o.Script = j.InTree(table.Script)
		}
		if err := checkScript(o.Script); err != nil {
			return nil, err
		}
	}
	return agent.New(o)
}

// usedBefore is what a session that goes on has used so far.
func (j *Job) usedBefore(session string) loop.Usage {
	if j.used == nil {
		return loop.Usage{}
	}
	return j.used(session)
}

// prices is what the user says that models cost.
func (j *Job) prices() []agent.Price { return pricesOf(j.Config()) }

func pricesOf(c config.Config) []agent.Price {
	var list []agent.Price
	for _, model := range slices.Sorted(maps.Keys(c.Prices)) {
		p := c.Prices[model]
		list = append(list, agent.Price{
			Model: model, Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, Window: p.Window,
		})
	}
	return list
}

// systemFile is AGENTS.md, when the work tree has one.
func (j *Job) systemFile() string {
	path := filepath.Join(j.Tree, "AGENTS.md")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// mostScript is more than anybody writes for a rehearsal.
const mostScript = 16 << 20

// checkScript finds a mistake in a rehearsal script before the run exists.
func checkScript(path string) error {
	if path == "" {
		return nil // the agent itself says that there is none
	}
	b, err := files.ReadFile(context.Background(), path, mostScript)
	if err != nil {
		return fmt.Errorf("read its script: %w", err)
	}
	if _, err := rehearsal.Parse(b); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}

// takeOwnAgent makes the agent of the program's the one that works.
func (j *Job) takeOwnAgent() error {
	own := j.Request.Extensions.Agent
	switch {
	case own.Name == "":
		return &request.UsageError{What: "the agent has no name", Hint: "give it one: the journal says who worked"}
	case slices.Contains(known(j.Config().Agents), own.Name):
		return &request.UsageError{What: fmt.Sprintf("there is an agent %q already", own.Name), Hint: "give yours another name"}
	case len(j.Request.Command) > 0 || setBy(j.Request.Flags, "agent"):
		return &request.UsageError{What: "there are two agents", Hint: "bring one, or name one, or give a command"}
	case setBy(j.Request.Flags, "permissions.mode"):
		return &request.UsageError{What: "permissions.mode means nothing to an agent of your own", Hint: "have the agent ask for it by itself"}
	}
	j.agent, j.agentName = own.Agent, own.Name
	if err := j.checkBudget(own.Name, "", ""); err != nil {
		return err
	}
	if err := j.checkSession(); err != nil {
		return err
	}
	return j.prepareFallback()
}
