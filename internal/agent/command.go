package agent

import (
	"errors"
	"fmt"
	"maps"
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
	if err := fits(c.Prompt); err != nil {
		return fmt.Errorf("pass the prompt as an argument: %w", err)
	}
	cmd.Argv = append(cmd.Argv, c.Prompt)
	return nil
}

func byEnv(cmd *Command, c Call) error {
	if err := fits(c.Prompt); err != nil {
		return fmt.Errorf("pass the prompt in the environment: %w", err)
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

func fits(prompt string) error {
	const hint = `set prompt = "stdin" or prompt = "file"`
	if len(prompt) > maxArg {
		return fmt.Errorf("it has %d bytes, and at most %d fit; %s", len(prompt), maxArg, hint)
	}
	if strings.ContainsRune(prompt, 0) {
		return fmt.Errorf("it contains a NUL byte; %s", hint)
	}
	return nil
}
