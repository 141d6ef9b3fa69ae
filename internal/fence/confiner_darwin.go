package fence

import (
	"errors"
	"os"
)

// sandboxExec starts a program in a sandbox of the system's. It is deprecated, and all
// that there is.
const sandboxExec = "/usr/bin/sandbox-exec"

// Confiner confines what is started by having sandbox-exec start it.
type Confiner struct{ profile string }

// NewConfiner makes ready what confines a start.
func NewConfiner(p Policy) (*Confiner, error) {
	if p.Kind != Seatbelt {
		return nil, unsupported(p.Kind)
	}
	if p.Proxy != "" {
		return nil, &Error{Kind: p.Kind, What: "list hosts on macOS", Err: errors.ErrUnsupported}
	}
	if _, err := os.Stat(sandboxExec); err != nil {
		return nil, &Error{Kind: p.Kind, Err: err}
	}
	return &Confiner{profile: profile(p)}, nil
}

// Wrap is the program that starts another in the sandbox.
func (c *Confiner) Wrap(path string, argv []string) (string, []string) {
	return sandboxExec, append([]string{"sandbox-exec", "-p", c.profile, path}, argv[1:]...)
}

// Tell has nothing to tell.
func (*Confiner) Tell(func(Refusal)) {}

// On runs f: what it starts is wrapped.
func (*Confiner) On(f func()) error {
	f()
	return nil
}

// Close has nothing to close.
func (*Confiner) Close() {}
