package refrain

import "github.com/refrain-loop/refrain/internal/loop"

// Event is one thing that happened in a run. A program finds out what with a
// type switch on its Payload:
//
//	switch p := e.Payload.(type) {
//	case *refrain.AgentText:
//		fmt.Println(p.Text)
//	case *refrain.IterationFinished:
//		fmt.Println(e.Iter, p.Outcome.Result)
//	}
type Event = loop.Event

// Payload is what an event of one type carries; EventType names the type, such
// as "iteration.finished".
type (
	Payload   = loop.Payload
	EventType = loop.Type
)

// The payloads. When each is sent is in docs/journal.md. Later versions may send
// others.
type (
	RunStarted         = loop.RunStarted
	RunResumed         = loop.RunResumed
	RunBaseline        = loop.RunBaseline
	RunWaiting         = loop.RunWaiting
	RunPaused          = loop.RunPaused
	RunUnpaused        = loop.RunUnpaused
	RunAsked           = loop.RunAsked
	RunAnswered        = loop.RunAnswered
	RunRebootStarted   = loop.RunRebootStarted
	RunRebootFinished  = loop.RunRebootFinished
	RunRule            = loop.RunRule
	RunParked          = loop.RunParked
	RunFinished        = loop.RunFinished
	IterationStarted   = loop.IterationStarted
	IterationPhase     = loop.IterationPhase
	IterationFinished  = loop.IterationFinished
	AgentStarted       = loop.AgentStarted
	AgentSession       = loop.AgentSession
	AgentText          = loop.AgentText
	AgentTool          = loop.AgentTool
	AgentToolResult    = loop.AgentToolResult
	AgentUsage         = loop.AgentUsage
	AgentRetry         = loop.AgentRetry
	AgentLimit         = loop.AgentLimit
	AgentResult        = loop.AgentResult
	AgentExited        = loop.AgentExited
	TestsSeen          = loop.TestsSeen
	GateStarted        = loop.GateStarted
	GateFinished       = loop.GateFinished
	HookFinished       = loop.HookFinished
	CheckpointMade     = loop.CheckpointMade
	CheckpointRestored = loop.CheckpointRestored
	PlanRead           = loop.PlanRead
	CommitMade         = loop.CommitMade
	SandboxRefused     = loop.SandboxRefused
	TestExplained      = loop.TestExplained
	ClaimHeard         = loop.ClaimHeard
	ClaimRefused       = loop.ClaimRefused
	CommandReceived    = loop.CommandReceived
	NoteAdded          = loop.NoteAdded
	Warning            = loop.Warning
)
