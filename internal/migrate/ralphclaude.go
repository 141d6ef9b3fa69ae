package migrate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

const ralphRC = ".ralphrc"

// ralphKey is what a key of .ralphrc becomes.
type ralphKey struct {
	key  string // ours; empty: none
	unit string // that a number gets
	what string // where there is none
}

var ralphKeys = map[string]ralphKey{
	"CLAUDE_TIMEOUT_MINUTES":      {"loop.iteration_timeout", "m", ""},
	"CLAUDE_MODEL":                {"model", "", ""},
	"CB_NO_PROGRESS_THRESHOLD":    {"stop.no_progress", "#", ""},
	"CB_SAME_ERROR_THRESHOLD":     {"stop.repeats", "#", ""},
	"SESSION_EXPIRY_HOURS":        {"session.max_time", "h", ""},
	"SESSION_CONTINUITY":          {"session.mode", "?", ""},
	"ENABLE_NOTIFICATIONS":        {"notify.desktop", "!", ""},
	"MAX_CALLS_PER_HOUR":          {what: "there is no cap on calls in an hour; a usage limit is waited for (limits.wait)"},
	"MAX_TOKENS_PER_HOUR":         {what: "budget.tokens is for the whole run"},
	"ALLOWED_TOOLS":               {what: "permissions.mode = \"own\" goes by the agent's own settings: name the tools there"},
	"CLAUDE_CODE_CMD":             {what: "[agents.claude] program is the program alone, and command the whole command line"},
	"CLAUDE_OUTPUT_FORMAT":        {what: "the agent's output is read as it comes"},
	"CLAUDE_EFFORT":               {what: "set it in the agent's own settings"},
	"CB_OUTPUT_DECLINE_THRESHOLD": {what: "stop.no_progress and stop.repeats see an agent that goes round in circles"},
	"CB_COOLDOWN_MINUTES":         {what: "a run that was given up stays so: \"refrain resume\" goes on with it"},
	"CB_AUTO_RESET":               {what: "a run that was given up stays so: \"refrain resume\" goes on with it"},
	"TASK_SOURCES":                {what: "tasks are in a markdown file (done.plan)"},
	"GITHUB_TASK_LABEL":           {what: "tasks are in a markdown file (done.plan)"},
	"BEADS_FILTER":                {what: "tasks are in a markdown file (done.plan)"},
	"ENABLE_BACKUP":               {what: "every iteration is kept: \"refrain rollback\" goes back to one"},
	"RALPH_VERBOSE":               {what: "-o says how a run is shown"},
	"LIVE_SHOW_TOOL_ARGS":         {what: "-o says how a run is shown"},
	"AGENT_FILE":                  {what: "AGENTS.md is the file that agents read here"},
	"PROJECT_NAME":                {what: "a project has no name but that of its folder"},
	"PROJECT_TYPE":                {what: "\"refrain init\" finds out how a project is built and tested"},
	"CLAUDE_AUTO_UPDATE":          {what: "an agent is taken as it is installed, and updated by yourself"},
	"CLAUDE_MIN_VERSION":          {what: "an agent is taken as it is installed: \"refrain agents\" shows its version"},
}

