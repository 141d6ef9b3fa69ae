package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/container"
	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/sandbox"
)

// crew runs the processes of a run, each by the keeper of its role: whoever does the
// work, whoever judges it, and the runner's own share nothing but the work tree.
type crew struct {
	own     *proc.Keeper
	keepers map[proc.Role]keeper // none: there is no sandbox, and all are run by own
	engine  container.Engine     // where the sandbox is made of containers
	image   sandbox.Image
	place   sandbox.Place
	mark    proc.Mark
	tree    string // that marks name
	spare   []string
	pass    []string               // variables that pass in every role
	keys    map[proc.Role][]string // and in one
	temp    *lodging
	watch   watch
	network *network // nil: it is open
	news    news
}

// keeper runs processes so that nothing they start outlives them: in a fence, or in
// containers.
type keeper interface {
	Run(context.Context, proc.Spec) (loop.Exit, error)
	Ready(func(loop.Warning)) error
	Close()
}

// site is where a crew works.
type site struct {
	mark    proc.Mark
	prompts string // where files with prompts are; empty: nowhere
	said    string // where hooks leave what they have to say; empty: nobody has any
	proof   string // where clean checkouts are made; empty: nowhere
	temp    string
	caches  string
	records string   // of the project; empty: nobody looks at them
	kept    string   // where it is noted what agents may not change of their own; empty: nobody works
	signs   string   // what signs commits; empty: nothing does
	agents  []string // who works
	reviews []string // who judges
}

// roles are those that have a sandbox.
var roles = []proc.Role{proc.Agent, proc.Judge, proc.Committer, proc.Reviewer}

