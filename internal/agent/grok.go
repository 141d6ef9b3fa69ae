package agent

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Grok.
//
// It prints a message only when its tools have ended, and says nothing while it
// tries again, or waits for a limit: that it writes into a file of its session, whose
// name it may take from us. Every signal ends it at once, and its tools live on.
//
// Unless it is told otherwise it takes nothing from a folder that the user has not
// trusted, not even the words of AGENTS.md. So it is told, where we have asked.
//
// It has a sandbox of its own, which needs bubblewrap and could not be measured: it
// stays as the user has set it.
func newGrok(o Options) (Agent, error) {
	trust := "0" // the switch of the check, not the answer
	if len(o.Untrusted) > 0 {
		trust = "1"
	}
	return newCLI(o, cli{
		program: "grok",
		format:  "grok",
		traits: Traits{
			Measured: []string{"1.0.41"},
			Tokens:   true, Turns: true, Sessions: true,
			Keys:    []string{"XAI_API_KEY"},
			Secrets: slices.Concat(anyProvider, []string{"GROK_CODE_XAI_API_KEY"}),
			Home:    "https://docs.x.ai/build/overview",
			Hosts:   []string{"auth.x.ai", "cli-chat-proxy.grok.com"}, // from its documentation
			Bases:   slices.Concat(anyBase, []string{"GROK_MODELS_BASE_URL", "GROK_XAI_API_BASE_URL"}),
			State: State{
				Folder: ".grok", In: "GROK_HOME",
				Keep: []string{
					"config.toml", "managed_config.toml", "requirements.toml", "sandbox.toml", "trusted_folders.toml", "hooks-paths",
					"AGENTS.md", "agents", "hooks", "installed-plugins", "plugins", "skills",
				},
				Secret: []string{"auth.json"},
				Diary:  []string{"sessions/*/" + SessionMark + "/updates.jsonl"},
			},
		},
		env: map[string]string{
			"GROK_DISABLE_AUTOUPDATER": "1",
			"GROK_TELEMETRY_ENABLED":   "false",
			"GROK_FOLDER_TRUST":        trust,
		},
		wish:     []string{"GROK_MAX_RETRIES=3"}, // of each of four requests, instead of 15
		confined: map[string]string{"GROK_SANDBOX": "off"},
		unset:    []string{"GROK_AGENT", "GROK_SESSION_ID"},
		args:     grokArgs,
		ear:      grokEar,
		ignores:  true,
		takes: Takes{
			// From the folder it works in and the root of the repository, also what is
			// there for others.
			Settings: []string{
				".grok/config.toml", ".grok/sandbox.toml", ".mcp.json", ".claude/settings.json", ".claude/settings.local.json",
				".cursor/mcp.json", ".cursor/hooks.json",
			},
			Scripts: []string{".grok/hooks/"},
			Code:    []string{".grok/plugins/"},
			Skills:  []string{".grok/agents/", ".grok/commands/", ".grok/skills/", ".agents/skills/", ".claude/agents/", ".claude/commands/", ".claude/skills/", ".cursor/skills/"},
		},
	})
}

// grokModes are the switches for what it may do unasked. What it would have to ask
// for ends the attempt, whatever its other modes promise; what a rule denies is an
// error that the model sees.
var grokModes = map[string][]string{
	"edits": {"--always-approve", "--deny", "Bash"},
	"work":  {"--always-approve"},
	"full":  {"--always-approve"},
}

// grokArgs has it read the prompt as a file, which may be stdin.
func grokArgs(o Options, c Call) ([]string, error) {
	args := append([]string{"--output-format", "streaming-messages-json"}, grokModes[o.Permissions]...)
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, "--resume", c.Session)
	}
	if o.MaxTurns > 0 {
		args = append(args, "--max-turns", strconv.Itoa(o.MaxTurns))
	}
	return append(args, "--prompt-file", "/dev/stdin"), nil
}

// grokEar names a fresh session: it prints its name only with its first message, and
// what it writes before would not be found. Each attempt has a room of its own.
func grokEar(cmd *Command, c Call) {
	if c.Session != "" {
		return
	}
	id := sha256.Sum256([]byte(c.Room))
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a UUID of chance
	cmd.Session = fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
	cmd.Argv = append(cmd.Argv, "--session-id", cmd.Session)
}

const grokShell = "run_terminal_command"

// grokDialect is claude's, but for the results of tools, which are JSON in a text.
// It also reads grok's own way to say things (--output-format streaming-json).
type grokDialect struct {
	claudeDialect
	parser  parser
	diary   parser
	stopped string // the tool that it would have had to ask for
	text    deltas // of its own way
	turns   int
}

