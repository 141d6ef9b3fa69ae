package agent

import (
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// aider, from its documentation and its source; not measured.
//
// It has no JSON, no sessions to continue and no turn limit. What it reads from
// stdin are answers to its questions, so the prompt comes in a file.
func newAider(o Options) (Agent, error) {
	return newCLI(o, cli{
		program: "aider",
		format:  "aider",
		traits: Traits{
			Tokens: true, Cost: true, Secrets: anyProvider, Bases: anyBase, Home: "https://aider.chat", // hosts: those of the keys
			State: State{Folder: ".aider", Secret: []string{"oauth-keys.env"}},
		},
		env: map[string]string{
			"AIDER_ANALYTICS":          "false",
			"AIDER_CHECK_UPDATE":       "false",
			"AIDER_SHOW_RELEASE_NOTES": "false",
			"AIDER_PRETTY":             "false",
			"AIDER_FANCY_INPUT":        "false",
			// Else it offers to fetch every address in the prompt.
			"AIDER_DETECT_URLS": "false",
		},
		args: aiderArgs,
		takes: Takes{ // from the folder it works in and the root of the repository
			Settings:  []string{".aider.conf.yml", ".aider.model.settings.yml", ".aider.model.metadata.json"},
			Variables: []string{".env"},
		},
		deliver: byFile,
	})
}

// aiderModes are the switches for what it may do unasked. It never runs a
// command that its model suggests without a person's yes, in no mode.
var aiderModes = map[string][]string{
	"edits": {"--yes-always", "--no-auto-commits", "--no-dirty-commits"},
	"work":  {"--yes-always"},
	"full":  {"--yes-always"},
}

func aiderArgs(o Options, c Call) ([]string, error) {
	var args []string
	args = append(args, aiderModes[o.Permissions]...)
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if o.SystemFile != "" {
		args = append(args, "--read", o.SystemFile)
	}
	return append(args, "--message-file"), nil
}

// aiderDecoder reads plain text, and the few lines in it that are aider's own.
//
// Exit status 0 says little: aider prints the error of a request and ends well.
// After an answer it prints the tokens, so an error is its last word only when
// no tokens follow.
type aiderDecoder struct {
	report report
	bill   bill
	fault  *fault
	tries  int
}

func newAiderDecoder(o Options) Decoder { return &aiderDecoder{report: report{options: o}} }

var (
	aiderTokens = text.NewPattern(`^Tokens: (\S+) sent(?:, (\S+) cache write)?(?:, (\S+) cache hit)?, (\S+) received\.` +
		`(?: Cost: \$\S+ message, \$(\S+) session\.)?$`)
	aiderError = text.NewPattern(`^litellm\.(?:exceptions\.)?(\w+): `)
	aiderFull  = text.NewPattern(`^Model \S+ has hit a token limit!$`)
	aiderRetry = text.NewPattern(`^Retrying in (\d+(?:\.\d+)?) seconds\.\.\.$`)
)

func (d *aiderDecoder) Decode(line []byte) []loop.Payload {
	text := strings.TrimRight(text.Valid(string(line)), "\r")
	if found := aiderTokens().FindStringSubmatch(text); found != nil {
		d.answered(found)
		return d.report.take()
	}
	if found := aiderRetry().FindStringSubmatch(text); found != nil && d.fault != nil {
		d.retrying(found[1])
		return d.report.take()
	}
	switch found := aiderError().FindStringSubmatch(text); {
	case found != nil:
		d.fault = &fault{kind: found[1], text: text}
		d.report.stray(line)
	case aiderFull().MatchString(text):
		d.fault = &fault{kind: "context_length_exceeded", text: text}
		d.report.stray(line)
	default:
		d.report.add(&loop.AgentText{Text: text})
	}
	return d.report.take()
}

// answered adds up the tokens of one answer, which are rounded ("2.4k") and
// come with the cached ones in what was sent. The cost is the whole attempt's.
func (d *aiderDecoder) answered(found []string) {
	d.fault, d.tries = nil, 0
	sent, write, hit := aiderCount(found[1]), aiderCount(found[2]), aiderCount(found[3])
	d.bill.count(loop.Usage{
		Input:      sent - write - hit,
		Output:     aiderCount(found[4]),
		CacheRead:  hit,
		CacheWrite: write,
	})
	d.bill.total.Turns++
	if cost, err := strconv.ParseFloat(found[5], 64); err == nil && cost < 1e6 {
		d.bill.total.CostUSD = max(0, cost)
	}
	d.report.used(d.bill.total, d.bill.context)
}

// aiderCount reads "950", "2.4k" and "12k"; anything else is 0.
func aiderCount(text string) int {
	digits, thousands := strings.CutSuffix(text, "k")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n >= 0 && n < 1e9) {
		return 0
	}
	if thousands {
		n *= 1000
	}
	return int(n)
}

func (d *aiderDecoder) retrying(seconds string) {
	d.tries++
	wait, _ := strconv.ParseFloat(seconds, 64) // digits, by the pattern
	d.report.add(&loop.AgentRetry{
		Try:   d.tries,
		After: loop.Millis(min(wait, 1e6) * float64(time.Second)),
		Error: d.fault.err(),
	})
}

func (d *aiderDecoder) Close(exit loop.Exit) []loop.Payload {
	switch {
	case d.fault != nil:
		d.report.failed(*d.fault)
	case exit.Zero():
		d.report.ended(loop.AgentResult{OK: true})
	default:
		d.report.ended(*exitFailure(exit))
	}
	return append(d.report.take(), d.report.verdict(exit))
}
