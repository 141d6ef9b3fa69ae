package agent

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/price"
)

// Gemini CLI.
//
// It reads GEMINI.md and not AGENTS.md, and the one way to hand it a system
// prompt replaces its own, so it gets none. A turn limit and its usage
// statistics can be set only in its settings file. INT and TERM both make it
// exit 0, and its tools live on. In a folder that it is told not to trust it
// does not work at all.
func newGemini(o Options) (Agent, error) {
	return newCLI(o, cli{
		program: "gemini",
		format:  "gemini",
		traits: Traits{
			Measured: []string{"0.61.0"},
			Tokens:   true, Sessions: true,
			Keys:    []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			Secrets: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			Home:    "https://github.com/google-gemini/gemini-cli",
			// By its reports: with a key, for who has signed in, and Vertex without a
			// region. It has no list of its own.
			Hosts: []string{"aiplatform.googleapis.com", "cloudcode-pa.googleapis.com", "generativelanguage.googleapis.com", "oauth2.googleapis.com"},
			Bases: []string{"CODE_ASSIST_ENDPOINT", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"},
			State: State{
				Folder: ".gemini", Keep: []string{"settings.json", "GEMINI.md", ".env", "agents", "commands", "extensions", "hooks", "policies", "skills"},
				Secret: []string{"oauth_creds.json"},
			},
		},
		env: map[string]string{
			// It refuses to work headless in a folder that nobody has trusted.
			"GEMINI_CLI_TRUST_WORKSPACE": "true",
			// Else it starts itself a second time, and signals reach the first.
			"GEMINI_CLI_NO_RELAUNCH": "true",
		},
		confined: map[string]string{"GEMINI_SANDBOX": "false"},
		unset:    []string{"GEMINI_CLI"},
		args:     geminiArgs,
		notices:  append(slices.Clone(geminiNotices), "Full report available at"),
		takes: Takes{
			// From the folder it works in; variables from the nearest folder on the
			// way up that has some. Policies name tools that need no question.
			Settings:  []string{".gemini/settings.json", ".gemini/policies/"},
			Variables: []string{".gemini/.env", ".env"},
			Scripts:   []string{".gemini/hooks/", ".gemini/sandbox.bashrc", ".gemini/sandbox.Dockerfile"},
			Code:      []string{".gemini/extensions/"},
			Skills:    []string{".gemini/commands/", ".gemini/agents/", ".gemini/skills/", ".agents/skills/"},
			Above:     []string{".gemini/.env", ".env"},
		},
		// It repeats the prompt in its output, and when that is long it ends
		// before a pipe has taken the rest.
		stdoutFile: true,
	})
}

// geminiModes are the switches for what it may do unasked. A tool that it would
// have to ask for is not offered to the model at all. Its sandbox needs a
// container engine, so "work" goes without.
var geminiModes = map[string][]string{
	"edits": {"--approval-mode", "auto_edit"},
	"work":  {"--approval-mode", "auto_edit", "--allowed-tools", geminiShell},
	"full":  {"--approval-mode", "yolo"},
}

const geminiShell = "run_shell_command"

func geminiArgs(o Options, c Call) ([]string, error) {
	args := append([]string{"--output-format", "stream-json"}, geminiModes[o.Permissions]...)
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, "--resume", c.Session)
	}
	return args, nil
}

// geminiDialect reads Gemini CLI's events.
type geminiDialect struct {
	text    deltas
	fault   *fault // why it says that it failed
	warning string // its last word besides the result
	stopped string // that word, when it ended the work
	pending bool   // it left a command in the background; how that ends is never told
}

func newGeminiDecoder(o Options) Decoder { return newJSONDecoder(o, &geminiDialect{}) }

func (d *geminiDialect) event(v value, r *report) {
	kind := v.str("type")
	switch kind { // what is none of these may stand in the middle of a text
	case "tool_use", "tool_result", "result":
		d.text.flush(r)
	}
	switch kind {
	case "init":
		r.met(loop.AgentSession{Session: v.str("session_id"), Model: v.str("model")})
	case "message":
		d.message(v, r)
	case "tool_use":
		d.stopped = ""
		d.call(v, r)
	case "tool_result":
		d.returned(v, r)
	case "error":
		d.warning = v.str("message")
		if v.is("error", "severity") || geminiStops(d.warning) {
			d.stopped = d.warning
		}
	case "result":
		d.result(v, r)
	}
}

// geminiStops tells whether a warning is why it stopped. It calls that a success.
func geminiStops(warning string) bool {
	return strings.HasPrefix(warning, "Loop detected") || strings.HasPrefix(warning, "Agent execution stopped")
}

var geminiNotices = []string{"Warning: Basic terminal", "Warning: 256-color", "YOLO mode is enabled", "Ripgrep is not available", "[STARTUP]"}

func (*geminiDialect) chatter(line string) bool { return holdsAny(line, geminiNotices) }

// confesses knows the errors that end it.
func (*geminiDialect) confesses(line string) (string, bool) {
	for _, begin := range []string{apiError, "Error when talking to Gemini API", "TerminalQuotaError: ", "RetryableQuotaError: "} {
		if strings.HasPrefix(line, begin) {
			return line, true
		}
	}
	return "", false
}

