package agent

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// claudeDialect reads the events of Claude Code; qwen speaks it too, with an
// accent.
type claudeDialect struct {
	accent accent
	bill   bill
	spoke  bool            // it has written text
	word   string          // for what went wrong, from a synthetic message that is the last
	notice string          // the text of that message
	broke  string          // the error in the last text, where one looks like a text
	own    string          // the last text that is none for certain
	tells  bool            // a result says by itself that it is an error, as a rule
	tasks  map[string]bool // of its own, in the background
	alarm  bool            // it has asked to be woken up
}

// accent is where a relative of claude differs.
type accent struct {
	shell string // its shell tool, beside Bash
	// cachedInput says that input tokens include the cached ones.
	cachedInput bool
	// sums says that the result counts a continued session's tokens from its
	// start, and that a message may have come without any.
	sums bool
	// echoes says that its messages name the model that was asked for, whichever
	// answers.
	echoes bool
	// broken finds an error in what looks like a text: the text before it, and
	// the error. A model that spoke has been paid for its words.
	broken func(text string, spoke bool) (before, fault string, found bool)
}

// skip passes over partial messages: the whole ones follow.
func (*claudeDialect) skip(kind []byte) bool { return string(kind) == "stream_event" }

func (d *claudeDialect) event(v value, r *report) {
	switch {
	case v.is("assistant", "type"):
		d.assistant(v, r)
	case v.is("user", "type"):
		d.user(v, r)
	case v.is("system", "type"):
		d.system(v, r)
	case v.is("rate_limit_event", "type"):
		d.limit(v.get("rate_limit_info"), r)
	case v.is("result", "type"):
		d.result(v, r)
	}
}

// end takes an error that was put as if it were said for the reason when there is no
// result.
func (d *claudeDialect) end(_ loop.Exit, r *report) {
	if f := (fault{kind: d.word, text: d.notice}); r.result == nil && f.class() != loop.ErrAgent {
		r.failed(f)
	}
}

func (d *claudeDialect) system(v value, r *report) {
	switch {
	case v.is("init", "subtype"):
		r.met(loop.AgentSession{Session: v.str("session_id"), Model: v.str("model"), BilledTo: billedTo(v.str("apiKeySource"))})
	case v.is("api_retry", "subtype"):
		f := fault{status: v.int("error_status"), kind: v.str("error")}
		if f.status == 0 && f.kind == "unknown" { // nobody has answered
			f = fault{kind: "connection_failed", text: "no answer came"}
		}
		r.retries(loop.AgentRetry{
			Try: v.int("attempt"), Most: v.int("max_retries"),
			After: loop.Millis(time.Duration(v.int("retry_delay_ms")) * time.Millisecond),
		}, f)
	case v.is("task_started", "subtype"):
		d.started(v.str("task_id"))
	case v.is("task_notification", "subtype"):
		delete(d.tasks, v.str("task_id"))
	case v.is("task_updated", "subtype"):
		switch v.str("patch", "status") {
		case "completed", "failed", "killed", "stopped":
			delete(d.tasks, v.str("task_id"))
		}
	}
}

// billedTo reads where the key came from. With a subscription there is none.
func billedTo(keySource string) string {
	switch keySource {
	case "":
		return ""
	case "none", "oauth":
		return "subscription"
	}
	return "api_key"
}

func (d *claudeDialect) started(task string) {
	if task == "" {
		return
	}
	if d.tasks == nil {
		d.tasks = map[string]bool{}
	}
	d.tasks[task] = true
}

