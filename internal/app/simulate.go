package app

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/rehearse"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/view"
)

// PrepareRehearsal reads the script, copies the work tree around dir, and checks
// the request there. Close removes the copy.
func PrepareRehearsal(ctx context.Context, dir, script string, req request.Request) (*rehearse.Rehearsal, error) {
	a, err := request.In(dir, req)
	if err != nil {
		return nil, err
	}
	if _, err := agreed(ctx, a, nil); err != nil { // no agent is called, so their files do not matter
		return nil, err
	}
	return rehearse.Prepare(ctx, simulated{}, dir, script, req)
}

// simulated makes real runs for a rehearsal.
type simulated struct{}

func (simulated) Prepare(ctx context.Context, tree string, req request.Request) (rehearse.Runner, error) {
	req.Consent = request.Given // to the work tree that this is a copy of
	req.Flags = append(slices.Clip(req.Flags), noSandbox)
	j, err := prepareNew(ctx, tree, req)
	if err != nil {
		return nil, err
	}
	return &simulation{job: j, run: j.Start}, nil
}

func (simulated) PrepareResume(ctx context.Context, entry journal.Entry) (rehearse.Runner, error) {
	c, err := PrepareResume(ctx, entry, nil, false, request.Given)
	if err != nil {
		return nil, err
	}
	return &simulation{job: c.Job, run: func(ctx context.Context, o RunOptions) (loop.RunFinished, error) {
		end, _, err := c.Resume(ctx, o, func(*view.Run) {})
		return end, err
	}}, nil
}

// noSandbox is for rehearsals: nobody is at work whose doings nobody knows, and in a
// simulated night there is no process.
var noSandbox = config.Flag{Name: "--sandbox", Key: "sandbox.mode", Value: "none"}

// simulation is a run of a rehearsal: a new one, or one that goes on.
type simulation struct {
	job *Job
	run func(context.Context, RunOptions) (loop.RunFinished, error)
}

// Terms is what the run is judged by.
func (s *simulation) Terms() policy.Terms { return s.job.terms() }

// Reviewers are the agents that gates ask.
func (s *simulation) Reviewers() []string { return reviewers(s.job.Config()) }

// Tidy removes the clean checkouts of a run.
func (s *simulation) Tidy(runDir string) { _ = history.DropProof(s.job.Tree, runDir) } // prune tries again

// Play runs it to its end.
func (s *simulation) Play(ctx context.Context, sim rehearse.Simulation) (loop.RunFinished, error) {
	if err := s.replaceAgents(sim); err != nil {
		return loop.RunFinished{}, err
	}
	s.job.records.dir = sim.Records
	return s.run(ctx, RunOptions{Observers: []engine.Observer{sim.Observer}, Control: NewControl(), Simulation: &sim})
}

// replaceAgents gives the part of every agent to the player. Who reviews always
// agrees: a rehearsal asks no model anything.
func (s *simulation) replaceAgents(sim rehearse.Simulation) error {
	player, err := agent.New(agent.Options{Name: "rehearsal", Script: sim.Script, Self: []string{rehearse.Player}})
	if err != nil {
		return err
	}
	s.job.lineup.Replace(player)
	settings := *s.job.Settings
	settings.Config.Agents = maps.Clone(settings.Config.Agents)
	for _, name := range s.Reviewers() {
		settings.Config.Agents[name] = agent.Table{Command: setting.Command{Argv: []string{rehearse.Reviewer}}, Prompt: "stdin", Format: "rehearsal"}
	}
	settings.Config.Log.File = "" // it may be one outside of the copy
	s.job.Settings = &settings
	s.job.margin = policy.NewMargin(rand.New(rand.NewPCG(sim.Seed, 0)).IntN)
	return nil
}
