package agent

import (
	"cmp"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// GitHub Copilot CLI.
//
// It reads AGENTS.md by itself and has no turn limit. Its program is a launcher
// that passes no signal on: only one to the whole group ends the agent, and
// INT is the one after which it does not claim success.
//
// It takes only words from a folder that the user has not trusted, unless a
// variable that allows all tools says otherwise.
func newCopilot(o Options) (Agent, error) {
	unset := []string{
		"COPILOT_AGENT_SESSION_ID", "COPILOT_CLI", "COPILOT_CLI_BINARY_VERSION",
		"COPILOT_CLI_RESOLVED_DIST_DIR", "COPILOT_LOADER_PID",
	}
	if len(o.Untrusted) > 0 {
		unset = append(unset, "COPILOT_ALLOW_ALL")
	}
	return newCLI(o, cli{
		program: "copilot",
		format:  "copilot",
		traits: Traits{
			Measured: []string{"1.0.102"},
			Sessions: true,
			Keys:     []string{"COPILOT_PROVIDER_API_KEY"},
			Secrets:  []string{"COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN", "COPILOT_PROVIDER_HEADERS", "COPILOT_GITHUB_TOKEN"},
			Home:     "https://github.com/github/copilot-cli",
			// From GitHub's documentation: which of the hosts below depends on the plan.
			// The API tells which, and can do everything else that its token may.
			Hosts: []string{".githubcopilot.com", "api.github.com"},
			Bases: []string{"COPILOT_PROVIDER_BASE_URL"},
			State: State{ // config.json holds its sign-in and is written all the time
				Folder: ".copilot", In: "COPILOT_HOME", Secret: []string{"config.json"},
				Keep: []string{"settings.json", "permissions-config.json", "mcp-config.json", "lsp-config.json", "copilot-instructions.md", "instructions", "agents", "hooks", "installed-plugins", "skills"},
			},
		},
		first:   "INT",
		env:     map[string]string{"COPILOT_AUTO_UPDATE": "false"},
		unset:   unset,
		args:    copilotArgs,
		ignores: true,
		takes: Takes{
			// From the folder it works in and the root of the repository, also what
			// is there for others.
			Settings: []string{
				".github/copilot/settings.json", ".github/copilot/settings.local.json", ".github/mcp.json", ".github/lsp.json",
				".mcp.json", ".vscode/mcp.json", ".claude/settings.json", ".claude/settings.local.json",
			},
			Code:   []string{".github/hooks/", ".github/extensions/"},
			Skills: []string{".github/agents/", ".github/skills/", ".claude/agents/", ".claude/commands/", ".claude/skills/", ".agents/skills/"},
		},
	})
}

// copilotModes are the switches for what it may do unasked. What it would have
// to ask for is denied, and it goes on. All tools are not all paths: "work"
// stays inside the work tree and the folder for temporary files.
var copilotModes = map[string][]string{
	"edits": {"--allow-tool", "write"},
	"work":  {"--allow-all-tools"},
	"full":  {"--allow-all"},
}

func copilotArgs(o Options, c Call) ([]string, error) {
	args := []string{"--output-format", "json", "--no-ask-user", "--disable-client-telemetry"}
	args = append(args, copilotModes[o.Permissions]...)
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, "--resume="+c.Session)
	}
	return args, nil
}

// copilotDialect reads Copilot CLI's events. It tells no tokens and no cost.
type copilotDialect struct {
	turns   int
	spoke   bool            // a model has answered
	context int             // tokens in it when the last tool returned
	tries   int             // of the request under way
	refused *fault          // the provider's last answer, when that was an error
	fault   *fault          // why it gave up
	aborted string          // who ended it
	shells  map[string]bool // commands in the background that have not ended
}

func newCopilotDecoder(o Options) Decoder { return newJSONDecoder(o, &copilotDialect{}) }

// skip passes over what says nothing new. Every delta comes again in a whole
// message, every piece of output in the tool's result, and the prompt is ours.
func (d *copilotDialect) skip(kind []byte) bool {
	switch string(kind) {
	case "assistant.message_start", "assistant.message_delta", "assistant.reasoning", "assistant.reasoning_delta",
		"assistant.tool_call_delta", "tool.shell_output", "tool.execution_partial_result", "user.message",
		"session.background_tasks_changed", "session.skills_loaded", "session.mcp_servers_loaded":
		return true
	}
	return false
}

