package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Place is where a run works, and what is let in. Paths are absolute; an empty one
// is not there.
type Place struct {
	Kind fence.Kind

	Home    string
	Tree    string   // the work tree
	Git     Git      // of the work tree
	Said    string   // where hooks leave what they have to say; of this run alone
	Proof   string   // where clean checkouts are made
	State   string   // what this program keeps of all runs
	Records string   // and in it, of this project; empty: they lie elsewhere
	Cache   string   // the user's folder of caches
	Upper   string   // what is kept of changes to caches
	Temp    string   // a folder for temporary files of each role is below
	Agents  []string // who works, by the names of back ends
	Reviews []string // who judges
	Getenv  func(string) string

	Signs string   // the opening that signs commits; empty: nothing does
	Allow []string // names of openings, and paths that may be written
	Hide  []string // paths

	SharedCaches bool // the user's caches are written themselves, for there can be no copy

	Ways map[proc.Role]Way // nil: the network is open
}

// Way is the only way of a role to the network.
type Way struct {
	Proxy   string   // where a proxy listens: a socket, which nobody inside is to see
	Port    int      // of loopback, on which it is reached inside
	Forward []string // places on loopback of the host that are reached without it
}

// Git is the git folder of a work tree.
type Git struct {
	Common string // with what all work trees of the repository share
	Own    string // of this work tree; the same, or a folder below
}

// linked tells whether the work tree is one beside the main one.
func (g Git) linked() bool { return g.Own != g.Common }

// Policy is what a process of that role may reach.
func (p Place) Policy(role proc.Role) *fence.Policy {
	if role == proc.Own {
		return nil
	}
	policy := &fence.Policy{
		Kind: p.Kind, Temp: p.TempOf(role), Private: p.caches(), Upper: p.upperOf(role),
		Sockets: resolvers, Proxy: p.Ways[role].Proxy, ProxyPort: p.Ways[role].Port, Forward: p.Ways[role].Forward,
	}
	hidden := p.hidden()
	switch role {
	case proc.Agent:
		policy.Write = append(p.tree(), p.stateOf(p.Agents)...)
		policy.Keep = append(p.kept(), p.keptOf(p.Agents)...)
		policy.Private = append(policy.Private, p.privateOf(p.Agents)...)
		hidden = append(hidden, p.Proof)
		hidden = append(hidden, p.signIns(p.Agents)...)
	case proc.Reviewer: // it looks, and changes nothing of what it judges
		policy.Write = p.stateOf(p.Reviews)
		policy.Keep = p.keptOf(p.Reviews)
		policy.Private = append(policy.Private, p.privateOf(p.Reviews)...)
		hidden = append(hidden, p.signIns(p.Reviews)...)
	case proc.Judge, proc.Committer:
		policy.Write = append(p.tree(), p.Proof, p.Said)
		policy.Keep = p.kept()
		hidden = append(hidden, p.signIns(nil)...)
	}
	if p.SharedCaches {
		policy.Write, policy.Private = append(policy.Write, policy.Private...), nil
	}
	if role == proc.Committer { // the runner puts the index there, and knows no other name for it
		policy.Write = append(policy.Write, p.TempOf(role))
	}
	for _, way := range p.Ways {
		hidden = append(hidden, filepath.Dir(way.Proxy)) // where those of other roles are, too
	}
	p.open(role, policy, &hidden)
	if p.Kind == fence.Landlock || p.Kind == fence.Seatbelt {
		policy.Write = append(policy.Write, p.shared(hidden)...)
	}
	policy.TempOwn = p.tempOwn()
	policy.Show = append(policy.Show, p.programs(hidden)...)
	policy.Write = present(policy.Write)
	policy.Keep = present(policy.Keep)
	policy.Private = present(policy.Private)
	policy.Hide = present(hidden)
	if p.Kind == fence.Namespaces { // there also what appears only later can be hidden
		policy.Hide = named(hidden)
	}
	policy.Show = present(policy.Show)
	policy.Sockets = present(policy.Sockets)
	return policy
}

var roleNames = map[proc.Role]string{proc.Agent: "agent", proc.Judge: "judge", proc.Committer: "commit", proc.Reviewer: "review"}

// TempOf is the folder for temporary files of a role, as it is called outside.
func (p Place) TempOf(role proc.Role) string { return filepath.Join(p.Temp, roleNames[role]) }

// upperOf is where the changes of a role to caches are kept.
func (p Place) upperOf(role proc.Role) string {
	if p.Upper == "" {
		return ""
	}
	return filepath.Join(p.Upper, roleNames[role])
}