// assistant reads a message, or one block of it: the same message comes once
// for each of its blocks.
func (d *claudeDialect) assistant(v value, r *report) {
	message := v.get("message")
	if message.is("<synthetic>", "model") { // an error, put as if it were said
		d.word, d.notice = v.str("error"), textOf(message.get("content"))
		if word := v.str("api_error"); exactWords[word] != "" { // it says more, where there is one
			d.word = word
		}
		if v.has("rate_limit_info") {
			d.limit(v.get("rate_limit_info"), r)
		}
		return
	}
	d.word, d.notice = "", ""
	// A subagent's words are not the agent's: its claim would be half a claim.
	subagent := v.has("parent_tool_use_id")
	for _, block := range message.list("content") {
		switch {
		case block.is("text", "type") && !subagent:
			d.text(block.str("text"), message.int("usage", "output_tokens") > 0, r)
		case block.is("tool_use", "type"):
			name := block.str("name")
			r.called(loop.AgentTool{
				ID: block.str("id"), Name: name, Input: gist(block.get("input")), Shell: name == "Bash" || name == d.accent.shell,
			})
		}
	}
	if !subagent && !d.accent.echoes {
		r.answered(message.str("model"))
	}
	if d.bill.add(message, subagent, d.accent.cachedInput) {
		r.used(d.bill.total, d.bill.context)
	}
}

func (d *claudeDialect) text(text string, spoke bool, r *report) {
	if d.accent.broken != nil {
		d.broke = ""
		before, what, found := d.accent.broken(text, spoke)
		switch {
		case found && before == "": // nobody has answered
			d.broke = what
			return
		case found:
			text, d.broke = before, what
		case spoke:
			d.own = text
		}
	}
	d.spoke = d.spoke || text != ""
	r.said(text)
}

// user reads the results of tools; everything else in such a message is the
// prompt or a note of the runtime's.
func (d *claudeDialect) user(v value, r *report) {
	for _, block := range v.list("message", "content") {
		if !block.is("tool_result", "type") {
			continue
		}
		output := textOf(block.get("content"))
		failed := block.bool("is_error")
		r.returned(loop.AgentToolResult{
			ID: block.str("tool_use_id"), Output: output, Failed: failed, Exit: exitIn(output, failed),
		})
	}
	told := v.get("tool_use_result")
	d.started(told.str("backgroundTaskId"))
	if told.int("scheduledFor") > 0 || told.has("humanSchedule") { // ScheduleWakeup, CronCreate
		d.alarm = true
	}
}

