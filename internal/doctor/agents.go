package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/preflight"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// AgentInfo tells of one agent that a run could use.
type AgentInfo struct {
	Name    string   `json:"name"`
	BuiltIn bool     `json:"built_in"`
	Found   bool     `json:"found"`
	Path    string   `json:"path,omitempty"`    // of its program
	Version string   `json:"version,omitempty"` // as the program tells it
	Command []string `json:"command,omitempty"` // how it would be called
	Note    string   `json:"note,omitempty"`

	Measured []string `json:"measured,omitempty"` // the versions that we know it by
	Newer    bool     `json:"newer,omitempty"`    // the one that is installed came after those
	Older    bool     `json:"older,omitempty"`    // or before them
}

// CalledAs is how a run would call the agent, or why it can't.
func (a AgentInfo) CalledAs() string {
	if len(a.Command) == 0 {
		return a.Note
	}
	if a.Note == "" {
		return text.JoinArgs(a.Command)
	}
	return text.JoinArgs(a.Command) + " (" + a.Note + ")"
}

// Agents lists the agents that can be named, in the work tree that the settings
// are for, and asks those that are installed for their version. What the settings
// say of an agent, which may be those of a project that nobody has looked at yet,
// is shown and not run: neither a command of theirs, nor the program that we know
// with their variables, by which it can be made to run anything.
func Agents(ctx context.Context, needs request.Assignment) []AgentInfo {
	names := lineup.Known(needs.Config().Agents)
	list := make([]AgentInfo, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { list[i] = inspect(ctx, needs, name) })
	}
	wg.Wait()
	anything := AgentInfo{Name: "command", BuiltIn: true, Found: true, Note: "any program: refrain run [-p PROMPT] -- PROGRAM ARGS…"}
	return append(list, anything)
}

// inspect looks at one agent.
func inspect(ctx context.Context, needs request.Assignment, name string) AgentInfo {
	table := needs.Config().Agents[name]
	info := AgentInfo{Name: name, BuiltIn: slices.Contains(agent.BuiltIn(), name), Measured: agent.TraitsOf(name).Measured}
	if name == "rehearsal" {
		info.Found, info.Note = true, "plays a script: set agents.rehearsal.script; no key, no network"
		if table.Script != "" {
			info.Note = "plays " + table.Script
		}
		return info
	}
	a, err := lineup.Make(needs, name, needs.Config().Model, nil)
	if err != nil {
		info.Note = err.Error()
		return info
	}
	cmd, err := a.Command(agent.Call{HasPrompt: true, Prompt: "PROMPT", PromptFile: "PROMPT.md", Model: needs.Config().Model})
	if err != nil {
		info.Note = err.Error()
		return info
	}
	info.Command = setting.MaskArgs(cmd.Argv)
	if info.Path, err = exec.LookPath(cmd.Argv[0]); err != nil {
		info.Note = "not found on PATH"
		return info
	}
	info.Found = true
	switch {
	case !info.BuiltIn:
	case table.Known():
		info.Version = version(ctx, agent.Program(name))
		traits := agent.TraitsOf(name)
		info.Newer, info.Older = traits.Newer(info.Version), traits.Older(info.Version)
	default:
		info.Note = notAsked
	}
	return info
}

// notAsked is why an agent that we know has no version.
const notAsked = "a command of the settings, which is not asked for its version"

// probeTime is how long a program may take to tell its version. Some start a
// whole runtime for it.
const probeTime = 10 * time.Second

// version asks a program; empty when it does not say. It stands where nobody else
// can put settings for it: agents read those of the folder they are in.
func version(ctx context.Context, program string) string {
	said, err := ask(ctx, preflight.BareFolder(), proc.Environ(), program, "--version")
	if err != nil {
		return ""
	}
	return said
}

// ask runs a short command and gives the first line of its answer.
func ask(ctx context.Context, dir string, env []string, argv ...string) (string, error) {
	var said strings.Builder
	exit, err := proc.Run(ctx, proc.Spec{
		Argv: argv, Dir: dir, Env: env, Timeout: probeTime,
		Stdout: proc.Sink{Line: func(line []byte, _ bool) {
			if text := strings.TrimSpace(string(line)); said.Len() == 0 && text != "" {
				said.WriteString(text)
			}
		}},
	})
	if err != nil {
		return "", err
	}
	if !exit.Zero() {
		return said.String(), fmt.Errorf("%s did not work", argv[0])
	}
	return said.String(), nil
}
