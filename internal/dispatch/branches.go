package dispatch

import (
	"context"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/text"
)

// untaken refuses a branch that is on the remote with commits which the run would not
// have: no worker pushes over them. What cannot be told from here is left to the workers.
func (s *site) untaken(ctx context.Context, far *carry.Far, branch, base string) error {
	at, there := far.Branches[branch]
	if !there {
		return nil
	}
	if tip, named := far.Branches[base]; named {
		base = tip
	}
	if at == base {
		return nil
	}
	if _, err := s.commit(ctx, base); base == "" || err != nil {
		return nil // it was not fetched here
	}
	if _, err := s.commit(ctx, at); err == nil {
		_, err := s.tree.Program().Run(ctx, "merge-base", "--is-ancestor", at, base)
		if err == nil || !git.SaidNo(err) {
			return err
		}
	}
	return cli.UsageError(
		fmt.Sprintf("%s has a branch %s with commits that the run would not have, and nothing is pushed over those", far.Name, text.Line(branch)),
		"give it another name with --name, or another branch with --branch; or go on from there: --base "+branch+" --branch ANOTHER",
	)
}

// usualBranch is the branch of a remote from which others begin, as far as that is known
// here; empty: it is not.
func (s *site) usualBranch(ctx context.Context, far *carry.Far) (string, error) {
	out, err := s.tree.Program().Run(ctx, "for-each-ref", "--format=%(symref:lstrip=3)", "refs/remotes/"+far.Name+"/HEAD")
	if name := strings.TrimSpace(string(out)); err != nil || name != "" {
		return name, err
	}
	for _, name := range []string{"main", "master", "trunk"} {
		if _, there := far.Branches[name]; there {
			return name, nil
		}
	}
	return "", nil
}
