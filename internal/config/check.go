package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/setting"
)

// checker looks for what is wrong between settings that are right one by one.
type checker struct {
	*layered
	Config  Config
	sources Sources
}

// check is everything that is found.
func (r *checker) check() []Problem {
	problems := slices.Concat(r.checkProcedure(), r.checkTables(), r.checkChoice(), r.checkFallback(), r.checkPromises(), r.checkBackoff(), r.checkContext(), r.checkEmail(), r.checkHosts(), r.checkPrices(), r.checkEvidence(), r.checkGates())
	for _, name := range slices.Sorted(maps.Keys(r.named["agents"])) {
		problems = append(problems, r.checkAgent(name)...)
	}
	return append(problems, r.lostSecrets()...)
}

// complain is a problem at the place where key was set.
func (r *checker) complain(key, what, hint string) []Problem {
	top, _ := r.top(key)
	return []Problem{top.place.problem(key, what, hint)}
}

// setOf is the one of two keys that somebody set; the first, if both.
func (r *checker) setOf(first, second string) string {
	if top, _ := r.top(first); top.layer == builtIn {
		return second
	}
	return first
}

func (r *checker) checkProcedure() []Problem {
	known := slices.Concat(r.defined(), r.sources.Procedures, slices.Sorted(maps.Keys(r.sources.Aliases)))
	if r.sources.Procedure == "" || slices.Contains(known, r.sources.Procedure) {
		return nil
	}
	hint := setting.DidYouMean(r.sources.Procedure, known)
	if hint == "" {
		hint = "add [procedures." + r.sources.Procedure + "] to " + FileName + " for one of your own;"
	}
	hint += ` "refrain procedures" lists them all`
	return []Problem{{Key: "procedures." + r.sources.Procedure, What: "no procedure is called " + setting.Quote(r.sources.Procedure), Hint: hint}}
}

// defined is the names of the procedures that a table makes, sorted. A flag of
// its own for a part, such as --act, changes a procedure and makes none.
func (r *checker) defined() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.named["procedures"])) {
		if at := r.named["procedures"][name]; at.line > 0 || at.file == setFlag {
			names = append(names, name)
		}
	}
	return names
}

// checkTables looks at each [procedures.NAME] table.
func (r *checker) checkTables() []Problem {
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(r.named["procedures"])) {
		if means, alias := r.sources.Aliases[name]; alias {
			problems = append(problems, r.named["procedures"][name].problem("procedures."+name, setting.Quote(name)+" is another name of the built-in procedure "+setting.Quote(means), "write [procedures."+means+"], or give yours another name"))
		}
		problems = append(problems, r.checkPrompt(name)...)
	}
	return problems
}

// checkPrompt looks at what the prompt of one procedure is made of: parts that
// exist, or else a file.
func (r *checker) checkPrompt(name string) []Problem {
	var problems []Problem
	for _, row := range promptSettings() {
		key := procedureKey(name, row.Key)
		top, set := r.top(key)
		if !set || row.Kind != partList {
			continue
		}
		complain := func(what, hint string) { problems = append(problems, top.place.problem(key, key+what, hint)) }
		for _, part := range top.value.(Parts) {
			if part.Builtin != "" && r.sources.Fragments != nil && !slices.Contains(r.sources.Fragments, part.Builtin) {
				complain(" has "+setting.Quote(procedure.FragmentPrefix+part.Builtin)+", which is not a built-in fragment", fragmentHint(part.Builtin, r.sources.Fragments))
			}
		}
		if file := r.promptFile(name, top.layer); file != "" {
			complain(" is set, but so is the prompt's file, "+setting.Quote(file), "leave one of them out: a prompt is a file or made of parts")
		}
	}
	return problems
}

// promptFile is the file that a procedure has for its prompt, in spite of parts
// that the given layer says it has. A file of a higher layer takes the place of
// parts, as any setting does; a flag for a part has none above it.
func (r *checker) promptFile(procedure, layer string) string {
	if file, set := r.top(procedureKey(procedure, "prompt")); set {
		return file.value.(string)
	}
	if procedure == r.procedure && layer == "flag" {
		return r.Config.Prompt
	}
	return ""
}

// fragmentHint names what was probably meant, or what there is in the same
// folder, or all there is.
func fragmentHint(name string, fragments []string) string {
	if best := setting.Nearest(name, fragments); best != "" {
		return "did you mean " + setting.Quote(procedure.FragmentPrefix+best) + "?"
	}
	folder, _, _ := strings.Cut(name, "/")
	beside := slices.DeleteFunc(slices.Clone(fragments), func(f string) bool { return !strings.HasPrefix(f, folder+"/") })
	if len(beside) == 0 {
		beside = fragments
	}
	return "there are " + strings.Join(beside, ", ")
}

