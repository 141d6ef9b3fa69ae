package carry

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
)

// Far is a remote as a work tree sees it.
type Far struct {
	URL      string
	Name     string            // without a password, for people
	Branches map[string]string // what each is at
	tree     *git.Tree
}

// Look looks at a remote, which a person has named.
func (p Place) Look(ctx context.Context, meant string) (*Far, error) {
	tree, err := p.tree(ctx, p.Store.Tree)
	if err != nil {
		return nil, err
	}
	r, err := openRemote(ctx, tree, p.Store.Dir, meant)
	if err != nil {
		return nil, err
	}
	all, err := r.refs(ctx, "refs/heads/*")
	if err != nil {
		return nil, err
	}
	f := &Far{URL: r.url, Name: r.name, Branches: map[string]string{}, tree: tree}
	for ref, sha := range all {
		f.Branches[strings.TrimPrefix(ref, "refs/heads/")] = sha
	}
	return f, nil
}

// Address is where a remote is that a person has named. Without a name it is the remote
// of the branch, or origin.
func (p Place) Address(ctx context.Context, meant string) (string, error) {
	tree, err := p.tree(ctx, p.Store.Tree)
	if err != nil {
		return "", err
	}
	if meant == "" {
		meant = usual(ctx, tree)
	}
	if found := address(ctx, tree, meant); found != "" && !strings.HasPrefix(meant, "-") {
		return found, nil
	}
	return "", noRemote(meant)
}

// Usual is the name of the remote of the branch, or origin.
func (p Place) Usual(ctx context.Context) (string, error) {
	tree, err := p.tree(ctx, p.Store.Tree)
	if err != nil {
		return "", err
	}
	return usual(ctx, tree), nil
}

func usual(ctx context.Context, tree *git.Tree) string {
	if branch, err := tree.Branch(ctx); err == nil && branch != "" {
		out, err := tree.Program().Run(ctx, "for-each-ref", "--format=%(upstream:remotename)", "refs/heads/"+branch)
		if name := strings.TrimSpace(string(out)); err == nil && name != "" && name != "." {
			return name
		}
	}
	return "origin"
}

// Near tells whether nobody can reach the remote who is not on this machine.
func (f *Far) Near() bool {
	u, err := url.Parse(f.URL)
	return filepath.IsAbs(f.URL) || err == nil && u.Scheme == "file"
}

// Holds tells whether a commit of ours is in one of its branches, as far as that can be
// said from here: a branch that somebody else has moved since we fetched it may hold
// it, too.
func (f *Far) Holds(ctx context.Context, commit string) (bool, error) {
	for _, tip := range f.Branches {
		if tip == commit {
			return true, nil
		}
	}
	for _, tip := range f.Branches {
		if _, err := f.tree.Program().Run(ctx, "cat-file", "-e", tip+"^{commit}"); err != nil {
			continue // not here: nothing can be said of what is below it
		}
		_, err := f.tree.Program().Run(ctx, "merge-base", "--is-ancestor", commit, tip)
		if err == nil {
			return true, nil
		}
		if !git.SaidNo(err) {
			return false, err
		}
	}
	return false, nil
}
