package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Codex.
//
// It is a Node launcher with the real agent as its child, in one process group.
// On INT it ends its tools; on TERM they live on. It reads AGENTS.md by itself
// and has no turn limit.
func newCodex(o Options) (Agent, error) {
	return newCLI(o, cli{
		program: "codex",
		format:  "codex",
		traits: Traits{
			Measured: []string{"0.166.0", "0.169.0"},
			Tokens:   true, Sessions: true,
			Keys:    []string{"CODEX_API_KEY"},
			Secrets: []string{"CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"},
			Home:    "https://github.com/openai/codex",
			// By its reports: the last two for who has signed in with ChatGPT. It has no
			// list of its own.
			Hosts: []string{"api.openai.com", "auth.openai.com", "chatgpt.com"},
			Bases: []string{"AZURE_OPENAI_ENDPOINT", "CODEX_OSS_BASE_URL", "OPENAI_BASE_URL"},
			State: State{
				Folder: ".codex", In: "CODEX_HOME", Keep: []string{"config.toml", "AGENTS.md", "AGENTS.override.md", "hooks.json", "agents", "prompts", "rules", "skills"},
				Secret: []string{"auth.json"},
				Diary:  []string{"sessions/*/*/*/rollout-*-" + SessionMark + ".jsonl"},
			},
			SignIn: SignIn{
				Ask: []string{"login", "status"}, No: `(?m)^Not logged in`, Do: "codex login",
				Folder: ".codex", FolderIn: "CODEX_HOME", Kept: "auth.json",
				Config: "config.toml", Elsewhere: `(?m)^\s*(model_provider|oss_provider)\s*=`,
			},
		},
		first: "INT",
		unset: []string{
			"CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS",
			"CODEX_CI",
			"CODEX_SANDBOX",
			"CODEX_SANDBOX_NETWORK_DISABLED",
			"CODEX_SESSION_ID",
			"CODEX_THREAD_ID",
			"CODEX_TOOL_CALL_ID",
		},
		args:    codexArgs,
		notices: codexNotices,
		ignores: true,
		takes: Takes{
			// From every folder between the root of the repository and the one it
			// works in. Rules name commands that need no sandbox.
			Settings: []string{".codex/config.toml", ".codex/hooks.json", ".codex/agents/", ".agents/plugins/"},
			Scripts:  []string{".codex/hooks/", ".codex/rules/"},
			Skills:   []string{".codex/skills/", ".agents/skills/"},
		},
	})
}

// codexModes are the switches for what it may do unasked. It can't tell edits
// from commands: both run in its sandbox, without network. There .git is read
// only, so "work" has to open it. They are settings, because the flag for the
// sandbox is not known when a session is continued.
var codexModes = map[string][]string{
	"edits": {"-c", `sandbox_mode="workspace-write"`},
	"work":  {"-c", `sandbox_mode="workspace-write"`, "-c", `sandbox_workspace_write.writable_roots=[".git"]`},
	"full":  {"--dangerously-bypass-approvals-and-sandbox"},
}

// codexMaxPrompt is how many characters it takes. With more it exits 1 and says
// why on stderr only.
const codexMaxPrompt = 1 << 20

func codexArgs(o Options, c Call) ([]string, error) {
	if n := utf8.RuneCountInString(c.Prompt); n > codexMaxPrompt {
		return nil, fmt.Errorf("the prompt has %d characters, and codex takes at most %d: shorten it, or have the agent read the files itself", n, codexMaxPrompt)
	}
	args := []string{"exec"}
	if c.Session != "" {
		args = append(args, "resume")
	}
	args = append(args, "--json", "--skip-git-repo-check", "-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false")
	if c.Confined && o.Permissions != "full" {
		args = append(args, "-c", `sandbox_mode="danger-full-access"`)
	} else {
		args = append(args, codexModes[o.Permissions]...)
	}
	if len(o.Untrusted) > 0 {
		level, err := codexDistrust(o.Untrusted)
		if err != nil {
			return nil, err
		}
		args = append(args, "-c", level)
	}
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, c.Session)
	}
	return append(args, "-"), nil
}

