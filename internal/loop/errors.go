package loop

import "slices"

// ErrorKind classes what went wrong in an agent, across all agents.
type ErrorKind string

// The kinds of error.
const (
	ErrMissing         ErrorKind = "missing"
	ErrAuth            ErrorKind = "auth"
	ErrBilling         ErrorKind = "billing"
	ErrModel           ErrorKind = "model"
	ErrUsageLimit      ErrorKind = "usage_limit"
	ErrRateLimit       ErrorKind = "rate_limit"
	ErrOverloaded      ErrorKind = "overloaded"
	ErrServer          ErrorKind = "server"
	ErrNetwork         ErrorKind = "network"
	ErrContextOverflow ErrorKind = "context_overflow"
	ErrMaxTurns        ErrorKind = "max_turns"
	ErrAgentBudget     ErrorKind = "agent_budget"
	ErrPermission      ErrorKind = "permission"
	ErrRefusal         ErrorKind = "refusal"
	ErrAgent           ErrorKind = "agent"
	ErrPrompt          ErrorKind = "prompt" // not the agent's: there is nothing to tell it
	ErrKeeper          ErrorKind = "keeper" // not the agent's either: who kept its processes was ended
)

// Treatment is what a kind of error makes of an attempt.
type Treatment struct {
	Result     Result
	Fatal      Reason // ends the run at once, when set
	Unfinished bool   // the work counts, the claim is not heard
	// OnlyAtFirst limits Fatal to runs in which the agent never worked: a
	// sign-in that expires in the night may come back.
	OnlyAtFirst bool
	// FallsBack says that another agent may go on instead, if there is one.
	FallsBack bool
}

// treatments is the one place that says how each kind of error is taken.
var treatments = map[ErrorKind]Treatment{
	ErrMissing:         {Result: Failed, Fatal: ByAgentMissing},
	ErrAuth:            {Result: Failed, Fatal: ByNotSignedIn, OnlyAtFirst: true, FallsBack: true},
	ErrBilling:         {Result: Failed, Fatal: ByNoCredit, FallsBack: true},
	ErrModel:           {Result: Failed, Fatal: ByError},
	ErrUsageLimit:      {Result: Limited},
	ErrRateLimit:       {Result: Limited},
	ErrOverloaded:      {Result: Unavailable},
	ErrServer:          {Result: Unavailable},
	ErrNetwork:         {Result: Unavailable},
	ErrContextOverflow: {Result: Failed},
	ErrMaxTurns:        {Result: OK, Unfinished: true},
	ErrAgentBudget:     {Result: OK, Unfinished: true},
	ErrPermission:      {Result: Failed},
	ErrRefusal:         {Result: Failed},
	ErrAgent:           {Result: Failed},
	ErrPrompt:          {Result: Failed},
	ErrKeeper:          {Result: Lost},
}

// Treat tells how an error of kind k is taken. A kind that nobody has heard of
// is an ordinary failure.
func Treat(k ErrorKind) Treatment {
	if t, ok := treatments[k]; ok {
		return t
	}
	return Treatment{Result: Failed}
}

// ErrorKinds lists every kind that has a treatment, sorted.
func ErrorKinds() []ErrorKind {
	kinds := make([]ErrorKind, 0, len(treatments))
	for k := range treatments {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return kinds
}
