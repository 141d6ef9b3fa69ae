package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/sandbox"
)

// agency finds crews for a job: all that it starts is held in the same sandbox.
type agency struct {
	request.Assignment
	lineup *lineup.Lineup // nil: nobody works
	found  *loop.Sandbox  // nil until it was chosen
}

// choose decides what the processes of the job are held in, once.
func (a *agency) choose(ctx context.Context) error {
	if a.found != nil {
		return nil
	}
	c := a.Config().Sandbox
	found, err := sandbox.Find(ctx, sandbox.Wish{Mode: c.Mode, Allow: c.Allow, Network: c.Network, Image: c.Image, Programs: a.programs()})
	var missing *sandbox.UnavailableError
	if errors.As(err, &missing) {
		return &request.UsageError{What: missing.Error(), Hint: missing.Hint()}
	}
	var unconfined *sandbox.UnconfinedError
	if errors.As(err, &unconfined) {
		return &request.UsageError{What: unconfined.Error(), Hint: unconfined.Hint()}
	}
	if err != nil {
		return err
	}
	if why, unconfined := found.Unconfined(); unconfined && a.lineup != nil && a.lineup.Unbound() {
		return &request.UsageError{
			What: "permissions.mode is full, and " + why,
			Hint: "use --permissions work, or a container; --sandbox none says that " + a.lineup.Name() + " may do anything on this machine",
		}
	}
	a.found = found
	return nil
}

// programs are those that an image has to have: ours, and that of whoever works.
func (a *agency) programs() []string {
	list := []string{"sh", "cat", "git"}
	if a.lineup == nil || a.Request.Extensions.Agent != nil || !a.Config().Sandbox.Boxed() {
		return list
	}
	for _, w := range a.lineup.Workers {
		cmd, err := w.Agent.Command(agent.Call{HasPrompt: true, Prompt: "PROMPT", PromptFile: "prompt.md", Model: w.Model})
		if err != nil || len(cmd.Argv) == 0 {
			continue // whoever makes the run says so
		}
		if _, inTree := files.Under(a.Tree, cmd.Argv[0]); filepath.IsAbs(cmd.Argv[0]) && !inTree {
			list = append(list, filepath.Base(cmd.Argv[0]))
		} else if filepath.Base(cmd.Argv[0]) == cmd.Argv[0] {
			list = append(list, cmd.Argv[0])
		}
	}
	return list
}

// kind is what the sandbox of the job is made of.
func (a *agency) kind() fence.Kind {
	if a.found == nil {
		return fence.None
	}
	return fence.Kind(a.found.Mode)
}

// confines tells whether there is a sandbox.
func (a *agency) confines() bool { return a.kind() != fence.None }

// aside runs a command before there is a run, held as it will be in one.
func (a *agency) aside(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	if err := a.choose(ctx); err != nil {
		return loop.Exit{}, err
	}
	temp, err := os.MkdirTemp("", "refrain-")
	if err != nil {
		return loop.Exit{}, fmt.Errorf("make a folder for temporary files: %w", err)
	}
	defer func() { _ = files.RemoveTree(temp) }()
	c, err := newCrew(ctx, a.Assignment, a.kind(), site{mark: proc.NewMark("aside_"+rand.Text(), a.Tree), temp: filepath.Join(temp, "tmp", "aside"), caches: filepath.Join(temp, "caches")})
	if err != nil {
		return loop.Exit{}, err
	}
	defer c.Close()
	if s.Role != proc.Own {
		if err := c.raise(ctx, func(loop.Warning) {}, s.Role); err != nil {
			return loop.Exit{}, err
		}
	}
	return c.Run(ctx, s)
}

// elsewhere runs commands aside in another work tree.
func (a *agency) elsewhere(dir string) git.Exec {
	there := *a
	there.Tree = dir
	return there.aside
}

// hire makes the crew of a run.
func (a *agency) hire(ctx context.Context, o openRun, signs string) (*crew, error) {
	s := site{mark: proc.NewMark(o.run.Meta().ID, a.Tree), agents: programsOf(a.Assignment, a.lineup.Names(), a.Request.Command), reviews: programsOf(a.Assignment, reviewers(a.Config()), nil), signs: signs}
	if a.kind() == fence.None {
		return newCrew(ctx, a.Assignment, fence.None, s)
	}
	state, err := project.Folder(os.Getenv)
	if err != nil {
		return nil, err
	}
	// An agent may be told to read its prompt there, and what is not there yet when a
	// fence is raised may not be seen in it.
	if s.prompts, err = o.run.Iterations(); err != nil {
		return nil, fmt.Errorf("make the folder of the iterations: %w", err)
	}
	s.temp, s.records = history.TempDir(state, o.run.Dir()), o.store.Dir
	s.kept = filepath.Join(o.run.Dir(), "kept")
	s.said, s.proof, s.caches = filepath.Join(o.run.Dir(), "said"), history.ProofDir(a.Tree, o.run.Dir()), history.Caches(o.store, a.Tree)
	return newCrew(ctx, a.Assignment, a.kind(), s)
}

// judges is a crew without an agent: it judges in clean checkouts below a folder.
func (a *agency) judges(ctx context.Context, id, proof string) (*crew, error) {
	if err := a.choose(ctx); err != nil {
		return nil, err
	}
	s := site{mark: proc.NewMark(id, a.Tree)}
	if a.kind() != fence.None {
		state, err := project.Folder(os.Getenv)
		if err != nil {
			return nil, err
		}
		s.temp, s.proof = history.TempDir(state, proof), proof
		s.caches = filepath.Join(s.temp, "caches")
	}
	c, err := newCrew(ctx, a.Assignment, a.kind(), s)
	if err != nil {
		return nil, err
	}
	// That caches are shared is nothing to tell where no agent works.
	if err := c.raise(ctx, func(loop.Warning) {}, proc.Judge); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}