// newCrew makes the crew of a work tree. Nothing is started before the first Run.
func newCrew(ctx context.Context, a request.Assignment, kind fence.Kind, s site) (*crew, error) {
	c := &crew{own: proc.NewKeeper(s.mark, a.Config().Proc.Keep)}
	if kind == fence.None {
		return c, nil
	}
	var err error
	if c.place, err = placeOf(a, kind, s); err != nil {
		return nil, err
	}
	if c.temp, err = lodge(s.temp); err != nil {
		return nil, fmt.Errorf("make a folder for temporary files: %w", err)
	}
	if err := c.place.MakeReady(); err != nil {
		c.temp.leave()
		return nil, err
	}
	c.place = c.place.Resolved()
	c.mark, c.tree, c.spare, c.pass = s.mark, a.Tree, a.Config().Proc.Keep, a.Config().Sandbox.Env
	c.keys = map[proc.Role][]string{proc.Agent: keysOf(a, s.agents), proc.Reviewer: keysOf(a, s.reviews)}
	if s.kept != "" {
		c.watch.guard = sandbox.NewGuard(c.place, s.kept)
	}
	if c.network, err = openNetwork(a, kind, s, &c.news); err != nil {
		c.temp.leave()
		return nil, err
	}
	if c.network != nil {
		c.place.Ways = c.network.ways
	}
	c.image = sandbox.Image{Name: a.Config().Sandbox.Image, Options: a.Config().Sandbox.Options, Prompts: s.prompts}
	if err := c.man(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// boxed tells whether the sandbox is made of containers.
func (c *crew) boxed() bool { return container.Known(string(c.place.Kind)) }

// man gives each role its keeper, with a mark of its own: who is dead with one of them
// is found by that, and the others live on.
func (c *crew) man(ctx context.Context) (err error) {
	if c.boxed() {
		if c.engine, err = container.Look(ctx, string(c.place.Kind)); err != nil {
			return err
		}
	}
	c.keepers = map[proc.Role]keeper{}
	for _, role := range roles {
		if !c.boxed() {
			c.keepers[role] = proc.NewKeeper(proc.NewMark(c.mark.Run, c.tree), c.spare).Within(c.place.Policy(role)).
				Telling(func(r fence.Refusal) { c.news.add(connectRefused(r, role, c.place)) })
			continue
		}
		box, err := sandbox.Box(c.place, role, c.image)
		if err != nil {
			return err
		}
		c.keepers[role] = container.NewKeeper(c.engine, box, c.mark, c.own)
	}
	return nil
}

// placeOf is what a sandbox has to know of where a run works.
func placeOf(a request.Assignment, kind fence.Kind, s site) (sandbox.Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return sandbox.Place{}, fmt.Errorf("find what to hide: %w", err)
	}
	state, err := project.Folder(os.Getenv)
	if err != nil {
		return sandbox.Place{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = "" // then there is none to share
	}
	git, err := project.FindGit(a.Tree)
	if err != nil {
		return sandbox.Place{}, fmt.Errorf("find the git folder: %w", err)
	}
	tree := a.Tree
	if git.Root != "" {
		tree = git.Root
	}
	p := sandbox.Place{
		Kind: kind, Home: home, Tree: tree, Git: sandbox.Git{Common: git.Common, Own: git.Dir}, Said: s.said, Proof: s.proof, Signs: s.signs, Records: s.records,
		State: state, Cache: cache, Upper: s.caches, Temp: s.temp, Agents: s.agents, Reviews: s.reviews, Getenv: os.Getenv,
		Allow: a.Config().Sandbox.Allow, Hide: a.Config().Sandbox.Hide,
	}
	return p, nil
}

// keysOf are the variables by which agents are paid for. Nobody knows whom a command
// of the user's own asks, so it gets them all.
func keysOf(a request.Assignment, names []string) []string {
	var list []string
	for _, name := range names {
		keys := agent.TraitsOf(name).Secrets
		if len(keys) == 0 {
			keys = agent.Secrets()
		}
		list = append(list, keys...)
		for key := range a.Config().Agents[name].Env {
			list = append(list, key)
		}
	}
	return list
}

// Run runs a process in its role.
func (c *crew) Run(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	keeper, ok := c.keepers[s.Role]
	switch {
	case !ok && s.Role != proc.Own && len(c.keepers) > 0:
		return loop.Exit{}, fmt.Errorf("run %q: nobody holds it in a sandbox", s.Argv)
	case !ok:
		return c.own.Run(ctx, s)
	}
	pass := slices.Concat(c.pass, c.keys[s.Role])
	if c.boxed() {
		s.Env = sandbox.Inside(c.place, s.Role, s.Env, os.Environ(), pass)
	} else {
		s.Env = c.place.Environ(s.Role, s.Env, pass)
	}
	if s.Role == proc.Agent || s.Role == proc.Reviewer {
		defer c.watch.begin(ctx, s.Warn)()
	}
	defer c.news.flush() // what it was refused is told before its end is
	return keeper.Run(ctx, s)
}

// raise raises the fences that the run will need: one that can not be is found out
// before anything is paid for. Where nothing can be copied on write the user's caches
// are shared, which is told.
func (c *crew) raise(ctx context.Context, warn func(loop.Warning), needed ...proc.Role) error {
	c.watch.end(ctx, warn) // a runner may have been killed while its agent worked
	err := c.ready(warn, needed)
	var fenced *fence.Error
	if errors.As(err, &fenced) && fenced.Uncopied() {
		c.dismiss()
		c.place.SharedCaches = true
		again := c.man(ctx)
		if again == nil {
			again = c.ready(warn, needed)
		}
		if again == nil {
			warn(loop.Warning{
				Text: "your caches of packages and builds are shared with agents and gates: " + err.Error(),
				Hint: "put XDG_STATE_HOME on a disk of the kind ext4, xfs or btrfs",
			})
			return nil
		}
	}
	var boxless *container.Error
	if errors.As(err, &boxless) {
		return &request.UsageError{What: err.Error(), Hint: boxless.Hint()}
	}
	if err != nil {
		return &request.UsageError{What: err.Error(), Hint: "change sandbox.allow or sandbox.hide if that is to blame; else take another sandbox.mode, or none"}
	}
	return nil
}

// ready has those keepers be there that are needed.
func (c *crew) ready(warn func(loop.Warning), needed []proc.Role) error {
	var wg sync.WaitGroup
	errs := make([]error, len(needed))
	for i, role := range needed {
		if keeper := c.keepers[role]; keeper != nil {
			wg.Go(func() { errs[i] = keeper.Ready(warn) })
		}
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil { // one is enough, for they fail for the same
			return err
		}
	}
	return nil
}

// Close ends all keepers, and whatever they still keep.
func (c *crew) Close() {
	c.dismiss()
	c.own.Close()
	c.network.close()
	c.news.close()
	if c.temp != nil {
		c.temp.leave()
	}
}

// dismiss ends the keepers of all roles.
func (c *crew) dismiss() {
	for _, keeper := range c.keepers {
		keeper.Close()
	}
}

// scratch is where git puts a commit together; empty: it can anywhere.
func (c *crew) scratch() string {
	if len(c.keepers) == 0 {
		return ""
	}
	return c.place.TempOf(proc.Committer)
}

// unconfined runs a process outside of the sandbox, unless an agent may have written
// what it runs; nil: there is none, or what runs in it is not installed outside.
func (c *crew) unconfined(w works) func(context.Context, proc.Spec) (loop.Exit, error) {
	if len(c.keepers) == 0 || c.boxed() {
		return nil
	}
	return func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		if w.touched(ctx) {
			return loop.Exit{}, errTouched
		}
		return c.own.Run(ctx, s)
	}
}

var errTouched = errors.New("an agent has worked here: nothing is run outside of the sandbox")

// locked collects what several say at a time.
func locked(list *[]loop.Warning) func(loop.Warning) {
	var mu sync.Mutex
	return func(w loop.Warning) {
		mu.Lock()
		defer mu.Unlock()
		*list = append(*list, w)
	}
}