func (r *checker) checkChoice() []Problem {
	what, hint := r.agentComplaint(r.Config.Agent)
	if what == "" {
		return nil
	}
	return r.complain("agent", what, hint)
}

// agentComplaint says that there is no agent of that name. With nil r.sources.Agents
// any name will do.
func (r *checker) agentComplaint(name string) (what, hint string) {
	known := append(slices.Collect(maps.Keys(r.named["agents"])), r.sources.Agents...)
	slices.Sort(known)
	known = slices.Compact(known)
	if r.sources.Agents == nil || name == "auto" || slices.Contains(known, name) {
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
func (r *checker) checkFallback() []Problem {
	var problems []Problem
	agent, _ := r.top("agent")
	fallback, _ := r.top("limits.fallback")
	for _, name := range r.Config.Limits.Fallback {
		what, hint := r.agentComplaint(name)
		switch {
		case name == "auto":
			what, hint = "limits.fallback has "+setting.Quote(name)+", which is not an agent", "write the name of one"
		case name == agent.value && agent.layer == fallback.layer:
			what, hint = "limits.fallback has "+setting.Quote(name)+", which is the agent itself", "name another one"
		}
		if what != "" {
			problems = append(problems, fallback.place.problem("limits.fallback", what, hint))
		}
	}
	return problems
}

func (r *checker) checkPromises() []Problem {
	d := r.Config.Done
	if d.Promise == "" || fold(d.Promise) != fold(d.FailurePromise) {
		return nil
	}
	return r.complain(r.setOf("done.failure_promise", "done.promise"),
		"done.promise and done.failure_promise are both "+setting.Quote(d.Promise), "give them different texts, so that the agent can say which it means")
}

// fold makes texts alike that differ only in their spaces, as claims are read.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *checker) checkBackoff() []Problem {
	first, longest := r.Config.Stop.Pace.Backoff, r.Config.Stop.Pace.MaxBackoff
	if first <= longest {
		return nil
	}
	return r.complain(r.setOf("loop.max_backoff", "loop.backoff"),
		fmt.Sprintf("loop.backoff (%s) is longer than loop.max_backoff (%s)", setting.Time(first), setting.Time(longest)), `raise loop.max_backoff, or set loop.backoff = "0s" for none`)
}

func (r *checker) checkContext() []Problem {
	warn, redline := r.Config.Context.Warn, r.Config.Stop.Session.Redline
	if warn <= redline {
		return nil
	}
	return r.complain(r.setOf("context.redline", "context.warn"),
		fmt.Sprintf("context.warn (%d) is above context.redline (%d)", warn, redline), "lower context.warn, or raise context.redline")
}

// checkEmail looks for what is missing to send any. Without anybody to send to,
// the rest is there for another project.
func (r *checker) checkEmail() []Problem {
	e := r.Config.Notify.Email
	switch {
	case len(e.To) == 0:
	case e.Server == "":
		return r.complain("notify.email.to", "notify.email.to is set, but notify.email.server is not", `add server = "smtp.example.com"`)
	case e.From == "":
		return r.complain("notify.email.to", "notify.email.to is set, but notify.email.from is not", `add from = "name@example.com"`)
	case e.User != "" && e.Password == "":
		return r.complain("notify.email.user", "notify.email.user is set, but notify.email.password is not", "set it in REFRAIN_NOTIFY_EMAIL_PASSWORD, or in your own config.toml")
	case e.User == "" && e.Password != "":
		return r.complain("notify.email.password", "notify.email.password is set, but notify.email.user is not", "say who signs in")
	}
	return nil
}

// checkHosts looks for a list of hosts that nobody is held to, though whoever wrote it
// thinks so. Who says that the network is open has a list for another day.
func (r *checker) checkHosts() []Problem {
	if top, _ := r.top("sandbox.network"); len(r.Config.Sandbox.Hosts) == 0 || top.layer != builtIn {
		return nil
	}
	return r.complain("sandbox.hosts", "sandbox.hosts is set, but sandbox.network is not, so every host can be reached",
		`add network = "listed" beside it, or network = "open" to have it so`)
}

func (r *checker) checkPrices() []Problem {
	var problems []Problem
	for _, model := range slices.Sorted(maps.Keys(r.named["prices"])) {
		for _, key := range needed {
			if _, set := r.top(priceKey(model, key)); !set {
				table := setting.JoinKey([]string{"prices", model})
				problems = append(problems, r.named["prices"][model].problem(priceKey(model, key), table+" has no "+key, "add "+key+" = DOLLARS, for a million tokens; 0 is free"))
			}
		}
	}
	return problems
}

// rehearsal is the built-in agent that plays a script instead of a command.
const rehearsal = "rehearsal"

func (r *checker) checkAgent(name string) []Problem {
	var problems []Problem
	if name == "auto" || name == "command" {
		key := "agents." + name
		problems = append(problems, r.named["agents"][name].problem(key, setting.Quote(name)+" cannot be the name of an agent: it means something else", "give the agent another name"))
	}
	for _, row := range agentSettings() {
		key := agentKey(name, row.Key)
		top, set := r.top(key)
		switch {
		case !set || top.layer == builtIn:
		case row.Key == "script" && name != rehearsal:
			problems = append(problems, top.place.problem(key, key+" is only for the agent "+setting.Quote(rehearsal), "write it below [agents."+rehearsal+"]"))
		case name == rehearsal && slices.Contains([]string{"command", "program", "prompt", "format", "model_flag", "resume_flag", "max_turns", "context_window"}, row.Key):
			problems = append(problems, top.place.problem(key, key+" means nothing: that agent is built in", "give the agent that you mean another name"))
		case row.Key == "program" && top.value != "" && !r.Config.Agents[name].Command.IsZero():
			problems = append(problems, top.place.problem(key, key+" means nothing beside "+agentKey(name, "command")+", which names the program too", "leave one of them out"))
		}
	}
	if r.sources.Agents != nil && !slices.Contains(r.sources.Agents, name) && r.Config.Agents[name].Command.IsZero() {
		key := "agents." + name
		hint := setting.DidYouMean(name, r.sources.Agents)
		if hint == "" {
			hint = `add command = ["program", "argument"]`
		}
		what, at := key+" has no command", r.named["agents"][name]
		if said := r.entries[agentKey(name, "command")]; len(said) > 0 { // somebody has taken it back
			what, at = what+": it is taken back here", said[len(said)-1].place
		}
		problems = append(problems, at.problem(key, what, hint))
	}
	return problems
}

// checkEvidence looks for evidence that is asked for and could never be there.
func (r *checker) checkEvidence() []Problem {
	c := r.Config
	var problems []Problem
	gated := r.sources.OwnGates || len(c.Gates) > 0
	if c.Done.Gates && !gated {
		problems = append(problems, r.complain("done.gates", "done.gates is true, but there is no gate", noGates)...)
	}
	if least := c.Done.Require; c.Loop.Gates && least != "auto" && least != "claimed" && (!gated || c.Done.Proof == "none") {
		problems = append(problems, r.complain("done.require", fmt.Sprintf("done.require is %q, but there is nothing that could prove it", least), "add a gate, and leave done.proof to judge claims, or set done.require = \"auto\"")...)
	}
	if c.Done.Require == "proven" && gated && !c.Git.Checkpoint {
		problems = append(problems, r.complain("done.require", "done.require is \"proven\", but git.checkpoint is false, so nobody can tell what was changed", "set git.checkpoint = true, or done.require = \"auto\"")...)
	}
	if c.Stop.Done.Confirmations > 1 && !gated {
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
	if c.Stop.Values.Int("stop.max_files") > 0 {
		problems = append(problems, r.complain("stop.max_files", `stop.max_files is set, but git.checkpoint is false, so nobody counts the files`, `set git.checkpoint = true, or stop.max_files = 0`)...)
	}
	return problems
}

const noGates = `add one with --gate COMMAND or [[gate]], or set commands.test and commands.as_gates = true`

// checkGates looks at each gate beside the other settings.
func (r *checker) checkGates() []Problem {
	var problems []Problem
	for i, key := range r.gatesHeld(gateKey) {
		top, _ := r.top(key)
		complain := func(field, what, hint string) {
			problems = append(problems, top.value.(fields)[field].place.problem(key+"."+field, what, hint))
		}
		g := r.Config.Gates[i]
		if what, hint := r.agentComplaint(g.Agent); g.Agent != "" && what != "" {
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

// lostSecrets finds flags that were stored masked with a run, so that their
// values are gone.
func (r *checker) lostSecrets() []Problem {
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
