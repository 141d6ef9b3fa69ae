package config

import "time"

// Config is every setting of a run, resolved. What each key means, and what it
// is when nobody sets it, stands in the table of rows.
type Config struct {
	Agent       string
	Model       string
	Prompt      string
	Profile     string
	Claims      Claims
	Loop        Loop
	Done        Done
	Stop        Stop
	Budget      Budget
	Limits      Limits
	Feedback    Feedback
	Permissions Permissions
	Proc        Proc
	Progress    Progress
	Retention   Retention
	Log         Log
	Agents      map[string]Agent // the [agents.NAME] tables; never nil
}

// Claims is what the agent is told about claiming.
type Claims struct {
	Tell bool
}

// Loop is the pace and the bounds of the loop. A zero limit or duration is none.
type Loop struct {
	MaxIterations    int
	IterationDelay   time.Duration
	Backoff          time.Duration
	MaxBackoff       time.Duration
	IterationTimeout time.Duration
	IdleTimeout      time.Duration
	MaxTime          time.Duration
	ExitZeroIsDone   Auto
	IterationContext Auto
	FreezePrompt     bool
	OnInterrupt      string
	Dir              string // below the work tree, written with slashes; "" is the work tree
	Progress         []string
}

// Done is how a run ends well.
type Done struct {
	Promise        string // "" is none
	Match          string
	FailurePromise string // "" is none
}

// Stop is when to give up. A zero count is never.
type Stop struct {
	Failures   int
	NoProgress int
	Patterns   []string // each compiles with package regexp
	Scripts    []string
}

// Budget is what a run may use up. Zero is no budget.
type Budget struct {
	CostUSD      float64
	Tokens       int
	PromptTokens int
}

// Limits is what to do about usage limits and an unavailable provider.
type Limits struct {
	Wait    bool
	MaxWait time.Duration
}

// Feedback is what the next prompt says of the iterations before it.
type Feedback struct {
	Enabled   bool
	MaxTokens int
	Summaries int
}

// Permissions is what an agent may do unasked.
type Permissions struct {
	Mode string
}

// Proc is how processes are ended.
type Proc struct {
	Keep []string
}

// Progress is what does not count as progress.
type Progress struct {
	Ignore []string
}

// Retention is what is kept of old iterations.
type Retention struct {
	Transcripts int
}

// Log is the runner's own log.
type Log struct {
	Level  string
	File   string
	Format string
}

// Agent is one [agents.NAME] table. A table with a command describes an agent
// of the user's, and has every default; one without tunes a built-in agent, and
// what it does not set is empty, so that the agent's own choice stands.
type Agent struct {
	Command     Command
	Prompt      string
	Format      string
	ModelFlag   string
	FirstSignal string
	MaxTurns    int
	// ContextWindow is in tokens; 0 is not known.
	ContextWindow int
	Env           map[string]string
	Script        string // only for the agent "rehearsal"
}

// Command is a program with its arguments, as it was written: either a list
// or one line that is yet to be split as a shell would.
type Command struct {
	Argv []string
	Line string
}

// IsZero tells whether there is no command.
func (c Command) IsZero() bool { return len(c.Argv) == 0 && c.Line == "" }

// Auto is yes, no, or whatever fits the kind of run.
type Auto string

// The values of Auto.
const (
	Automatic Auto = "auto"
	Yes       Auto = "true"
	No        Auto = "false"
)

// Or is the answer, where fits is what automatic comes to.
func (a Auto) Or(fits bool) bool {
	if a == Automatic {
		return fits
	}
	return a == Yes
}
