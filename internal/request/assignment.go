package request

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/outside"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/prompt"
)

// Assignment is a request in a work tree, with the settings that hold for it
// there.
type Assignment struct {
	Tree     string // the work tree's root
	Request  Request
	Settings *config.Resolved
}

// Root finds the work tree around a folder.
func Root(dir string) (string, error) { return find(project.Root, dir) }

// NewRoot finds where the settings of a project that has none yet belong.
func NewRoot(dir string) (string, error) { return find(project.NewRoot, dir) }

// find finds a work tree. That of another user is refused, unless git has been
// told that it may be trusted.
func find(root func(string, project.Safe) (string, error), dir string) (string, error) {
	if tree, _ := root(dir, func() []string { return nil }); tree != "" {
		outside.Shun(tree) // before git is asked whose it may be
	}
	tree, err := root(dir, func() []string { return git.SafeFolders(context.Background()) })
	var stranger *project.StrangerError
	switch {
	case errors.As(err, &stranger):
		return "", &UsageError{What: stranger.Error(), Hint: stranger.Hint()}
	case err != nil:
		return "", &UsageError{What: err.Error(), Hint: "name an existing folder with -C"}
	}
	return tree, nil
}

// In is what a request means in the work tree around a folder.
func In(dir string, req Request) (Assignment, error) {
	tree, err := Root(dir)
	if err != nil {
		return Assignment{}, err
	}
	return Load(tree, req)
}

// Load is what a request means in a work tree.
func Load(tree string, req Request) (Assignment, error) {
	req = req.Canonical()
	settings, err := config.Load(Sources(tree, req))
	a := Assignment{Tree: tree, Request: req, Settings: settings}
	if err == nil {
		a = a.settled()
	}
	return a, err
}

// Sources is where the settings of a request in a work tree come from.
func Sources(tree string, req Request) config.Sources {
	s := config.Sources{
		Tree:      tree,
		NoProject: req.Untrusted,
		UserFile:  config.UserFile(os.Getenv),
		Environ:   os.Environ(),
		Flags:     req.Flags,
		Procedure: req.Procedure,
		Kind:      req.Kind(),
		Agents:    agent.BuiltIn(),

		Builtin:    builtinSettings(req.Procedure),
		Procedures: procedure.Names(),
		Aliases:    aliases(),
		Fragments:  procedure.Fragments(),
		Front:      front(tree, req),
		OwnGates:   len(req.Extensions.Gates) > 0,
	}
	if req.Untrusted {
		s.Front = nil // it is a file of the work tree, too
	}
	return s
}

// aliases are the other names of built-in procedures.
func aliases() map[string]string {
	names := map[string]string{}
	for _, p := range procedure.All() {
		for _, alias := range p.Aliases {
			names[alias] = p.Name
		}
	}
	return names
}

// ProcedureName is the name that a procedure has itself, in place of an alias.
func ProcedureName(name string) string { return Request{Procedure: name}.Canonical().Procedure }

// Canonical is a request with the procedure's own name in place of an alias.
func (r Request) Canonical() Request {
	if p, ok := procedure.Find(r.Procedure); ok {
		r.Procedure = p.Name
	}
	return r
}

// builtinSettings are those of a procedure, if it is a built-in one.
func builtinSettings(name string) string {
	p, _ := procedure.Find(name)
	return p.Settings
}

// front gives what the prompt of a request says of settings, in the front matter
// of its files. Which prompt that is, the other settings tell. One that cannot be
// had says nothing here: who needs it will find out.
func front(tree string, req Request) func(*config.Resolved) ([]config.Front, *config.Problem) {
	return func(settings *config.Resolved) ([]config.Front, *config.Problem) {
		a := Assignment{Tree: tree, Request: req.Canonical(), Settings: settings}.settled()
		if !a.HasPrompt() || !a.Templated() {
			return nil, nil
		}
		_, pieces, err := a.Pieces()
		if err != nil {
			return nil, nil
		}
		var list []config.Front
		for _, piece := range pieces {
			text, err := piece.Read()
			if err != nil {
				continue
			}
			f, _, err := prompt.ReadFront(piece.Name, text)
			var bad *prompt.Error
			if errors.As(err, &bad) {
				return nil, &config.Problem{File: bad.Path, Line: bad.Line, What: bad.What, Hint: bad.Hint}
			}
			list = append(list, config.Front{File: piece.Name, Settings: f.Settings, Lines: f.Lines})
		}
		return list, nil
	}
}

// Config is the settings.
func (a Assignment) Config() config.Config { return a.Settings.Config }

// InTree is a path from the settings, where a relative one starts at the work
// tree.
func (a Assignment) InTree(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Tree, path)
}

// Dir is where the agent works.
func (a Assignment) Dir() string { return filepath.Join(a.Tree, a.Config().Loop.Dir) }

// File is the file that a setting names by a path. What the project's own settings
// name stays in the work tree; the user may name any file.
func (a Assignment) File(key, path string) files.Named {
	if path == "" {
		return files.Named{}
	}
	named := files.Named{Path: a.InTree(filepath.FromSlash(path))}
	if a.Settings.OfProject(key) {
		named.Tree = a.Tree
	}
	return named
}

// Plan is the file whose tasks are to be done, if there is one.
func (a Assignment) Plan() files.Named { return a.File("done.plan", a.Config().Done.Plan) }

// Written is the plan that a claim must have written, if one must.
func (a Assignment) Written() files.Named { return a.File("done.written", a.Config().Done.Written) }

// Plans are the files that say what is to be done, from the work tree.
func (a Assignment) Plans() []string {
	var list []string
	root, err := filepath.EvalSymlinks(a.Tree)
	if err != nil {
		root = a.Tree
	}
	for _, name := range []files.Named{a.Plan(), a.Written()} {
		if name.IsZero() {
			continue
		}
		for _, path := range plan.Files(name) {
			if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
				list = append(list, filepath.ToSlash(rel))
			}
		}
	}
	return list
}
