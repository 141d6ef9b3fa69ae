package lineup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearsal"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// Make makes the agent of that name, with what its [agents.NAME] table changes.
// Used tells what a session had used before; nil: nobody knows.
func Make(a request.Assignment, name, model string, used func(session string) loop.Usage) (agent.Agent, error) {
	table := a.Config().Agents[name]
	argv, err := argvOf(table.Command)
	if err != nil {
		return nil, err
	}
	if used == nil {
		used = func(string) loop.Usage { return loop.Usage{} }
	}
	o := agent.Options{
		Name: name, Command: argv, Program: table.Program, Prompt: table.Prompt, Format: table.Format,
		ModelFlag: table.ModelFlag, ResumeFlag: table.ResumeFlag, First: table.FirstSignal, Env: table.Env,
		Permissions: a.Config().Permissions.Mode, SystemFile: systemFile(a.Tree), MaxTurns: table.MaxTurns,
		Model: model, ContextWindow: table.ContextWindow, Prices: prices(a.Config()), Now: time.Now, Used: used,
	}
	if a.Request.Untrusted {
		o.Untrusted = untrusted(a)
	}
	if o.Forgets = a.Config().Session.Mode == "fresh"; o.Forgets && table.Command.IsZero() {
		o.Version = versionOf(programOf(name, table))
	}
	switch {
	case !agent.KnowsCommand(name):
		o.Name = "command"
	case name == "rehearsal":
		if o.Self, err = proc.HelperCommand("rehearsal"); err != nil {
			return nil, err
		}
		script := a.File("agents.rehearsal.script", table.Script)
		o.Script = script.Path
		if err := checkScript(script); err != nil {
			return nil, err
		}
	}
	return agent.New(o)
}

// untrusted is the folders of the work tree, by every name that an agent may know
// them by.
func untrusted(a request.Assignment) []string {
	folders := []string{a.Tree, a.Dir()}
	for _, folder := range folders[:2] {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folders = append(folders, real)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

func argvOf(c setting.Command) ([]string, error) {
	if c.Line != "" {
		return text.SplitArgs(c.Line)
	}
	return c.Argv, nil
}

// systemFile is AGENTS.md, when the work tree has one. What a link out of the tree
// leads to may be anything of the user's, and is not sent to a model.
func systemFile(tree string) string {
	path := filepath.Join(tree, systemName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || leadsOut(tree) {
		return ""
	}
	return path
}

const systemName = "AGENTS.md"

// leadsOut tells whether AGENTS.md is a link out of the work tree.
func leadsOut(tree string) bool {
	named := files.Named{Path: filepath.Join(tree, systemName), Tree: tree}
	return errors.As(named.Check(), new(*files.OutsideError))
}

// checkScript finds a mistake in a rehearsal script before the run exists.
func checkScript(script files.Named) error {
	if script.IsZero() {
		return nil // the agent itself says that there is none
	}
	if err := script.Check(); err != nil {
		return fmt.Errorf("read its script: %w", err)
	}
	b, err := files.ReadFile(context.Background(), script.Path, rehearsal.MaxScript)
	if err != nil {
		return fmt.Errorf("read its script: %w", err)
	}
	if _, err := rehearsal.Parse(b); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(script.Path), err)
	}
	return nil
}
