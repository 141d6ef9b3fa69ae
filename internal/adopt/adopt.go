// Package adopt makes a project ready that another system has worked in: it
// takes what package migrate has read, tries it in a folder of its own, and writes
// it, all or nothing.
//
// Nothing that is there is overwritten, and what was read stays as it is. Nobody
// has agreed to what was copied: it is asked about when it would run.
package adopt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/migrate"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/scaffold"
)

// Plan is what is to be written into a work tree. Nothing is written yet.
type Plan struct {
	Tree   string
	Import *migrate.Import
	Files  []scaffold.File // the settings first
}

// New reads what a system has left in the work tree around a folder. Without a name
// it is the only one that has.
func New(ctx context.Context, dir, system string) (*Plan, error) {
	tree, err := request.NewRoot(dir)
	if err != nil {
		return nil, err
	}
	root, err := files.OpenTree(tree)
	if err != nil {
		return nil, fmt.Errorf("look at the project: %w", err)
	}
	defer root.Close()
	if _, err := root.Lstat(config.FileName); err == nil {
		return nil, &request.UsageError{
			What: config.FileName + " is there already, and is not overwritten",
			Hint: "move it away first; \"refrain config set KEY VALUE\" changes single keys of it",
		}
	}
	if system, err = choose(migrate.Find(files.FS(root)), system); err != nil {
		return nil, err
	}
	im, err := migrate.Read(files.FS(root), system)
	var wrong *migrate.Error
	var nothing *migrate.NothingError
	switch {
	case errors.As(err, &wrong):
		return nil, &request.UsageError{What: wrong.Error(), Hint: wrong.Hint()}
	case errors.As(err, &nothing):
		return nil, &request.UsageError{What: nothing.Error(), Hint: "\"refrain import\" without a name looks for every system"}
	case err != nil:
		return nil, err
	}
	p := &Plan{Tree: tree, Import: im, Files: []scaffold.File{{Path: config.FileName, Text: im.TOML(), Mode: 0o644}}}
	for _, f := range im.Files {
		p.Files = append(p.Files, scaffold.File{Path: f.Path, Text: f.Text, Mode: f.Mode})
	}
	if err := p.free(root); err != nil {
		return nil, err
	}
	return p, p.try(ctx)
}

// choose is the system that is meant.
func choose(found []migrate.Found, system string) (string, error) {
	if system != "" {
		if !slices.Contains(migrate.Systems(), system) {
			return "", &request.UsageError{What: fmt.Sprintf("import knows no system called %q", system), Hint: "it reads " + strings.Join(migrate.Systems(), ", ")}
		}
		return system, nil
	}
	switch len(found) {
	case 0:
		return "", &request.UsageError{
			What: "there is nothing to import here: no files of " + strings.Join(migrate.Systems(), ", "),
			Hint: "\"refrain init\" makes a project ready that no other system has worked in",
		}
	case 1:
		return found[0].System, nil
	}
	var names, marks []string
	for _, f := range found {
		names = append(names, "refrain import "+f.System)
		marks = append(marks, f.Mark)
	}
	return "", &request.UsageError{What: "several systems have worked here: " + strings.Join(marks, ", "), Hint: "say which one is meant: " + strings.Join(names, ", or ")}
}

// free sees that nothing is in the way of a file.
func (p *Plan) free(root *os.Root) error {
	results, err := scaffold.Look(root, p.Files, false)
	if err != nil {
		return refused(err)
	}
	for _, r := range results {
		if r.Action == scaffold.Kept {
			return &request.UsageError{What: r.Path + " is there already, and is not overwritten", Hint: "move it away first; nothing was written"}
		}
	}
	return nil
}

// try puts everything into a folder of its own, and looks at it as a run would: at
// the settings, and at the prompt of each procedure.
func (p *Plan) try(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "refrain-import-")
	if err != nil {
		return fmt.Errorf("make a folder to try the settings in: %w", err)
	}
	defer func() { _ = files.RemoveAll(dir) }()
	if _, err := scaffold.Write(dir, p.Files, false); err != nil {
		return err
	}
	a, err := request.Load(dir, request.Request{})
	if err != nil {
		return p.wrong(err)
	}
	for name := range a.Config().Procedures {
		if _, err := request.ShowProcedure(ctx, dir, name, nil, func(request.Assignment) (bool, error) { return false, nil }); err != nil {
			return p.wrong(err)
		}
	}
	return nil
}

// wrong says that what was read makes no settings. The file that these would have
// stood in is not there, so its lines would tell nobody anything. A fault in what
// somebody has set elsewhere is none of it, and names its own place.
func (p *Plan) wrong(err error) error {
	var problems *config.Errors
	if errors.As(err, &problems) {
		var here []string
		for _, problem := range problems.Problems {
			if problem.File == config.FileName {
				here = append(here, problem.What)
			}
		}
		if len(here) == 0 {
			return err
		}
		err = errors.New(strings.Join(here, "; "))
	}
	return &request.UsageError{
		What: fmt.Sprintf("what %s says makes no settings: %v", strings.Join(p.Import.Read, ", "), err),
		Hint: "correct it there; nothing was written",
	}
}

// Write writes the files. What could not be finished is taken away again, and what
// stays all the same is told: it would be in the way of the next import.
func (p *Plan) Write() ([]scaffold.Result, error) {
	results, err := scaffold.Write(p.Tree, p.Files, false)
	if err == nil {
		return results, nil
	}
	if stays := scaffold.TakeBack(p.Tree, results); stays != nil {
		return nil, fmt.Errorf("%w; take away by hand what was written before: %s", err, strings.ReplaceAll(stays.Error(), "\n", "; "))
	}
	return nil, refused(err)
}

// refused says what is in the way of a file.
func refused(err error) error {
	var by *scaffold.RefusedError
	if errors.As(err, &by) {
		return &request.UsageError{What: by.Error(), Hint: by.Hint}
	}
	return err
}
