package agent

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Qwen Code.
//
// Its tools hang on a terminal of its own and end with it, whatever the signal,
// though it may take its time. It reads AGENTS.md by itself. Telemetry, updates
// and its hidden memory calls can be switched off only in its settings file.
// While a request is limited or fails on the server it tries again for many
// minutes without a word, and for as long as the server says. Its session file tells
// why, and its log how long it will wait: both are read while it works. No flag and no
// variable turns its tries down. With --bare it leaves a project's settings alone, and
// takes the variables of its .env all the same.
func newQwen(o Options) (Agent, error) {
	return newCLI(o, cli{
		program: "qwen",
		format:  "qwen",
		traits: Traits{
			Measured: []string{"0.15.10", "0.24.4"},
			Tokens:   true, Turns: true, Sessions: true,
			Secrets: []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY", "BAILIAN_TOKEN_PLAN_API_KEY", "OPENROUTER_API_KEY"},
			Home:    "https://github.com/QwenLM/qwen-code",
			// For who has signed in. Those of keys depend on the key.
			Hosts: []string{"chat.qwen.ai", "portal.qwen.ai"},
			Bases: []string{"ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL"},
			State: State{
				Folder: ".qwen", Keep: []string{"settings.json", "QWEN.md", ".env", "agents", "commands", "extensions", "hooks", "skills"},
				Secret: []string{"oauth_creds.json"},
				Diary:  []string{"projects/*/chats/" + SessionMark + ".jsonl", "debug/" + SessionMark + ".txt"},
			},
		},
		first: "INT",
		env: map[string]string{
			// Else it starts itself a second time, and signals reach the first.
			"QWEN_CODE_NO_RELAUNCH": "true",
			// Without its log nobody learns how long it will wait.
			"QWEN_DEBUG_LOG_FILE": "1",
		},
		confined: map[string]string{"QWEN_SANDBOX": "false", "GEMINI_SANDBOX": "false", "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1"},
		unset:    []string{"QWEN_CODE"},
		args:     qwenArgs,
		notices:  qwenNotices,
		takes: Takes{ // as gemini, from which it was made
			Settings:  []string{".qwen/settings.json", ".lsp.json"},
			Variables: []string{".qwen/.env", ".env"},
			Scripts:   []string{".qwen/hooks/", ".qwen/sandbox.bashrc", ".qwen/sandbox.Dockerfile"},
			Code:      []string{".qwen/extensions/"},
			Skills:    []string{".qwen/commands/", ".qwen/agents/", ".qwen/skills/", ".agents/skills/"},
			Above:     []string{".qwen/.env", ".env"},
		},
	})
}

// qwenShell is its shell tool. Where that is denied it is not offered, and a
// model may call it Bash, which qwen understands too.
const qwenShell = "run_shell_command"

// qwenModes are the switches for what it may do unasked. Its sandbox needs a
// container engine, so "work" goes without.
var qwenModes = map[string][]string{
	"edits": {"--approval-mode", "auto-edit"},
	"work":  {"--approval-mode", "auto-edit", "--allowed-tools", qwenShell},
	"full":  {"--approval-mode", "yolo"},
}

func qwenArgs(o Options, c Call) ([]string, error) {
	args := append([]string{"--output-format", "stream-json"}, qwenModes[o.Permissions]...)
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, "--resume", c.Session)
	}
	if o.MaxTurns > 0 {
		args = append(args, "--max-session-turns", strconv.Itoa(o.MaxTurns))
	}
	return args, nil
}

// qwenDialect is claude's with qwen's accent. A continued session counts its
// tokens in the result from the session's start.
type qwenDialect struct {
	claudeDialect
	diary   parser
	refused *fault // the last request that failed, as the session file has it
	try     int    // the last that it has told of on stderr or in an event
	counts  bool   // its log tells of each time that it tries again
}

func newQwenDecoder(o Options) Decoder {
	return newJSONDecoder(o, &qwenDialect{claudeDialect: claudeDialect{accent: accent{
		shell: qwenShell, cachedInput: true, sums: true, echoes: true, broken: apiErrorIn,
	}}})
}

var qwenNotices = []string{"Ripgrep not available", "Warning: running headless", "Retrying provider attempt"}

func (*qwenDialect) chatter(line string) bool { return holdsAny(line, qwenNotices) }

// complain reads on stderr that it tries again. In its events it says so, too, without
// the cause.
func (d *qwenDialect) complain(line string, r *report) {
	if try, f, ok := notice(line); ok {
		d.again(try, f, r)
	}
}

