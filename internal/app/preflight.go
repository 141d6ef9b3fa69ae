package app

import (
	"context"
	"slices"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/preflight"
	"github.com/refrain-loop/refrain/internal/request"
)

// Foresee is the preflight of a run that cannot even be prepared, as far as it can be
// told without knowing who works: so that nobody mends one thing to hear of the
// next.
func Foresee(ctx context.Context, dir string, req request.Request) []preflight.Finding {
	tree, err := request.Root(dir)
	if err != nil {
		return nil // whoever failed has said so
	}
	a, err := request.Load(tree, req)
	if err != nil {
		return nil
	}
	terms := policy.Terms{Config: a.Config(), Kind: a.Request.Kind(), OwnGates: len(req.Extensions.Gates), OwnRules: req.Extensions.StopRules()}
	return preflight.Look(ctx, preflight.Flight{Assignment: a, Terms: terms, Git: true})
}

// MissingAgent is that the program of who works cannot be started; nil: it can, or
// nobody knows.
func MissingAgent(j *Job) *preflight.Finding {
	for _, f := range preflight.Agents(preflight.Flight{Assignment: j.Assignment, Workers: whoWorks(j)}) {
		if !f.Worry {
			return &f
		}
	}
	return nil
}

// whoWorks is the programs of those who work.
func whoWorks(j *Job) []preflight.Worker {
	if j.Request.Extensions.Agent != nil {
		return nil // nobody knows what it is
	}
	var list []preflight.Worker
	for _, w := range j.lineup.Workers {
		one := preflight.Worker{Name: w.Name, Remedy: w.Remedy}
		cmd, err := w.Agent.Command(agent.Call{HasPrompt: true, Prompt: "PROMPT", PromptFile: "prompt.md", Model: w.Model})
		if err == nil && len(cmd.Argv) > 0 {
			one.Program = cmd.Argv[0]
			one.Account = account(j.Assignment, w.Name, cmd)
		}
		list = append(list, one)
	}
	return list
}

// account is the CLI of an agent that is called as we know it, as the run would
// call it.
func account(a request.Assignment, name string, cmd agent.Command) *preflight.Account {
	if len(a.Request.Command) > 0 || !a.Config().Agents[name].Known() {
		return nil
	}
	dir := a.Dir()
	if a.Request.Untrusted {
		dir = preflight.BareFolder() // it would read the settings of this one
	}
	return &preflight.Account{Name: name, Dir: dir, Env: engine.ChildEnv(slices.Concat(a.Environ(), a.Keys()), cmd)}
}
