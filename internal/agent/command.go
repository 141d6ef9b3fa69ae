package agent

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// maxArg bounds a prompt that travels as an argument or a variable. Linux
// refuses a single one of 128 KiB, with an error that names no cause.
const maxArg = 100 << 10

// command is any program. It runs as written; only the model, the session and
// the prompt are added.
type command struct {
	Options
	deliver func(*Command, Call) error
	decoder func(Options) Decoder
	unset   []string
}

// deliveries is every way to hand over a prompt.
var deliveries = map[string]func(*Command, Call) error{
	"stdin": byStdin,
	"arg":   byArg,
	"env":   byEnv,
	"file":  byFile,
}

func newCommand(o Options) (Agent, error) { return makeCommand(o) }

func makeCommand(o Options) (*command, error) {
	if len(o.Command) == 0 || o.Command[0] == "" {
		return nil, errors.New("the command names no program: set command = [\"program\", \"argument\"]")
	}
	if o.Prompt == "" {
		o.Prompt = "stdin"
	}
	deliver, ok := deliveries[o.Prompt]
	if len(Places(o.Command)) > 0 {
		if deliver = byPlace; readByShell(o.Command) {
			return nil, &PromptError{"a shell would read " + promptPlace + " as a part of its script", "hand it over as an argument of the script: sh -c 'agent \"$1\"' sh " + promptPlace}
		}
	}
	if !ok {
		return nil, &UnknownError{What: "prompt delivery", Name: o.Prompt, Known: slices.Sorted(maps.Keys(deliveries))}
	}
	if o.Format == "" {
		o.Format = "text"
	}
	decoder, ok := formats[o.Format]
	if !ok {
		return nil, &UnknownError{What: "format", Name: o.Format, Known: Formats()}
	}
	return &command{Options: o, deliver: deliver, decoder: decoder}, nil
}

func (a *command) Command(c Call) (Command, error) {
	cmd := Command{
		Argv:  slices.Clone(a.Options.Command),
		Env:   environ(a.Env),
		Unset: a.unset,
		First: a.First,
	}
	if a.ModelFlag != "" && c.Model != "" {
		cmd.Argv = append(cmd.Argv, a.ModelFlag, c.Model)
	}
	if a.ResumeFlag != "" && c.Session != "" {
		cmd.Argv = append(cmd.Argv, a.ResumeFlag, c.Session)
	}
	if !c.HasPrompt {
		return cmd, nil
	}
	if err := a.deliver(&cmd, c); err != nil {
		return Command{}, err
	}
	return cmd, nil
}

func (a *command) Decoder() Decoder { return a.decoder(a.Options) }

func byStdin(cmd *Command, c Call) error {
	cmd.Stdin = c.Prompt
	return nil
}

func byArg(cmd *Command, c Call) error {
	if err := fits(c.Prompt, "as an argument"); err != nil {
		return err
	}
	cmd.Argv = append(cmd.Argv, c.Prompt)
	return nil
}

func byEnv(cmd *Command, c Call) error {
	if err := fits(c.Prompt, "in the environment"); err != nil {
		return err
	}
	cmd.Env = append(cmd.Env, "PROMPT="+c.Prompt)
	return nil
}

func byFile(cmd *Command, c Call) error {
	if c.PromptFile == "" {
		return errors.New("pass the prompt as a file: there is no file")
	}
	cmd.Argv = append(cmd.Argv, c.PromptFile)
	return nil
}

// Places in a command that stand for the prompt, and for the file that has it.
const (
	promptPlace = "{prompt}"
	filePlace   = "{prompt_file}"
)

// Places is those that a command has for its prompt.
func Places(argv []string) []string {
	return slices.DeleteFunc([]string{promptPlace, filePlace}, func(place string) bool {
		return !slices.ContainsFunc(argv[1:], func(arg string) bool { return strings.Contains(arg, place) })
	})
}

// readByShell tells whether the prompt would become a part of what a shell is to
// run: whoever writes it could then run anything.
func readByShell(argv []string) bool {
	shells, inShell := []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "cmd", "powershell", "pwsh"}, false
	for i, arg := range argv {
		script := strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, "c") || strings.EqualFold(arg, "/c")
		if inShell && script && i+1 < len(argv) && strings.Contains(argv[i+1], promptPlace) {
			return true
		}
		inShell = inShell || slices.Contains(shells, strings.TrimSuffix(filepath.Base(arg), ".exe"))
	}
	return false
}

// byPlace puts the prompt where the command says, word for word: no shell reads it.
func byPlace(cmd *Command, c Call) error {
	put := strings.NewReplacer(promptPlace, c.Prompt, filePlace, c.PromptFile)
	for i, arg := range cmd.Argv[1:] {
		if strings.Contains(arg, promptPlace) {
			if err := fits(c.Prompt, "as an argument"); err != nil {
				return err
			}
		}
		cmd.Argv[i+1] = put.Replace(arg)
	}
	return nil
}

// PromptError is why a prompt cannot be handed over, and what to do.
type PromptError struct{ What, Fix string }

func (e *PromptError) Error() string { return e.What + "; " + e.Fix }

// fits sees that a prompt can travel so.
func fits(prompt, how string) error {
	what := ""
	switch {
	case len(prompt) > maxArg:
		what = fmt.Sprintf("it has %d bytes, and at most %d fit", len(prompt), maxArg)
	case strings.ContainsRune(prompt, 0):
		what = "it contains a NUL byte"
	default:
		return nil
	}
	return &PromptError{"pass the prompt " + how + ": " + what, "pass it on stdin or as a file: --prompt-as for a command after --, prompt in an [agents.NAME] table"}
}