// textOf is a text, or the text blocks of a list.
func textOf(v value) string {
	blocks := v.list()
	if blocks == nil {
		return v.str()
	}
	var texts []string
	for _, block := range blocks {
		if text := block.str("text"); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// A command that fails begins its output with its status. One that succeeds
// does not tell.
var exitForm = text.NewPattern(`^Exit code (\d{1,3})\b`)

func exitIn(output string, failed bool) *int {
	found := exitForm().FindStringSubmatch(output)
	if !failed || found == nil {
		return nil
	}
	code, _ := strconv.Atoi(found[1]) // at most three digits
	return &code
}

// limit reads a change of a subscription's limits. Most are warnings, and some
// are paid for and passed.
func (d *claudeDialect) limit(v value, r *report) {
	if v.is("rejected", "status") && !v.bool("isUsingOverage") {
		r.limited(loop.Limit{Kind: claudeLimit(v.str("rateLimitType")), Until: epoch(v.float("resetsAt"))})
		r.named = true
	}
}

// claudeLimit is claude's own word for a limit in ours: "seven_day_opus" is
// weekly_opus.
func claudeLimit(word string) string {
	word = snake(word)
	if model, ok := strings.CutPrefix(word, "seven_day"); ok {
		return "weekly" + model
	}
	return cmp.Or(word, string(loop.ErrUsageLimit))
}

// result reads the last word. There may be more than one, when a task in the
// background wakes the agent up.
func (d *claudeDialect) result(v value, r *report) {
	d.denials(v, r)
	d.total(v, r)
	pending := d.alarm || len(d.tasks) > 0
	d.alarm = false
	if f, failed := d.fault(v); failed {
		r.failed(f)
		r.result.Pending = pending
		return
	}
	r.met(loop.AgentSession{Session: v.str("session_id")})
	text := v.str("result")
	if !d.spoke { // --output-format json tells nothing else
		d.text(text, true, r)
	}
	r.ended(loop.AgentResult{OK: true, Text: text, Pending: pending})
}

// denials reports which tools were not allowed. Their results, which came
// before, say so only in prose.
func (d *claudeDialect) denials(v value, r *report) {
	for _, denial := range v.list("permission_denials") {
		r.add(&loop.AgentToolResult{ID: denial.str("tool_use_id"), Name: denial.str("tool_name"), Failed: true, Denied: true})
	}
}

// fault tells what went wrong. The subtype "success" does not mean success.
func (d *claudeDialect) fault(v value) (fault, bool) {
	text := cmp.Or(v.str("result"), v.str("error", "message"), v.str("error")) // the latter are qwen's
	fine := !v.bool("is_error") && v.is("success", "subtype")
	if d.accent.broken != nil {
		believed := fine && d.tells
		if before, what, found := d.accent.broken(text, fine && text == d.own); found && (before == "" || !believed) {
			return fault{text: what}, true
		}
		if text == "" && d.broke != "" && !believed {
			return fault{text: d.broke}, true
		}
	}
	f := fault{status: v.int("api_error_status"), kind: d.word, text: text}
	if fine && f.status < 400 && f.kind == "" && (text != d.notice || f.class() == loop.ErrAgent) {
		return fault{}, false
	}
	for _, key := range []string{"subtype", "terminal_reason", "stop_reason", "api_error_type"} {
		if word := v.str(key); exactWords[word] != "" {
			f.kind = word
			break
		}
	}
	if f.text == "" {
		f.text = d.reason(v)
		f.vague = f.text == subtypeOf(v)
	}
	return f, true
}

// reason puts an end without a result into words.
func (d *claudeDialect) reason(v value) string {
	for _, e := range v.list("errors") {
		if text := cmp.Or(e.str(), e.str("message")); text != "" && !strings.HasPrefix(text, "[ede_diagnostic]") {
			return text
		}
	}
	return subtypeOf(v)
}

func subtypeOf(v value) string {
	return strings.TrimSpace(v.str("subtype") + " " + v.str("terminal_reason"))
}

// total replaces the sum of the messages by the agent's own, which also knows
// the final count of output tokens. After a fallback to plain requests "usage"
// is all zero, while "modelUsage" is right.
func (d *claudeDialect) total(v value, r *report) {
	d.bill.total.Turns = v.int("num_turns")
	if d.accent.sums {
		// A request that was tried again has no message, only its tokens in the sum.
		if told := since(usageOf(v.get("usage"), d.accent.cachedInput), r.usedBefore()); told.Tokens() > d.bill.total.Tokens() {
			told.Turns = d.bill.total.Turns
			d.bill.total = told
		}
		r.used(d.bill.total, d.bill.context)
		return
	}
	var sum loop.Usage
	window, main, most := 0, "", -1
	v.each(func(name string, m value) {
		if n := m.int("outputTokens"); n > most {
			main, most = name, n
		}
		sum.Input += m.int("inputTokens")
		sum.Output += m.int("outputTokens")
		sum.CacheRead += m.int("cacheReadInputTokens")
		sum.CacheWrite += m.int("cacheCreationInputTokens")
		if name == r.session.Model || window == 0 {
			window = m.int("contextWindow")
		}
	}, "modelUsage")
	if r.session.Model == "" { // --output-format json tells nothing else
		r.met(loop.AgentSession{Model: main})
	}
	if sum.Tokens() == 0 {
		sum = usageOf(v.get("usage"), d.accent.cachedInput)
	}
	if window > 0 {
		r.met(loop.AgentSession{ContextWindow: window})
	}
	if sum.CostUSD = v.float("total_cost_usd"); sum.CostUSD == 0 {
		sum.CostUSD = v.float("cost_usd") // as versions before 1.0 have it
	}
	sum.Turns = d.bill.total.Turns
	d.bill.total = sum
	r.used(sum, d.bill.context)
}