// overhear reads a line of its session file, where each request that failed is noted,
// also the last, or of its log, which says that it tries again, and how long it will
// wait. Without a log it tries again when there is another that failed.
func (d *qwenDialect) overhear(line string, r *report) {
	if strings.Contains(line, "[RETRY]") {
		try, f, ok := notice(line)
		if ok && r.trying != nil && f.text == "" {
			f.text, f.detail = r.trying.text, r.trying.detail
		}
		if ok {
			d.counts = true
			r.retries(try, f)
		}
		return
	}
	if !strings.Contains(line, "qwen-code.api_") {
		return
	}
	v, ok := d.diary.parse([]byte(line))
	told := v.get("systemPayload", "uiEvent")
	if !ok {
		return
	}
	switch told.str("event.name") {
	case "qwen-code.api_error":
		f := fault{status: told.int("status_code"), text: told.str("error_message")}
		if f.status == 429 || loop.Treat(f.class()).Result == loop.Unavailable {
			d.failed(f, r) // after any other it ends, and says so itself
		}
	case "qwen-code.api_response":
		r.wentOn()
		r.answered(told.str("model"))
	}
}

// failed takes in a request that failed.
func (d *qwenDialect) failed(f fault, r *report) {
	d.untold(r)
	d.refused, r.trying = &f, &f
}

// untold reports that it tried again after the last request that failed, when it has
// told so nowhere, and has not got an answer since.
func (d *qwenDialect) untold(r *report) {
	if d.refused != nil && r.trying == d.refused && !d.counts {
		r.retries(loop.AgentRetry{}, *d.refused)
	}
}

// qwenTurnLimit is its exit status at the turn limit. The reason goes to stderr
// and there is no result.
const qwenTurnLimit = 53

func (d *qwenDialect) end(exit loop.Exit, r *report) {
	if r.result == nil {
		d.untold(r)
	}
	if r.result == nil && exit.Cause == loop.Exited && exit.Code != nil && *exit.Code == qwenTurnLimit {
		r.failed(fault{kind: "max_turns", text: "it reached its turn limit"})
	}
}

// qwenTells is the first version that was seen to say of a result whether it is an error.
// Those before call everything a success.
const qwenTells = "0.24"

func (d *qwenDialect) event(v value, r *report) {
	if version := v.str("qwen_code_version"); version != "" && v.is("system", "type") {
		d.tells = compare(version, qwenTells) >= 0
	}
	if v.is("retry", "subtype") && v.is("system", "type") && v.has("data", "attempt") {
		f := fault{kind: v.str("data", "reason")}
		switch {
		case f.class() != loop.ErrAgent:
		case r.trying == nil: // it tells why on stderr
			return
		default:
			f = *r.trying
		}
		after := time.Duration(v.int("data", "delayMs")) * time.Millisecond
		d.again(loop.AgentRetry{Try: v.int("data", "attempt"), Most: v.int("data", "maxRetries"), After: loop.Millis(after)}, f, r)
		return
	}
	d.claudeDialect.event(v, r)
}

// again reports that it tries again, which it says in its events and on stderr.
func (d *qwenDialect) again(try loop.AgentRetry, f fault, r *report) {
	if r.trying == nil || try.Try != d.try {
		r.retries(try, f)
	} else {
		r.trying = &f
	}
	d.try = try.Try
}

// An error of the API is a text that ends a successful result with status 0. It stands
// alone, or right behind what was said when the stream broke, and advice may follow it.
// Some errors have words of their own. Nobody pays for any of them, but for a reply that
// was empty.
const apiError = "[API Error: "

var (
	qwenAdvice = []string{"\nPossible quota limitations", "\nPlease wait and try again later", "\nSlow response times detected"}
	qwenFaults = []string{"Quota exhausted: ", "Qwen OAuth quota exceeded:", "Qwen OAuth free tier has been discontinued"}
)

func apiErrorIn(text string, spoke bool) (before, fault string, found bool) {
	text = strings.TrimRight(text, " \r\n")
	at := strings.LastIndex(text, apiError)
	if strings.HasPrefix(text, apiError) {
		at = 0
	}
	if at < 0 || at > 0 && spoke {
		found = !spoke && slices.ContainsFunc(qwenFaults, func(begin string) bool { return strings.HasPrefix(text, begin) })
		return "", text, found
	}
	before, fault = text[:at], text[at+len(apiError):]
	alone := strings.HasSuffix(fault, "]") && !strings.Contains(fault, "\n")
	for _, advice := range qwenAdvice {
		if end := strings.Index(fault, advice); end >= 0 {
			fault, alone = fault[:end], alone || !strings.Contains(fault[:end], "\n")
		}
	}
	end := strings.LastIndexByte(fault, ']')
	if end < 0 || !alone && (spoke || at > 0) { // it only speaks of one
		return "", "", false
	}
	return before, fault[:end], true
}