func (d *copilotDialect) event(v value, r *report) {
	data := v.get("data")
	switch v.str("type") {
	case "model.call_start": // an answer names its model, too, but there may be none
		if r.session.Model == "" {
			r.met(loop.AgentSession{Model: data.str("model")})
		}
	case "assistant.turn_start":
		d.turns++
		d.tries = 0
	case "assistant.message":
		d.message(data, r)
	case "tool.execution_start":
		name := data.str("toolName")
		r.called(loop.AgentTool{
			ID: data.str("toolCallId"), Name: name, Input: gist(data.get("arguments")),
			Shell: name == "bash" || name == "powershell", // the latter on Windows
		})
	case "tool.execution_complete":
		d.returned(data, r)
	case "model.call_failure":
		d.refused = copilotRefusal(data)
	case "model.call_final_result":
		d.billed(data, r)
	case "assistant.turn_retry":
		d.retry(data, r)
	case "system.notification":
		if data.is("shell_completed", "kind", "type") {
			delete(d.shells, data.str("kind", "shellId"))
		}
	case "session.error":
		d.failed(data)
	case "abort":
		d.aborted = cmp.Or(data.str("reason"), "aborted")
	case "result":
		d.result(v, r)
	}
}

// message takes the agent's words. Those of an agent that it has called as a
// tool are not its own.
func (d *copilotDialect) message(data value, r *report) {
	r.met(loop.AgentSession{Model: data.str("model")})
	d.spoke, d.fault, d.refused = true, nil, nil // it got an answer after all
	if !data.has("parentToolCallId") {
		r.said(data.str("content"))
	}
}

// inBackground is how it answers for a command that it does not wait for.
var inBackground = text.NewPattern(`^<command started in (?:detached )?background with shellId: ([^>]+)>`)

func (d *copilotDialect) returned(data value, r *report) {
	result := loop.AgentToolResult{
		ID:     data.str("toolCallId"),
		Output: cmp.Or(data.str("result", "content"), data.str("error", "message")),
		Failed: !data.bool("success"),
		Denied: data.is("denied", "error", "code"),
	}
	if data.has("shellExecution", "exitCode") {
		exit := data.int("shellExecution", "exitCode")
		result.Exit = &exit
		result.Failed = result.Failed || exit != 0
	}
	if found := inBackground().FindStringSubmatch(result.Output); found != nil {
		if d.shells == nil {
			d.shells = map[string]bool{}
		}
		d.shells[found[1]] = true
	}
	r.returned(result)
	d.measure(data.get("toolTelemetry", "metrics"), r)
}

// measure tells how full the context is, which the tools' telemetry gives away.
func (d *copilotDialect) measure(metrics value, r *report) {
	if !metrics.has("context_current_tokens") {
		return
	}
	d.context = metrics.int("context_current_tokens")
	r.met(loop.AgentSession{ContextWindow: metrics.int("context_token_limit")})
	r.used(loop.Usage{Turns: d.turns}, d.context)
}

// billed tells who pays: the user's own key for a provider, or GitHub's plan.
func (d *copilotDialect) billed(data value, r *report) {
	if !data.has("isByok") {
		return
	}
	to := "subscription"
	if data.bool("isByok") {
		to = "api_key"
	}
	r.met(loop.AgentSession{BilledTo: to})
}

// copilotRefusal reads the provider's answer, which is JSON in a text.
func copilotRefusal(data value) *fault {
	f := fault{status: data.int("statusCode"), detail: data.str("errorMessage")}
	var p parser
	if answer, ok := p.parse([]byte(f.detail)); ok {
		f.kind, f.text = answer.str("code"), answer.str("message")
	}
	return &f
}

func (d *copilotDialect) retry(data value, r *report) {
	d.tries++
	f := fault{kind: data.str("reason")}
	if d.refused != nil {
		f = *d.refused
	}
	f.text = cmp.Or(f.text, data.str("reason"), "a request failed")
	again := loop.AgentRetry{Try: d.tries}
	if loop.Treat(f.class()).Result != loop.Limited { // else it may wait for longer
		again.After = loop.Millis(time.Second)
	}
	r.retries(again, f)
}

// failed keeps why it gave up. The provider's answer says more than it does
// itself, such as when a limit ends.
func (d *copilotDialect) failed(data value) {
	d.fault = &fault{
		status: data.int("statusCode"),
		kind:   data.str("errorType"),
		text:   cmp.Or(data.str("message"), "an error without a message"),
	}
	if d.refused != nil {
		d.fault.status = cmp.Or(d.fault.status, d.refused.status)
		d.fault.detail = d.refused.detail
	}
}

// result reads the last event, which reports exit status 0 for an attempt that
// was ended by a signal.
func (d *copilotDialect) result(v value, r *report) {
	r.met(loop.AgentSession{Session: v.str("sessionId")})
	r.used(loop.Usage{Turns: d.turns}, d.context)
	well := v.has("exitCode") && v.int("exitCode") == 0
	if well && d.spoke && d.refused == nil {
		d.fault = nil // it was about something beside the work
	}
	switch {
	case d.fault != nil:
		r.failed(*d.fault)
	case d.aborted != "":
		r.failed(fault{text: "it was ended: " + d.aborted})
	case well:
		r.ended(loop.AgentResult{OK: true, Pending: len(d.shells) > 0})
	default:
		r.failed(fault{text: "it reported exit " + v.shown("exitCode")})
	}
}

func (d *copilotDialect) end(_ loop.Exit, r *report) {
	if r.result == nil && d.fault != nil {
		r.failed(*d.fault)
	}
}
