package dispatch

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/text"
)

// site is the work tree that runs are handed in from. What is looked at for one of them
// is not looked at again for the next.
type site struct {
	post
	flags    []config.Flag // about the fleet
	later    bool          // runs are handed in at times to come
	settings config.Fleet

	place    carry.Place
	tree     *git.Tree
	head     string
	branch   string // that is checked out
	dirty    int
	remotes  map[string]*carry.Far
	names    map[string]bool // that were given
	branches map[string]bool
	worries  []worry
}

// worry is what a person should know, and no reason to refuse.
type worry struct{ what, hint string }

func (s *site) worry(what, hint string) {
	if w := (worry{what, hint}); !slices.Contains(s.worries, w) {
		s.worries = append(s.worries, w)
	}
}

func (s *site) tellWorries() {
	for _, w := range s.worries {
		s.Warn(w.what, w.hint)
	}
	s.worries = nil
}

// open looks at the work tree.
func (s *site) open(ctx context.Context) (err error) {
	s.remotes, s.names, s.branches = map[string]*carry.Far{}, map[string]bool{}, map[string]bool{}
	if s.settings, err = s.post.settings(s.flags...); err != nil {
		return err
	}
	if s.place, err = s.post.place(); err != nil {
		return err
	}
	if s.tree, err = git.Open(ctx, s.place.Store.Tree, nil); err != nil {
		return err
	}
	if !s.tree.Git() {
		return cli.UsageError("this is no git work tree, and runs of a fleet travel by git", "go to a clone of the project")
	}
	if s.head, err = s.tree.Head(ctx); err != nil {
		return err
	}
	if s.branch, err = s.tree.Branch(ctx); err != nil {
		return err
	}
	s.dirty, err = s.tree.Dirty(ctx)
	return err
}

// remote looks at the remote that is named, or that is usual here.
func (s *site) remote(ctx context.Context, meant string) (*carry.Far, error) {
	if far, ok := s.remotes[meant]; ok {
		return far, nil
	}
	named := meant
	if named == "" {
		var err error
		if named, err = s.place.Usual(ctx); err != nil {
			return nil, err
		}
	}
	address, err := s.place.Address(ctx, named)
	if err != nil {
		return nil, err
	}
	if err := keyless(named, address); err != nil { // before its error has it
		return nil, err
	}
	far, err := s.place.Look(ctx, named)
	if err != nil {
		return nil, err
	}
	if far.Near() {
		s.worry(text.Line(far.URL)+" is a folder of this machine: only workers here can reach it", "push to a remote that all of them can, and name it with --remote")
	}
	s.remotes[meant] = far
	return far, nil
}

// object is what the name of a commit looks like.
var object = text.NewPattern(`^[0-9a-f]{7,64}$`)

// base is where a run begins: what is checked out here, or a branch or commit of the
// remote. What workers cannot fetch is refused.
func (s *site) base(ctx context.Context, meant string, far *carry.Far) (string, error) {
	commit := s.head
	if meant == "" && s.later {
		return "", nil // what the remote has then
	}
	if meant != "" {
		if at, there := far.Branches[meant]; there {
			if own, err := s.commit(ctx, "refs/heads/"+meant); err == nil && own != at {
				s.worry(fmt.Sprintf("the branch %s is at another commit here than on %s, where the run begins", meant, far.Name), "push or pull it first, if that is not meant")
			}
			return meant, nil
		}
		var err error
		if commit, err = s.commit(ctx, meant); err != nil || !object().MatchString(meant) {
			return "", cli.UsageError(fmt.Sprintf("%s has no branch %s", far.Name, text.Line(meant)), "push it, or name another with --base: a branch of the remote, or a commit")
		}
	}
	switch {
	case commit == "":
		return "", cli.UsageError("there is no commit here, and a run begins at one", "make one, and push it")
	case s.dirty > 0 && meant == "":
		s.worry(fmt.Sprintf("%s with changes that are not committed: they stay here", text.Plural(s.dirty, "file")), "commit and push them, if the run is to have them")
	}
	held, err := far.Holds(ctx, commit)
	if err != nil {
		return "", err
	}
	if !held {
		what := "the commit " + commit[:10]
		if meant == "" && s.branch != "" {
			what += ", which " + s.branch + " is at,"
		}
		return "", cli.UsageError(what+" is not on "+far.Name+", where workers begin", "push it: git push; or begin elsewhere: --base BRANCH")
	}
	return commit, nil
}

// commit is what a name of ours means.
func (s *site) commit(ctx context.Context, name string) (string, error) {
	out, err := s.tree.Program().Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	return strings.TrimSpace(string(out)), err
}

// inRepository is a path of the work tree as the repository has it; none, if the
// repository has no such file at the commit that a run begins at.
func (s *site) committed(ctx context.Context, base, path string) (bool, error) {
	if base == "" {
		return true, nil // nobody knows yet
	}
	at := base
	if _, err := s.commit(ctx, base); err != nil {
		at = ""
		for _, far := range s.remotes {
			at = far.Branches[base]
		}
	}
	if _, err := s.commit(ctx, at); at == "" || err != nil {
		return true, nil // it was not fetched here: whoever begins there finds out
	}
	_, err := s.tree.Program().Run(ctx, "cat-file", "-e", at+":"+s.tree.Prefix()+filepath.ToSlash(path))
	if err == nil {
		return true, nil
	}
	if _, exited := git.ExitCode(err); exited {
		return false, nil
	}
	return false, err
}

var notOfNames = text.NewPattern(`[^a-z0-9]+`)

// slug is a name made of words, short enough to type.
func slug(words string) string {
	const most = 28
	name := strings.Trim(notOfNames().ReplaceAllString(strings.ToLower(words), "-"), "-")
	if len(name) <= most {
		return name
	}
	name = name[:most+1]
	if at := strings.LastIndexByte(name, '-'); at > most/2 {
		return name[:at]
	}
	return strings.TrimRight(name[:most], "-")
}

// goodName is what a run may be called: it is in the name of a branch, too.
var goodName = text.NewPattern(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)
