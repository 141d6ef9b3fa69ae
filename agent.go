package refrain

import (
	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/request"
)

// Agent is an agent of your own: it says how to start one attempt, and reads
// what that prints. It starts nothing itself; the run does, and ends all that the
// process started. Its name must not be that of another agent.
type Agent interface {
	Name() string
	// Command is how to start one attempt.
	Command(Call) (Command, error)
	// Decoder reads the output of one attempt. Each attempt needs its own.
	Decoder() Decoder
}

type (
	// Call is what one attempt asks of an agent.
	Call = agent.Call
	// Command is a process to start.
	Command = agent.Command
	// Decoder turns the lines that an agent prints into events: AgentText,
	// AgentTool, AgentToolResult, AgentUsage, AgentSession, AgentRetry, AgentLimit,
	// and exactly one AgentResult. An attempt without a result has failed.
	Decoder = agent.Decoder
)

// Capable is what an Agent may be, too, to say what it can do beyond the least.
type Capable interface{ Abilities() Abilities }

// Abilities is what a run cannot find out by itself. What is asked of an agent
// that is not able to do it is a *UsageError.
type Abilities struct {
	Sessions bool // it goes on with Call.Session, and tells its own in AgentSession: for session.mode = "keep"
	Tokens   bool // it tells its tokens in AgentUsage: for budget.tokens
	Cost     bool // it tells its cost there: for budget.cost_usd
}

// NewDecoder makes a decoder for output that is like that of an agent we know:
// "text" (every line is something that it says, and the exit status is its
// result), "claude", "codex", "opencode", "gemini", "qwen", "pi", "copilot",
// "cline", "crush", "droid", "grok", "kimi" or "aider".
func NewDecoder(format string) (Decoder, error) {
	if format == "" {
		return nil, &UsageError{What: "the decoder has no format", Hint: "name one, such as \"text\""}
	}
	a, err := agent.New(agent.Options{Name: "command", Command: []string{format}, Format: format})
	if err != nil {
		return nil, &UsageError{What: err.Error(), err: err}
	}
	return a.Decoder(), nil
}

func ownAgent(a Agent, c *Control) (*request.Agent, error) {
	own := &request.Agent{Agent: calledAgent{a, c}}
	err := c.guard("an agent", false, func() {
		own.Name = a.Name()
		if able, ok := a.(Capable); ok {
			can := able.Abilities()
			own.Sessions, own.Tokens, own.Cost = can.Sessions, can.Tokens, can.Cost
		}
	})
	return own, err
}
