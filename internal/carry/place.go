package carry

import (
	"context"
	"fmt"
	"os"
	"os/user"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/redact"
)

// Place is a work tree that runs leave and arrive at.
type Place struct {
	Store journal.Store    // its records, claimed
	Hide  *redact.Redactor // what does not travel

	// Stage is called with a word for what is about to happen; nil: nobody cares.
	Stage func(string)
}

func (p Place) stage(what string) {
	if p.Stage != nil {
		p.Stage(what)
	}
}

// tree is the work tree, which only git can carry.
func (p Place) tree(ctx context.Context, dir string) (*git.Tree, error) {
	tree, err := git.Open(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	if !tree.Git() {
		return nil, &UnwillingError{"this is no git work tree, and runs travel by git", "make one with \"git init\", or go to a clone of the project"}
	}
	return tree, nil
}

// worker is who moves a run.
func worker() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username + "@" + host
	}
	return host
}

// Moved is what became of a run.
type Moved struct {
	Run    string `json:"run"` // its name here
	ID     string `json:"id"`
	Remote string `json:"remote"`
	At     string `json:"at"`
	Leg    int    `json:"leg"`
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`

	Cut    []Cut   `json:"cut,omitempty"`    // files of the run that stay, for they are too large
	Stays  []Stays `json:"stays,omitempty"`  // what of the work tree does not travel
	There  string  `json:"there,omitempty"`  // what the run is called on the remote
	Aside  string  `json:"aside,omitempty"`  // the folder of a fork of the run that was here
	Since  int     `json:"since,omitempty"`  // files of the work tree that have changed since the run was left
	Before string  `json:"before,omitempty"` // the checkpoint of what was in the work tree before
	Kept   bool    `json:"kept,omitempty"`   // everything was here already
}

// Stays is what of a work tree is in no checkpoint, and why. What git ignores is not told.
type Stays struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Near is the run that has come to a remote.
type Near struct {
	Card
	Ref string `json:"ref"`
	// Wrong is why it cannot be fetched.
	Wrong string `json:"wrong,omitempty"`
}

// List is the runs that are on a remote, in the order of their ids.
func (p Place) List(ctx context.Context, meant string) ([]Near, error) {
	tree, err := p.tree(ctx, p.Store.Tree)
	if err != nil {
		return nil, err
	}
	r, err := openRemote(ctx, tree, p.Store.Dir, meant)
	if err != nil {
		return nil, err
	}
	return r.list(ctx)
}

// list reads the cards, in a repository that is thrown away: what comes with them is
// not wanted.
func (r *remote) list(ctx context.Context) ([]Near, error) {
	refs, err := r.refs(ctx, Prefix+"*")
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "refrain-carry-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	glance := *r
	glance.repo, glance.git = dir, r.git.In(dir)
	if _, err := glance.run(ctx, nil, nil, "init", "-q", "--bare", "--object-format="+r.format, dir); err != nil {
		return nil, fmt.Errorf("make a repository to look with: %w", err)
	}
	return glance.cards(ctx, refs)
}
