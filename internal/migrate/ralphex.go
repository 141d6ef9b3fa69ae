package migrate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

const (
	ralphexFile  = ".ralphex/config"
	ralphexPlans = "docs/plans/"
)

// readRalphex reads its settings, and what the plans say of how the work is checked.
func readRalphex(in tree, im *Import) error {
	plans := strings.TrimSuffix(ralphexPlans, "/")
	text, err := in.read(ralphexFile)
	if err != nil {
		return err
	}
	if text != nil {
		dir, err := ralphexSettings(im, text)
		if err != nil {
			return err
		}
		if dir != "" {
			plans = dir
		}
	}
	names, err := in.markdown(plans)
	if err != nil {
		return err
	}
	var open []string
	for _, name := range names {
		text, err := in.read(name)
		if err != nil {
			return err
		}
		if !openBox().Match(text) {
			continue
		}
		open = append(open, name)
		im.Read = append(im.Read, name)
		lines, others := validation(string(text))
		for _, line := range lines {
			addGate(im, line)
		}
		for _, line := range others {
			im.note(name, "Validation Commands", line)
		}
	}
	switch len(open) {
	case 0:
		im.note(plans+"/", "", "no plan there has an open task: write one with \"refrain plan\"")
		im.Next = "refrain plan"
	case 1:
		im.set("procedures.build.done.plan", open[0])
		im.Next = "refrain build"
	default:
		for _, name := range open {
			im.note(name, "", "do it with refrain build --plan "+name)
		}
		im.Next = "refrain build --plan " + open[0]
	}
	for _, dir := range []string{".ralphex/agents", ".ralphex/prompts"} {
		files, _, err := in.list(dir)
		if err != nil {
			return err
		}
		for _, name := range files {
			im.note(name, "", "a [[gate]] with agent and prompt reviews the work")
		}
	}
	return nil
}

var (
	openBox = text.NewPattern(`(?m)^\s*[-*+] \[ \] `)
	checks  = text.NewPattern(`(?i)^#{1,6}\s+(validation|verification)( commands)?\s*$`)
	heading = text.NewPattern(`^(#{1,6})\s`)
	// what means nothing without the lines around it: what a shell remembers, and
	// what goes on over several lines
	together = text.NewPattern(`^(?:cd|pushd|popd|export|unset|set|source|\.|alias|trap|umask|eval|shopt|if|then|else|elif|fi|for|while|until|do|done|case|esac|function)(?:\s|;|$)|^\w+=(?:\S*|"[^"]*"|'[^']*'|\$\(.*\))$|^[{}()]|<<|(?:[|&{(]|\bdo|\bthen)$`)
	item     = text.NewPattern(`^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?`)
	inCode   = text.NewPattern("^`([^`]+)`([^`]*)$")
	aTask    = text.NewPattern(`(?mi)^#{1,6}\s+(task|iteration)\s+\w+\s*:`)
)

// lookAtPlans tells whether there is a plan with an open task, and whether one is
// written as ralphex has it.
func lookAtPlans(in tree) (there, sure bool) {
	names, _ := in.markdown(strings.TrimSuffix(ralphexPlans, "/"))
	for _, name := range names {
		text, err := in.read(name)
		if err != nil || openBox().Match(text) {
			there = true
			sure = sure || aTask().Match(text)
		}
	}
	return there, sure
}

// validation is the commands that a plan wants to be run after each task, and what
// else it says there, with why that is no gate. What stands below a smaller heading belongs to it, but for the
// tasks.
func validation(text string) (list, others []string) {
	within, fenced := 0, false // the level of its heading; 0: outside
	var block []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		found := heading().FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
			list, others = takeBlock(block, list, others)
			block = nil
		case !fenced && found != nil:
			switch {
			case checks().MatchString(line):
				within = len(found[1])
			case len(found[1]) <= within || aTask().MatchString(line):
				within = 0
			}
		case within == 0:
		case fenced:
			block = append(block, line)
		default:
			line = strings.TrimSpace(item().ReplaceAllString(line, ""))
			if m := inCode().FindStringSubmatch(line); m != nil {
				list = append(list, strings.TrimSpace(m[1]))
			} else if line != "" {
				others = append(others, line+": it is no command in backquotes, so no gate was made of it")
			}
		}
	}
	return takeBlock(block, list, others)
}

