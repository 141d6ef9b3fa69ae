package migrate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
)

const ralphTUIFile = ".ralph-tui/config.toml"

// ralphTUIConfig is the file of ralph-tui, as far as it has a counterpart.
type ralphTUIConfig struct {
	Agent          string         `toml:"agent"`
	DefaultAgent   string         `toml:"defaultAgent"`
	AgentCommand   string         `toml:"agentCommand"`
	Command        string         `toml:"command"`
	MaxIterations  *uint32        `toml:"maxIterations"`
	IterationDelay *uint32        `toml:"iterationDelay"` // milliseconds
	AutoCommit     *bool          `toml:"autoCommit"`
	Fallback       []string       `toml:"fallbackAgents"`
	AgentOptions   map[string]any `toml:"agentOptions"`
	TrackerOptions map[string]any `toml:"trackerOptions"`
	Tracker        string         `toml:"tracker"`
	DefaultTracker string         `toml:"defaultTracker"`
	PromptTemplate string         `toml:"prompt_template"`
	Errors         struct {
		Strategy   string  `toml:"strategy"`
		MaxRetries *uint32 `toml:"maxRetries"`
	} `toml:"errorHandling"`
	Notifications struct {
		Enabled *bool `toml:"enabled"`
	} `toml:"notifications"`
	Limits struct {
		Enabled *bool `toml:"enabled"`
	} `toml:"rateLimitHandling"`
	Agents []struct {
		Name    string         `toml:"name"`
		Plugin  string         `toml:"plugin"`
		Default bool           `toml:"default"`
		Command string         `toml:"command"`
		Options map[string]any `toml:"options"`
	} `toml:"agents"`
}

// withoutCounterpart is what some keys of ralph-tui are here.
var ralphTUINotes = map[string]string{
	"configVersion":         "",
	"outputDir":             `each run has a folder of its own: "refrain logs" shows what is in it`,
	"progressFile":          "the next agent hears what the last ones did (feedback.enabled)",
	"subagentTracingDetail": "what sub-agents do is in the transcript: refrain logs",
	"skills_dir":            `"refrain plan" asks its questions itself`,
	"sandbox":               "permissions.mode says what an agent may do; a container is yours to start",
	"parallel":              "start another run with --worktree",
	"conflictResolution":    "start another run with --worktree",
	"worktree":              "pass --worktree",
	"envExclude":            "leave such variables out of the environment that you start refrain in",
	"envPassthrough":        "agents get the whole environment",
	"images":                "name a picture in the prompt",
	"notifications.sound":   "notify.bell rings the terminal's bell",
	"trackers":              `tasks are in a markdown file: "refrain import ralph" makes one of prd.json`,
}

func readRalphTUI(in tree, im *Import) error {
	text, err := in.read(ralphTUIFile)
	if err != nil {
		return err
	}
	tasks, err := ralphTUISettings(im, text)
	if err != nil || tasks == "" {
		return err
	}
	prd, err := in.read(tasks)
	if err != nil {
		return err
	}
	if prd == nil {
		im.note(ralphTUIFile, "tracker", fmt.Sprintf("there is no %s to make a plan of: write one with \"refrain plan\"", tasks))
		return nil
	}
	return stories(im, tasks, prd)
}

// ralphTUISettings turns the file into settings, and gives the file with the tasks;
// empty is none.
func ralphTUISettings(im *Import, text []byte) (tasks string, err error) {
	var c ralphTUIConfig
	unknown, err := readTOML(ralphTUIFile, text, &c)
	if err != nil {
		return "", err
	}
	im.Read = append(im.Read, ralphTUIFile)
	note := func(key, what string) { im.note(ralphTUIFile, key, what) }
	name, options, command := firstOf(c.Agent, c.DefaultAgent, c.AgentCommand), c.AgentOptions, c.Command
	for _, a := range c.Agents {
		if a.Default || a.Name == name {
			name, command = firstOf(a.Plugin, a.Name), firstOf(a.Command, command)
			if len(a.Options) > 0 {
				options = a.Options
			}
		} else {
			note("agents."+a.Name, "name another agent with -a, or make one with [agents.NAME]")
		}
	}
	switch {
	case slices.Contains(agent.BuiltIn(), name):
		im.set("agent", name)
	case name != "":
		note("agent", fmt.Sprintf("%s is not built in: make it one with [agents.%s] and its command", name, name))
	}
	switch {
	case command == "":
	case len(strings.Fields(command)) == 1 && slices.Contains(agent.BuiltIn(), name):
		im.setAt(command, "agents", name, "program")
	default:
		note("command", "[agents.NAME] program is the program alone, and command the whole command line")
	}
	if model, ok := options["model"].(string); ok && model != "" {
		im.set("model", model)
	}
	if c.MaxIterations != nil {
		im.set("loop.max_iterations", *c.MaxIterations)
	}
	if c.IterationDelay != nil {
		im.set("loop.iteration_delay", (time.Duration(*c.IterationDelay) * time.Millisecond).String())
	}
	switch {
	case c.Errors.Strategy == "abort":
		im.set("stop.failures", 1)
	case c.Errors.MaxRetries != nil:
		im.set("stop.failures", *c.Errors.MaxRetries+1)
	}
	if c.Limits.Enabled != nil {
		im.set("limits.wait", *c.Limits.Enabled)
	}
	if fallback := slices.DeleteFunc(slices.Clone(c.Fallback), func(f string) bool { return f == name || !slices.Contains(agent.BuiltIn(), f) }); len(fallback) > 0 {
		im.set("limits.fallback", fallback)
	}
	if c.AutoCommit != nil {
		im.set("git.commit", *c.AutoCommit)
	}
	if c.Notifications.Enabled != nil {
		im.set("notify.desktop", *c.Notifications.Enabled)
	}
	if c.PromptTemplate != "" {
		note("prompt_template", c.PromptTemplate+` is in another language of templates: "refrain procedures build --eject" writes a prompt to change`)
	}
	seen := map[string]bool{}
	for _, key := range unknown {
		what, known := ralphTUINotes[key]
		top, _, _ := strings.Cut(key, ".")
		if !known {
			if what, known = ralphTUINotes[top]; known {
				key = top
			}
		}
		if seen[key] || known && what == "" {
			continue
		}
		seen[key] = true
		note(key, firstOf(what, "nothing stands for it here"))
	}
	im.Next = "refrain build"
	switch tracker := firstOf(c.Tracker, c.DefaultTracker); tracker {
	case "json", "":
		if name, ok := c.TrackerOptions["path"].(string); ok {
			if file, ok := inside("root", name); ok {
				return file, nil
			}
			return "", &Error{ralphTUIFile, 0, "trackerOptions.path: " + name + " is no path in the project"}
		}
		return "prd.json", nil
	default:
		note("tracker", tracker+" is not read: write the tasks into IMPLEMENTATION_PLAN.md, or have \"refrain plan\" write them")
		return "", nil
	}
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
