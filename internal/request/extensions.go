package request

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Extensions is what a program brings to a run that no setting can name: an
// agent, rules and gates that are part of the program itself.
type Extensions struct {
	Agent *Agent // nil: the agent is chosen as always
	Rules []Rule
	Gates []gate.Gate
	Hooks map[hook.Point]hook.Func
	// Claims tells whether what an agent said in an attempt claims that the work is
	// done, and in which words that was; nil: only settings tell.
	Claims func(said string, o loop.Outcome) (words string, done bool)
}

// Agent is an agent of the program's, and what nobody else could know of it.
type Agent struct {
	agent.Agent
	Name     string
	Sessions bool // it can go on with a session, and tells which one it has
	Tokens   bool // it tells what it uses
	Cost     bool // it tells what it costs
}

// Rule is a rule with its name.
type Rule struct {
	Name string
	Rule loop.Rule
}

// names is what there is, in words that are stored with the run.
func (e Extensions) names() []string {
	var list []string
	if e.Agent != nil {
		list = append(list, "agent "+e.Agent.Name)
	}
	for _, r := range e.Rules {
		list = append(list, "rule "+r.Name)
	}
	for _, g := range e.Gates {
		list = append(list, "gate "+g.Name())
	}
	for _, p := range slices.Sorted(maps.Keys(e.Hooks)) {
		list = append(list, "hook "+string(p))
	}
	if e.Claims != nil {
		list = append(list, "completion check")
	}
	return list
}

// Require refuses to go on without what the run was started with: a gate that is
// missing would prove less.
func (e Extensions) Require(run string, brought []string) error {
	have := e.names()
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

// GatesChanged tells whether the gates are others than those that were brought.
func (e Extensions) GatesChanged(brought []string) bool {
	isGate := func(name string) bool { return strings.HasPrefix(name, "gate ") }
	return !slices.Equal(keep(e.names(), isGate), keep(brought, isGate))
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

// CheckExtensions sees that what the program brings can be told apart, and notes
// it in the request.
func (a *Assignment) CheckExtensions() error {
	own := a.Request.Extensions
	taken := map[string]bool{}
	for _, g := range a.Config().Gates {
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
	a.Request.ExtensionNames = own.names()
	return nil
}

// StopRules are the rules of the program's, as the others are.
func (e Extensions) StopRules() []loop.Rule {
	var list []loop.Rule
	for _, r := range e.Rules {
		list = append(list, stop.Own(r.Name, r.Rule))
	}
	return list
}

// SayingDone tells by what the program's rules call a run done; nil: it has no rules.
func (e Extensions) SayingDone() func(loop.Facts) string {
	if len(e.Rules) == 0 {
		return nil
	}
	return e.saysDone
}

// saysDone is what a rule of the program's gives for the run being done, by the first
// that says so; empty: none does.
func (e Extensions) saysDone(f loop.Facts) string {
	for _, r := range e.Rules {
		if v := r.Rule(f); v.Action == loop.Stop && v.State == loop.Done {
			return cmp.Or(v.Why, "rule "+r.Name+" says that it is done")
		}
	}
	return ""
}
