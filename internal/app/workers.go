package app

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/request"
)

// worker is an agent of the run, and whether its own words are all there is to
// read.
type worker struct {
	name  string
	agent agent.Agent
	text  bool
}

// prepareFallback makes the agents that stand in while the first one cannot
// work. A model is named for the first only: the others may not know it.
func (j *Job) prepareFallback() error {
	for _, name := range j.Config().Limits.Fallback {
		if name == j.agentName || len(j.Request.Command) > 0 {
			continue
		}
		table := j.Config().Agents[name]
		a, err := j.makeAgentWith(name, table, "")
		if err != nil {
			return &request.UsageError{What: fmt.Sprintf("limits.fallback: agent %s: %v", name, err), Hint: "see \"refrain agents\""}
		}
		if err := j.checkBudget(name, table.Format, ""); err != nil {
			return err
		}
		j.standIns = append(j.standIns, worker{name: name, agent: a, text: table.Format == "text"})
	}
	return nil
}

// checkBudgets refuses a budget that one of the agents cannot keep.
func (j *Job) checkBudgets() error {
	name, format, model := j.agentName, j.Config().Agents[j.agentName].Format, j.Config().Model
	if len(j.Request.Command) > 0 {
		name, format, model = "command", "text", ""
	}
	if err := j.checkBudget(name, format, model); err != nil {
		return err
	}
	for _, w := range j.standIns {
		if err := j.checkBudget(w.name, j.Config().Agents[w.name].Format, ""); err != nil {
			return err
		}
	}
	return nil
}

// workers is the agent and those that stand in for it.
func (j *Job) workers() []engine.Worker {
	list := []engine.Worker{{Name: j.agentName, Agent: j.agent, Model: j.Config().Model, Remedy: j.remedy(), InText: j.textual()}}
	for _, w := range j.standIns {
		list = append(list, engine.Worker{Name: w.name, Agent: w.agent, Remedy: remedyFor(w.name), InText: w.text})
	}
	return list
}

// agents is their names.
func (j *Job) agents() []string {
	names := []string{j.agentName}
	for _, w := range j.standIns {
		names = append(names, w.name)
	}
	return names
}

// keeps tells whether the agent's session goes on from one iteration to the next.
func (j *Job) keeps() bool { return j.Config().Session.Mode == "keep" && j.canKeep() }

// canKeep tells whether the agent can go on with a session.
func (j *Job) canKeep() bool {
	if own := j.Request.Extensions.Agent; own != nil {
		return own.Sessions
	}
	table := j.Config().Agents[j.agentName]
	if len(j.Request.Command) > 0 || !table.Command.IsZero() {
		return agent.Keeps("command", table.ResumeFlag)
	}
	return agent.Keeps(j.agentName, "")
}

// checkSession refuses to keep the session of an agent that cannot go on with
// one, unless that is only what a profile asks of those that can.
func (j *Job) checkSession() error {
	asked := setBy(j.Request.Flags, "session.mode") || j.Config().Profile == ""
	if j.Config().Session.Mode != "keep" || j.canKeep() || !asked {
		return nil
	}
	return &request.UsageError{
		What: fmt.Sprintf("session.mode is keep, and %s cannot go on with a session", j.agentName),
		Hint: fmt.Sprintf("leave it at fresh, or name the flag that takes a session in agents.%s.resume_flag, and a format that tells it", j.agentName),
	}
}
