package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/preflight"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/scaffold"
)

// SetupOptions are what a person wants of a project that is made ready.
type SetupOptions struct {
	Agent   string // empty leaves it to who else says it
	Profile string // of another system; empty is none
	Goal    string // what is to be built, in a sentence; empty: nobody has said it yet
	Full    bool   // write samples of everything, too
	Force   bool   // overwrite files that are there
	Here    bool   // the place is meant, wherever it is
	Image   bool   // write the recipe of an image to work in, too
	Version string // of the program, for which there is a schema
}

// Setup is a project that is to be made ready for its first run. Nothing is
// written yet.
type Setup struct {
	Tree    string
	Part    string // the folder of the work tree that alone is to be judged; empty is all of it
	Project scaffold.Project
	Agents  []string // those that are installed
	Options scaffold.Options

	chosen  bool // the user's own settings name an agent
	force   bool
	foreign []preflight.Finding // files of other systems, which no settings of ours stand for yet
}

// NewSetup looks at the project around dir. The settings of the project itself do
// not matter: it has none yet, or they are what is to be mended.
func NewSetup(ctx context.Context, dir string, o SetupOptions) (*Setup, error) {
	tree, err := request.NewRoot(dir)
	if err != nil {
		return nil, err
	}
	if found := preflight.At(tree); len(found) > 0 && !o.Here {
		return nil, &request.UsageError{What: found[0].What, Hint: found[0].Hint}
	}
	sources := config.Sources{UserFile: config.UserFile(os.Getenv), Environ: os.Environ(), Agents: agent.BuiltIn()}
	if o.Agent != "" {
		sources.Flags = []config.Flag{{Name: "--agent", Key: "agent", Value: o.Agent}}
	}
	if o.Profile != "" {
		sources.Flags = append(sources.Flags, config.Flag{Name: "--profile", Key: "profile", Value: o.Profile})
	}
	settings, err := config.Load(sources)
	if err != nil {
		return nil, err
	}
	s := &Setup{
		Tree: tree, Agents: lineup.Installed(settings.Config.Agents),
		Options: scaffold.Options{
			Agent: o.Agent, Profile: o.Profile, Ungated: o.Profile != "" && settings.IsSet("commands.as_gates"), Goal: o.Goal, Full: o.Full, Image: o.Image, Bare: true, SchemaURL: scaffold.SchemaURL(o.Version), Schema: string(config.Schema()),
		},
		chosen: settings.Config.Agent != "auto", force: o.Force, foreign: preflight.Foreign(tree),
	}
	if repository, err := git.Open(ctx, tree, nil); err == nil {
		s.Options.Bare = !repository.Git()
	}
	return s, s.look(dir)
}

// look finds out what the project is made with: the part of it in which the person
// is, or all of it.
func (s *Setup) look(dir string) error {
	root, err := files.OpenTree(s.Tree)
	if err != nil {
		return fmt.Errorf("look at the project: %w", err)
	}
	defer root.Close()
	if whole, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(s.Tree, whole); err == nil && filepath.IsLocal(rel) && rel != "." {
			if p, found := scaffold.DetectPart(files.FS(root), filepath.ToSlash(rel)); found {
				s.Project, s.Part = p, p.Parts[0].Dir
				return nil
			}
		}
	}
	s.Project = scaffold.Detect(files.FS(root))
	return nil
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

// Write writes the files, and says what became of each, and what was asked for
// and not done.
func (s *Setup) Write(ctx context.Context) ([]scaffold.Result, []loop.Warning, error) {
	list := scaffold.Files(s.Project, s.Options)
	var err error
	if s.Options.Goal != "" {
		var spec scaffold.File
		spec, err = scaffold.FindSpec(s.Tree, s.Options.Goal)
		list = append(list, spec)
	}
	var results []scaffold.Result
	if err == nil {
		results, err = scaffold.Write(s.Tree, list, s.force)
	}
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
	return results, append(s.notDone(results), s.notRead()...), nil
}

