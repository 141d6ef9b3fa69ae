package agent

import "slices"

// Takes says where in a repository an agent takes more from than words for its
// model: what is there runs commands, starts servers, allows tools or sends the
// user's key elsewhere. An agent that is called by a program does not ask whether
// the repository is trusted.
//
// CLAUDE.md, AGENTS.md and the like are words, and not here.
//
// Paths are from a folder that the agent looks in: the one that it works in, and
// those above it up to the root of the work tree. One that ends with a slash is
// all that is below that folder.
type Takes struct {
	Settings  []string // JSON, TOML or YAML
	Variables []string // for the agent's own environment
	Scripts   []string // what settings name by convention, or what is read as commands
	Code      []string // what the agent loads into itself, with settings and words among it
	Skills    []string // words with front matter, which may bring more along

	// Above is those of the paths that it looks for on up to the root of the
	// disk, too. Somebody else may have written there.
	Above []string
}

// TakesOf is what a back end takes; of a program that we do not know, nothing is
// known.
func TakesOf(name string) Takes {
	if c := lookUp(name); c != nil {
		return c.takes
	}
	return Takes{}
}

// Ignores lists the back ends that can be told to take only words from a
// repository; a rehearsal takes nothing anyway.
func Ignores() []string {
	return slices.DeleteFunc(BuiltIn(), func(name string) bool {
		c := lookUp(name)
		return c == nil || !c.ignores
	})
}

// IgnoreError says that an agent cannot be told to.
type IgnoreError struct{ Name string }

func (e *IgnoreError) Error() string {
	return e.Name + " cannot be told to leave alone what a repository brings along for it"
}
