package refrain

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/request"
)

// Options say what to run. Only a way to get an agent and a prompt is needed:
// what is left out is as refrain.toml, the environment and the defaults say.
type Options struct {
	Dir string // a folder in the work tree; empty: the current one

	// What the agent is told: a procedure (plan, build, one of your own), a
	// prompt, or a file with one, which is read again at every iteration. With
	// none of them it is the file PROMPT.md.
	Procedure  string
	Prompt     string
	PromptFile string            // a relative one is in Dir
	Context    []string          // more for the prompt
	Vars       map[string]string // for its template: {{.Vars.NAME}}

	// Who does the work: an agent by its name, a command that gets the prompt, if
	// there is one, on stdin; or an agent of your own. With none of them it is the
	// only agent that is installed.
	Agent       string
	Model       string
	Command     []string
	CustomAgent Agent

	// When it is done, and when it ends without being done.
	Until         string   // the promise by which the agent claims to be done
	Gates         []string // commands that must pass before a claim is believed
	CustomGates   []Gate   // and checks of your own, after those of the settings
	Rules         []Rule   // rules of your own
	MaxIterations int      // 0: as the settings say

	// Settings are any keys of refrain.toml, such as "loop.max_time": "8h". A
	// value is TOML, or else plain text.
	Settings map[string]string

	Observers []Observer // hear of every event
	Control   *Control   // steers the run; nil: only ctx and the command do
	Version   string     // of your program, for the run's files
}

// ResumeOptions say what to go on with.
type ResumeOptions struct {
	Dir string // a folder in the work tree; empty: the current one
	Run string // a run's name; empty: the latest here that can go on

	MaxIterations int               // the new total; 0: as before
	Settings      map[string]string // laid over those it was started with

	// AcceptConfig says that you know of what has changed since the run was
	// started and decides when it is done: a promise, a gate, a part that your
	// program brought along. Without it that is a *UsageError, for an agent must
	// not loosen its own end.
	AcceptConfig bool
	Now          bool // do not wait for a usage limit that the run was waiting for

	// What the program that started the run brought along has to be here again.
	CustomAgent Agent
	CustomGates []Gate
	Rules       []Rule

	Observers []Observer
	Control   *Control
	Version   string
}

func (o Options) hands() hands { return hands{o.Observers, o.Control, o.Version} }

func (o ResumeOptions) hands() hands { return hands{o.Observers, o.Control, o.Version} }

// request is what the options ask for, in the words of the command line.
func (o Options) request() (request.Request, error) {
	req := request.Request{Procedure: o.Procedure, Command: o.Command, Prompt: o.Prompt, Context: o.Context, Vars: o.Vars}
	if o.Prompt != "" && o.PromptFile != "" {
		return req, &UsageError{What: "there are two prompts: Prompt and PromptFile", Hint: "give one of them"}
	}
	if o.PromptFile != "" {
		var err error
		if req.File, err = filepath.Abs(inFolder(orHere(o.Dir), o.PromptFile)); err != nil {
			return req, err
		}
	}
	req.Flags = settings(o.Settings, o.MaxIterations)
	for _, f := range []app.Flag{
		{Name: "--agent", Key: "agent", Value: o.Agent},
		{Name: "--model", Key: "model", Value: o.Model},
		{Name: "--until", Key: "done.promise", Value: o.Until},
	} {
		if f.Value != "" {
			req.Flags = append(req.Flags, f)
		}
	}
	for _, command := range o.Gates {
		if strings.TrimSpace(command) == "" {
			return req, &UsageError{What: "a gate has no command", Hint: "leave it out, or name the command that must pass"}
		}
		req.Flags = append(req.Flags, app.Flag{Name: "--gate", Key: "gate", Value: command})
	}
	var err error
	req.Extensions, err = own(o.CustomAgent, o.CustomGates, o.Rules)
	return req, err
}

func (o ResumeOptions) request() ([]app.Flag, request.Extensions, error) {
	parts, err := own(o.CustomAgent, o.CustomGates, o.Rules)
	return settings(o.Settings, o.MaxIterations), parts, err
}

// settings are flags, always in the same order.
func settings(values map[string]string, iterations int) []app.Flag {
	var list []app.Flag
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, app.Flag{Name: "--set", Key: key, Value: values[key]})
	}
	if iterations != 0 {
		list = append(list, app.Flag{Name: "--max-iterations", Key: "loop.max_iterations", Value: strconv.Itoa(iterations)})
	}
	return list
}

// own is what the program brings along.
func own(a Agent, gates []Gate, rules []Rule) (request.Extensions, error) {
	var parts request.Extensions
	if a != nil {
		parts.Agent = ownAgent(a)
	}
	for _, g := range gates {
		if g == nil {
			return parts, &UsageError{What: "a gate is nil", Hint: "leave it out"}
		}
		parts.Gates = append(parts.Gates, ownGate{g})
	}
	for _, r := range rules {
		if r == nil {
			return parts, &UsageError{What: "a rule is nil", Hint: "leave it out"}
		}
		parts.Rules = append(parts.Rules, request.Rule{Name: r.Name(), Rule: r.Decide})
	}
	return parts, nil
}

func orHere(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