// takeBlock makes commands of the lines of a block of code. Where they need each
// other they are none: "cd web" alone is always green, and what follows it would be
// run in another folder.
func takeBlock(block, list, others []string) (_, _ []string) {
	var commands []string
	begun := ""
	for _, line := range block {
		line = strings.TrimSpace(line)
		if rest, goesOn := strings.CutSuffix(line, `\`); goesOn {
			begun += strings.TrimSpace(rest) + " "
			continue
		}
		if begun != "" || !strings.HasPrefix(line, "#") {
			commands = append(commands, strings.TrimSpace(begun+line))
		}
		begun = ""
	}
	commands = slices.DeleteFunc(append(commands, strings.TrimSpace(begun)), func(line string) bool { return line == "" })
	if len(commands) > 1 && slices.ContainsFunc(commands, together().MatchString) {
		return list, append(others, strings.Join(commands, " ⏎ ")+": these lines need each other, so no gate was made of them: put them into a script, and make a gate of that")
	}
	return append(list, commands...), others
}

// addGate adds a check, unless it is there.
func addGate(im *Import, line string) {
	if line == "" || slices.ContainsFunc(im.Gates, func(g Gate) bool { return g.Run == line }) {
		return
	}
	im.Gates = append(im.Gates, Gate{fmt.Sprintf("check-%d", len(im.Gates)+1), line})
}

// ralphexSettings turns the file into settings, and gives the folder of the plans.
func ralphexSettings(im *Import, text []byte) (plans string, err error) {
	pairs, err := readPairs(ralphexFile, text)
	if err != nil {
		return "", err
	}
	im.Read = append(im.Read, ralphexFile)
	var later []Setting
	set := func(key string, value any) { later = append(later, Setting{strings.Split(key, "."), value}) }
	for _, p := range pairs {
		wrong := &Error{ralphexFile, p.line, fmt.Sprintf("%s cannot be %q", p.key, p.value)}
		note := func(what string) { im.note(ralphexFile, p.key, what) }
		if p.value == "" {
			continue
		}
		switch p.key {
		case "executor":
			if p.value == "codex" || p.value == "claude" {
				im.set("agent", p.value)
			} else {
				note(fmt.Sprintf("%q is none that ralphex is known to have: name the agent with -a, or as agent", p.value))
			}
		case "task_model":
			if model, _, _ := strings.Cut(p.value, ":"); model != "" {
				im.set("model", model)
			}
			if strings.Contains(p.value, ":") {
				note("the effort belongs into the agent's own settings")
			}
		case "max_iterations":
			n, err := strconv.ParseUint(p.value, 10, 31)
			if err != nil {
				return "", wrong
			}
			set("loop.max_iterations", n)
		case "iteration_delay_ms":
			n, err := strconv.ParseUint(p.value, 10, 31)
			if err != nil {
				return "", wrong
			}
			set("loop.iteration_delay", (time.Duration(n) * time.Millisecond).String())
		case "session_timeout", "idle_timeout":
			d, err := time.ParseDuration(p.value)
			if err != nil || d < 0 {
				return "", wrong
			}
			set(map[string]string{"session_timeout": "loop.iteration_timeout", "idle_timeout": "loop.idle_timeout"}[p.key], d.String())
		case "plans_dir":
			dir, ok := inside("root", p.value)
			if !ok {
				return "", wrong
			}
			plans = dir
		case "use_worktree":
			note("pass --worktree")
		case "move_plan_on_completion":
			note("a plan that is done stays where it is")
		case "wait_on_limit":
			note("a usage limit is waited for without being asked (limits.wait)")
		case "commit_trailer":
			note("git.commit_template is the message of commits")
		case "task_retry_count", "max_external_iterations", "review_patience":
			note("stop.failures, stop.red_gates and stop.repeats say when to give up")
		default:
			note(ralphexNote(p.key))
		}
	}
	for _, s := range later { // after what stands before all tables
		im.setAt(s.Value, s.Key...)
	}
	return plans, nil
}

// ralphexNote is what keys of a kind are here.
func ralphexNote(key string) string {
	for _, kind := range [][2]string{
		{"notify_", "the keys below notify say who is told; what is secret was not copied"},
		{"color_", "the terminal's colours are used"},
		{"review_", "a [[gate]] with agent and prompt reviews the work"},
		{"codex_", "a [[gate]] with agent and prompt reviews the work"},
		{"external_", "a [[gate]] with agent and prompt reviews the work"},
		{"custom_", "a [[gate]] with run or agent judges the work"},
		{"finalize_", "a hook at finished runs when the run is done"},
		{"claude_", "an agent is called as it is built in here: \"refrain agents\" shows how"},
	} {
		if strings.HasPrefix(key, kind[0]) {
			return kind[1]
		}
	}
	return "nothing stands for it here"
}
