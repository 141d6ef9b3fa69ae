package agent

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// pi.
//
// It reads AGENTS.md by itself, has no turn limit and no permissions: all it
// can be told is which tools it has. TERM makes it end its tools, INT does not.
// It can be told to load no extensions, but not to read no settings of a project,
// and those name the shell that it starts. What it asks its provider with waits for as
// long as the provider says, and tells nobody; an extension sees the answer.
func newPi(o Options) (Agent, error) {
	return newCLI(o, cli{
		program: "pi",
		format:  "pi",
		traits: Traits{
			Measured: []string{"0.73.1", "0.87", "1.5.2"},
			Tokens:   true, Cost: true, Sessions: true, Secrets: anyProvider, Bases: anyBase, Home: "https://github.com/badlogic/pi-mono", // hosts: those of the keys
			State: State{
				Folder: ".pi/agent", In: "PI_CODING_AGENT_DIR", Keep: []string{"settings.json", "models.json", "AGENTS.md", "extensions", "prompts", "skills"}, Secret: []string{"auth.json"},
			},
		},
		first:   "TERM",
		env:     map[string]string{"PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"},
		unset:   []string{"PI_CODING_AGENT"},
		args:    piArgs,
		ear:     piEar,
		notices: []string{piTold},
		takes: Takes{
			// From the folder it works in; skills from those above, too. Its settings
			// install packages.
			Settings: []string{".pi/settings.json"},
			Code:     []string{".pi/extensions/"},
			Skills:   []string{".pi/prompts/", ".pi/skills/", ".agents/skills/"},
			Above:    []string{".agents/skills/"},
		},
	})
}

func piArgs(o Options, c Call) ([]string, error) {
	args := []string{"--print", "--mode", "json"}
	if o.Permissions == "edits" {
		args = append(args, "--tools", "read,edit,write,grep,find,ls")
	}
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, "--session", c.Session)
	}
	return args, nil
}

// piTold begins a line of the extension's.
const piTold = "refrain: pi "

// piExtension says on stderr what a provider answers that asks to wait for some time.
// Only what a model was asked counts: tools ask others for other things.
const piExtension = `export default function () {
  const ask = globalThis.fetch
  globalThis.fetch = async (...call) => {
    const answer = await ask(...call)
    try {
      const asked = call[1] && call[1].body
      if (answer.ok || typeof asked !== "string" || !/"(messages|input|contents)":/.test(asked)) return answer
      const after = answer.headers.get("retry-after"), ms = parseFloat(answer.headers.get("retry-after-ms"))
      const wait = ms || parseFloat(after) * 1000 || Date.parse(after) - Date.now()
      if (!(wait > 5000)) return answer
      const body = (await answer.clone().text()).slice(0, 4096)
      process.stderr.write("` + piTold + `" + JSON.stringify({ status: answer.status, wait: Math.round(wait), body }) + "\n")
    } catch {}
    return answer
  }
}
`

// piEar has it load the extension.
func piEar(cmd *Command, c Call) {
	cmd.File = File{filepath.Join(c.Room, "pi.js"), piExtension}
	cmd.Argv = append(cmd.Argv, "--extension", cmd.File.Path)
}

// piDialect reads pi's events.
//
// An agent_end is not the last word: after an error that may pass, pi starts
// anew, with another agent_start and agent_end. What counts is the last
// message, once there is an agent_end after it.
type piDialect struct {
	bill  bill
	last  struct{ reason, problem, raw string } // why the last message stopped
	ended bool
	noKey string // it says so on stderr, and ends
	tries int    // of a request, that the extension has told of
	told  parser
}

func newPiDecoder(o Options) Decoder { return newJSONDecoder(o, &piDialect{}) }

// skip passes over what repeats a message so far, each time in full, for every
// few letters that are added to it. An agent_end repeats all messages; that it
// came is all there is to know.
func (d *piDialect) skip(kind []byte) bool {
	switch string(kind) {
	case "message_update", "message_start", "tool_execution_update", "turn_end":
		return true
	case "agent_end":
		d.ended = true
		return true
	}
	return false
}

func (d *piDialect) event(v value, r *report) {
	switch v.str("type") {
	case "session":
		r.met(loop.AgentSession{Session: v.str("id")})
	case "agent_start":
		d.ended = false
	case "agent_end": // when its type does not come first
		d.ended = true
	case "turn_start":
		d.bill.total.Turns++
	case "message_end":
		d.message(v.get("message"), r)
	case "tool_execution_start":
		name := v.str("toolName")
		r.called(loop.AgentTool{ID: v.str("toolCallId"), Name: name, Input: gist(v.get("args")), Shell: name == "bash"})
	case "tool_execution_end":
		d.returned(v, r)
	case "auto_retry_start":
		r.retries(loop.AgentRetry{
			Try:   v.int("attempt"),
			Most:  v.int("maxAttempts"),
			After: loop.Millis(time.Duration(v.int("delayMs")) * time.Millisecond),
		}, fault{text: v.str("errorMessage")})
	}
}

