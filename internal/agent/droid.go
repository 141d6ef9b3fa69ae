package agent

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Droid, measured with a model of the user's own.
//
// It reads AGENTS.md by itself and has no turn limit. A session that it continues
// comes from its maker's server, so none was measured, and none is kept. On INT and
// on TERM it ends its tool, goes on with the next turn, and says that all went well.
// It says nothing while it tries again, for minutes, but writes it into its log; nothing
// makes it give up on replies that are cut off. Telemetry ends only with FACTORY_AIRGAP_ENABLED, and
// with it everything but models of the user's own.
func newDroid(o Options) (Agent, error) {
	return newCLI(o, cli{
		program: "droid",
		format:  "droid",
		traits: Traits{
			Measured: []string{"0.225.2"},
			Tokens:   true,
			Secrets:  []string{"FACTORY_API_KEY"},
			Home:     "https://factory.ai",
			Hosts:    []string{"api.factory.ai", "app.factory.ai"}, // from its program; not measured
			Bases:    []string{"FACTORY_API_BASE_URL"},
			State: State{
				Folder: ".factory", Keep: []string{"settings.json", "settings.local.json", "mcp.json", "hooks.json", "hooks", "commands", "droids", "plugins", "skills", "AGENTS.md"},
				Secret: []string{"auth.json", "auth.v2.file", "auth.v2.key"},
				Diary:  []string{"logs/droid-log-single.log"}, // of all its sessions
			},
		},
		env:   map[string]string{"FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"},
		unset: []string{"DROID_PARENT_SESSION_ID", "FACTORY_DISABLE_SETTINGS_PERSISTENCE"},
		args:  droidArgs,
		takes: Takes{ // measured: hooks of the first, and servers of mcp.json
			Settings: []string{".factory/settings.json", ".factory/settings.local.json", ".factory/mcp.json", ".factory/hooks.json"},
			Scripts:  []string{".factory/hooks/"},
			Code:     []string{".factory/plugins/"},
			Skills:   []string{".factory/commands/", ".factory/droids/", ".factory/skills/", ".agent/skills/", ".agents/skills/", ".claude/commands/", ".claude/agents/", ".claude/skills/"},
		},
	})
}

// droidModes are the switches for what it may do unasked; without one it only
// reads. The model itself says how risky a command is, and one that is too risky
// for the mode ends the attempt: so "edits" takes the shell away.
var droidModes = map[string][]string{
	"edits": {"--auto", "low", "--remove-tools", "Execute"},
	"work":  {"--auto", "medium"},
	"full":  {"--skip-permissions-unsafe"},
}

func droidArgs(o Options, c Call) ([]string, error) {
	args := append([]string{"exec", "--output-format", "stream-json"}, droidModes[o.Permissions]...)
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	return args, nil
}

// droidDialect reads Droid's events.
type droidDialect struct {
	fault *fault
	tries int // of a request that has failed, as its log counts them; 0: it has not said
	log   parser
}

func newDroidDecoder(o Options) Decoder { return newJSONDecoder(o, &droidDialect{}) }

// skip passes over thoughts.
func (*droidDialect) skip(kind []byte) bool { return string(kind) == "reasoning" }

func (d *droidDialect) event(v value, r *report) {
	switch v.str("type") {
	case "system":
		r.met(loop.AgentSession{Session: v.str("session_id"), Model: v.str("model")})
	case "message":
		// When it may not go on, it says so as if the agent had.
		if said := v.str("text"); v.is("assistant", "role") && !strings.HasPrefix(said, droidStopped) {
			d.fault = nil // it got over it
			r.said(said)
		}
	case "tool_call":
		d.fault = nil
		name := v.str("toolName")
		r.called(loop.AgentTool{ID: v.str("id"), Name: name, Input: gist(v.get("parameters")), Shell: name == "Execute"})
	case "tool_result":
		r.returned(droidReturn(v))
	case "error":
		d.failed(v)
	case "completion":
		u := usageOf(v.get("usage"), false)
		u.Turns = v.int("numTurns")
		r.used(u, 0)
		r.ended(loop.AgentResult{OK: true, Text: v.str("finalText")})
	}
}

// droidStopped begins its word for a tool that the mode does not allow.
const droidStopped = "Exec ended early: insufficient permission"

var droidExit = text.NewPattern(`\[Process exited with code (\d{1,3})\]\s*$`)

func droidReturn(v value) loop.AgentToolResult {
	result := loop.AgentToolResult{
		ID:     v.str("id"),
		Name:   v.str("toolId"),
		Output: cmp.Or(v.str("error", "message"), v.shown("value")),
		Failed: v.bool("isError"),
	}
	if whole := v.str("value"); whole != "" {
		result.Output = whole
	}
	result.Denied = strings.Contains(result.Output, droidStopped)
	if found := droidExit().FindStringSubmatch(result.Output); found != nil {
		code, _ := strconv.Atoi(found[1]) // at most three digits
		result.Exit = &code
	}
	return result
}

// droidFailed is what the program adds to an error.
const droidFailed = "Exec failed"

// failed keeps the first error that is a reason.
func (d *droidDialect) failed(v value) {
	if d.fault != nil && !d.fault.vague {
		return
	}
	text := v.str("message")
	if d.fault != nil && text == "" {
		return
	}
	d.fault = &fault{text: cmp.Or(text, "an error without a message"), vague: text == "" || text == droidFailed}
	if strings.HasPrefix(d.fault.text, droidStopped) {
		d.fault.kind = "permission"
	}
}

// overhear reads a line of its log, where each request that failed stands on several,
// the last with its words:
//
//	[2026-11-19T02:34:53.149Z] WARN: [LLM] LLM error | Context: {"attempt":1,"statusCode":500,"tags":{"sessionId":"s"}}
//	[2026-11-19T02:34:53.149Z] WARN: Retry attempt failed
//	Error: 500 Internal server error
//	    at generate (client.mjs:332:30) | Context: {"cause":{"message":"500 Internal server error"},"tags":{"sessionId":"s"}}
//
// Other sessions write there, too.
func (d *droidDialect) overhear(line string, r *report) {
	failed := strings.Contains(line, "] WARN: [LLM] LLM error | ")
	if !failed && d.tries == 0 {
		return
	}
	_, context, found := strings.Cut(line, " | Context: ")
	if !found {
		return
	}
	v, ok := d.log.parse([]byte(context))
	if !ok || r.session.Session == "" || !v.is(r.session.Session, "tags", "sessionId") {
		return
	}
	if failed {
		d.tries = max(1, v.int("attempt"))
		return
	}
	if words := v.str("cause", "message"); words != "" {
		r.retries(loop.AgentRetry{Try: d.tries}, fault{text: words})
		d.tries = 0
	}
}

// complain reads on stderr that there is no such model, which it tells nowhere else.
func (d *droidDialect) complain(line string, _ *report) {
	if d.fault == nil && strings.HasPrefix(line, "Invalid model: ") {
		d.fault = &fault{kind: "model_not_found", text: line}
	}
}

// confesses knows an error that ends it.
func (*droidDialect) confesses(line string) (string, bool) { return strings.CutPrefix(line, "Error: ") }

func (d *droidDialect) end(_ loop.Exit, r *report) {
	if d.fault != nil {
		r.failed(*d.fault)
	}
}
