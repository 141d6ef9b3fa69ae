package loop

// Reason is the cause of an end, in one word.
type Reason string

// The reasons, grouped by the state they end in.
const (
	ByPromise    Reason = "promise" // done
	ByPlan       Reason = "plan"
	ByGates      Reason = "gates"
	ByExitZero   Reason = "exit_zero"
	ByCheck      Reason = "check"      // a check of a program's own
	ByIterations Reason = "iterations" // done or exhausted

	ByTime   Reason = "time" // exhausted
	ByCost   Reason = "cost"
	ByTokens Reason = "tokens"

	ByFailures     Reason = "failures" // aborted
	ByRedGates     Reason = "red_gates"
	ByTestFailures Reason = "test_failures"
	ByNoProgress   Reason = "no_progress"
	ByPattern      Reason = "pattern"
	ByTampering    Reason = "tampered" // with the records
	BySandbox      Reason = "sandbox"  // a gate can not work in it
	ByScript       Reason = "script"
	ByHook         Reason = "hook"
	ByBlocked      Reason = "blocked"
	ByPermissions  Reason = "permissions"
	ByProvider     Reason = "provider"
	ByWaitTooLong  Reason = "wait_too_long"
	ByRule         Reason = "rule" // of a program that brought it; done, too

	ByRequest Reason = "asked" // stopped
	BySignal  Reason = "signal"

	ByAgentMissing Reason = "agent_missing" // could not run
	ByNotSignedIn  Reason = "not_signed_in"
	ByNoCredit     Reason = "no_credit"
	ByError        Reason = "error"
)

// The rules that do not end a run. One that does is called as its reason.
const (
	RuleLimit    = "limit" // waits for a provider
	RuleAsked    = "asked" // waits for a person's answer, and goes on without one when its time is over
	RuleProvider = "provider"
	RuleSignIn   = "sign_in"
	RuleBackoff  = "backoff" // waits between iterations
	RuleSkip     = "skip"
	RuleDelay    = "delay"
	RuleFallback = "fallback" // another agent works meanwhile
)

// Result is how an attempt ended.
type Result string

// The results of an attempt.
const (
	OK          Result = "ok"
	Failed      Result = "failed"
	TimedOut    Result = "timed_out"
	Idle        Result = "idle"
	Skipped     Result = "skipped"
	Interrupted Result = "interrupted"
	Limited     Result = "limited"
	Unavailable Result = "unavailable"
	Lost        Result = "lost"
)

// Phase is where a live attempt stands.
type Phase string

// The phases of an attempt, in their order.
const (
	Pending   Phase = "pending"
	PreHooks  Phase = "pre_hooks"
	Executing Phase = "executing"
	Gates     Phase = "gates"
	PostHooks Phase = "post_hooks"
)

// Cause is what ended the agent's process.
type Cause string

// The causes of an exit.
const (
	Exited     Cause = "exited"
	Signaled   Cause = "signaled"
	AtDeadline Cause = "timed_out"
	WhenIdle   Cause = "idle"
	OnRequest  Cause = "asked"
	OnSkip     Cause = "skip"
	OnBudget   Cause = "budget"
	OnMaxTime  Cause = "time"
	OnRedline  Cause = "redline"
	OnRetry    Cause = "retry" // it kept trying a request again for longer than anybody wants to wait
)
