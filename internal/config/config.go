package config

import (
	"maps"
	"time"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Config is every setting of a run, resolved. What each key means, and what it
// is when nobody sets it, stands in the table of rows.
type Config struct {
	Agent       string
	Model       string
	Prompt      string // "" is the parts of the procedure that is run
	Profile     string
	Claims      Claims
	Loop        Loop
	Ask         Ask
	Done        Done
	Proof       Proof
	Stop        Stop
	Budget      Budget
	Limits      Limits
	Session     Session
	Context     Context
	Commands    Commands
	Hooks       Hooks
	Git         Git
	Feedback    Feedback
	Permissions Permissions
	Proc        Proc
	Progress    Progress
	Retention   Retention
	Notify      Notify
	Trace       Trace
	Metrics     Metrics
	Log         Log
	Gates       []Gate                    // in the order in which they run, each with a name of its own
	Agents      map[string]Agent          // the [agents.NAME] tables; never nil
	Prices      map[string]Price          // the [prices.MODEL] tables; never nil
	Procedures  map[string]ProcedureTable // the [procedures.NAME] tables; never nil
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
	ExitZeroIsDone   setting.Auto
	IterationContext setting.Auto
	FreezePrompt     bool
	OnInterrupt      string
	Dir              string // below the work tree, written with slashes; "" is the work tree
	Progress         []string
	SkipsCount       bool
	Gates            bool
	Attended         bool
	Inhibit          bool
}

// Ask is when a person is asked before the run goes on, beside Loop.Attended.
type Ask struct {
	Done      bool
	At        []string // numbers of iterations
	OnFailure bool
	Timeout   time.Duration // zero is for ever
	Default   string
}

// Done is how a run ends well.
type Done struct {
	Promise        string // "" is none
	Match          string
	FailurePromise string // "" is none
	Plan           string // "" is none
	Written        string // "" is none
	Gates          bool
	Proof          string
	Require        string // "auto" is what can be had
	Tests          string
	Confirmations  int // at least 1
}

// Proof is how gates judge a claim away from the agent's own files.
type Proof struct {
	Baseline bool
	Setup    setting.Command // zero is what the lockfile asks for, the line NoSetup is none
	Copy     []string        // paths below the work tree, written with slashes
}

// NoSetup is the line of Proof.Setup that asks for no setup.
const NoSetup = "none"

// Stop is when to give up. A zero count is never.
type Stop struct {
	Failures            int
	RedGates            int
	TestFailures        int
	NoProgress          int
	CostWithoutProgress float64
	Repeats             int
	GatesAreFailures    bool
	Patterns            []string // each compiles with package regexp
	Scripts             []string
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
	// Fallback is names of agents, each once. The chosen agent may be among
	// them, if another layer chose it.
	Fallback []string
}

// Session is how long the agent's own conversation lasts. A zero limit is none.
type Session struct {
	Mode          string // "fresh" or "keep"
	MaxTime       time.Duration
	MaxIterations int
	MinIterations int // at least 1
	HandoffTokens int
}

// Context is what to do when a session has filled the model's window. Redline
// and Warn are percent, and Warn is not above Redline.
type Context struct {
	Redline   int
	Warn      int
	OnRedline string
}

// Commands is how the project is built, linted and tested, each as a line for
// the shell; "" is not known. With AsGates they are among the gates already.
type Commands struct {
	Build   string
	Lint    string
	Test    string
	AsGates bool
}

// Hooks is the user's commands at fixed points of a run.
type Hooks struct {
	Enabled bool
	Timeout time.Duration // zero is none
	Run     HookCommands
}

// HookCommands is the hooks that are given as lines for the shell; "" is none.
type HookCommands struct {
	Started       string
	NextIteration string
	PostIteration string
	Failed        string
	Finished      string
}

// ByPoint is the commands that are set, by the names of their points.
func (h HookCommands) ByPoint() map[string]string {
	commands := map[string]string{
		"started": h.Started, "next_iteration": h.NextIteration, "post_iteration": h.PostIteration, "failed": h.Failed, "finished": h.Finished,
	}
	maps.DeleteFunc(commands, func(_, command string) bool { return command == "" })
	return commands
}

// Git is what the runner does with git.
type Git struct {
	Checkpoint     bool
	Commit         bool
	CommitTemplate string
	Branch         setting.Branch
	BranchTemplate string
	OnRegression   string
	Protect        []string
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
	Only   []string // empty is all others
}

// Retention is what is kept of old iterations.
type Retention struct {
	Transcripts int
}

// Trace is where traces are sent; with no endpoint nowhere.
type Trace struct {
	Endpoint string
	Headers  map[string]string
}

// Metrics is where metrics can be read; with neither nowhere.
type Metrics struct {
	File   string
	Listen string
}

// Log is the runner's own log.
type Log struct {
	Level  string
	File   string
	Format string
}

// Gate is one of the runner's own checks: a command, or a reviewer, which is an
// agent with a prompt.
type Gate struct {
	Name     string
	Run      string // for the shell; "" for a reviewer
	Agent    string // "" for a command
	Prompt   string
	Timeout  time.Duration // zero is none
	When     string
	MinTests int
	Pin      []string
	Require  string
	Retries  int
}

// Agent is one [agents.NAME] table. A table with a command describes an agent
// of the user's, and has every default; one without tunes a built-in agent, and
// what it does not set is empty, so that the agent's own choice stands.
type Agent struct {
	Command     setting.Command
	Prompt      string
	Format      string
	ModelFlag   string
	ResumeFlag  string
	FirstSignal string
	MaxTurns    int
	// ContextWindow is in tokens; 0 is not known.
	ContextWindow int
	Env           map[string]string
	Script        string // only for the agent "rehearsal"
}
