// Package lineup says who works for a run: the agent that the request or the
// settings name, and those that stand in while its provider turns it away.
//
// A mistake is found before anything starts: an agent that is not there, a budget
// that nobody could keep, a session that cannot go on. How an agent is called and
// read is in package agent.
package lineup

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Worker is an agent of a run.
type Worker struct {
	Name   string
	Agent  agent.Agent
	Model  string // empty: the agent's own choice
	Remedy string // what to do when its program is not there
	InText bool   // it prints what its tools print as its own text
}

// Lineup is the agents of a run.
type Lineup struct {
	Workers []Worker // the first works unless its provider turns it away

	// Used is what a session had used when the attempt began; nil: no run is alive.
	Used func(session string) loop.Usage

	assignment request.Assignment
}

// New makes the agents of an assignment.
func New(a request.Assignment) (*Lineup, error) {
	l := &Lineup{assignment: a}
	first, err := l.first()
	if err != nil {
		return nil, err
	}
	l.Workers = []Worker{first}
	if err := l.checkFirstBudget(a.Config().Stop); err != nil {
		return nil, err
	}
	if err := l.checkSession(); err != nil {
		return nil, err
	}
	return l, l.addFallback()
}

// Name is that of the first agent.
func (l *Lineup) Name() string { return l.Workers[0].Name }

// Model is the one that it is asked to use; empty for a command, which is asked for
// none.
func (l *Lineup) Model() string { return l.Workers[0].Model }

// Names is those of all of them.
func (l *Lineup) Names() []string {
	var names []string
	for _, w := range l.Workers {
		names = append(names, w.Name)
	}
	return names
}

// Replace puts another agent in the place of all of them, under their names.
func (l *Lineup) Replace(a agent.Agent) {
	l.Workers = slices.Clone(l.Workers)
	for i := range l.Workers {
		l.Workers[i].Agent = a
	}
}

// first makes the agent that works unless its provider turns it away.
func (l *Lineup) first() (Worker, error) {
	switch {
	case l.assignment.Request.Extensions.Agent != nil:
		return l.own()
	case len(l.assignment.Request.Command) > 0:
		return l.command()
	}
	return l.named()
}

// own is the agent that the program brings along.
func (l *Lineup) own() (Worker, error) {
	own, req := l.assignment.Request.Extensions.Agent, l.assignment.Request
	refuse := func(what, hint string) (Worker, error) {
		return Worker{}, &request.UsageError{What: what, Hint: hint}
	}
	switch {
	case own.Name == "":
		return refuse("the agent has no name", "give it one: the journal says who worked")
	case slices.Contains(Known(l.config().Agents), own.Name):
		return refuse(fmt.Sprintf("there is an agent %q already", own.Name), "give yours another name")
	case len(req.Command) > 0:
		return refuse("there are two agents: your own, and a command", "leave one of them out")
	case request.Sets(req.Flags, "agent"):
		i := slices.IndexFunc(req.Flags, func(f config.Flag) bool { return f.Key == "agent" })
		return refuse("there are two agents: your own, and that of "+asTyped(req.Flags[i]), "leave one of them out")
	case request.Sets(req.Flags, "permissions.mode"):
		return refuse("permissions.mode means nothing to an agent of your own", "have the agent ask for it by itself")
	}
	return l.worker(own.Name, own.Agent, l.config().Model), nil
}

// Means tells whether a setting means something to who works for a request. A
// command brings along all that a named agent is told by settings, and an agent of
// the program's own is told its model alone. How a prompt is handed over is for a
// command that does not say where it belongs.
func Means(req request.Request, key string) bool {
	switch key {
	case "agent", "permissions.mode":
		return len(req.Command) == 0 && req.Extensions.Agent == nil
	case "model":
		return len(req.Command) == 0
	case promptAs:
		return len(req.Command) > 0 && len(agent.Places(req.Command)) == 0
	}
	return true
}

// command is the command after "--".
func (l *Lineup) command() (Worker, error) {
	req := l.assignment.Request
	if err := l.checkPlaces(); err != nil {
		return Worker{}, err
	}
	for _, f := range req.Flags {
		if !Means(req, f.Key) {
			return Worker{}, &request.UsageError{
				What: fmt.Sprintf("%s means nothing to a command after --", asTyped(f)),
				Hint: "put it into the command itself, or describe the agent in an [agents.NAME] table",
			}
		}
	}
	if req.Command[0] == "" {
		return Worker{}, &request.UsageError{What: "the command names no program", Hint: "give the program first, and then its arguments"}
	}
	a, err := agent.New(agent.Options{Name: "command", Command: req.Command, Prompt: l.config().Loop.PromptAs})
	var prompt *agent.PromptError
	if errors.As(err, &prompt) {
		return Worker{}, &request.UsageError{What: prompt.What, Hint: prompt.Fix}
	}
	if err != nil {
		return Worker{}, &request.UsageError{What: err.Error()}
	}
	return Worker{Name: filepath.Base(req.Command[0]), Agent: a, Remedy: remedy(""), InText: true}, nil
}

