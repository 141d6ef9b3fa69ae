package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
)

// prepareEvidence checks what the run will be judged by, while a mistake still
// costs nothing.
func (j *Job) prepareEvidence() error {
	c := j.Config()
	if c.Done.Plan != "" {
		if _, err := plan.Read(j.Plan()); err != nil {
			return &request.UsageError{What: err.Error(), Hint: request.HintOf(err)}
		}
	}
	protect, err := glob.Parse(c.Git.Protect)
	if err != nil {
		return &request.UsageError{What: fmt.Sprintf("git.protect: %v", err), Hint: "write patterns as in a .gitignore file"}
	}
	j.protect = protect
	if j.only, err = glob.Parse(c.Progress.Only); err != nil {
		return &request.UsageError{What: fmt.Sprintf("progress.only: %v", err), Hint: "write patterns as in a .gitignore file"}
	}
	for _, g := range c.Gates {
		if _, err := glob.Parse(g.Pin); err != nil {
			return &request.UsageError{What: fmt.Sprintf("gate %s: pin: %v", g.Name, err), Hint: "write patterns as in a .gitignore file"}
		}
	}
	if _, err := git.Expand(c.Git.CommitTemplate, j.repository().names(0)); err != nil {
		return &request.UsageError{What: fmt.Sprintf("git.commit_template: %v", err), Hint: "use {iteration}, {run}, {procedure}, {summary} and {timestamp}"}
	}
	if j.files.Git() {
		return nil
	}
	for key, wanted := range map[string]bool{
		"git.commit":                 c.Git.Commit,
		"git.branch":                 c.Git.Branch.New,
		`git.on_regression=rollback`: c.Git.OnRegression == "rollback",
		`done.proof=clean`:           c.Done.Proof == "clean",
	} {
		if wanted {
			return &request.UsageError{What: key + " needs git, and this folder is in no repository", Hint: "run \"git init\" here, or leave it out"}
		}
	}
	return nil
}

// store opens the checkpoints of a run; nil when none are to be made.
func (j *Job) store(ctx context.Context, tree *git.Tree, o openRun) (*checkpoint.Store, error) {
	if !j.Config().Git.Checkpoint {
		return nil, nil
	}
	return checkpoint.OpenStore(ctx, tree, history.Checkpoints(o.run.Dir()), history.Pool(o.store))
}

// proof is where and how claims are judged. With no way to be done there is no
// claim, and the trouble of a clean checkout is spared.
func (j *Job) proof(run *journal.Run) proof.Settings {
	p := j.proofIn(history.ProofDir(j.Tree, run.Dir()))
	p.Run = run.Dir()
	return p
}

// proofIn is the same with the clean checkout in a folder.
func (j *Job) proofIn(dir string) proof.Settings {
	c := j.Config()
	p := proof.Settings{
		Mode: c.Done.Proof, Baseline: c.Proof.Baseline, Tree: j.Tree, Dir: dir, Below: c.Loop.Dir,
		Setup: shellLine(c.Proof.Setup), Copy: c.Proof.Copy, Tests: c.Done.Tests, Plans: j.Plans,
	}
	if c.Done.Require != "auto" {
		p.Require = loop.Level(c.Done.Require)
	}
	if !j.terms().CanBeDone() {
		p.Mode = "none"
	}
	return p
}

// shellLine is a command as one line for the shell.
func shellLine(c setting.Command) string {
	if c.Line != "" {
		return c.Line
	}
	var words []string
	for _, arg := range c.Argv {
		words = append(words, "'"+strings.ReplaceAll(arg, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}
