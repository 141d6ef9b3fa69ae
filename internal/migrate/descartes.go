package migrate

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/setting"
)

const descartesFile = ".descartes/loop-state.json"

// descartesState is the file of descartes: its settings, and how far it has come.
type descartesState struct {
	Iteration uint32 `json:"iteration"`
	Completed bool   `json:"completed"`
	Config    *struct {
		Command     string   `json:"command"`
		Args        []string `json:"args"`
		Prompt      string   `json:"prompt"`
		Promise     *string  `json:"completion_promise"`
		Max         *uint32  `json:"max_iterations"`
		Dir         *string  `json:"working_directory"`
		StateFile   *string  `json:"state_file"`
		Context     *bool    `json:"include_iteration_context"`
		TimeoutSecs *uint64  `json:"iteration_timeout_secs"`
		Backend     struct {
			Type   string            `json:"backend_type"`
			Mode   string            `json:"prompt_mode"`
			Env    map[string]string `json:"environment"`
			Format string            `json:"output_format"`
		} `json:"backend"`
		Git struct {
			Commit         bool   `json:"auto_commit"`
			CommitTemplate string `json:"commit_template"`
			Branch         bool   `json:"create_branch"`
			BranchTemplate string `json:"branch_template"`
		} `json:"git"`
	} `json:"config"`
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
	if err := readJSON(descartesFile, text, &s); err != nil {
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
	im.Next = "refrain run"
	return nil
}

// environment gives an agent its variables. What looks like a secret stays where it
// is: these settings are a file of the project.
func environment(im *Import, name string, env map[string]string, file, key string) {
	for _, variable := range slices.Sorted(maps.Keys(env)) {
		if name == "" || setting.SecretName(variable) || setting.HoldsSecret(variable) {
			im.note(file, key+"."+variable, "it may be a secret, so it was not copied: set it in your environment")
			continue
		}
		im.setAt(env[variable], "agents", name, "env", variable)
	}
}

// agentName is what an agent is called that is a program.
func agentName(program string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, path.Base(strings.ReplaceAll(program, "\\", "/")))
	if name = strings.Trim(name, "-"); name == "" || slices.Contains(agent.BuiltIn(), name) || reserved(name) {
		name = strings.Trim(name+"-command", "-")
	}
	if reserved(name) {
		name = "my-command"
	}
	return name
}
