package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/preflight"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// spec is what is handed in for a run that somebody wants. Whatever can be seen from
// here to be wrong with it is refused.
func (s *site) spec(ctx context.Context, w wanted) (fleet.Spec, error) {
	f := s.settings
	if len(w.flags) > 0 {
		var err error
		if f, err = s.post.settings(append(slices.Clip(s.flags), w.flags...)...); err != nil {
			return fleet.Spec{}, err
		}
	}
	far, err := s.remote(ctx, f.Remote)
	if err != nil {
		return fleet.Spec{}, err
	}
	base, err := s.base(ctx, f.Base, far)
	if err != nil {
		return fleet.Spec{}, err
	}
	if w.req, err = s.travelling(ctx, w.req, base); err != nil {
		return fleet.Spec{}, err
	}
	if err := s.check(ctx, w.req); err != nil {
		return fleet.Spec{}, err
	}
	if w.req, err = committing(s, w.req); err != nil {
		return fleet.Spec{}, err
	}
	body, err := sealed(s.Dir(), w.req)
	if err != nil {
		return fleet.Spec{}, err
	}
	spec := terms(f)
	spec.Remote, spec.Base, spec.Dir = far.URL, base, strings.TrimSuffix(s.tree.Prefix(), "/")
	spec.Request, spec.Words = body, w.req.Words
	spec.Branch = cmp.Or(w.branch, f.Branch)
	if s.later {
		return spec, cmp.Or(s.everyTime(spec.Branch), harmless(s.Dir(), spec))
	}
	spec.ID = journal.NewID()
	if spec.Name, err = s.name(w, spec.ID); err != nil {
		return fleet.Spec{}, err
	}
	if spec.Branch, err = s.branchOf(spec.Branch, spec.Name, spec.ID); err != nil {
		return fleet.Spec{}, err
	}
	if spec.Branch == spec.Base {
		return fleet.Spec{}, cli.UsageError("the run would begin at the branch "+spec.Base+" and become it", "name another branch for its work: --branch")
	}
	return spec, cmp.Or(s.untaken(ctx, far, spec.Branch, base), harmless(s.Dir(), spec))
}

// terms is a spec with all that the settings say of a run in a fleet.
func terms(f config.Fleet) fleet.Spec {
	patience := f.Patience
	if patience == 0 {
		patience = -1 // a spec that says nothing has the usual one
	}
	return fleet.Spec{
		Queue: f.Queue, Priority: f.Priority, Sticky: f.Sticky, Lease: f.Lease,
		Quantum:   fleet.Quantum{Iterations: f.LegIterations, Time: f.LegTime, Patience: patience},
		Submitted: time.Now().UTC(), By: by(),
	}
}

// by is who hands something in.
func by() string {
	host, _ := os.Hostname() // it is only told
	if u, err := user.Current(); err == nil && u.Username != "" {
		return strings.Trim(u.Username+"@"+host, "@")
	}
	return host
}

// everyTime refuses a branch that is the same for every run.
func (s *site) everyTime(template string) error {
	if strings.Count(template, "{{") == 0 || strings.Contains(template, "{{id}}") {
		return cli.UsageError("the runs of a schedule need a branch each, and "+template+" does not say which", "put {{name}} into the name of the branch, and no {{id}}")
	}
	_, err := s.branchOf(template, "name", "")
	return err
}

// branchOf is the branch of a run.
func (s *site) branchOf(template, name, id string) (string, error) {
	branch := strings.NewReplacer("{{name}}", name, "{{id}}", id).Replace(template)
	if what := badBranch(branch); what != "" {
		return "", cli.UsageError(fmt.Sprintf("%q is no name for a branch: %s", branch, what), "write it like refrain/{{name}}")
	}
	if s.branches[branch] {
		return "", cli.UsageError("two of the runs would become the branch "+branch, "put {{name}} or {{id}} into the name of the branch")
	}
	s.branches[branch] = true
	return branch, nil
}

// badBranch is what git has against the name of a branch.
func badBranch(name string) string {
	for _, part := range strings.Split(name, "/") {
		switch {
		case part == "":
			return "a part of it is empty"
		case strings.HasPrefix(part, "."), strings.HasSuffix(part, ".lock"), strings.HasSuffix(part, "."):
			return "a part of it begins or ends with a dot, or ends with .lock"
		}
	}
	switch {
	case strings.HasPrefix(name, "-"), name == "@", strings.Contains(name, "@{"), strings.Contains(name, ".."):
		return "git means something else by that"
	case strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return "it has a sign that git does not take"
	}
	return ""
}

