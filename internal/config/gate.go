package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/setting"
)

// gateKey is the list of tables in which gates stand.
const gateKey = "gate"

const gatesDoc = "the runner's own checks, in their order; a claim is proven when they pass"

// gateRow is one gate as a whole. A layer above replaces it as a whole, too:
// half of one gate and half of another would be a check that nobody wrote.
var gateRow = setting.Row{Key: "NAME", Kind: gateTable, Doc: "one of the runner's own checks: a command, or an agent with a prompt that reviews the work"}

// gateTable is never read as one value, but key by key.
var gateTable = &setting.Kind{Name: "table"}

// gateRows is every setting of one gate, below [[gate]].
func gateRows(g *Gate) []setting.Row {
	return []setting.Row{
		{
			Key: "name", Kind: setting.Text, At: &g.Name, Required: true, Check: gateName,
			Doc: "what it is called, also in another layer that replaces it",
		},
		{
			Key: "run", Kind: setting.Line, At: &g.Run, Required: true,
			Doc: "the command, for the shell; exit 0 passes",
		},
		{
			Key: "agent", Kind: setting.Text, At: &g.Agent, Required: true,
			Doc: "instead of run: the agent that reviews the work, as in the key agent",
		},
		{
			Key: "prompt", Kind: setting.Text, At: &g.Prompt, Required: true,
			Doc: "what that agent is asked to judge; it must print <verdict>pass</verdict> or <verdict>fail: WHY</verdict>",
		},
		{
			Key: "timeout", Kind: setting.Duration, At: &g.Timeout, Default: 10 * time.Minute,
			Doc: "how long it may take; \"0s\" is no limit",
		},
		{
			Key: "when", Kind: setting.Text, At: &g.When, Default: "always", Choices: []string{"always", "claim"},
			Doc: "after every attempt that ended well, or only to judge a claim",
		},
		{
			Key: "min_tests", Kind: setting.Int, At: &g.MinTests, Default: 0,
			Doc: "it passes only if at least this many tests ran",
		},
		{
			Key: "pin", Kind: setting.List, At: &g.Pin, Default: []string{}, Required: true,
			Doc: "files that the clean checkout has as they were when the run began, as patterns of a .gitignore file",
		},
		{
			Key: "require", Kind: setting.Text, At: &g.Require, Default: "pass", Choices: []string{"pass", "no_worse"},
			Doc: "pass, or only no test failing that did not fail before the first iteration",
		},
		{
			Key: "retries", Kind: setting.Int, At: &g.Retries, Default: 2,
			Doc: "how often it runs again when it passed and failed on the same tree; it must pass each time, and proves nothing then",
		},
	}
}

var gateSettings = gateRows(new(Gate))

// Names are also names of files; a longer one may not fit.
const namePattern = `^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`

var (
	goodGateName = regexp.MustCompile(namePattern)
	flagGateName = regexp.MustCompile(`^gate-[0-9]+$`)
)

func gateName(v any) (what, hint string) { return CheckGateName(v.(string)) }

// CheckGateName says what is wrong with the name of a gate, and what to do; both
// are empty when nothing is.
func CheckGateName(name string) (what, hint string) {
	switch {
	case !goodGateName.MatchString(name):
		return "must not be " + setting.Quote(name), "use letters, digits, ., - and _, 64 at most, and begin with a letter or a digit"
	case strings.EqualFold(name, "protect"):
		return "must not be " + setting.Quote(name) + ": the check of git.protect is called so", "give the gate another name"
	case flagGateName.MatchString(strings.ToLower(name)):
		return "must not be " + setting.Quote(name) + ": gates of " + gateFlag + " are called so", "give the gate another name"
	}
	return "", ""
}

// fields is what one table of a list says, by key.
type fields map[string]entry

// field is what a gate says about one key, or the default, which may be none.
func (e entry) field(r setting.Row) entry {
	f, ok := e.value.(fields)[r.Key]
	if !ok {
		return entry{row: r, value: r.Default, layer: builtIn}
	}
	f.layer = e.layer // it may stand in a procedure's table
	return f
}

// masked renders what differs from the defaults. The name stands in the key.
func (f fields) masked() string {
	shown := map[string]string{}
	for key, e := range f {
		if key != "name" && setting.Render(e.value) != setting.Render(e.row.Default) {
			shown[key] = e.row.Masked(e.value)
		}
	}
	return setting.InlineTable(shown, gateSettings)
}

// lost tells whether one of them was masked, so that it is there no more.
func (f fields) lost() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(f)), entry.lost)
}

// gateComplaint says what is wrong between the keys of one gate.
func (f fields) gateComplaint() (what, hint string) {
	has := func(key string) bool { _, ok := f[key]; return ok }
	switch {
	case !has("name"):
		return "has no name", `add name = "test"`
	case has("run") && has("agent"):
		return "has both run and agent", "make it two gates: a command and a reviewer"
	case has("run") && has("prompt"):
		return "has both run and prompt", "leave out the prompt, or write agent instead of run"
	case has("run"):
		return "", ""
	case !has("agent") && !has("prompt"):
		return "has nothing to run", `add run = "COMMAND", or agent and prompt for a reviewer`
	case !has("prompt"):
		return "has an agent but no prompt", "add prompt, to say what the agent is to judge"
	case !has("agent"):
		return "has a prompt but no agent", `add agent = "NAME", or agent = "auto"`
	}
	for _, key := range []string{"min_tests", "require", "retries"} {
		if has(key) {
			return fmt.Sprintf("has %s, but a reviewer runs no tests", key), "leave it out, or make a gate of its own with run"
		}
	}
	return "", ""
}
