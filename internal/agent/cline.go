package agent

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Cline CLI.
//
// It reads AGENTS.md by itself, has no turn limit, and prints no JSON in a
// session that it continues. Its prompt must be an argument: what comes on stdin
// is only added to one. INT ends its tool and then itself; after TERM it waits for
// the tool, goes on, and says that all went well. Without a word it tries a
// request again for about a minute. Its telemetry can be switched off only in its
// settings.
func newCline(o Options) (Agent, error) {
	if o.Permissions == "edits" && len(o.Command) == 0 {
		return nil, commandsAnyway(o.Name)
	}
	return newCLI(o, cli{
		program: "cline",
		format:  "cline",
		traits: Traits{
			Measured: []string{"3.0.65"},
			Tokens:   true,
			Secrets:  slices.Concat(anyProvider, []string{"CLINE_API_KEY"}), Bases: slices.Concat(anyBase, []string{"CLINE_API_BASE_URL"}),
			Home:  "https://cline.bot",
			Hosts: []string{"api.cline.bot"}, // of its own provider; not measured
			State: State{
				Folder: ".cline", In: "CLINE_DIR",
				Keep:   []string{"data/settings/cline_mcp_settings.json", "data/settings/global-settings.json", "agents", "hooks", "plugins", "rules", "skills", "workflows"},
				Secret: []string{"data/settings/providers.json"},
			},
		},
		first: "INT",
		env: map[string]string{
			"CLINE_NO_AUTO_UPDATE": "1",
			// Else a daemon is left behind, and one that runs already, outside of a
			// sandbox, would do the work.
			"CLINE_SESSION_BACKEND_MODE": "local",
		},
		unset:   []string{"CLINE_CONNECTOR_CLI_LAUNCH", "CLINE_RUN_AS_HUB_DAEMON"},
		args:    clineArgs,
		deliver: clineDeliver,
		takes: Takes{ // measured: hooks of both folders, and plugins. It takes no servers from a project
			Scripts: []string{".clinerules/hooks/", ".cline/hooks/"},
			Code:    []string{".cline/plugins/"},
			Skills:  []string{".clinerules/skills/", ".cline/skills/", ".claude/skills/", ".agents/skills/", ".clinerules/workflows/", ".cline/workflows/", ".cline/agents/"},
		},
	})
}

// clineArgs knows no "edits": approval is for all tools or for none, and it runs
// its commands by the same right as it changes files. So "work" and "full" are one.
func clineArgs(o Options, c Call) ([]string, error) {
	args := []string{"--json"}
	if o.Permissions != "own" {
		args = append(args, "--auto-approve", "true")
	}
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	return append(args, "--"), nil
}

// clineDeliver ends the prompt with a newline: a single word would be taken for a
// command of cline's own.
func clineDeliver(cmd *Command, c Call) error {
	if !strings.HasSuffix(c.Prompt, "\n") {
		c.Prompt += "\n"
	}
	return byArg(cmd, c)
}

// clineDialect reads Cline's events. Exit status 0 says nothing: it is also that of
// an attempt that was aborted.
type clineDialect struct {
	aside  parser // for what it prints on stderr
	turns  int
	denied string // the last tool that it ran, if it was not allowed to
	fault  *fault // why it gave up
}

func newClineDecoder(o Options) Decoder { return newJSONDecoder(o, &clineDialect{}) }

func (d *clineDialect) event(v value, r *report) {
	switch v.str("type") {
	case "hook_event":
		if v.is("agent_start", "hookEventName") && !v.has("parentAgentId") {
			r.met(loop.AgentSession{Session: v.str("taskId")})
		}
	case "agent_event":
		d.heard(v.get("event"), r)
	case "run_result":
		d.result(v, r)
	case "run_aborted":
		if r.result == nil || r.result.OK {
			r.failed(fault{text: "it was ended: " + cmp.Or(v.str("message"), "aborted")})
		}
	}
}

