package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/scaffold"
)

// Setup is a project that is to be made ready for its first run. Nothing is
// written yet.
type Setup struct {
	Tree    string
	Project scaffold.Project
	Agents  []string // those that are installed
	Options scaffold.Options

	chosen bool // the user's own settings name an agent
	force  bool
}

// NewSetup looks at the project around dir. The chosen agent may be empty; force is for
// files that are there to be overwritten. The settings of the project itself do
// not matter: it has none yet, or they are what is to be mended.
func NewSetup(dir, chosen string, force bool) (*Setup, error) {
	tree, err := request.NewRoot(dir)
	if err != nil {
		return nil, err
	}
	sources := config.Sources{UserFile: config.UserFile(os.Getenv), Environ: os.Environ(), Agents: agent.BuiltIn()}
	if chosen != "" {
		sources.Flags = []config.Flag{{Name: "--agent", Key: "agent", Value: chosen}}
	}
	settings, err := config.Load(sources)
	if err != nil {
		return nil, err
	}
	root, err := files.OpenTree(tree)
	if err != nil {
		return nil, fmt.Errorf("look at the project: %w", err)
	}
	defer root.Close()
	return &Setup{
		Tree: tree, Project: scaffold.Detect(files.FS(root)), Agents: lineup.Installed(settings.Config.Agents),
		Options: scaffold.Options{Agent: chosen, Schema: string(config.Schema())},
		chosen:  settings.Config.Agent != "auto", force: force,
	}, nil
}

// Questions are what to ask a person first. A project that has its settings
// already needs no answers.
func (s *Setup) Questions() []scaffold.Question {
	if _, err := os.Lstat(filepath.Join(s.Tree, config.FileName)); err == nil && !s.force {
		return nil
	}
	agents := s.Agents
	if s.chosen {
		agents = nil
	}
	return s.Options.Questions(s.Project, agents)
}

// Warnings is what a person should know of what was found.
func (s *Setup) Warnings() []loop.Warning {
	list := s.Project.Main.Notes
	if len(s.Agents) > 0 {
		return list
	}
	return append(list[:len(list):len(list)], loop.Warning{
		Text: "no agent is installed",
		Hint: "\"refrain agents\" lists those we know; any other program can work too: refrain build -- PROGRAM",
	})
}

// Write writes the files, and says what became of each, and what was asked for
// and not done.
func (s *Setup) Write(ctx context.Context) ([]scaffold.Result, []loop.Warning, error) {
	results, err := scaffold.Write(s.Tree, scaffold.Files(s.Project, s.Options), s.force)
	var refused *scaffold.RefusedError
	if errors.As(err, &refused) {
		return nil, nil, &request.UsageError{What: refused.Error(), Hint: refused.Hint}
	}
	if err != nil {
		return nil, nil, err
	}
	if err := s.agreeToWritten(ctx, results); err != nil {
		return results, []loop.Warning{{Text: err.Error(), Hint: "\"refrain trust\" agrees to what was written"}}, nil
	}
	for _, r := range results {
		if r.Path == config.FileName && r.Action == scaffold.Kept && s.Options.Agent != "" {
			return results, []loop.Warning{{
				Text: fmt.Sprintf("%s was kept, so --agent %s changed nothing", r.Path, s.Options.Agent),
				Hint: fmt.Sprintf("write agent = %q into it, or pass --force", s.Options.Agent),
			}}, nil
		}
	}
	return results, nil, nil
}

// agreeToWritten remembers that what was just written for a person may run, and
// nothing of what was there before.
func (s *Setup) agreeToWritten(ctx context.Context, results []scaffold.Result) error {
	var written []string
	for _, r := range results {
		if r.Action != scaffold.Kept {
			written = append(written, r.Path)
		}
	}
	return AgreeToOwn(ctx, s.Tree, written)
}