// message reads one whole message. The prompt and the results of tools are
// messages too, of others.
func (d *piDialect) message(m value, r *report) {
	if !m.is("assistant", "role") {
		return
	}
	r.met(loop.AgentSession{Model: m.str("model")})
	r.answered(m.str("responseModel"))
	for _, block := range m.list("content") {
		if block.is("text", "type") {
			r.said(block.str("text"))
		}
	}
	d.last.reason, d.last.problem, d.last.raw = m.str("stopReason"), m.str("errorMessage"), m.str("rawStopReason")

	usage := m.get("usage")
	d.bill.count(loop.Usage{
		Input:      usage.int("input"),
		Output:     usage.int("output"),
		CacheRead:  usage.int("cacheRead"),
		CacheWrite: usage.int("cacheWrite"),
		CostUSD:    usage.float("cost", "total"),
	})
	r.used(d.bill.total, d.bill.context)
}

func (d *piDialect) returned(v value, r *report) {
	result := loop.AgentToolResult{
		ID:     v.str("toolCallId"),
		Name:   v.str("toolName"),
		Output: textOf(v.get("result", "content")),
		Failed: v.bool("isError"),
	}
	if told := v.get("result", "structuredContent"); told.has("exit_code") { // as of 1.5
		code := told.int("exit_code")
		result.Exit, result.Failed = &code, result.Failed || code != 0
	} else if result.Name == "bash" {
		result.Exit = piExit(result)
	}
	r.returned(result)
}

// piExit reads the status of a command. When it is not 0, pi puts it at the
// end of the output.
func piExit(result loop.AgentToolResult) *int {
	const mark = "Command exited with code "
	if !result.Failed {
		return new(int)
	}
	at := strings.LastIndex(result.Output, mark)
	if at < 0 {
		return nil // it was not started, or was ended
	}
	code, err := strconv.Atoi(result.Output[at+len(mark):])
	if err != nil {
		return nil
	}
	return &code
}

// complain finds out why it ends without a word, and hears the extension:
//
//	refrain: pi {"status":429,"wait":7200000,"body":"{\"error\":{\"message\":\"…\"}}"}
func (d *piDialect) complain(line string, r *report) {
	if told, ok := strings.CutPrefix(line, piTold); ok {
		d.waiting(told, r)
		return
	}
	if strings.HasPrefix(line, "No API key found") {
		d.noKey = line
	}
}

// chatter is what the extension tells of each answer, also of the last.
func (*piDialect) chatter(line string) bool { return strings.HasPrefix(line, piTold) }

// confesses knows an error that ends it.
func (*piDialect) confesses(line string) (string, bool) { return strings.CutPrefix(line, "Error: ") }

// waiting reports that a provider has asked to wait, which pi does without a word.
func (d *piDialect) waiting(told string, r *report) {
	v, ok := d.told.parse([]byte(told))
	if !ok {
		return
	}
	wait := v.float("wait")
	if !(wait > 0 && wait < float64(aYear/time.Millisecond)) {
		return
	}
	if r.trying == nil {
		d.tries = 0
	}
	d.tries++
	f := fault{status: v.int("status"), text: v.str("body"), detail: v.str("body")}
	var p parser // the first one's texts may be its own
	if answer, ok := p.parse([]byte(f.detail)); ok && answer.has("error") {
		f.kind = cmp.Or(answer.str("error", "code"), answer.str("error", "type"), answer.str("error", "status"))
		f.text = cmp.Or(answer.str("error", "message"), f.text)
	}
	r.retries(loop.AgentRetry{Try: d.tries, After: loop.Millis(time.Duration(wait) * time.Millisecond)}, f)
}

func (d *piDialect) end(exit loop.Exit, r *report) {
	switch {
	case d.noKey != "" && d.last.reason == "" && exit.Cause == loop.Exited:
		r.failed(fault{text: d.noKey})
	case d.last.reason == "error":
		r.failed(fault{kind: d.last.raw, text: cmp.Or(d.last.problem, "an error without a message")})
	case !d.ended, d.last.reason == "", d.last.reason == "toolUse":
	case d.last.reason == "stop":
		r.ended(loop.AgentResult{OK: true})
	default:
		r.failed(fault{kind: d.last.reason, text: cmp.Or(d.last.problem, "the reply ended before it was complete ("+d.last.reason+")")})
	}
}