// readRalphClaude reads the two places where this system has had its files: .ralph/,
// and before that the root.
func readRalphClaude(in tree, im *Import) error {
	im.set("agent", "claude")
	named := map[string]string{}
	text, err := in.read(ralphRC)
	if err != nil {
		return err
	}
	if text != nil {
		if named, err = ralphSettings(im, text); err != nil {
			return err
		}
	}
	prompt, err := in.first(im, named["PROMPT_FILE"], ".ralph/PROMPT.md", "PROMPT.md")
	if err != nil {
		return err
	}
	if prompt != "" {
		text, err := in.read(prompt)
		if err != nil {
			return err
		}
		im.Read = append(im.Read, prompt)
		if prompt != "PROMPT.md" || verbatim(string(text)) != string(text) {
			im.set("prompt", ".refrain/prompts/ralph.md")
			im.copyPrompt(prompt, ".refrain/prompts/ralph.md", text)
		}
		im.note(prompt, "EXIT_SIGNAL", "what it says of RALPH_STATUS is not read: the run is done when no task of the plan is open")
	}
	plan, err := in.first(im, named["FIX_PLAN_FILE"], ".ralph/fix_plan.md", ".ralph/@fix_plan.md", "@fix_plan.md", "fix_plan.md")
	if err != nil {
		return err
	}
	if plan != "" {
		if _, err := in.read(plan); err != nil {
			return err
		}
		im.set("done.plan", plan)
		im.Read = append(im.Read, plan)
	}
	for _, guide := range []string{".ralph/AGENT.md", ".ralph/@AGENT.md", "@AGENT.md"} {
		if in.has(guide) {
			im.note(guide, "", "AGENTS.md at the root is the one that agents read here")
		}
	}
	if in.has(".ralph/specs") {
		im.note(".ralph/specs/", "", "the built-in prompts say specs/; your own may say any folder")
	}
	im.Next = "refrain run"
	return nil
}

// first is the first of some files that is there; the others are listed. One that
// the settings name is meant from .ralph/.
func (t tree) first(im *Import, named string, others ...string) (string, error) {
	if named != "" {
		for _, from := range []string{".ralph/x", "x"} {
			if name, ok := inside(from, named); ok && t.has(name) {
				return name, nil
			}
		}
		return "", &Error{ralphRC, 0, named + " is missing"}
	}
	others = slices.DeleteFunc(others, func(name string) bool { return !t.has(name) })
	if len(others) == 0 {
		return "", nil
	}
	for _, name := range others[1:] {
		im.note(name, "", others[0]+" is there, too, and is the one that was taken")
	}
	return others[0], nil
}

// fromEnvironment is a value that a variable may take the place of: ${NAME:-15}.
var fromEnvironment = text.NewPattern(`^\$\{\w+:?-([^${}]*)\}$`)

// ralphSettings turns .ralphrc into settings, and gives the files that it names.
func ralphSettings(im *Import, text []byte) (named map[string]string, err error) {
	pairs, err := readPairs(ralphRC, text)
	if err != nil {
		return nil, err
	}
	im.Read = append(im.Read, ralphRC)
	named = map[string]string{}
	for _, p := range pairs {
		k, known := ralphKeys[p.key]
		if m := fromEnvironment().FindStringSubmatch(p.value); m != nil {
			p.value = m[1] // what holds where the environment says nothing
		}
		switch {
		case p.value == "":
		case strings.Contains(p.value, "$"):
			im.note(ralphRC, p.key, "it is filled in by a shell: say it in refrain.toml as it is")
		case p.key == "PROMPT_FILE" || p.key == "FIX_PLAN_FILE":
			named[p.key] = p.value
		case !known:
			im.note(ralphRC, p.key, "nothing stands for it here")
		case k.key == "":
			im.note(ralphRC, p.key, k.what)
		default:
			value, ok := k.value(p.value)
			if !ok {
				return nil, &Error{ralphRC, p.line, fmt.Sprintf("%s cannot be %q", p.key, p.value)}
			}
			im.set(k.key, value)
		}
	}
	slices.SortStableFunc(im.Settings, func(a, b Setting) int { return len(a.Key) - len(b.Key) })
	return named, nil
}

// value is a value of theirs as one of ours.
func (k ralphKey) value(s string) (any, bool) {
	truth, err := strconv.ParseBool(s)
	switch k.unit {
	case "":
		return s, true
	case "!":
		return truth, err == nil
	case "?":
		return map[bool]string{true: "keep", false: "fresh"}[truth], err == nil
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if k.unit == "#" {
		return n, err == nil
	}
	return fmt.Sprintf("%d%s", n, k.unit), err == nil
}
