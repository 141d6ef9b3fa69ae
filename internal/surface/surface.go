// Package surface finds what a work tree brings along that is run, or that loosens
// something: settings, hooks, commands in prompts, and the agents' own project
// files. Nothing of it is run here.
package surface

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/intake"
	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/trust"
)

// Of is what a request would run of what its work tree brings along, by agents
// with these names. A request that reads nothing of it runs nothing of it.
func Of(ctx context.Context, a request.Assignment, agents []string) ([]trust.Item, error) {
	if a.Request.Untrusted {
		return nil, nil
	}
	s, err := newSearch(a)
	if err != nil {
		return nil, err
	}
	defer s.root.Close()
	s.settings()
	s.hooks(ctx)
	s.scripts(ctx)
	if a.HasPrompt() && a.Templated() {
		s.prompt(a)
		s.ownPrompts(ctx)
	}
	s.agents(ctx, agents)
	return s.items, s.err
}

// All is what any request could run of it.
func All(ctx context.Context, a request.Assignment, agents []string) ([]trust.Item, error) {
	s, err := newSearch(a)
	if err != nil {
		return nil, err
	}
	defer s.root.Close()
	s.settings()
	s.hooks(ctx)
	s.scripts(ctx)
	s.prompt(a)
	for _, name := range append(procedure.Names(), slices.Sorted(maps.Keys(a.Config().Procedures))...) {
		if other, err := request.Load(a.Tree, request.Request{Procedure: name}); err == nil { // else it cannot be run
			s.prompt(other)
		}
	}
	s.ownPrompts(ctx)
	s.agents(ctx, agents)
	return s.items, s.err
}

// search goes through one work tree.
type search struct {
	a     request.Assignment
	root  *os.Root
	items []trust.Item
	err   error // the first that came up
}

func newSearch(a request.Assignment) (*search, error) {
	root, err := files.OpenTree(a.Tree)
	if err != nil {
		return nil, fmt.Errorf("look at what the work tree brings along: %w", err)
	}
	return &search{a: a, root: root}, nil
}

// add adds an item, once.
func (s *search) add(item trust.Item) {
	for _, other := range s.items {
		if other == item {
			return
		}
	}
	s.items = append(s.items, item)
}

func (s *search) settings() {
	for _, b := range s.a.Settings.Brought() {
		s.add(trust.Item{Name: b.Name, What: text.Line(b.What), Where: b.Where, File: config.FileName, Sum: trust.Sum(b.Exact)})
	}
}

// hooks adds the files in the folder of hooks: those that are hooks, and those
// that hooks may call.
func (s *search) hooks(ctx context.Context) {
	if !s.a.Config().Hooks.Enabled {
		return
	}
	for _, name := range s.list(hook.Folder) {
		if strings.HasSuffix(name, ".sample") {
			continue
		}
		point := strings.ReplaceAll(strings.TrimSuffix(name, path.Ext(name)), "-", "_")
		s.file(ctx, "hook "+point, path.Join(hook.Folder, name))
	}
}

// scripts adds the stop scripts that lie in the work tree, whoever named them.
func (s *search) scripts(ctx context.Context) {
	for _, script := range s.a.Config().Stop.Scripts {
		if name, inside := files.Under(s.a.Tree, s.a.InTree(script)); inside {
			s.file(ctx, "stop script", filepath.ToSlash(name))
		}
	}
}

// prompt adds the commands of a prompt that the work tree brings along: of files
// in it, and of texts in its settings.
func (s *search) prompt(a request.Assignment) {
	_, pieces, err := a.Pieces()
	if err != nil {
		return // whoever needs the prompt is told
	}
	for _, p := range pieces {
		switch {
		case p.Path != "" && !filepath.IsAbs(p.Path):
			if words, err := p.Read(); err == nil {
				s.commands(filepath.ToSlash(p.Path), filepath.ToSlash(p.Path), words)
			}
		case p.Path == "" && s.ofProject(p.Name):
			s.commands(p.Name, config.FileName, p.Text)
		}
	}
}

// ofProject tells whether a key has its value from the project's own file.
func (s *search) ofProject(key string) bool {
	e, err := s.a.Settings.Explain(key)
	return err == nil && e.Layer == "project"
}

// ownPrompts adds the commands of files that prompts may include and have run.
func (s *search) ownPrompts(ctx context.Context) {
	top := request.PromptsFolder
	err := fs.WalkDir(files.FS(s.root), top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return files.Ignoring(err, fs.ErrNotExist)
		}
		if words, err := files.Read(ctx, s.a.Tree, filepath.FromSlash(name), maxFile); err == nil { // else no prompt can have it either
			s.commands(name, name, string(words))
		}
		return ctx.Err()
	})
	s.fail(err)
}

// commands adds the commands of one text.
func (s *search) commands(name, file, words string) {
	for _, line := range prompt.Lines(name, words) {
		sum := trust.Sum(line.Text)
		if !line.Fixed { // anything in the text may have a part in it
			sum = trust.Sum(line.Text, words)
		}
		where := fmt.Sprintf("%s:%d", name, line.At)
		s.add(trust.Item{Name: "prompt", What: text.Legible(setting.MaskLine("{{" + line.Text + "}}")), Where: where, File: file, Sum: sum})
	}
}

// agents adds what agents take from the work tree by themselves.
func (s *search) agents(ctx context.Context, names []string) {
	where := intake.Where{Tree: s.a.Tree, Dir: s.a.Dir(), Home: home()}
	for _, name := range names {
		found, err := intake.Find(ctx, name, where)
		s.fail(err)
		for _, f := range found {
			item := trust.Item{Name: name, What: f.What, Where: f.Path, File: f.Path}
			if f.Hash != "" { // else nobody can say what the agent will make of it
				item.Sum = trust.Sum(f.Hash)
			}
			s.add(item)
		}
	}
}

// maxFile is more than any script or prompt has.
const maxFile = 8 << 20

// file adds a file of the work tree by its content. One that is not there, or no
// file, cannot be run.
func (s *search) file(ctx context.Context, name, file string) {
	item := trust.Item{Name: name, Where: file, File: file}
	data, err := files.Read(ctx, s.a.Tree, filepath.FromSlash(file), maxFile)
	var (
		outside *files.OutsideError
		other   *files.NotRegularError
	)
	switch {
	case err == nil:
		item.What, item.Sum = kindOf(data), trust.Sum(string(data))
	case errors.As(err, &outside):
		to, _ := s.root.Readlink(filepath.FromSlash(file))
		item.What, item.Sum = "a link that leads out of the work tree", trust.Sum("link", to)
	case errors.As(err, &other), errors.Is(err, fs.ErrNotExist):
		return
	default:
		s.fail(fmt.Errorf("look at %s: %w", file, err))
		return
	}
	s.add(item)
}

// kindOf is what a file is, in a few words.
func kindOf(data []byte) string {
	if bytes.ContainsRune(data, 0) {
		return fmt.Sprintf("a program, %s bytes", text.Count(len(data)))
	}
	lines := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		lines++
	}
	return "a script, " + text.Plural(lines, "line")
}

// list is the names in a folder of the work tree; none, when there is no such.
func (s *search) list(folder string) []string {
	entries, err := fs.ReadDir(files.FS(s.root), folder)
	s.fail(files.Ignoring(err, fs.ErrNotExist))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (s *search) fail(err error) {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("look at what the work tree brings along: %w", err)
	}
}
