package app

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/surface"
	"github.com/refrain-loop/refrain/internal/trust"
)

// agreed sees that a person has agreed to all that would run of what the work tree
// brings along, by agents with these names. Who only looks is told what is missing;
// everybody else gets a *trust.Error.
func agreed(ctx context.Context, a request.Assignment, agents []string) ([]trust.News, error) {
	news, err := surface.News(ctx, a, agents)
	if err != nil || len(news) == 0 || a.Request.Consent == request.OnlyLooking {
		return news, err
	}
	return nil, &trust.Error{Tree: a.Tree, News: news}
}

// Agreed is that a person has agreed to all that a request would run. It is for
// those who start a run elsewhere, where nobody can be asked.
func Agreed(ctx context.Context, dir string, req request.Request) error {
	a, err := request.In(dir, req)
	if err != nil {
		return err
	}
	l, err := lineup.New(a)
	if err != nil {
		return err
	}
	_, err = agreed(ctx, a, programs(a, l))
	return err
}

// programs is the names of the agents that work or review.
func programs(a request.Assignment, l *lineup.Lineup) []string {
	return programsOf(a, append(l.Names(), reviewers(a.Config())...), a.Request.Command)
}

// programsOf is the names of agents, and of those that their commands name in any
// word: an agent of the user's own may well call a known one.
func programsOf(a request.Assignment, names, command []string) []string {
	c, words := a.Config(), slices.Clone(command)
	names = slices.Clone(names)
	for _, name := range names {
		words = append(words, append(c.Agents[name].Command.Argv, c.Agents[name].Command.Line)...)
	}
	for _, line := range words {
		for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"`$=", r) }) {
			base := path.Base(filepath.ToSlash(word))
			if base = strings.TrimSuffix(base, path.Ext(base)); slices.Contains(agent.BuiltIn(), base) {
				names = append(names, base)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Surface is all that the work tree around a folder brings along that runs, and
// what of it nobody has agreed to.
type Surface struct {
	Tree  string
	Items []trust.Item
	News  []trust.News
}

// FindSurface looks at a work tree. Nothing of it is run.
func FindSurface(ctx context.Context, dir string) (*Surface, error) {
	a, err := request.In(dir, request.Request{})
	if err != nil {
		return nil, err
	}
	s := &Surface{Tree: a.Tree}
	if s.Items, err = surface.All(ctx, a, lineup.Known(a.Config().Agents)); err != nil {
		return nil, err
	}
	if s.News, err = surface.Unknown(a, s.Items); err != nil { // then nothing is known
		s.News = trust.Record{}.News(s.Items)
	}
	return s, err
}

// Agree remembers that a person has agreed to items of a work tree.
func Agree(tree string, items []trust.Item) error {
	store, err := trust.Open(os.Getenv)
	if err != nil {
		return err
	}
	place, err := trust.Place(tree)
	if err != nil {
		return err
	}
	return store.Add(place, items, time.Now())
}

// Disagree takes back whatever a person has agreed to in the work tree around a
// folder, and tells whether that was anything.
func Disagree(dir string) (tree string, was bool, err error) {
	if tree, err = request.Root(dir); err != nil {
		return "", false, err
	}
	store, err := trust.Open(os.Getenv)
	if err != nil {
		return tree, false, err
	}
	place, err := trust.Place(tree)
	if err != nil {
		return tree, false, err
	}
	was, err = store.Forget(place)
	return tree, was, err
}

// AgreeToOwn remembers that a person has agreed to what was just written for them,
// by the files in which it stands.
func AgreeToOwn(ctx context.Context, tree string, files []string) error {
	a, err := request.Load(tree, request.Request{})
	if err != nil {
		return err
	}
	items, err := surface.All(ctx, a, nil)
	if err != nil {
		return err
	}
	items = slices.DeleteFunc(items, func(i trust.Item) bool { return !slices.Contains(files, i.File) })
	if len(items) == 0 {
		return nil
	}
	return Agree(tree, items)
}

// maxRunsAsked is how many runs are asked who changed a file. Somebody waits.
const maxRunsAsked = 10

// NameChangers says of changed files which run changed them last, where it was one:
// since the person agreed, and nobody has touched the file after its iteration.
func NameChangers(tree string, news []trust.News) {
	runs, err := journal.Open(tree)
	if err != nil {
		return // then nobody knows
	}
	list, _, err := runs.List()
	if err != nil {
		return
	}
	touched := map[string]time.Time{}
	for _, n := range news {
		if info, err := os.Lstat(filepath.Join(tree, filepath.FromSlash(n.File))); err == nil {
			touched[n.File] = info.ModTime()
		}
	}
	for _, entry := range list[max(0, len(list)-maxRunsAsked):] {
		for e, err := range runs.AllEvents(entry.Name, 0) {
			if err != nil {
				break
			}
			if done, ok := e.Payload.(*loop.IterationFinished); ok && done.Outcome.Changes != nil {
				nameChanger(news, touched, entry.Name, e, done.Outcome.Changes.Paths)
			}
		}
	}
}

func nameChanger(news []trust.News, touched map[string]time.Time, run string, e loop.Event, changed []loop.PathChange) {
	for i := range news {
		n := &news[i]
		at, there := touched[n.File]
		if !there || at.After(e.Time.Add(time.Second)) || n.Before != nil && e.Time.Before(n.Before.At) {
			continue
		}
		if slices.ContainsFunc(changed, func(p loop.PathChange) bool { return p.Path == n.File }) {
			n.By = fmt.Sprintf("the agent in %s/%d", run, e.Iter)
		}
	}
}
