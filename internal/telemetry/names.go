package telemetry

// The names of attributes. Those of GenAI are still in development and have
// left the released conventions, so the ones in use are declared here.
const (
	serviceName    = "service.name"
	serviceVersion = "service.version"
	errorType      = "error.type"
	processPID     = "process.pid"
	processExit    = "process.exit.code"

	genOperation     = "gen_ai.operation.name"
	genProvider      = "gen_ai.provider.name"
	genAgent         = "gen_ai.agent.name"
	genRequestModel  = "gen_ai.request.model"
	genResponseModel = "gen_ai.response.model"
	genConversation  = "gen_ai.conversation.id"
	genInput         = "gen_ai.usage.input_tokens" // cached ones included
	genOutput        = "gen_ai.usage.output_tokens"
	genCacheRead     = "gen_ai.usage.cache_read.input_tokens"
	genCacheWrite    = "gen_ai.usage.cache_creation.input_tokens"
	genTool          = "gen_ai.tool.name"
	genToolCall      = "gen_ai.tool.call.id"

	ownRun           = "refrain.run"
	ownRunID         = "refrain.run_id"
	ownProcedure     = "refrain.procedure"
	ownIteration     = "refrain.iteration"
	ownAttempt       = "refrain.attempt"
	ownIterations    = "refrain.iterations"
	ownState         = "refrain.state"
	ownResult        = "refrain.result"
	ownVerdict       = "refrain.verdict"
	ownRule          = "refrain.rule"
	ownReason        = "refrain.reason"
	ownWhy           = "refrain.why"
	ownHint          = "refrain.hint"
	ownProven        = "refrain.proven"
	ownLevel         = "refrain.level"
	ownProgress      = "refrain.progress"
	ownCause         = "refrain.exit_cause"
	ownSignal        = "refrain.signal"
	ownTokens        = "refrain.tokens"
	ownCost          = "refrain.cost_usd"
	ownCostEstimated = "refrain.cost_estimated"
	ownContext       = "refrain.context_percent"
	ownTurns         = "refrain.turns"
	ownFiles         = "refrain.files_changed"
	ownCommits       = "refrain.commits"
	ownTestsRun      = "refrain.tests_run"
	ownTestsPassed   = "refrain.tests_passed"
	ownTestsFailed   = "refrain.tests_failed"
	ownGate          = "refrain.gate"
	ownWhere         = "refrain.gate_where"
	ownHook          = "refrain.hook"
	ownAction        = "refrain.hook_action"
	ownShell         = "refrain.tool_shell"
	ownDenied        = "refrain.tool_denied"
	ownUntil         = "refrain.wait_until"
	ownFrom          = "refrain.resumed_from"
	ownCheckpoint    = "refrain.checkpoint"
	ownCommit        = "refrain.commit"
	ownClaim         = "refrain.claim"
	ownNearMiss      = "refrain.near_miss"
	ownSandbox       = "refrain.sandbox"
	ownLimit         = "refrain.limit"
	ownTry           = "refrain.try"
	ownCommand       = "refrain.command"
	ownEffect        = "refrain.effect"
)

// The operations that GenAI knows of and a run is made of.
const (
	invokeAgent = "invoke_agent"
	executeTool = "execute_tool"
)

// providers names who is behind an agent that has only one, in GenAI's words.
var providers = map[string]string{
	"claude": "anthropic",
	"codex":  "openai",
	"gemini": "gcp.gemini",
}