// asTyped is a flag as a person would find it again in what they typed.
func asTyped(f config.Flag) string {
	if f.Name == "--set" {
		return f.Name + " " + f.Key
	}
	return f.Name
}

// checkPlaces sees that a command which says where its prompt belongs is given one,
// and is not told another way as well.
func (l *Lineup) checkPlaces() error {
	places := agent.Places(l.assignment.Request.Command)
	if len(places) == 0 {
		return nil
	}
	if request.Sets(l.assignment.Request.Flags, promptAs) {
		return &request.UsageError{What: fmt.Sprintf("the command has %s, and --prompt-as names another way to hand the prompt over", places[0]), Hint: "leave one of them out"}
	}
	if !l.assignment.HasPrompt() {
		return &request.UsageError{What: fmt.Sprintf("the command has %s, and there is no prompt", places[0]), Hint: "give one with -p TEXT or -F FILE"}
	}
	return nil
}

// promptAs is the key of how a command gets its prompt.
const promptAs = "loop.prompt_as"

// named is the agent that the settings name, or the only one that is installed.
func (l *Lineup) named() (Worker, error) {
	name, err := l.choose()
	if err != nil {
		return Worker{}, err
	}
	if request.Sets(l.assignment.Request.Flags, promptAs) {
		return Worker{}, &request.UsageError{What: "--prompt-as is for a command after --", Hint: fmt.Sprintf("agent %s has agents.%s.prompt for it", name, name)}
	}
	table := l.config().Agents[name]
	if l.config().Model != "" && table.ModelFlag == "" && (name == "rehearsal" || !table.Command.IsZero()) {
		return Worker{}, &request.UsageError{
			What: fmt.Sprintf("agent %s cannot be told a model", name),
			Hint: fmt.Sprintf("set agents.%s.model_flag to the flag that takes it, or leave the model out", name),
		}
	}
	if table.MaxTurns > 0 && (!agent.TraitsOf(name).Turns || !table.Command.IsZero()) {
		return Worker{}, &request.UsageError{
			What: fmt.Sprintf("agent %s cannot be told how many turns it may take", name),
			Hint: fmt.Sprintf("leave agents.%s.max_turns out, and limit the time with loop.iteration_timeout", name),
		}
	}
	a, err := Make(l.assignment, name, l.config().Model, l.UsedBefore)
	if err != nil {
		return Worker{}, refused("agent "+name, err)
	}
	return l.worker(name, a, l.config().Model), nil
}

// refused says why an agent cannot be made.
func refused(what string, err error) error {
	hint := `see "refrain agents"`
	var prompt *agent.PromptError
	if errors.As(err, &prompt) {
		return &request.UsageError{What: what + ": " + prompt.What, Hint: prompt.Fix}
	}
	var cannot *agent.IgnoreError
	if errors.As(err, &cannot) {
		can := agent.Ignores()
		hint = fmt.Sprintf("use %s or %s, or look at what it brings along and trust it: see \"refrain trust --show\"", strings.Join(can[:len(can)-1], ", "), can[len(can)-1])
	}
	return &request.UsageError{What: fmt.Sprintf("%s: %v", what, err), Hint: hint}
}

// addFallback makes the agents that stand in while the first one cannot work. A
// model is named for the first only: the others may not know it.
func (l *Lineup) addFallback() error {
	for _, name := range l.config().Limits.Fallback {
		if name == l.Name() || len(l.assignment.Request.Command) > 0 {
			continue
		}
		a, err := Make(l.assignment, name, "", l.UsedBefore)
		if err != nil {
			return refused("limits.fallback: agent "+name, err)
		}
		w := l.worker(name, a, "")
		if err := l.checkBudget(l.config().Stop, name, l.config().Agents[name].Format, ""); err != nil {
			return err
		}
		l.Workers = append(l.Workers, w)
	}
	return nil
}

func (l *Lineup) worker(name string, a agent.Agent, model string) Worker {
	return Worker{Name: name, Agent: a, Model: model, Remedy: remedy(name), InText: l.config().Agents[name].Format == "text"}
}

func remedy(name string) string {
	if home := agent.TraitsOf(name).Home; home != "" {
		return "install it from " + home + ", or correct its name"
	}
	return "install it, or correct its name"
}

func (l *Lineup) config() config.Config { return l.assignment.Config() }

// UsedBefore is what a session that goes on has used so far.
func (l *Lineup) UsedBefore(session string) loop.Usage {
	if l.Used == nil {
		return loop.Usage{}
	}
	return l.Used(session)
}

