package agent

import (
	"errors"
	"maps"
	"slices"
)

// cli is a coding CLI that we know how to call. The agent's own file fills it
// in.
type cli struct {
	Options
	program string
	format  string
	first   string            // the signal on which it cleans up best
	env     map[string]string // for headless use; the user's own win
	wish    []string          // KEY=VALUE, where nobody has set the variable
	// confined is for use in a sandbox of the runner's: its own is off, and it may
	// skip permissions there whoever runs it.
	confined map[string]string
	// unset names what a session of the agent leaves in the environment of its
	// children. An agent that finds it takes itself for a part of that session.
	unset []string
	// args are the arguments of one call, without the prompt.
	args func(Options, Call) ([]string, error)
	// deliver hands over the prompt; nil: on stdin.
	deliver func(*Command, Call) error
	// stdoutFile: it loses output on a pipe.
	stdoutFile bool
	// ear has it tell more than it prints; nil: it knows no way.
	ear func(*Command, Call)
	// notices are pieces of lines that it prints on stderr however it fares.
	notices []string
	traits  Traits
	takes   Takes
	// ignores says that its arguments can tell it to take only words from a
	// repository.
	ignores bool
}

// newCLI makes the agent. A command in the options replaces the program and
// all its arguments; environment, first signal and format stay the agent's.
func newCLI(o Options, c cli) (Agent, error) {
	env := maps.Clone(c.env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, o.Env)
	o.Env = env
	if o.First == "" {
		o.First = c.first
	}
	if len(o.Untrusted) > 0 && len(o.Command) == 0 && !c.ignores {
		return nil, &IgnoreError{Name: o.Name}
	}
	if o.Program != "" {
		c.program = o.Program
	}
	if len(o.Command) == 0 {
		if o.Prompt != "" || o.Format != "" || o.ModelFlag != "" || o.ResumeFlag != "" {
			return nil, errors.New("prompt, format, model_flag and resume_flag go with a command of your own: set command too, or leave them out")
		}
		c.Options = o
		return &c, nil
	}
	if o.Format == "" {
		o.Format = c.format
	}
	written, err := makeCommand(o)
	if err != nil {
		return nil, err
	}
	written.unset = c.unset
	return written, nil
}

func (a *cli) Command(c Call) (Command, error) {
	args, err := a.args(a.Options, c)
	if err != nil {
		return Command{}, err
	}
	cmd := Command{
		Argv:  slices.Concat([]string{a.program}, args),
		Env:   environ(a.Env),
		Unset: a.unset,
		Wish:  a.wish,
		First: a.First,

		StdoutFile: a.stdoutFile,
	}
	if c.Confined {
		cmd.Env = append(cmd.Env, environ(a.confined)...)
	}
	if a.ear != nil && c.Room != "" {
		a.ear(&cmd, c)
	}
	deliver := a.deliver
	if deliver == nil {
		deliver = byStdin
	}
	if err := deliver(&cmd, c); err != nil {
		return Command{}, err
	}
	return cmd, nil
}

func (a *cli) Decoder() Decoder { return formats[a.format](a.Options) }
