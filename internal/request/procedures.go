package request

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/prompt"
)

// ProcedureInfo is a procedure as lists show it.
type ProcedureInfo struct {
	Name    string   `json:"name"`
	Family  string   `json:"family"`
	Summary string   `json:"summary"`
	Aliases []string `json:"aliases,omitempty"`
	Builtin bool     `json:"builtin"`
}

// Yours is the family of the procedures that the user has defined.
const Yours = "Yours"

// Procedures lists the built-in procedures and the user's own.
func Procedures(dir string, flags []config.Flag) ([]ProcedureInfo, error) {
	a, err := In(dir, Request{Flags: flags})
	if err != nil {
		return nil, err
	}
	settings := a.Settings
	var list []ProcedureInfo
	for _, p := range procedure.All() {
		info := ProcedureInfo{Name: p.Name, Family: p.Family, Summary: p.Summary, Aliases: p.Aliases, Builtin: true}
		if own := settings.Config.Procedures[p.Name].Summary; own != "" {
			info.Summary = own
		}
		list = append(list, info)
	}
	var own []ProcedureInfo
	for name, table := range settings.Config.Procedures {
		if _, built := procedure.Find(name); !built {
			own = append(own, ProcedureInfo{Name: name, Family: Yours, Summary: table.Summary})
		}
	}
	slices.SortFunc(own, func(a, b ProcedureInfo) int { return strings.Compare(a.Name, b.Name) })
	return append(own, list...), nil
}

// ProcedureSheet is one procedure in full: its prompt as the first iteration
// would get it, and its settings with where they come from.
type ProcedureSheet struct {
	ProcedureInfo
	Prompt   string           `json:"prompt"`
	Tokens   int              `json:"tokens"`
	Settings *config.Resolved `json:"-"`
}

// ShowProcedure puts one together. No agent is needed for it. The commands of its
// prompt are run if they may be.
func ShowProcedure(ctx context.Context, dir, name string, flags []config.Flag, mayRun func(Assignment) (bool, error)) (*ProcedureSheet, error) {
	list, err := Procedures(dir, nil)
	if err != nil {
		return nil, err
	}
	req := Request{Procedure: name, Flags: flags}.Canonical()
	i := slices.IndexFunc(list, func(p ProcedureInfo) bool { return p.Name == req.Procedure })
	if i < 0 {
		return nil, &UsageError{What: fmt.Sprintf("there is no procedure %q", name), Hint: "\"refrain procedures\" lists them"}
	}
	a, err := In(dir, req)
	if err != nil {
		return nil, err
	}
	title, pieces, err := a.Pieces()
	if err != nil {
		return nil, err
	}
	run, err := mayRun(a)
	if err != nil {
		return nil, err
	}
	c := a.Config()
	b := prompt.Builder{
		Title: title, Pieces: pieces, Template: true, Tree: a.Tree, ShowCommands: !run,
		Facts:  prompt.Facts{Procedure: req.Procedure, WorkDir: a.Dir(), Agent: c.Agent, Model: c.Model, Plan: c.Done.Plan},
		Claims: prompt.Claims{Tell: c.Claims.Tell, From: c.Claims.From, Promise: c.Done.Promise, Failure: c.Done.FailurePromise, Anywhere: c.Done.Match == "substring"}, Max: c.Stop.Iterations,
		Shell: prompt.Shell{Env: a.Environ()},
	}
	p, err := b.Build(ctx, loop.State{}, 1, nil)
	if err != nil {
		return nil, PromptProblem(err)
	}
	return &ProcedureSheet{ProcedureInfo: list[i], Prompt: p.Text, Tokens: p.Tokens, Settings: a.Settings}, nil
}

// Eject writes the prompt of a built-in procedure into the prompts folder, where
// the user can change it, and gives its path. One that is there is left alone.
func Eject(dir, name string) (string, error) {
	built, ok := procedure.Find(name)
	if !ok {
		return "", &UsageError{What: fmt.Sprintf("there is no built-in procedure %q", name), Hint: "\"refrain procedures\" lists them"}
	}
	tree, err := Root(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(tree, filepath.FromSlash(PromptsFolder), built.Name+".md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("eject %s: %w", built.Name, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if os.IsExist(err) {
		return "", &UsageError{What: shown(tree, path) + " is there already", Hint: "edit it, or move it away first"}
	}
	if err != nil {
		return "", fmt.Errorf("eject %s: %w", built.Name, err)
	}
	_, err = f.WriteString(ejected(built))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return path, err
}

// ejected is a procedure's prompt as one file, with its variables and headings.
func ejected(p procedure.Procedure) string {
	var b strings.Builder
	b.WriteString(p.Title + "\n")
	section := ""
	for _, part := range p.Parts {
		if part.Section != section {
			section = part.Section
			fmt.Fprintf(&b, "\n## %s\n", section)
		}
		text, _ := procedure.Fragment(part.Fragment)
		b.WriteString("\n" + strings.TrimSpace(text) + "\n")
	}
	return b.String()
}