// notRead is the files of other systems that were passed over.
func (s *Setup) notRead() []loop.Warning {
	var list []loop.Warning
	for _, f := range s.foreign {
		if f.Name != preflight.Taken {
			list = append(list, loop.Warning{Text: f.What, Hint: f.Hint})
			continue
		}
		list = append(list, loop.Warning{Text: f.What, Hint: "to take it over, move " + config.FileName + " away; then " + f.Hint})
	}
	return list
}

// notDone is what was asked for, or found, and is not in the settings that were
// kept.
func (s *Setup) notDone(results []scaffold.Result) []loop.Warning {
	if !slices.ContainsFunc(results, func(r scaffold.Result) bool { return r.Path == config.FileName && r.Action == scaffold.Kept }) {
		return nil
	}
	var list []loop.Warning
	if s.Options.Agent != "" {
		list = append(list, loop.Warning{
			Text: fmt.Sprintf("%s was kept, so --agent %s changed nothing", config.FileName, s.Options.Agent),
			Hint: fmt.Sprintf("write agent = %q into it, or pass --force", s.Options.Agent),
		})
	}
	if s.Options.Profile != "" {
		list = append(list, loop.Warning{
			Text: fmt.Sprintf("%s was kept, so --profile %s changed nothing", config.FileName, s.Options.Profile),
			Hint: fmt.Sprintf("refrain config set profile %s", s.Options.Profile),
		})
	}
	a, err := request.Load(s.Tree, request.Request{})
	if err != nil {
		return list // the preflight says it
	}
	for _, f := range preflight.Unjudged(s.Project, a.Config()) {
		list = append(list, loop.Warning{Text: config.FileName + " was kept: " + f.What, Hint: f.Hint})
	}
	return list
}

// Missing is what the next run would trip over, now that the files are there. That
// no gate was found has been told.
func (s *Setup) Missing(ctx context.Context) []preflight.Finding {
	var list []preflight.Finding
	for _, req := range []request.Request{{Procedure: "plan"}, {Flags: []config.Flag{promised}}} {
		for _, f := range lookAhead(ctx, s.Tree, req) {
			if !slices.Contains(list, f) && f.Name != preflight.Place && f.Name != "gates" {
				list = append(list, f)
			}
		}
	}
	return list
}

// lookAhead is the preflight of a run that nobody has asked for yet.
func lookAhead(ctx context.Context, tree string, req request.Request) []preflight.Finding {
	a, err := request.Load(tree, req)
	if err != nil {
		return []preflight.Finding{{Name: "settings", What: err.Error(), Hint: "\"refrain config validate\" lists every problem"}}
	}
	j := &Job{Assignment: a}
	var choice *lineup.ChoiceError
	var wrong *request.UsageError
	var list []preflight.Finding
	if j.lineup, err = lineup.New(a); err == nil {
		err = j.lineup.CheckRoot(a.Config().Sandbox.Mode != loop.Unsandboxed) // which sandbox there is, the run finds out
	}
	switch {
	case errors.As(err, &choice):
		list = append(list, preflight.Finding{Name: "agents", What: choice.Error(), Hint: "set agent = \"NAME\" in refrain.toml, or name one with -a"})
	case errors.As(err, &wrong):
		list = append(list, preflight.Finding{Name: "agents", What: wrong.What, Hint: wrong.Hint})
	}
	flight := preflight.Flight{Assignment: a, Terms: j.terms()}
	if err == nil {
		flight.Workers = whoWorks(j)
	}
	if repository, err := git.Open(ctx, tree, nil); err == nil {
		flight.Git = repository.Git()
	}
	return append(list, preflight.Look(ctx, flight)...)
}

// Next is the command that goes on from here.
func (s *Setup) Next() string {
	list, err := plan.ReadSpecs(filepath.Join(s.Tree, scaffold.SpecsFolder))
	if err == nil && slices.ContainsFunc(list, func(spec plan.Spec) bool { return !spec.Index() }) {
		return "refrain plan"
	}
	return `refrain plan "WHAT YOU WANT"`
}

// NeedsGuide tells whether nobody has written down how to work here.
func (s *Setup) NeedsGuide() bool {
	_, err := os.Lstat(filepath.Join(s.Tree, "AGENTS.md"))
	return errors.Is(err, os.ErrNotExist)
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