func newGrokDecoder(o Options) Decoder {
	return newJSONDecoder(o, &grokDialect{claudeDialect: claudeDialect{accent: accent{shell: grokShell}}})
}

func (d *grokDialect) event(v value, r *report) {
	switch v.str("type") {
	case "system":
		d.begun(v, r)
	case "user":
		d.returned(v, r)
	case "result":
		d.ended(v, r)
	case "text", "usage", "tool_call", "tool_call_update", "error", "end":
		d.native(v, r)
	default:
		d.claudeDialect.event(v, r)
	}
}

// begun passes over where the key came from, which it says the same of all. Before
// it has a session, it names no model.
func (d *grokDialect) begun(v value, r *report) {
	if session := v.str("session_id"); session != "" && v.is("init", "subtype") {
		r.met(loop.AgentSession{Session: session, Model: v.str("model")})
	}
}

// grokStatus is how it begins to put the answer of a server.
var grokStatus = text.NewPattern(`^API error \(status (\d{3})[^)]*\): `)

// overhear reads a line of its session, where it writes that a request has failed and
// will be made again:
//
//	{"method":"_x.ai/session/update","params":{"update":{"sessionUpdate":"retry_state","type":"retrying","attempt":1,
//	"max_retries":3,"reason":"API error (status 429 Too Many Requests): usage_limit_reached: no","error_type":"rate_limited"}}}
func (d *grokDialect) overhear(line string, r *report) {
	if !strings.Contains(line, `"retry_state"`) {
		return
	}
	v, ok := d.diary.parse([]byte(line))
	state := v.get("params", "update")
	if !ok || !state.is("retry_state", "sessionUpdate") || !state.is("retrying", "type") {
		return
	}
	f := fault{text: state.str("reason")}
	if found := grokStatus().FindStringSubmatch(f.text); found != nil {
		f.status, f.text = number(found[1]), f.text[len(found[0]):]
	}
	try := loop.AgentRetry{Try: state.int("attempt"), Most: state.int("max_retries")}
	if state.is("rate_limited", "error_type") {
		try.Within = byItself(try.Try)
	}
	r.retries(try, f)
}

// chatter is what it says of a session that it does not find: to ask for that elsewhere
// needs a sign-in, which is not why it fails.
func (*grokDialect) chatter(line string) bool { return strings.Contains(line, "session restore") }

// confesses knows an error that ends it.
func (*grokDialect) confesses(line string) (string, bool) { return strings.CutPrefix(line, "Error: ") }

func (d *grokDialect) returned(v value, r *report) {
	for _, block := range v.list("message", "content") {
		if !block.is("tool_result", "type") {
			continue
		}
		result := loop.AgentToolResult{ID: block.str("tool_use_id"), Output: block.str("content"), Failed: block.bool("is_error")}
		if told, ok := d.parser.parse([]byte(result.Output)); ok {
			grokTold(told, &result)
		}
		d.deny(&result, r)
		r.returned(result)
	}
}

// grokTold reads what a tool tells: a list of texts when it was not run, else an
// object of the tool's own.
func grokTold(told value, result *loop.AgentToolResult) {
	if blocks := told.list(); blocks != nil {
		var texts []string
		for _, block := range blocks {
			texts = append(texts, block.str("content", "text"))
		}
		result.Output = strings.Join(texts, "\n")
		return
	}
	if output := told.str("output_for_prompt"); output != "" {
		result.Output = output
	}
	if told.is("Bash", "type") && told.has("exit_code") {
		exit := told.int("exit_code")
		result.Exit = &exit
		result.Failed = result.Failed || exit != 0
	}
}

// deny finds out whether a tool was not allowed. One that it had to ask for is
// "cancelled by the user".
func (d *grokDialect) deny(result *loop.AgentToolResult, r *report) {
	asked := strings.HasPrefix(result.Output, "User cancelled the execution for tool `")
	if asked {
		d.stopped = r.open[result.ID]
	}
	result.Denied = asked || strings.HasPrefix(result.Output, "Tool `") && strings.Contains(result.Output, "` was not executed: ")
}

func (d *grokDialect) ended(v value, r *report) {
	if d.stopped != "" && v.is("cancelled", "stop_reason") && v.is("error_during_execution", "subtype") {
		d.total(v, r)
		r.failed(fault{kind: "permission", text: "it was not allowed to use " + d.stopped + ", and stopped there"})
		return
	}
	d.result(v, r)
}
