package agent

// Tells says what the output of an agent will tell of its use: tokens, and the
// cost, read or estimated. An empty format is the agent's own; a program that
// we do not know prints text. Without a model the agent chooses one, which may
// have no known price.
func Tells(name, format, model string) (tokens, cost bool) {
	if format == "" {
		format = name
	}
	switch format {
	case "claude", "opencode", "pi", "aider", "rehearsal":
		return true, true
	case "codex", "gemini", "qwen":
		_, priced := lookup(model)
		return true, priced
	}
	return false, false
}

// KnowsCommand tells whether the back end brings its own command, so that it
// can be used without being described.
func KnowsCommand(name string) bool {
	_, ok := backends[name]
	return ok && name != "command"
}

// Program is what a back end with a command of its own starts; empty for the
// others.
func Program(name string) string {
	a, err := New(Options{Name: name})
	if err != nil {
		return ""
	}
	if c, ok := a.(*cli); ok {
		return c.program
	}
	return ""
}