// codexDistrust is the setting that keeps it from the settings of a repository.
// A folder of which it knows nothing it trusts.
func codexDistrust(folders []string) (string, error) {
	var levels []string
	for _, folder := range folders {
		if !utf8.ValidString(folder) {
			return "", fmt.Errorf("codex cannot be told not to trust %q: the name of the folder is not text", folder)
		}
		name, err := json.Marshal(folder) // as TOML takes a text, too
		if err != nil {
			return "", err
		}
		levels = append(levels, string(name)+`={trust_level="untrusted"}`)
	}
	return "projects={" + strings.Join(levels, ",") + "}", nil
}

// codexDialect reads Codex's events. It tells neither the model nor a cost, and
// its tokens only at the end; its session file has them after every reply.
type codexDialect struct {
	last   string // what it said last
	fault  string // its last error that was not about trying again
	billed bool   // it has told its tokens itself
	diary  parser
}

var codexNotices = []string{"Reading additional input from stdin", "Reading prompt from stdin", "WARNING: proceeding", "failed to record rollout items"}

func (*codexDialect) chatter(line string) bool { return holdsAny(line, codexNotices) }

// confesses knows an error as it puts it for people; its log is put in another way.
func (*codexDialect) confesses(line string) (string, bool) { return strings.CutPrefix(line, "ERROR: ") }

func newCodexDecoder(o Options) Decoder { return newJSONDecoder(o, &codexDialect{}) }

func (d *codexDialect) event(v value, r *report) {
	switch {
	case v.is("thread.started", "type"):
		r.met(loop.AgentSession{Session: v.str("thread_id"), Model: r.options.Model})
	case v.is("item.started", "type"):
		if tool, ok := codexTool(v.get("item")); ok {
			r.called(tool)
		}
	case v.is("item.completed", "type"):
		d.completed(v.get("item"), r)
	case v.is("error", "type"):
		d.trouble(v.str("message"), r)
	case v.is("turn.completed", "type"):
		d.billed = true
		r.used(codexUsage(v.get("usage"), r), 0)
		// A command that has not returned runs on in the background.
		r.ended(loop.AgentResult{OK: true, Text: d.last, Pending: len(r.open) > 0})
	case v.is("turn.failed", "type"):
		r.failed(codexFault(cmp.Or(v.str("error", "message"), d.fault))) // which it has said before
	}
}

// overhear reads a line of its session file. Each reply is a record there, with what
// the session has used so far.
func (d *codexDialect) overhear(line string, r *report) {
	if d.billed || !strings.Contains(line, `"token_usage_record"`) {
		return
	}
	v, ok := d.diary.parse([]byte(line))
	if ok && v.is("token_usage_record", "type") && v.has("payload", "thread_token_usage") {
		r.used(codexUsage(v.get("payload", "thread_token_usage"), r), 0)
	}
}

// end takes the last error for the reason when the agent gave up without a
// final event.
func (d *codexDialect) end(exit loop.Exit, r *report) {
	if r.result == nil && d.fault != "" && exit.Cause == loop.Exited {
		r.failed(codexFault(d.fault))
	}
}

func (d *codexDialect) completed(item value, r *report) {
	switch {
	case item.is("agent_message", "type"):
		d.last = item.str("text")
		r.said(d.last)
		return
	case item.is("error", "type"): // a warning, not a failure
		r.stray([]byte(item.str("message")))
		return
	}
	tool, ok := codexTool(item)
	if !ok {
		return
	}
	if _, open := r.open[tool.ID]; !open { // not every kind is started
		r.called(tool)
	}
	result := loop.AgentToolResult{
		ID: tool.ID, Output: codexOutput(item),
		Failed: item.is("failed", "status") || item.is("declined", "status"),
		Denied: item.is("declined", "status"),
	}
	if item.has("exit_code") {
		code := item.int("exit_code")
		result.Exit = &code
	}
	r.returned(result)
}

