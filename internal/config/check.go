package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// check looks for what is wrong between settings that are right one by one.
func (r *Resolved) check(s Sources) []Problem {
	problems := slices.Concat(r.checkProcedure(s), r.checkTables(s), r.checkChoice(s.Agents), r.checkFallback(s.Agents), r.checkPromises(), r.checkBackoff(), r.checkContext(), r.checkEmail(), r.checkPrices(), r.checkEvidence(s.OwnGates), r.checkGates(s.Agents))
	for _, name := range slices.Sorted(maps.Keys(r.agents)) {
		problems = append(problems, r.checkAgent(name, s.Agents)...)
	}
	return append(problems, r.lostSecrets()...)
}

// complain is a problem at the place where key was set.
func (r *Resolved) complain(key, what, hint string) []Problem {
	top, _ := r.top(key)
	return []Problem{top.place.problem(key, what, hint)}
}

// setOf is the one of two keys that somebody set; the first, if both.
func (r *Resolved) setOf(first, second string) string {
	if top, _ := r.top(first); top.layer == builtIn {
		return second
	}
	return first
}

func (r *Resolved) checkProcedure(s Sources) []Problem {
	known := slices.Concat(r.defined(), s.Procedures, slices.Sorted(maps.Keys(s.Aliases)))
	if s.Procedure == "" || slices.Contains(known, s.Procedure) {
		return nil
	}
	hint := setting.DidYouMean(s.Procedure, known)
	if hint == "" {
		hint = "add [procedures." + s.Procedure + "] to " + FileName + " for one of your own;"
	}
	hint += ` "refrain procedures" lists them all`
	return []Problem{{Key: "procedures." + s.Procedure, What: "no procedure is called " + setting.Quote(s.Procedure), Hint: hint}}
}

// defined is the names of the procedures that a table makes, sorted. A flag of
// its own for a part, such as --act, changes a procedure and makes none.
func (r *Resolved) defined() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.procedures)) {
		if at := r.procedures[name]; at.line > 0 || at.file == setFlag {
			names = append(names, name)
		}
	}
	return names
}

func (r *Resolved) checkChoice(builtin []string) []Problem {
	what, hint := r.agentComplaint(r.Config.Agent, builtin)
	if what == "" {
		return nil
	}
	return r.complain("agent", what, hint)
}

// agentComplaint says that there is no agent of that name. With nil builtin
// any name will do.
func (r *Resolved) agentComplaint(name string, builtin []string) (what, hint string) {
	known := append(slices.Collect(maps.Keys(r.agents)), builtin...)
	slices.Sort(known)
	known = slices.Compact(known)
	if builtin == nil || name == "auto" || slices.Contains(known, name) {
		return "", ""
	}
	if hint = setting.DidYouMean(name, known); hint == "" {
		hint = "known are " + strings.Join(known, ", ")
	}
	return "no agent is called " + setting.Quote(name), hint
}

// checkFallback looks for agents that do not exist. One that is the agent
// itself is a mistake if the same layer says both; else somebody just chose that
// agent for once.
func (r *Resolved) checkFallback(builtin []string) []Problem {
	var problems []Problem
	agent, _ := r.top("agent")
	fallback, _ := r.top("limits.fallback")
	for _, name := range r.Config.Limits.Fallback {
		what, hint := r.agentComplaint(name, builtin)
		switch {
		case name == "auto":
			what, hint = "limits.fallback has "+setting.Quote(name)+", which is no agent", "write the name of one"
		case name == agent.value && agent.layer == fallback.layer:
			what, hint = "limits.fallback has "+setting.Quote(name)+", which is the agent itself", "name another one"
		}
		if what != "" {
			problems = append(problems, fallback.place.problem("limits.fallback", what, hint))
		}
	}
	return problems
}

func (r *Resolved) checkPromises() []Problem {
	d := r.Config.Done
	if d.Promise == "" || fold(d.Promise) != fold(d.FailurePromise) {
		return nil
	}
	return r.complain(r.setOf("done.failure_promise", "done.promise"),
		"done.promise and done.failure_promise are both "+setting.Quote(d.Promise), "give them different texts, so that the agent can say which it means")
}

// fold makes texts alike that differ only in their spaces, as claims are read.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *Resolved) checkBackoff() []Problem {
	first, longest := r.Config.Loop.Backoff, r.Config.Loop.MaxBackoff
	if first <= longest {
		return nil
	}
	return r.complain(r.setOf("loop.max_backoff", "loop.backoff"),
		fmt.Sprintf("loop.backoff (%s) is longer than loop.max_backoff (%s)", text.Setting(first), text.Setting(longest)), `raise loop.max_backoff, or set loop.backoff = "0s" for none`)
}

func (r *Resolved) checkContext() []Problem {
	warn, redline := r.Config.Context.Warn, r.Config.Context.Redline
	if warn <= redline {
		return nil
	}
	return r.complain(r.setOf("context.redline", "context.warn"),
		fmt.Sprintf("context.warn (%d) is above context.redline (%d)", warn, redline), "lower context.warn, or raise context.redline")
}

// rehearsal is the built-in agent that plays a script instead of a command.
const rehearsal = "rehearsal"

func (r *Resolved) checkAgent(name string, builtin []string) []Problem {
	var problems []Problem
	if name == "auto" || name == "command" {
		key := "agents." + name
		problems = append(problems, r.agents[name].problem(key, setting.Quote(name)+" cannot be the name of an agent: it means something else", "give the agent another name"))
	}
	for _, row := range agentSettings {
		key := agentKey(name, row.Key)
		top, set := r.top(key)
		switch {
		case !set || top.layer == builtIn:
		case row.Key == "script" && name != rehearsal:
			problems = append(problems, top.place.problem(key, key+" is only for the agent "+setting.Quote(rehearsal), "write it below [agents."+rehearsal+"]"))
		case name == rehearsal && slices.Contains([]string{"command", "prompt", "format", "model_flag", "resume_flag", "max_turns", "context_window"}, row.Key):
			problems = append(problems, top.place.problem(key, key+" means nothing: that agent is built in", "give the agent that you mean another name"))
		}
	}
	if builtin != nil && !slices.Contains(builtin, name) && r.Config.Agents[name].Command.IsZero() {
		key := "agents." + name
		hint := setting.DidYouMean(name, builtin)
		if hint == "" {
			hint = `add command = ["program", "argument"]`
		}
		problems = append(problems, r.agents[name].problem(key, key+" has no command", hint))
	}
	return problems
}

// lostSecrets finds flags that were stored masked with a run, so that their
// values are gone.
func (r *Resolved) lostSecrets() []Problem {
	var problems []Problem
	for _, key := range r.keys() {
		top, _ := r.top(key)
		if top.layer != "flag" || !top.lost() {
			continue
		}
		hint := "pass it again: " + setFlag + " " + key + "=VALUE"
		if strings.HasPrefix(key, gateKey+".") {
			if top.place.file != gateFlag {
				continue // made of one of the commands, which has its own problem
			}
			hint = "start a new run with the secret in the environment" // another --gate would be another gate
		}
		problems = append(problems, top.place.problem(key, "the value of "+key+" was not stored with the run, because it is secret", hint))
	}
	return problems
}
