package refrain

import "github.com/refrain-loop/refrain/internal/loop"

// The words of a run. Their JSON names are a promise to scripts, and their
// fields one to programs: more may come, none goes.
type (
	Status        = loop.Status     // what a run can be
	Reason        = loop.Reason     // the cause of an end, in one word
	AttemptResult = loop.Result     // how an attempt ended
	Action        = loop.Action     // what a verdict says to do
	ErrorKind     = loop.ErrorKind  // what went wrong in an agent
	Outcome       = loop.Outcome    // what was seen of one attempt
	Work          = loop.Work       // of an outcome: what it came to
	Worker        = loop.Worker     // of an outcome: who made the attempt
	Left          = loop.Left       // of an outcome: the tree that it left
	Said          = loop.Said       // of an outcome: what was read in the agent's own words
	Exit          = loop.Exit       // how a process ended
	AgentError    = loop.AgentError // what an agent says went wrong
	Claim         = loop.Claim      // what an agent says of its work, and what became of that
	Proof         = loop.Proof      // what stands behind a claim that was taken
	Level         = loop.Level      // how much that is
	ProofTests    = loop.ProofTests // the tests behind a proof, by name
	TestChange    = loop.TestChange // an old test that fails, is skipped or is gone
	GatePlace     = loop.Place      // where a gate looked
	Changes       = loop.Changes    // what an attempt, or a whole run, did to the work tree
	LaterFile     = loop.LaterFile  // a file that runs by itself later, and was changed
	Tests         = loop.Tests      // what test runs showed
	GateResult    = loop.Gate       // what a gate said
	Limit         = loop.Limit      // a limit that the provider set
	Usage         = loop.Usage      // what an attempt used up
	State         = loop.State      // in events: the runner's own book of the run; programs go by RunState
	Totals        = loop.Totals     // what counts over the whole run
	FencedOff     = loop.FencedOff  // of the totals: what the sandbox has refused
	Streaks       = loop.Streaks    // what counts in a row
	Limits        = loop.Limits     // what will end the run at the latest
	Sandbox       = loop.Sandbox    // what stands between a run's programs and the rest of the machine
	Verdict       = loop.Verdict    // what a rule says
	Span          = loop.Millis     // a duration, in JSON as milliseconds
)

// What a run can be.
const (
	Running     = loop.Running
	Waiting     = loop.Waiting
	Paused      = loop.Paused
	Rebooting   = loop.Rebooting
	Done        = loop.Done
	Exhausted   = loop.Exhausted
	Aborted     = loop.Aborted
	Stopped     = loop.Stopped
	CouldNotRun = loop.CouldNotRun
	Parked      = loop.Parked  // its runner has left it, and Resume goes on
	Crashed     = loop.Crashed // no event says so: its runner is gone, and it has no end
)

// How much stands behind a run that is done, the most first.
const (
	// LevelProven: the evidence tells the work from what was there before.
	LevelProven = loop.LevelProven
	// LevelKept: every gate passes and every known test holds, and nothing tells
	// whether more than that was done.
	LevelKept = loop.LevelKept
	// LevelTestsChanged: old tests fail, are skipped or are gone, and the agent said of each
	// why that is meant.
	LevelTestsChanged = loop.LevelTestsChanged
	// LevelClaimed: nothing but the agent's word.
	LevelClaimed = loop.LevelClaimed
)

// What became of an old test that fails, is skipped or is gone.
const (
	TestGone     = loop.TestGone
	TestSkipped  = loop.TestSkipped
	TestWeakened = loop.TestWeakened
	TestFails    = loop.TestFails
	TestDecides  = loop.TestDecides // it is a file that decides what is tested
)

// Where a gate looked.
const (
	InWorkspace = loop.InWorkspace
	InClean     = loop.InClean
)

// How an attempt ended.
const (
	OK          = loop.OK
	Failed      = loop.Failed
	TimedOut    = loop.TimedOut
	Idle        = loop.Idle
	Skipped     = loop.Skipped
	Interrupted = loop.Interrupted
	Limited     = loop.Limited
	Unavailable = loop.Unavailable
	Lost        = loop.Lost
)

// What a verdict says to do.
const (
	Continue = loop.Continue
	Wait     = loop.Wait
	Reboot   = loop.Reboot
	Stop     = loop.Stop
)

// What went wrong in an agent. How each is taken is in docs/agents.md.
const (
	ErrMissing         = loop.ErrMissing
	ErrAuth            = loop.ErrAuth
	ErrBilling         = loop.ErrBilling
	ErrModel           = loop.ErrModel
	ErrUsageLimit      = loop.ErrUsageLimit
	ErrRateLimit       = loop.ErrRateLimit
	ErrOverloaded      = loop.ErrOverloaded
	ErrServer          = loop.ErrServer
	ErrNetwork         = loop.ErrNetwork
	ErrContextOverflow = loop.ErrContextOverflow
	ErrMaxTurns        = loop.ErrMaxTurns
	ErrAgentBudget     = loop.ErrAgentBudget
	ErrPermission      = loop.ErrPermission
	ErrRefusal         = loop.ErrRefusal
	ErrAgent           = loop.ErrAgent
	ErrPrompt          = loop.ErrPrompt
	ErrKeeper          = loop.ErrKeeper
)