// heard reads what the agent does. A text comes in pieces, each with all that was
// said before, and once whole.
func (d *clineDialect) heard(v value, r *report) {
	switch v.str("type") {
	case "iteration_start":
		d.turns++
	case "content_start":
		if v.is("tool", "contentType") {
			r.called(loop.AgentTool{
				ID: v.str("toolCallId"), Name: v.str("toolName"), Input: clineGist(v.get("input")), Shell: v.is(clineShell, "toolName"),
			})
		}
	case "content_end":
		switch {
		case v.is("text", "contentType"):
			r.said(v.str("text"))
		case v.is("tool", "contentType"):
			d.returned(clineReturn(v), r)
		}
	case "usage":
		context := max(0, v.int("inputTokens")) + max(0, v.int("outputTokens"))
		r.used(d.usage(v.int("totalInputTokens"), v.int("totalOutputTokens"), v.int("totalCacheReadTokens"), v.int("totalCacheWriteTokens"), v.float("totalCost")), context)
	case "error":
		if !v.bool("recoverable") { // the others are calls of tools that failed
			d.fault = &fault{kind: v.str("errorClass"), text: cmp.Or(v.str("error", "message"), "an error without a message")}
		}
	}
}

func (d *clineDialect) returned(result loop.AgentToolResult, r *report) {
	d.denied = ""
	if result.Denied {
		d.denied = result.Name
	}
	r.returned(result)
}

// usage is a sum of cline's, in which cached tokens are a part of the input.
func (d *clineDialect) usage(input, output, read, write int, cost float64) loop.Usage {
	return loop.Usage{
		Input: max(0, input-read-write), Output: max(0, output), CacheRead: max(0, read), CacheWrite: max(0, write),
		CostUSD: max(0, cost), Turns: d.turns,
	}
}

const clineShell = "run_commands"

// clineGist is the commands of a call, which may be several.
func clineGist(input value) string {
	var commands []string
	for _, command := range input.list("commands") {
		commands = append(commands, command.shown())
	}
	if len(commands) > 0 {
		return oneLine(strings.Join(commands, "; "))
	}
	return gist(input)
}

var clineExit = text.NewPattern(`^Command exited with code (\d{1,3})$`)

// clineReturn reads what a tool gave back: an error, or one result for each of its
// commands. It is as bad as the first that failed.
func clineReturn(v value) loop.AgentToolResult {
	result := loop.AgentToolResult{ID: v.str("toolCallId"), Name: v.str("toolName"), Failed: v.has("error")}
	results := v.list("output")
	if len(results) == 0 {
		result.Output = cmp.Or(v.str("output", "error"), v.str("error"), v.shown("output"))
		result.Denied = strings.Contains(result.Output, "requires approval in a TTY session")
		return result
	}
	var outputs []string
	status := new(int)
	for _, part := range results {
		outputs = append(outputs, cmp.Or(part.str("result"), part.str("error")))
		if part.bool("success") || result.Failed {
			continue
		}
		result.Failed, status = true, nil
		if found := clineExit().FindStringSubmatch(part.str("error")); found != nil {
			code, _ := strconv.Atoi(found[1]) // at most three digits
			status = &code
		}
	}
	result.Output = strings.Join(outputs, "\n")
	if result.Name == clineShell {
		result.Exit = status
	}
	return result
}

func (d *clineDialect) result(v value, r *report) {
	r.met(loop.AgentSession{Model: v.str("model", "id")})
	if sum := v.get("aggregateUsage"); sum.has("inputTokens") {
		r.used(d.usage(sum.int("inputTokens"), sum.int("outputTokens"), sum.int("cacheReadTokens"), sum.int("cacheWriteTokens"), sum.float("totalCost")), 0)
	}
	switch reason := v.str("finishReason"); {
	case reason == "completed":
		r.ended(loop.AgentResult{OK: true, Text: v.str("text")})
	case d.fault != nil:
		r.failed(*d.fault)
	case reason == "aborted" && d.denied != "": // it gives up after a few
		r.failed(fault{kind: "permission", text: "it was not allowed to use " + d.denied + ", and stopped there"})
	case reason == "error":
		r.failed(fault{text: cmp.Or(v.str("text"), "an error without a message"), vague: v.str("text") == ""})
	default:
		r.failed(fault{kind: reason, text: "it ended before it was done (" + reason + ")"})
	}
}

// confesses reads an error on stderr:
//
//	{"ts":"2026-11-18T15:12:32.120Z","type":"error","message":"invalid x-api-key"}
func (d *clineDialect) confesses(line string) (string, bool) {
	if !strings.HasPrefix(line, "{") || !strings.Contains(line, `"ts"`) {
		return "", false
	}
	v, ok := d.aside.parse([]byte(line))
	return v.str("message"), ok && v.is("error", "type") && v.str("message") != ""
}

func (d *clineDialect) end(_ loop.Exit, r *report) {
	if r.result == nil && d.fault != nil {
		r.failed(*d.fault)
	}
}
