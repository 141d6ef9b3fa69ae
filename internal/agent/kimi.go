package agent

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Kimi Code.
//
// It reads AGENTS.md by itself, has no turn limit on its command line, and tells
// no tokens and no model. Its prompt must be an argument. Why it failed stands on
// stderr only, but for requests that it tries again: by itself ten times in about
// three minutes. A reply that was cut off is a success to it. INT and TERM both make it
// end its tools.
//
// From a folder that the user has not trusted in its own window it takes only
// words.
func newKimi(o Options) (Agent, error) {
	if o.Permissions == "edits" && len(o.Command) == 0 {
		return nil, commandsAnyway(o.Name)
	}
	return newCLI(o, cli{
		program: "kimi",
		format:  "kimi",
		traits: Traits{
			Measured: []string{"2.1.0"},
			Sessions: true,
			Secrets:  slices.Concat(anyProvider, []string{"KIMI_MODEL_API_KEY"}),
			Home:     "https://github.com/MoonshotAI/kimi-code",
			Hosts:    []string{"api.kimi.com", "auth.kimi.com"}, // for who has signed in; not measured
			Bases:    slices.Concat(anyBase, []string{"KIMI_BASE_URL", "KIMI_CODE_BASE_URL", "KIMI_MODEL_BASE_URL"}),
			State: State{
				Folder: ".kimi-code", In: "KIMI_CODE_HOME",
				Keep:   []string{"config.toml", "mcp.json", "AGENTS.md", "agents", "plugins", "skills", "workspace-trust"},
				Secret: []string{"credentials"},
			},
		},
		env: map[string]string{
			"KIMI_CODE_NO_AUTO_UPDATE": "1",
			"KIMI_DISABLE_TELEMETRY":   "1",
			"KIMI_DISABLE_CRON":        "1", // an alarm would never be heard
		},
		wish:    []string{"KIMI_LOOP_MAX_ATTEMPTS_PER_STEP=7"}, // instead of 10: about 40 seconds
		unset:   []string{"KIMI_SESSION_ID"},
		args:    kimiArgs,
		deliver: byArg,
		ignores: true,
		takes: Takes{ // servers, from the root of the repository and from the folder it works in
			Settings: []string{".mcp.json", ".kimi-code/mcp.json", ".kimi-code/local.toml"},
			Skills:   []string{".kimi-code/agents/", ".kimi-code/skills/", ".agents/agents/", ".agents/skills/"},
		},
	})
}

// kimiArgs has no modes: whoever gives it a prompt in an argument has said yes to
// all its tools.
func kimiArgs(_ Options, c Call) ([]string, error) {
	args := []string{"--output-format", "stream-json"}
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, "--session", c.Session)
	}
	return append(args, "--prompt"), nil
}

// kimiDialect reads Kimi's messages, which are those of OpenAI with its own notes
// between them.
type kimiDialect struct {
	parser parser // for arguments, which are JSON in a text
	turns  int
	last   *fault // of the last request that failed, until a tool has been called
	gave   *fault // why it gave up
}

func newKimiDecoder(o Options) Decoder { return newJSONDecoder(o, &kimiDialect{}) }

func (d *kimiDialect) event(v value, r *report) {
	switch v.str("role") {
	case "assistant":
		d.assistant(v, r)
	case "tool":
		r.returned(kimiReturn(v, r))
	case "meta":
		d.note(v, r)
	}
}

// assistant takes a whole message. What is said without a call may be the half of
// a reply whose last try has failed, too, so it does not forget why.
func (d *kimiDialect) assistant(v value, r *report) {
	d.turns++
	r.said(textOf(v.get("content")))
	for _, call := range v.list("tool_calls") {
		d.last = nil
		name := call.str("function", "name")
		input := call.str("function", "arguments")
		if args, ok := d.parser.parse([]byte(input)); ok {
			input = gist(args)
		}
		r.called(loop.AgentTool{ID: call.str("id"), Name: name, Input: oneLine(input), Shell: isKimiShell(name)})
	}
	r.used(loop.Usage{Turns: d.turns}, 0)
}

func (d *kimiDialect) note(v value, r *report) {
	switch v.str("type") {
	case "turn.step.retrying":
		d.last = &fault{
			status: v.int("status_code"), kind: v.str("error_name"),
			text: cmp.Or(v.str("error_message"), v.str("error_name"), "a request failed"),
		}
		r.retries(loop.AgentRetry{
			Try: v.int("failed_attempt"), Most: max(0, v.int("max_attempts")-1), // the first is no try again
			After: loop.Millis(time.Duration(v.float("delay_ms") * float64(time.Millisecond))),
		}, *d.last)
	case "session.resume_hint": // comes only after a turn that ended well
		r.met(loop.AgentSession{Session: v.str("session_id")})
		r.ended(loop.AgentResult{OK: true})
	}
}

// kimiGaveUp begins its last words on stderr, where its tools print, too.
const kimiGaveUp = "error: failed to run prompt: "

func (d *kimiDialect) complain(line string, _ *report) {
	switch {
	case len(line) >= len(kimiGaveUp) && strings.EqualFold(line[:len(kimiGaveUp)], kimiGaveUp):
		d.gave = &fault{text: line[len(kimiGaveUp):]}
	case d.gave != nil && d.gave.detail == "" && !strings.HasPrefix(line, "See log: "):
		d.gave.detail = line // a reason of two lines
	}
}

// isKimiShell knows its shell tool, and that of the program before it.
func isKimiShell(tool string) bool { return tool == "Bash" || tool == "Shell" }

// Whether a tool has failed stands only in its text.
var (
	kimiExit   = text.NewPattern(`(?:^|\n)Command failed with exit code: (\d{1,3})\.\s*$`)
	kimiBroken = text.NewPattern(`^(?:Tool "[^"]*" not found$|Invalid args for tool ")`)
)

func kimiReturn(v value, r *report) loop.AgentToolResult {
	result := loop.AgentToolResult{ID: v.str("tool_call_id"), Output: strings.TrimSuffix(textOf(v.get("content")), "\n")}
	result.Failed = kimiBroken().MatchString(result.Output)
	if found := kimiExit().FindStringSubmatch(result.Output); found != nil && isKimiShell(r.open[result.ID]) {
		code, _ := strconv.Atoi(found[1]) // at most three digits
		result.Failed, result.Exit = true, &code
	}
	return result
}

func (d *kimiDialect) end(_ loop.Exit, r *report) {
	switch {
	case r.result != nil:
	case d.gave != nil:
		r.failed(*d.gave)
	case r.trying == nil && d.last != nil:
		r.failed(*d.last)
	}
}
