package agent

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// opencode.
//
// It reads AGENTS.md by itself, and has no turn limit on its command line.
// INT and TERM both end it at once, and its tools live on. It tries again up to five
// times without a word, and waits for as long as the provider says; no setting changes
// that. Its log tells of it, but not how long it will wait; its plugins are told. It has
// a variable to leave a project's settings alone (OPENCODE_DISABLE_PROJECT_CONFIG), and
// loads the project's plugins all the same.
func newOpencode(o Options) (Agent, error) {
	env := map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1"}
	if rules := opencodeRules[o.Permissions]; rules != "" {
		env["OPENCODE_PERMISSION"] = rules
	}
	return newCLI(o, cli{
		program: "opencode",
		format:  "opencode",
		traits: Traits{
			Measured: []string{"1.18.33"},
			Tokens:   true, Cost: true, Sessions: true, Secrets: anyProvider, Home: "https://opencode.ai",
			// Its own models, and the list of all. Whom it buys from by a sign-in is not
			// known.
			Hosts: []string{"models.dev", "opencode.ai"},
			Bases: anyBase,
			State: State{Folder: ".local/share/opencode", More: []string{".local/state/opencode/"}, Private: []string{".config/opencode"}, Secret: []string{"auth.json"}},
		},
		env:     env,
		unset:   []string{"OPENCODE", "OPENCODE_PID"},
		args:    opencodeArgs,
		ear:     opencodeEar,
		notices: []string{" level=INFO ", " level=WARN ", " small=true ", opencodeTold},
		takes: Takes{
			// From every folder between the one it works in and the root of the
			// repository. Its own holds plugins and tools.
			Settings: []string{"opencode.json", "opencode.jsonc"},
			Code:     []string{".opencode/"},
			Skills:   []string{".claude/skills/", ".agents/skills/"},
		},
	})
}

// opencodeRules are added to the user's own rules. What opencode would have to
// ask for is rejected when nobody is there, and ends the attempt; what a rule
// denies is only an error that the model sees. So every mode but the agent's
// own says yes to what is asked (--auto), after a rule has said no to what the
// mode does not include. It has no sandbox; the nearest it has is the border of
// the work tree.
var opencodeRules = map[string]string{
	"edits": `{"bash":"deny","external_directory":"deny"}`,
	"work":  `{"external_directory":"deny"}`,
}

func opencodeArgs(o Options, c Call) ([]string, error) {
	// Its log is heard on stderr: on stdout it says neither that it tries again nor
	// which model it has chosen.
	args := []string{"run", "--format", "json", "--print-logs", "--log-level", "INFO"}
	if o.Permissions != "own" {
		args = append(args, "--auto")
	}
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, "--session", c.Session)
	}
	return args, nil
}

// opencodeTold begins a line of the plugin's.
const opencodeTold = "refrain: opencode "

// opencodePlugin says on stderr what opencode tells its plugins alone: until when it
// waits. Before it loads a plugin it waits for a package of its own for them, which it
// otherwise installs meanwhile; without a network that would take half a minute, so it
// is to ask for it once only. The tools of the agent get neither variable.
const opencodePlugin = `export const Refrain = async () => {
  delete process.env.OPENCODE_CONFIG_CONTENT
  if (process.env.npm_config_fetch_retries === "0") delete process.env.npm_config_fetch_retries
  return {
    event: async ({ event }) => {
      const status = event.type === "session.status" && event.properties.status
      if (status && status.type === "retry") process.stderr.write("` + opencodeTold + `" + JSON.stringify(status) + "\n")
    },
  }
}
`

// opencodeEar has it load the plugin, unless its variable is somebody else's.
func opencodeEar(cmd *Command, c Call) {
	path := filepath.Join(c.Room, "opencode.mjs")
	at := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}
	config, _ := json.Marshal(map[string][]string{"plugin": {at.String()}}) // strings cannot fail
	cmd.File = File{path, opencodePlugin}
	cmd.Wish = append(slices.Clone(cmd.Wish), "OPENCODE_CONFIG_CONTENT="+string(config), "npm_config_fetch_retries=0")
}

// opencodeDialect reads opencode's events. There is no final one: the end is
// the end of the output, and the last step tells how it went.
type opencodeDialect struct {
	bill     bill
	rejected string // the tool that the last step was not allowed to use
	tries    int    // of the request that fails
	broke    bool   // it says that something went wrong, and not what
	logged   string // what its log says that was
	failed   string // what its log says of the last request that failed
	told     bool   // the plugin has told of a retry, and will tell of the next
	plugin   parser
	warned   bool // of the model that it has chosen
}

func newOpencodeDecoder(o Options) Decoder { return newJSONDecoder(o, &opencodeDialect{}) }