// complain reads on stderr that it tries again, which it tells nowhere else.
func (d *geminiDialect) complain(line string, r *report) {
	try, f, ok := notice(line)
	if !ok {
		return
	}
	if try.After == 0 {
		try.After = backoff(5*time.Second, try.Try, 30*time.Second)
	}
	r.retries(try, f)
}

// message takes the agent's words; the prompt is a message too, the user's.
func (d *geminiDialect) message(v value, r *report) {
	if !v.is("assistant", "role") && !v.is("model", "role") { // the latter is Google's word
		return
	}
	d.stopped = ""
	d.text.add(r, v.str("content"))
	if !v.bool("delta") {
		d.text.flush(r)
	}
}

func (d *geminiDialect) call(v value, r *report) {
	name, input := v.str("tool_name"), v.get("parameters")
	d.pending = d.pending || name == geminiShell && input.bool("is_background")
	r.called(loop.AgentTool{ID: v.str("tool_id"), Name: name, Input: gist(input), Shell: name == geminiShell})
}

// returned reports a result. A command that fails is a success here, and its
// exit status is not told.
func (d *geminiDialect) returned(v value, r *report) {
	id := v.str("tool_id")
	r.returned(loop.AgentToolResult{
		ID:     id,
		Output: cmp.Or(v.str("output"), v.str("error", "message")),
		Failed: v.is("error", "status"),
		Denied: geminiDenied(r.open[id], v.str("error", "type")),
	})
}

// geminiDenied tells whether a tool was kept from the agent. One that it may
// not use is as unknown to it as one that does not exist.
func geminiDenied(tool, problem string) bool {
	switch problem {
	case "policy_violation":
		return true
	case "tool_not_registered":
		return slices.Contains([]string{geminiShell, "write_file", "replace"}, tool)
	}
	return false
}

func (d *geminiDialect) result(v value, r *report) {
	d.usage(v.get("stats"), r)
	d.fault = nil
	if v.is("success", "status") && d.stopped == "" {
		r.ended(loop.AgentResult{OK: true, Pending: d.pending})
		return
	}
	d.fault = &fault{
		kind: v.str("error", "type"),
		text: cmp.Or(v.str("error", "message"), d.stopped, d.warning, "an error without a message"),
	}
	d.unwrap()
}

// unwrap finds the provider's own words in "[API Error: {…}]". They may be
// wrapped up a second time, as a text in the first answer.
func (d *geminiDialect) unwrap() {
	inner, ok := strings.CutPrefix(d.fault.text, "[API Error: ")
	if !ok {
		return
	}
	if end := strings.LastIndexByte(inner, ']'); end >= 0 {
		inner = inner[:end] // advice of its own may follow
	}
	for range 2 {
		var p parser
		answer, ok := p.parse([]byte(inner))
		if !ok || !answer.has("error", "message") {
			return
		}
		*d.fault = fault{
			status: answer.int("error", "code"),
			kind:   answer.str("error", "status"),
			text:   answer.str("error", "message"),
			detail: inner,
		}
		inner = d.fault.text
	}
}

// usage reads the totals. What the model thought is in none of them but the
// whole, and is paid for like its output. There may be several models, for
// what it does on the side.
func (d *geminiDialect) usage(stats value, r *report) {
	total := geminiTokens(stats)
	if total.Tokens() == 0 {
		return
	}
	known, most, main := true, 0, ""
	stats.each(func(name string, model value) {
		tokens := geminiTokens(model)
		if n := tokens.Tokens(); n > most {
			most, main = n, name
		}
		costs, ok := price.Of(name, r.options.Prices)
		known = known && (ok || tokens.Tokens() == 0)
		total.CostUSD += costs.Cost(paid(tokens))
	}, "models")
	if !known {
		total.CostUSD = 0
	}
	total.CostEstimated = total.CostUSD > 0
	r.answered(main)
	r.used(total, 0)
}

// geminiTurnLimit is its exit status at the turn limit.
const geminiTurnLimit = 53

func geminiTokens(v value) loop.Usage {
	input, cached := v.int("input_tokens"), max(0, v.int("cached"))
	return loop.Usage{
		Input:     max(0, input-cached),
		Output:    max(0, v.int("output_tokens"), v.int("total_tokens")-input),
		CacheRead: cached,
	}
}

// end says what went wrong with the help of the exit status, which is that of
// the provider's answer as far as it fits into eight bits: 429 is 173.
//
// At the turn limit it has one of its own, whatever it says.
func (d *geminiDialect) end(exit loop.Exit, r *report) {
	d.text.flush(r)
	var code, status int
	if exit.Code != nil {
		code = *exit.Code
	}
	if code >= 400-256 {
		status = code + 256
	}
	if code == geminiTurnLimit && d.fault != nil {
		d.fault.kind = "max_turns"
	}
	switch {
	case d.fault != nil:
		d.fault.status = cmp.Or(d.fault.status, status)
		r.failed(*d.fault)
	case r.result != nil:
	case code == 41:
		r.failed(fault{kind: "authentication", text: "it is not signed in (exit 41)"})
	case code == geminiTurnLimit:
		r.failed(fault{kind: "max_turns", text: "it reached its turn limit (exit 53)"})
	case status != 0:
		r.failed(fault{status: status, text: "no final event: " + describe(exit)})
	}
}
