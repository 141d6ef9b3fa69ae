package migrate

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/setting"
)

const descartesFile = ".descartes/loop-state.json"

// descartesState is the file of descartes: its settings, and how far it has come.
type descartesState struct {
	Iteration uint32 `key:"iteration"`
	Completed bool   `key:"completed"`
	_         any    `key:"version"`
	_         any    `key:"started_at"`
	_         any    `key:"last_iteration_at"`
	_         any    `key:"completion_detected_at"`
	_         any    `key:"completion_text"`
	_         any    `key:"exit_reason"`
	_         any    `key:"iteration_summaries"`
	_         any    `key:"error"`
	Config    *struct {
		Command     string   `key:"command"`
		Args        []string `key:"args"`
		Prompt      string   `key:"prompt"`
		Promise     *string  `key:"completion_promise"`
		Max         *uint32  `key:"max_iterations"`
		Dir         *string  `key:"working_directory"`
		StateFile   *string  `key:"state_file"`
		Context     *bool    `key:"include_iteration_context"`
		TimeoutSecs *uint64  `key:"iteration_timeout_secs"`
		Backend     struct {
			Type   string            `key:"backend_type"`
			Mode   string            `key:"prompt_mode"`
			Env    map[string]string `key:"environment"`
			Format string            `key:"output_format"`
		} `key:"backend"`
		Git struct {
			Commit         bool   `key:"auto_commit"`
			CommitTemplate string `key:"commit_template"`
			Branch         bool   `key:"create_branch"`
			BranchTemplate string `key:"branch_template"`
		} `key:"git"`
	} `key:"config"`
}

func readDescartes(in tree, im *Import) error {
	text, err := in.read(descartesFile)
	if err != nil {
		return err
	}
	return descartesSettings(im, text)
}

// descartesSettings turns the state of a loop into settings for another one.
func descartesSettings(im *Import, text []byte) error {
	var s descartesState
	unknown, err := readJSON(descartesFile, text, &s)
	if err != nil {
		return err
	}
	if s.Config == nil {
		return &Error{descartesFile, 0, "it has no config"}
	}
	c := s.Config
	im.Read = append(im.Read, descartesFile)
	note := func(key, what string) { im.note(descartesFile, "config."+key, what) }
	im.set("profile", "descartes")
	name := ""
	switch {
	case slices.Contains(agent.BuiltIn(), c.Backend.Type):
		name = c.Backend.Type
		if c.Command != "" && c.Command != name || len(c.Args) > 0 {
			note("command", fmt.Sprintf("%s is called as it is built in here: \"refrain agents\" shows how", name))
		}
	case c.Command != "":
		name = agentName(c.Command)
	}
	if name != "" {
		im.set("agent", name)
	}
	if strings.TrimSpace(c.Prompt) != "" {
		const file = ".refrain/prompts/descartes.md"
		im.set("prompt", file)
		im.copyPrompt(descartesFile, file, []byte(c.Prompt+"\n"))
	}
	if c.Promise != nil && strings.TrimSpace(*c.Promise) != "" {
		im.set("done.promise", *c.Promise)
	} else {
		im.set("done.promise", "")
	}
	if c.Max == nil {
		im.set("loop.max_iterations", 0)
	} else {
		im.set("loop.max_iterations", *c.Max)
		if s.Iteration > 0 && s.Iteration < *c.Max && !s.Completed {
			im.note(descartesFile, "iteration", fmt.Sprintf("%d of %d iterations are done there: -n %d makes those that are left", s.Iteration, *c.Max, *c.Max-s.Iteration))
		}
	}
	if c.TimeoutSecs != nil {
		im.set("loop.iteration_timeout", fmt.Sprintf("%ds", *c.TimeoutSecs))
	}
	if c.Context != nil {
		im.set("loop.iteration_context", *c.Context)
		im.set("claims.tell", *c.Context) // there it is one block
	}
	if c.Dir != nil && path.Clean(*c.Dir) != "." {
		note("working_directory", "stand there, or name it with -C")
	}
	if c.StateFile != nil {
		note("state_file", "each run has a folder of its own: \"refrain ls\" lists them")
	}
	if name != "" && !slices.Contains(agent.BuiltIn(), name) {
		im.setAt(append([]string{c.Command}, c.Args...), "agents", name, "command")
		mode := c.Backend.Mode
		if !slices.Contains([]string{"stdin", "env"}, mode) {
			mode = "arg"
		}
		im.setAt(mode, "agents", name, "prompt")
		if !slices.Contains([]string{"", "arg", "stdin", "env"}, c.Backend.Mode) {
			note("backend.prompt_mode", fmt.Sprintf("%q is not known: agents.%s.prompt says how the agent gets its prompt", c.Backend.Mode, name))
		}
		if c.Backend.Format != "" && c.Backend.Format != "text" {
			note("backend.output_format", "name the agent whose output it is: agents."+name+".format = \"claude\"")
		}
	}
	if c.Git.Commit {
		im.set("git.commit", true)
	}
	if c.Git.CommitTemplate != "" && c.Git.CommitTemplate != "loop: iteration {iteration}" {
		im.set("git.commit_template", c.Git.CommitTemplate)
	}
	if c.Git.Branch {
		im.set("git.branch", true)
	}
	if c.Git.BranchTemplate != "" && c.Git.BranchTemplate != "loop/{timestamp}" {
		im.set("git.branch_template", c.Git.BranchTemplate)
	}
	environment(im, name, c.Backend.Env, descartesFile, "config.backend.environment")
	for _, key := range unknown {
		im.note(descartesFile, key, "descartes has no such key that is known here")
	}
	im.Next = "refrain run"
	return nil
}

// environment gives an agent its variables. What looks like a secret stays where it
// is: these settings are a file of the project.
func environment(im *Import, name string, env map[string]string, file, key string) {
	for _, variable := range slices.Sorted(maps.Keys(env)) {
		value := map[string]string{variable: env[variable]}
		switch {
		case setting.SecretName(variable) || setting.HoldsSecret(variable) || len(redact.Given(value, looksLikePath)) > 0:
			im.note(file, key+"."+variable, "it may be a secret, so it was not copied: set it in your environment")
			continue
		case name == "":
			im.note(file, key+"."+variable, "no agent is named that it could be given to: set it in your environment")
			continue
		}
		im.setAt(env[variable], "agents", name, "env", variable)
	}
}

// looksLikePath tells whether a value is a path, by the look of it.
func looksLikePath(value string) bool {
	return strings.ContainsAny(value, `/\`) && !strings.Contains(value, "://")
}

// nameFor is a name as one may be here; where nothing is left of it, another.
func nameFor(name, other string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	return firstOf(strings.TrimRight(strings.TrimLeft(name, "-_"), "-"), other)
}

// agentName is what an agent is called that is a program. Who wrote a whole command
// line there may have put a secret into it, which is no part of a name.
func agentName(program string) string {
	program, _, _ = strings.Cut(program, " -")
	if clean, hidden := inCommand(setting.Command{Line: program}); len(hidden) > 0 {
		program = clean.Line
	}
	name := nameFor(path.Base(strings.ReplaceAll(program, "\\", "/")), "")
	if name == "" || slices.Contains(agent.BuiltIn(), name) || reserved(name) {
		name = strings.Trim(name+"-command", "-")
	}
	if reserved(name) {
		name = "my-command"
	}
	return name
}
