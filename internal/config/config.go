// Package config turns flags, environment, files and defaults into one value.
//
// Every setting knows the layer that set it, the file and line, and what it
// overrode. Nothing is silently ignored: an unknown key, a wrong type or a bad
// value is an error with its place and a hint, and all of them are reported at
// once. Secrets leave this package only inside a Config; wherever settings are
// shown or stored they are masked. What the settings do is for others to know.
package config

import (
	"maps"
	"reflect"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/stop"
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
	Stop        stop.Settings // without what only a run knows
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
	Places
	Tables
	Reports
}

// Places is where runs work, and what they may reach there.
type Places struct {
	Sandbox Sandbox
	Fleet   Fleet
}

// Tables is what the user named.
type Tables struct {
	Gates      []Gate                    // in the order in which they run, each with a name of its own
	Agents     map[string]agent.Table    // the [agents.NAME] tables; never nil
	Prices     map[string]Price          // the [prices.MODEL] tables; never nil
	Procedures map[string]ProcedureTable // the [procedures.NAME] tables; never nil
}

// Reports is who hears of a run, and where.
type Reports struct {
	Notify  Notify
	Trace   Trace
	Metrics Metrics
	Log     Log
}

// Claims is what the agent is told about claiming.
type Claims struct {
	Tell bool
	From int // the iteration that is the first to be told
}

// Loop is how the loop goes. A zero duration is no limit.
type Loop struct {
	IterationTimeout time.Duration
	IdleTimeout      time.Duration
	ExitZeroIsDone   setting.Auto
	IterationContext setting.Auto
	FreezePrompt     bool
	PromptAs         string // how a command after "--" gets its prompt
	Output           string // how a run is shown on a terminal
	OnInterrupt      string
	Dir              string // below the work tree, written with slashes; "" is the work tree
	Progress         []string
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
	AnyExit        bool   // a promise counts whatever the exit status
	Plan           string // "" is none
	Written        string // "" is none
	Gates          bool
	Proof          string
	Require        string // "auto" is what can be had
	Tests          string
}

// Proof is how gates judge a claim away from the agent's own files.
type Proof struct {
	Baseline bool
	Setup    setting.Command // zero is what the lockfile asks for, the line NoSetup is none
	Copy     []string        // paths below the work tree, written with slashes
}

// NoSetup is the line of Proof.Setup that asks for no setup.
const NoSetup = "none"

// Budget is what a prompt may use up. Zero is no budget.
type Budget struct {
	PromptTokens int
}

// Limits is what to do while the agent is at a limit.
type Limits struct {
	// Fallback is names of agents, each once. The chosen agent may be among
	// them, if another layer chose it.
	Fallback []string
	// Patience is with an agent that only tries a request again; 0: as long as it
	// has itself.
	Patience time.Duration
}

// Session is whether the agent's own conversation goes on.
type Session struct {
	Mode          string // "fresh" or "keep"
	HandoffTokens int
}

// Context is what to do when a session has filled the model's window. Warn is
// percent, and not above the redline.
type Context struct {
	Warn      int
	OnRedline string
}

// Commands is how the project is built, linted and tested, each as a line for
// the shell; "" is not known. With AsGates they are among the gates already.
type Commands struct {
	Build, Lint, Test string
	AsGates           bool
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
	Watch          bool
	WatchAbove     int
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

// Permissions is what may be done unasked: by an agent, and by what a work tree
// brings along.
type Permissions struct {
	Mode    string
	Trusted []string // folders whose work trees may; absolute, or below "~"
}

// Proc is how processes are ended.
type Proc struct {
	Keep []string
}

// SandboxModes are the values of sandbox.mode.
var SandboxModes = []string{"auto", "namespaces", "landlock", "seatbelt", "docker", "podman", "none"}

// Networks are the values of sandbox.network.
var Networks = []string{"open", Listed}

// Listed is the network of which only listed hosts can be reached.
const Listed = "listed"

// Sandbox is what agents, gates and what else a run starts may reach.
type Sandbox struct {
	Mode  string
	Allow []string // paths that may be written, and names of what is let in
	Hide  []string // paths that may not be read
	Env   []string // names and patterns of variables that pass all the same

	Network string
	Hosts   []string // what else is reached of a listed network

	Image   string   // of containers
	Options []string // of the engine, for each container
}

// Boxed tells whether programs run in containers, where others are installed than
// here.
func (s Sandbox) Boxed() bool { return s.Mode == "docker" || s.Mode == "podman" }

// Progress is what does not count as progress.
type Progress struct {
	Ignore []string
	Only   []string // empty is all others
}

// Retention is what is kept of old iterations.
type Retention struct {
	Transcripts int
	Redact      bool // secrets are taken out of transcripts too
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

// Price is one [prices.MODEL] table: what a model costs, in dollars for a
// million tokens, and how much it can read.
type Price struct {
	Input      float64
	Output     float64
	CacheRead  float64
	CacheWrite float64
	Window     int // in tokens; 0 is not known
}

const pricesDoc = "what models cost, each by its name or the beginning of it, where it differs from the built-in prices"

// priceRows is every setting of one model, below [prices.MODEL].
func priceRows(p *Price) []setting.Row {
	return []setting.Row{
		{
			Key: "input", Kind: setting.Number, At: &p.Input,
			Doc: "dollars for a million tokens that the model reads; 0 is free",
		},
		{
			Key: "output", Kind: setting.Number, At: &p.Output,
			Doc: "the same for tokens that it writes",
		},
		{
			Key: "cache_read", Kind: setting.Number, At: &p.CacheRead,
			Doc: "the same for tokens that it reads from its cache; as input unless set",
		},
		{
			Key: "cache_write", Kind: setting.Number, At: &p.CacheWrite,
			Doc: "the same for tokens that are written to its cache; as input unless set",
		},
		{
			Key: "window", Kind: setting.Int, At: &p.Window, Default: 0,
			Doc: "the model's context in tokens; 0 is not known",
		},
	}
}

// needed is the keys without which a model would seem to cost nothing.
var needed = []string{"input", "output"}

// Gate is one of the runner's own checks: a command, or a reviewer, which is an
// agent with a prompt.
type Gate struct {
	Name          string
	Run           string // for the shell; "" for a reviewer
	Agent         string // "" for a command
	Prompt        string
	Dir           string        // from the root of the work tree; "" is where the agent works
	Timeout       time.Duration // zero is none
	MinTests      int
	Pin           []string
	When, Require string
	Retries       int
}

// Take takes the value of one key over from other settings.
func (c *Config) Take(key string, from *Config) {
	theirs := rows(from)
	for i, row := range rows(c) {
		if row.Key == key {
			reflect.ValueOf(row.At).Elem().Set(reflect.ValueOf(theirs[i].At).Elem())
		}
	}
}
