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
	Agent          string          `key:"agent"`
	DefaultAgent   string          `key:"defaultAgent"`
	AgentCommand   string          `key:"agentCommand"`
	Command        string          `key:"command"`
	MaxIterations  *uint32         `key:"maxIterations"`
	IterationDelay *uint32         `key:"iterationDelay"` // milliseconds
	AutoCommit     *bool           `key:"autoCommit"`
	Fallback       []string        `key:"fallbackAgents"`
	AgentOptions   ralphTUIOptions `key:"agentOptions"`
	TrackerOptions struct {
		Path *string `key:"path"`
	} `key:"trackerOptions"`
	Tracker        string `key:"tracker"`
	DefaultTracker string `key:"defaultTracker"`
	PromptTemplate string `key:"prompt_template"`
	Errors         struct {
		Strategy   string  `key:"strategy"`
		MaxRetries *uint32 `key:"maxRetries"`
	} `key:"errorHandling"`
	Notifications struct {
		Enabled *bool `key:"enabled"`
	} `key:"notifications"`
	Limits struct {
		Enabled *bool `key:"enabled"`
	} `key:"rateLimitHandling"`
	Agents []struct {
		Name    string           `key:"name"`
		Plugin  string           `key:"plugin"`
		Default bool             `key:"default"`
		Command string           `key:"command"`
		Options *ralphTUIOptions `key:"options"`
	} `key:"agents"`
}

// ralphTUIOptions are those of an agent.
type ralphTUIOptions struct {
	Model string `key:"model"`
}

// ralphTUINotes is what some keys of ralph-tui are here.
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
	meant := -1 // the one that is named, else the default
	for i, a := range c.Agents {
		if meant < 0 && (name == "" && a.Default || name != "" && a.Name == name) {
			meant = i
		}
	}
	for i, a := range c.Agents {
		if i == meant {
			name, command = firstOf(a.Plugin, a.Name), firstOf(a.Command, command)
			if a.Options != nil {
				options = *a.Options
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
	if options.Model != "" {
		im.set("model", options.Model)
	}
	for _, twice := range [][3]string{{"defaultAgent", c.DefaultAgent, c.Agent}, {"agentCommand", c.AgentCommand, firstOf(c.Agent, c.DefaultAgent)}, {"defaultTracker", c.DefaultTracker, c.Tracker}} {
		if key, value, taken := twice[0], twice[1], twice[2]; value != "" && taken != "" && value != taken {
			note(key, fmt.Sprintf("%s is the one that was taken", taken))
		}
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
	if !slices.Contains([]string{"", "abort", "retry"}, c.Errors.Strategy) {
		note("errorHandling.strategy", "an iteration that failed is followed by another one, until there are stop.failures in a row")
	}
	if c.Limits.Enabled != nil {
		im.set("limits.wait", *c.Limits.Enabled)
	}
	if fallback := slices.DeleteFunc(slices.Clone(c.Fallback), func(f string) bool { return f == name || !slices.Contains(agent.BuiltIn(), f) }); len(fallback) > 0 {
		im.set("limits.fallback", fallback)
	}
	for _, other := range c.Fallback {
		if !slices.Contains(agent.BuiltIn(), other) {
			note("fallbackAgents", fmt.Sprintf("%s is not built in: make it one with [agents.%s] and its command, then name it in limits.fallback", other, other))
		}
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
		if path := c.TrackerOptions.Path; path != nil {
			if file, ok := inside("root", *path); ok {
				return file, nil
			}
			return "", &Error{ralphTUIFile, 0, "trackerOptions.path: " + *path + " is no path in the project"}
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