// choose is the agent by name, or the only one that is installed.
func (l *Lineup) choose() (string, error) {
	if name := l.config().Agent; name != "auto" {
		return name, nil
	}
	found := Installed(l.config().Agents)
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

// Installed lists the agents whose program can be found: the built-in CLIs and
// those of the user's tables.
func Installed(agents map[string]agent.Table) []string {
	var found []string
	for _, name := range Known(agents) {
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

// Known is every agent that can be named, sorted.
func Known(agents map[string]agent.Table) []string {
	names := slices.Concat(agent.BuiltIn(), slices.Collect(maps.Keys(agents)))
	slices.Sort(names)
	return slices.Compact(names)
}

// programOf is what an agent starts; empty for the rehearsal, which is part of
// this program, and for a table that cannot be read.
func programOf(name string, table agent.Table) string {
	argv, err := argvOf(table.Command)
	switch {
	case err != nil:
		return ""
	case len(argv) > 0:
		return argv[0]
	case table.Program != "":
		return table.Program
	}
	return agent.Program(name)
}

// checkSession refuses to keep the session of an agent that cannot go on with
// one, unless that is only what a profile asks of those that can.
func (l *Lineup) checkSession() error {
	asked := request.Sets(l.assignment.Request.Flags, "session.mode") || l.config().Profile == ""
	if l.config().Session.Mode != "keep" || l.canKeepSession() || !asked {
		return nil
	}
	hint := fmt.Sprintf("leave it at fresh, or name the flag that takes a session in agents.%s.resume_flag, and a format that tells it", l.Name())
	switch {
	case l.assignment.Request.Extensions.Agent != nil:
		hint = "leave it at fresh, or have its Abilities say that it goes on with sessions"
	case len(l.assignment.Request.Command) > 0:
		hint = "leave it at fresh, or describe the agent in an [agents.NAME] table, with resume_flag and format"
	}
	return &request.UsageError{What: fmt.Sprintf("session.mode is keep, and %s cannot go on with a session", l.Name()), Hint: hint}
}

// KeepsSession tells whether the agent's session goes on from one iteration to the
// next.
func (l *Lineup) KeepsSession() bool { return l.config().Session.Mode == "keep" && l.canKeepSession() }

func (l *Lineup) canKeepSession() bool {
	req := l.assignment.Request
	if own := req.Extensions.Agent; own != nil {
		return own.Sessions
	}
	table := l.config().Agents[l.Name()]
	if len(req.Command) > 0 || !table.Command.IsZero() {
		return agent.Keeps("command", table.ResumeFlag)
	}
	return agent.Keeps(l.Name(), "")
}

// CheckBudget refuses a budget that one of the agents cannot keep.
func (l *Lineup) CheckBudget(budget stop.Settings) error {
	if err := l.checkFirstBudget(budget); err != nil {
		return err
	}
	for _, w := range l.Workers[1:] {
		if err := l.checkBudget(budget, w.Name, l.config().Agents[w.Name].Format, ""); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lineup) checkFirstBudget(budget stop.Settings) error {
	switch {
	case l.assignment.Request.Extensions.Agent != nil:
		return l.checkBudget(budget, l.Name(), "", "")
	case len(l.assignment.Request.Command) > 0:
		return l.checkBudget(budget, "command", "text", "")
	}
	return l.checkBudget(budget, l.Name(), l.config().Agents[l.Name()].Format, l.config().Model)
}

// checkBudget refuses a budget that nobody could keep, because the agent does
// not say what it uses up.
func (l *Lineup) checkBudget(budget stop.Settings, name, format, model string) error {
	tokens, cost := agent.Tells(name, format, model, prices(l.config())...)
	if own := l.assignment.Request.Extensions.Agent; own != nil && own.Name == name {
		tokens, cost = own.Tokens, own.Cost
	}
	called := name
	if name == "command" { // for people a command goes by its program's name
		called = l.Name()
	}
	switch {
	case budget.CostUSD > 0 && !cost && tokens:
		return &request.UsageError{
			What: fmt.Sprintf("%s does not say what it costs, and the price of its model is not known, so budget.cost_usd cannot be kept", called),
			Hint: "use budget.tokens (--max-tokens) instead, name a model with a known price (-m), or set its price in a [prices] table (\"refrain agents --prices\" lists those we know)",
		}
	case (budget.CostUSD > 0 || budget.Tokens > 0) && !tokens:
		return &request.UsageError{
			What: fmt.Sprintf("%s does not say what it uses, so neither budget.cost_usd nor budget.tokens can be kept", called),
			Hint: "limit the run with -n or --max-time instead",
		}
	}
	return nil
}