// name is what a run is called.
func (s *site) name(w wanted, id string) (string, error) {
	name := w.name
	if name == "" {
		about := cmp.Or(w.about, w.req.Words, firstLine(w.req.Prompt), w.req.Procedure)
		if about == "" && len(w.req.Command) > 0 {
			about = filepath.Base(w.req.Command[0])
		}
		name = cmp.Or(slug(about), "run") + "-" + strings.TrimPrefix(id, "loop_")[:4]
	}
	if !goodName().MatchString(name) {
		return "", cli.UsageError(fmt.Sprintf("%q is no name for a run", name), "use letters, digits, - and _, 63 at most")
	}
	if s.names[name] {
		return "", cli.UsageError("two of the runs are called "+name, "no two runs of a fleet that are under way have the same name")
	}
	s.names[name] = true
	return name, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// travelling is a request that another machine can do: its files are those of the
// repository, by their paths from the work tree.
func (s *site) travelling(ctx context.Context, req request.Request, base string) (request.Request, error) {
	if req.File != "" {
		path, err := s.local(ctx, "the prompt file", req.File, base)
		if err != nil {
			return req, err
		}
		req.File = path
	}
	var flags []config.Flag
	for _, f := range req.Flags {
		if err := s.phase(ctx, &f, base); err != nil {
			return req, err
		}
		flags = append(flags, f)
	}
	req.Flags = flags
	return req, nil
}

// local is a file of the work tree by its path from there. Others the workers have not.
func (s *site) local(ctx context.Context, what, path, base string) (string, error) {
	rel := path
	if filepath.IsAbs(path) {
		var err error
		if rel, err = filepath.Rel(straight(s.place.Store.Tree), straight(path)); err != nil || !filepath.IsLocal(rel) {
			return "", cli.UsageError(fmt.Sprintf("%s %s is not in this work tree, so no worker has it", what, path), "commit it to the repository, or pass its text: -p TEXT, or -F - for stdin")
		}
	}
	rel = filepath.ToSlash(rel)
	if _, err := os.Stat(filepath.Join(s.place.Store.Tree, filepath.FromSlash(rel))); err != nil {
		return rel, nil // whoever reads it says so
	}
	there, err := s.committed(ctx, base, rel)
	if err == nil && !there {
		err = cli.UsageError(fmt.Sprintf("%s %s is not in the commit that the run begins at, so no worker has it", what, rel), "commit and push it, or pass its text")
	}
	return rel, err
}

// straight is a path without links, as far as it is there.
func straight(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// phase has the flag for a section of a procedure name files of the repository.
func (s *site) phase(ctx context.Context, f *config.Flag, base string) error {
	if !slices.Contains([]string{"--observe", "--orient", "--decide", "--act"}, f.Name) {
		return nil
	}
	value, _ := tomlfile.Value(f.Value) // it was made of the words of the command line
	parts, _ := value.([]any)
	for _, part := range parts {
		path, ok := part.(string)
		if !ok || !filepath.IsAbs(path) {
			continue
		}
		rel, err := s.local(ctx, f.Name, path, base)
		if err != nil {
			return err
		}
		f.Value = strings.ReplaceAll(f.Value, cli.TOMLText(path), cli.TOMLText(rel))
	}
	return nil
}

// check refuses what no worker could do: wrong settings, an agent that nobody knows, a
// prompt that cannot be read, a run that cannot end.
func (s *site) check(ctx context.Context, req request.Request) error {
	a, err := request.In(s.Dir(), req)
	if err != nil {
		return err
	}
	if own := staying(a.Settings); len(own) > 0 {
		s.worry("your own settings stay here, and workers have theirs: "+strings.Join(own, ", "), "give what the run needs as flags, or set it in "+config.FileName)
	}
	if a.HasPrompt() {
		_, pieces, err := a.Pieces()
		if err != nil {
			return err
		}
		for _, piece := range pieces {
			if _, err := piece.Read(); err != nil {
				return request.PromptProblem(err)
			}
		}
	}
	for _, f := range app.Foresee(ctx, s.Dir(), req) {
		switch {
		case f.Name == preflight.Place: // the work is not done here
		case f.Worry:
			s.worry(f.What, f.Hint)
		default:
			return cli.UsageError(f.What, f.Hint)
		}
	}
	return nil
}

// staying are the settings of the user's own file and environment that hold here and
// say what the run is, so that it is another one where they do not.
func staying(r *config.Resolved) []string {
	var keys []string
	for _, one := range r.Settings() {
		first, _, _ := strings.Cut(one.Key, ".")
		if (one.Layer == "user" || one.Layer == "environment") && !slices.Contains(ofMachines, first) {
			keys = append(keys, one.Key)
		}
	}
	return keys
}

// ofMachines are the settings that are for each machine to have.
var ofMachines = []string{"fleet", "trust", "sandbox", "notify", "trace", "metrics", "log", "retention", "proc", "prices", "agents"}