// tree is what may be written of the work tree and of its repository. Where the
// repository lies outside of the tree that is only what a commit writes.
func (p Place) tree() []string {
	list := []string{p.Tree}
	if p.Git.Common == "" {
		return list
	}
	if !p.Git.linked() {
		return append(list, p.Git.Common) // the same, unless the tree's .git leads elsewhere
	}
	for _, name := range []string{"objects", "refs", "logs", "packed-refs"} {
		list = append(list, filepath.Join(p.Git.Common, name))
	}
	return append(list, p.Git.Own)
}

// kept is what may not be written of it: what decides how git acts, and what our
// own records were called before they lay outside.
func (p Place) kept() []string {
	if p.Git.Common == "" {
		return []string{filepath.Join(p.Tree, ".refrain", "runs")}
	}
	var list []string
	for _, name := range []string{"config", "hooks", "refrain"} {
		list = append(list, filepath.Join(p.Git.Common, name))
	}
	return append(list, filepath.Join(p.Git.Own, "config.worktree"))
}

// stateOf is what agents keep of their own.
func (p Place) stateOf(names []string) []string {
	var list []string
	for _, name := range names {
		state := agent.TraitsOf(name).State
		if state.Folder == "" {
			continue
		}
		list = append(list, p.folder(state))
		for _, more := range state.More {
			list = append(list, filepath.Join(p.Home, more))
		}
	}
	return list
}

// privateOf is what agents write to and may only have a copy of. Where there are no
// copies, they do without.
func (p Place) privateOf(names []string) []string {
	if p.Kind != fence.Namespaces || p.SharedCaches {
		return nil
	}
	var list []string
	for _, name := range names {
		for _, path := range agent.TraitsOf(name).State.Private {
			list = append(list, filepath.Join(p.Home, path))
		}
	}
	return list
}

// keptOf is what of that acts on later calls.
func (p Place) keptOf(names []string) []string {
	var list []string
	for _, name := range names {
		state := agent.TraitsOf(name).State
		for _, keep := range state.Keep {
			list = append(list, filepath.Join(p.folder(state), keep))
		}
	}
	return list
}

// signIns are those of all agents but of the ones named.
func (p Place) signIns(but []string) []string {
	var list []string
	for _, name := range agent.BuiltIn() {
		if slices.Contains(but, name) {
			continue
		}
		state := agent.TraitsOf(name).State
		for _, secret := range state.Secret {
			list = append(list, filepath.Join(p.folder(state), secret))
		}
	}
	return list
}

func (p Place) folder(s agent.State) string {
	if s.In != "" {
		if named := p.Getenv(s.In); filepath.IsAbs(named) {
			return filepath.Clean(named)
		}
	}
	return filepath.Join(p.Home, s.Folder)
}

// temporary are the folders for temporary files of everybody.
var temporary = []string{"/tmp", "/var/tmp"}

// shared are the folders for temporary files that many programs name, whatever TMPDIR
// is: those below which there is nothing to keep. Landlock can not shut a folder in
// an open one.
func (p Place) shared(hidden []string) []string {
	return slices.DeleteFunc(slices.Clone(temporary), func(dir string) bool {
		return slices.ContainsFunc(append(present(hidden), p.Home, p.State, p.Proof), func(path string) bool { return strings.HasPrefix(path, dir+"/") })
	})
}

// tempOwn tells whether the folders for temporary files stay what they are: a home
// folder lies there, of which all but secrets is to be read.
func (p Place) tempOwn() bool {
	return slices.ContainsFunc(temporary, func(dir string) bool { return strings.HasPrefix(p.Home, dir+"/") })
}

// programs is where programs are that would be covered with the folders for temporary
// files: this one, as "go run" has it there, and those on the PATH that nobody hides.
func (p Place) programs(hidden []string) []string {
	list := slices.DeleteFunc(filepath.SplitList(p.Getenv("PATH")), func(dir string) bool {
		return slices.ContainsFunc(present(hidden), func(path string) bool {
			_, in := files.Under(files.Straight(path), files.Straight(dir))
			return in
		})
	})
	if self, err := os.Executable(); err == nil {
		list = append(list, self)
	}
	return slices.DeleteFunc(list, func(path string) bool { return !filepath.IsAbs(path) || !fence.Covered(path) })
}

// present is those that are there, each once.
func present(paths []string) []string {
	return slices.DeleteFunc(named(paths), func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}

// named are the paths that say something, each once.
func named(paths []string) []string {
	var list []string
	for _, path := range paths {
		if filepath.IsAbs(path) && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// Resolved is the place with all links on the way followed: what holds a process to
// a policy looks at what is really there.
func (p Place) Resolved() Place {
	for _, path := range []*string{&p.Home, &p.Tree, &p.Git.Common, &p.Git.Own, &p.Said, &p.Proof, &p.Records, &p.State, &p.Cache, &p.Upper} {
		if real, err := filepath.EvalSymlinks(*path); err == nil && *path != "" {
			*path = real
		}
	}
	return p
}