func (d *opencodeDialect) event(v value, r *report) {
	r.met(loop.AgentSession{Session: v.str("sessionID")})
	switch part := v.get("part"); v.str("type") {
	case "step_start":
		d.bill.total.Turns++
		d.rejected = ""
		r.result = nil // there is more to come
	case "text":
		r.said(part.str("text"))
	case "tool_use":
		d.tool(part, r)
	case "step_finish":
		d.finish(part, r)
	case "error":
		d.broke = v.is("UnknownError", "error", "name") && strings.HasPrefix(v.str("error", "data", "message"), "Unexpected server error")
		if d.broke {
			r.failed(fault{text: "it failed before it asked a model: check the name of the model, and that its provider is signed in"})
			return
		}
		r.failed(opencodeFault(v.get("error")))
	}
}

// complain reads a line of its log:
//
//	timestamp=… level=INFO run=7d23 message=stream providerID=p modelID=m session.id=ses_1 small=false agent=build mode=primary
//	timestamp=… level=ERROR run=7d23 message="stream error" providerID=p … small=false agent=build mode=primary error.error="AI_APICallError: Overloaded"
//	timestamp=… level=ERROR run=7d23 message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: p/m." cause="…"
//
// What is small is the search for a title, and nothing that anybody waits for. The
// plugin's lines stand among them:
//
//	refrain: opencode {"type":"retry","attempt":1,"message":"Overloaded","next":1795044513643}
func (d *opencodeDialect) complain(line string, r *report) {
	if status, ok := strings.CutPrefix(line, opencodeTold); ok {
		d.waiting(status, r)
		return
	}
	if !isOpencodeLog(line) {
		return
	}
	switch {
	case strings.Contains(line, " message=failed "):
		d.logged = cmp.Or(logged(line, "error"), d.logged)
	case strings.Contains(line, " small=true "):
	case strings.Contains(line, ` message="stream error" `):
		d.failing(logged(line, "error.error"), r)
	case strings.Contains(line, " message=stream "):
		d.asking(line, r)
	}
}

// chatter is its log and the plugin's lines, of which what matters is read.
func (*opencodeDialect) chatter(line string) bool {
	return isOpencodeLog(line) || strings.HasPrefix(line, opencodeTold)
}

func isOpencodeLog(line string) bool { return strings.HasPrefix(line, "timestamp=") }

// failing reports that a request failed and will be made again. After other errors it
// ends, and says so itself.
func (d *opencodeDialect) failing(words string, r *report) {
	if _, said, found := strings.Cut(words, ": "); found { // after "AI_APICallError"
		words = said
	}
	if d.failed = words; d.told {
		return
	}
	if r.trying == nil {
		d.tries = 0
	}
	f := fault{text: words}
	switch kind := f.class(); {
	case loop.Treat(kind).Result == loop.Limited, loop.Treat(kind).Result == loop.Unavailable, kind == loop.ErrBilling:
		d.tries++
		r.retries(loop.AgentRetry{Try: d.tries, Most: opencodeTries, Within: byItself(d.tries)}, f)
	}
}

// waiting reports until when it waits to try again.
func (d *opencodeDialect) waiting(status string, r *report) {
	v, ok := d.plugin.parse([]byte(status))
	if !ok || v.str("type") != "retry" {
		return
	}
	d.told, d.tries = true, int(min(v.int("attempt"), opencodeTries))
	// Its words for a failure are fewer than the log's.
	f := fault{text: cmp.Or(v.str("message"), d.failed), detail: d.failed}
	try := loop.AgentRetry{Try: d.tries, Most: opencodeTries}
	if next := int64(v.int("next")); next > 0 && r.options.Now != nil {
		try.After = waitUntil(time.UnixMilli(next), r.options.Now())
	}
	r.retries(try, f)
}

// opencodeTries is how often it tries again.
const opencodeTries = 5

// asking takes in the model that is asked, and that a wait is over.
func (d *opencodeDialect) asking(line string, r *report) {
	provider, model := logged(line, "providerID"), logged(line, "modelID")
	if provider != "" && model != "" && strings.Contains(line, " mode=primary") {
		r.met(loop.AgentSession{Model: provider + "/" + model})
		d.choice(provider, model, r)
	}
	if r.trying != nil {
		r.retries(loop.AgentRetry{Try: d.tries, Most: opencodeTries, After: loop.Millis(time.Millisecond)}, *r.trying)
	}
}

// choice warns of a model that nobody has asked for: without one, and without a sign-in,
// it takes a free one of its maker's, and says so nowhere.
func (d *opencodeDialect) choice(provider, model string, r *report) {
	if r.options.Model != "" || provider != "opencode" || d.warned {
		return
	}
	d.warned = true
	r.add(&loop.Warning{
		Key:  "opencode's choice",
		Text: "no model is set, and opencode has taken " + provider + "/" + model + " at opencode.ai: where nobody is signed in, that is a free one",
		Hint: "sign in with \"opencode auth login\", or name a model with -m",
	})
}

