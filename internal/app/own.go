package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Own is what a program brings to a run that no setting can name: an agent,
// rules and gates that are part of the program itself.
type Own struct {
	Agent *OwnAgent // nil: the agent is chosen as always
	Rules []OwnRule
	Gates []gate.Gate
}

// OwnAgent is an agent of the program's, and what nobody else could know of it.
type OwnAgent struct {
	agent.Agent
	Name     string
	Sessions bool // it can go on with a session, and tells which one it has
	Tokens   bool // it tells what it uses
	Cost     bool // it tells what it costs
}

// OwnRule is a rule with its name.
type OwnRule struct {
	Name string
	Rule loop.Rule
}

// names is what there is, in words that are stored with the run.
func (o Own) names() []string {
	var list []string
	if o.Agent != nil {
		list = append(list, "agent "+o.Agent.Name)
	}
	for _, r := range o.Rules {
		list = append(list, "rule "+r.Name)
	}
	for _, g := range o.Gates {
		list = append(list, "gate "+g.Name())
	}
	return list
}

// covers refuses to go on without what the run was started with: a gate that is
// missing would prove less.
func (o Own) covers(run string, brought []string) error {
	have := o.names()
	var missing []string
	for _, name := range brought {
		if !slices.Contains(have, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return &UsageError{
		What: fmt.Sprintf("%s was started by a program that brought along what is missing here: %s", run, strings.Join(missing, ", ")),
		Hint: "resume it with that program, or pass --accept-config to go on without",
	}
}

// regated tells whether the gates are others than those that were brought.
func (o Own) regated(brought []string) bool {
	isGate := func(name string) bool { return strings.HasPrefix(name, "gate ") }
	return !slices.Equal(keep(o.names(), isGate), keep(brought, isGate))
}

func keep(list []string, wanted func(string) bool) []string {
	var kept []string
	for _, s := range list {
		if wanted(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// prepareOwn checks what the program brings, and notes it in the request.
func (j *Job) prepareOwn() error {
	own := j.Request.Own
	taken := map[string]bool{}
	for _, g := range j.config().Gates {
		taken[strings.ToLower(g.Name)] = true
	}
	for _, g := range own.Gates {
		name := g.Name()
		if what, hint := config.CheckGateName(name); what != "" {
			return &UsageError{What: "the name of a gate " + what, Hint: hint}
		}
		folded := strings.ToLower(name) // it is a file's name, too
		if taken[folded] {
			return &UsageError{What: fmt.Sprintf("another gate is called %q already", name), Hint: "give each gate a name of its own"}
		}
		taken[folded] = true
	}
	for _, r := range own.Rules {
		if r.Name == "" {
			return &UsageError{What: "a rule has no name", Hint: "give it one: whoever reads why a run ended is told it"}
		}
	}
	j.Request.Brought = own.names()
	return nil
}

// takeOwnAgent makes the agent of the program's the one that works.
func (j *Job) takeOwnAgent() error {
	own := j.Request.Own.Agent
	switch {
	case own.Name == "":
		return &UsageError{What: "the agent has no name", Hint: "give it one: the journal says who worked"}
	case slices.Contains(known(j.config().Agents), own.Name):
		return &UsageError{What: fmt.Sprintf("there is an agent %q already", own.Name), Hint: "give yours another name"}
	case len(j.Request.Command) > 0 || setBy(j.Request.Flags, "agent"):
		return &UsageError{What: "there are two agents", Hint: "bring one, or name one, or give a command"}
	case setBy(j.Request.Flags, "permissions.mode"):
		return &UsageError{What: "permissions.mode means nothing to an agent of your own", Hint: "have the agent ask for it by itself"}
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

// ownRules are the rules of the program's, as the others are.
func (j *Job) ownRules() []loop.Rule {
	var list []loop.Rule
	for _, r := range j.Request.Own.Rules {
		list = append(list, stop.Own(r.Name, r.Rule))
	}
	return list
}
