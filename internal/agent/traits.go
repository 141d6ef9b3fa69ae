package agent

import (
	"path"
	"slices"
	"strings"
)

// Traits are what whoever plans a run should know of a CLI beforehand. They
// stand in the agent's own file.
type Traits struct {
	Tokens bool // its output tells the tokens
	Cost   bool // and the cost, so that none need be estimated
	Turns  bool // it can be told how many turns it may take

	Sessions bool // it can continue a session that it told of

	// Keys name the variables by which it bills an API key, where it could bill
	// a subscription too. Only agents get them (see Apart).
	Keys []string
	// Root names the variable without which it refuses, when run by root, to
	// skip permissions; empty: it does not mind.
	Root string
	// Home is where it can be had.
	Home string
}

// TraitsOf tells the traits of a back end; a program that we do not know has
// none.
func TraitsOf(name string) Traits {
	if name == "rehearsal" {
		return rehearsalTraits
	}
	if c := lookUp(name); c != nil {
		return c.traits
	}
	return Traits{}
}

// Apart takes the keys by which agents are paid for out of an environment, and
// gives them by themselves. Whatever runs what an agent wrote has no use for them.
// Names and patterns in pass are left in.
func Apart(env, pass []string) (bare, keys []string) {
	var paying []string
	for _, backend := range BuiltIn() {
		paying = append(paying, TraitsOf(backend).Keys...)
	}
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(paying, name) && !passes(name, pass) {
			keys = append(keys, kv)
		} else {
			bare = append(bare, kv)
		}
	}
	return bare, keys
}

func passes(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// Keeps tells whether an agent can continue a session: the back end knows how,
// or there is a flag for it. A command of the user's own, also one in place of a
// CLI, is the back end "command".
func Keeps(name, resumeFlag string) bool {
	return resumeFlag != "" || TraitsOf(name).Sessions
}

// Program is what a back end with a command of its own starts; empty for the
// others.
func Program(name string) string {
	if c := lookUp(name); c != nil {
		return c.program
	}
	return ""
}

func lookUp(name string) *cli {
	a, err := New(Options{Name: name})
	if err != nil {
		return nil
	}
	c, _ := a.(*cli)
	return c
}

// KnowsCommand tells whether the back end brings its own command, so that it
// can be used without being described.
func KnowsCommand(name string) bool {
	_, ok := backends[name]
	return ok && name != "command"
}

// BuiltIn lists the agents that can be named without being configured. The back
// end "command" is reached by a command, or by a table of the settings.
func BuiltIn() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return !KnowsCommand(name) })
}

// Tells says what the output of an agent will tell of its use: tokens, and the
// cost, read or estimated. An empty format is the agent's own; a program that
// we do not know prints text. Without a model the agent chooses one, which may
// have no known price. Prices are the user's own; one of nothing is known, too.
func Tells(name, format, model string, prices ...Price) (tokens, cost bool) {
	if format == "" {
		format = name
	}
	t := TraitsOf(format)
	_, priced := priceOf(model, prices)
	return t.Tokens, t.Cost || t.Tokens && priced
}