// logged is a value of a line of its log: a word, or a text in quotes.
func logged(line, key string) string {
	_, rest, found := strings.Cut(line, " "+key+"=")
	if !found {
		return ""
	}
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		if value, err := strconv.Unquote(quoted); err == nil {
			return text.Valid(value)
		}
	}
	word, _, _ := strings.Cut(rest, " ")
	return text.Valid(strings.Trim(word, `"`))
}

// tool reports a call and its result at once: opencode prints nothing before
// the tool has ended.
func (d *opencodeDialect) tool(part value, r *report) {
	id, name, state := part.str("callID"), part.str("tool"), part.get("state")
	input := state.get("input")
	invalid := name == "invalid" // how it answers a call that it cannot read
	if invalid {
		name = cmp.Or(input.str("tool"), name)
	}
	r.called(loop.AgentTool{ID: id, Name: name, Input: gist(input), Shell: name == "bash"})

	problem := state.str("error")
	result := loop.AgentToolResult{
		ID:     id,
		Output: cmp.Or(problem, state.str("output")),
		Failed: invalid || state.is("error", "status"),
	}
	if state.has("metadata", "exit") {
		exit := state.int("metadata", "exit")
		result.Exit = &exit
		result.Failed = result.Failed || exit != 0
	}
	rejected := strings.HasPrefix(problem, "The user rejected permission to use")
	result.Denied = rejected || strings.HasPrefix(problem, "The user has specified a rule which prevents you")
	if rejected {
		d.rejected = name
	}
	r.returned(result)
}

// finish adds up a step. Its figures are the step's own; reasoning is not part
// of its output there, but is paid for like it.
func (d *opencodeDialect) finish(part value, r *report) {
	tokens := part.get("tokens")
	d.bill.count(loop.Usage{
		Input:      tokens.int("input"),
		Output:     tokens.int("output") + tokens.int("reasoning"),
		CacheRead:  tokens.int("cache", "read"),
		CacheWrite: tokens.int("cache", "write"),
		CostUSD:    part.float("cost"),
	})
	r.used(d.bill.total, d.bill.context)

	switch reason := part.str("reason"); reason {
	case "stop", "other": // the latter when a provider has a word of its own for it
		r.ended(loop.AgentResult{OK: true})
	case "tool-calls", "unknown": // it goes on with another step
	case "content-filter":
		r.failed(fault{kind: "content_filter", text: "the provider stopped the reply (content filter)"})
	default:
		r.failed(fault{text: "the reply ended before it was complete (" + reason + ")"})
	}
}

func (d *opencodeDialect) end(_ loop.Exit, r *report) {
	if d.broke && d.logged != "" {
		r.failed(opencodeMissing(d.logged))
	}
	// It exits 0 when it was not allowed to go on.
	if r.result == nil && d.rejected != "" {
		r.failed(fault{kind: "permission", text: "it was not allowed to use " + d.rejected + ", and stopped there"})
	}
}

// missingForm is a model that it cannot find, and those with names like it.
var missingForm = text.NewPattern(`^Model not found: ([^/\s]+)/(\S+)\. Did you mean: (.*)\?`)

// opencodeMissing reads why it could not begin. A model that it advises to take instead
// of itself is one that it knows: only nobody is signed in to its provider.
func opencodeMissing(logged string) fault {
	kind, words, _ := strings.Cut(logged, ": ")
	if m := missingForm().FindStringSubmatch(words); m != nil && slices.Contains(strings.Split(m[3], ", "), m[2]) {
		return fault{kind: "ProviderAuthError", text: "it knows the model " + m[1] + "/" + m[2] + ", but nobody is signed in to " + m[1]}
	}
	return fault{kind: kind, text: cmp.Or(words, logged)}
}

func opencodeFault(v value) fault {
	data := v.get("data")
	return fault{
		status: data.int("statusCode"),
		kind:   v.str("name"),
		text:   cmp.Or(data.str("message"), v.str("message"), v.str(), v.str("name"), "an error without a message"),
		detail: data.str("responseBody") + "\n" + opencodeWait(data.get("responseHeaders")),
	}
}

// opencodeWait keeps of the provider's headers those that say how long to wait.
func opencodeWait(headers value) string {
	var lines []string
	for _, name := range []string{"retry-after-ms", "retry-after", "anthropic-ratelimit-unified-reset", "x-ratelimit-reset"} {
		if text := headers.str(name); text != "" {
			lines = append(lines, name+": "+text)
		}
	}
	return strings.Join(lines, "\n")
}