// codexTool reads an item that is a tool call; thoughts and to-do lists are
// not.
func codexTool(item value) (loop.AgentTool, bool) {
	tool := loop.AgentTool{ID: item.str("id")}
	switch kind := item.str("type"); kind {
	case "command_execution":
		tool.Name, tool.Shell = "shell", true
		tool.Input = oneLine(unwrap(item.str("command")))
	case "file_change":
		tool.Name = "patch"
		var paths []string
		for _, change := range item.list("changes") {
			paths = append(paths, change.str("path"))
		}
		tool.Input = oneLine(strings.Join(paths, " "))
	case "mcp_tool_call":
		tool.Name = item.str("server") + "." + item.str("tool")
		tool.Input = item.shown("arguments")
	case "web_search":
		tool.Name = kind
		tool.Input = item.shown("query")
	default:
		return tool, false
	}
	return tool, true
}

// unwrap takes the command out of "/bin/bash -lc '…'".
func unwrap(command string) string {
	args, err := text.SplitArgs(command)
	if err == nil && len(args) == 3 && (args[1] == "-lc" || args[1] == "-c") {
		return args[2]
	}
	return command
}

func codexOutput(item value) string {
	switch {
	case item.has("error", "message"):
		return item.str("error", "message")
	case item.has("result"):
		return textOf(item.get("result", "content"))
	}
	return item.str("aggregated_output")
}

// Codex announces that it tries again in the same way as it reports an error:
// "Reconnecting... 2/5 (unexpected status 401 …)", and in versions before "stream
// error: exceeded retry limit, last status: 429; retrying 1/5 in 204ms…".
var retryingForm = text.NewPattern(`(?s)^(.*); retrying (\d{1,3})/(\d{1,3}) in [\d.]+m?s`)

var reconnectForm = text.NewPattern(`(?s)^Reconnecting(?:\.\.\.|…) (\d{1,3})/(\d{1,3})(?: \((.*)\))?`)

func (d *codexDialect) trouble(message string, r *report) {
	var tries, tried, why string
	if found := reconnectForm().FindStringSubmatch(message); found != nil {
		tries, tried, why = found[2], found[1], found[3]
	} else if found := retryingForm().FindStringSubmatch(message); found != nil {
		tries, tried, why = found[3], found[2], found[1]
	} else {
		d.fault = message
		return
	}
	try, _ := strconv.Atoi(tried) // at most three digits
	most, _ := strconv.Atoi(tries)
	again, f := loop.AgentRetry{Try: try, Most: most}, codexFault(why)
	if loop.Treat(f.class()).Result != loop.Limited { // else it waits for as long as the provider says
		again.After = backoff(200*time.Millisecond, try, time.Minute)
	}
	r.retries(again, f)
}

// codexFault reads an error, which is prose, or the provider's answer as it
// came: {"error":{"code":…,"message":…}}.
func codexFault(message string) fault {
	var p parser
	v, ok := p.parse([]byte(message))
	if !ok {
		return fault{text: message}
	}
	e := v.get("error")
	return fault{kind: cmp.Or(e.str("code"), e.str("type")), text: cmp.Or(e.str("message"), message), detail: message}
}

// codexUsage reads the tokens. Input includes cached ones, and a continued
// session counts from its start.
func codexUsage(v value, r *report) loop.Usage {
	u := loop.Usage{
		Input:      v.int("input_tokens"),
		Output:     v.int("output_tokens"),
		CacheRead:  v.int("cached_input_tokens"),
		CacheWrite: v.int("cache_write_input_tokens"),
	}
	u.Input -= u.CacheRead + u.CacheWrite
	return since(u, r.usedBefore())
}
