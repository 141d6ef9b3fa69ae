package proc

// Role is on whose behalf a process works. It decides what the process may reach
// where a run has a sandbox.
type Role int

// The roles.
const (
	// Own is the runner itself, and what people have given it in settings of their own.
	Own Role = iota

	// Agent is whoever does the work.
	Agent

	// Judge is whatever may run what an agent has written: gates and their setups,
	// hooks and stop scripts of the project, commands in prompts.
	Judge

	// Committer is git when it commits: it runs hooks and filters of the project, and
	// may sign with a key of the user's.
	Committer

	// Reviewer is an agent that judges.
	Reviewer
)
