package config

import "fmt"

// checkEvidence looks for evidence that is asked for and could never be there.
func (r *Resolved) checkEvidence(ownGates bool) []Problem {
	c := r.Config
	var problems []Problem
	gated := ownGates || len(c.Gates) > 0
	if c.Done.Gates && !gated {
		problems = append(problems, r.complain("done.gates", "done.gates is true, but there is no gate", noGates)...)
	}
	if least := c.Done.Require; c.Loop.Gates && least != "auto" && least != "claimed" && (!gated || c.Done.Proof == "none") {
		problems = append(problems, r.complain("done.require", fmt.Sprintf("done.require is %q, but there is nothing that could prove it", least), "add a gate, and leave done.proof to judge claims, or set done.require = \"auto\"")...)
	}
	if c.Done.Require == "proven" && gated && !c.Git.Checkpoint {
		problems = append(problems, r.complain("done.require", "done.require is \"proven\", but git.checkpoint is false, so nobody can tell what was changed", "set git.checkpoint = true, or done.require = \"auto\"")...)
	}
	if c.Done.Confirmations > 1 && !gated {
		problems = append(problems, r.complain("done.confirmations", "done.confirmations wants proven claims, but there is no gate to prove one", noGates)...)
	}
	if c.Git.Checkpoint {
		return problems
	}
	if c.Done.Proof == "clean" {
		problems = append(problems, r.complain("done.proof", `done.proof is "clean", but git.checkpoint is false, so there is nothing to check out`, `set git.checkpoint = true, or done.proof = "workspace"`)...)
	}
	if c.Git.OnRegression == "rollback" {
		problems = append(problems, r.complain("git.on_regression", `git.on_regression is "rollback", but git.checkpoint is false, so there is nothing to go back to`, `set git.checkpoint = true, or git.on_regression = "keep"`)...)
	}
	return problems
}

const noGates = `add one with --gate COMMAND or [[gate]], or set commands.test and commands.as_gates = true`

// checkGates looks at each gate beside the other settings.
func (r *Resolved) checkGates(builtin []string) []Problem {
	var problems []Problem
	for i, key := range r.gateKeys(gateKey) {
		top, _ := r.top(key)
		complain := func(field, what, hint string) {
			problems = append(problems, top.value.(fields)[field].place.problem(key+"."+field, what, hint))
		}
		g := r.Config.Gates[i]
		if what, hint := r.agentComplaint(g.Agent, builtin); g.Agent != "" && what != "" {
			complain("agent", what, hint)
		}
		if g.Require == "no_worse" && !r.Config.Proof.Baseline {
			complain("require", key+`.require is "no_worse", but proof.baseline is false, so there is nothing to compare with`, `set proof.baseline = true, or require = "pass"`)
		}
		if len(g.Pin) > 0 && !r.Config.Git.Checkpoint {
			complain("pin", key+".pin is set, but git.checkpoint is false, so nothing keeps these files as they were", "set git.checkpoint = true, or leave out the pin")
		}
	}
	return problems
}
