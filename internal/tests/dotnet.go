package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
)

// dotnet reads dotnet test: VSTest's console in its short and long form, the
// terminal logger of the newer SDKs, and Microsoft.Testing.Platform. A test host
// that died counts as one failed test.
type dotnet struct {
	run
	on     bool           // tests are running
	block  map[string]int // the counts of a summary of several lines, as far as it was read
	status string         // what that summary began with
	why    bool           // an error's message is being printed, as it is
}

func (d *dotnet) idle() bool { return d.block == nil && !d.why && d.current == nil }

var dotnetRules = rules[*dotnet]{list: []rule[*dotnet]{
	{`^$`, nil, func(*dotnet, []string) {}},

	// VSTest's console: "  Failed Sum.Tests.Adds [12 ms]", and why.
	{`^  (Passed|Failed|Skipped) (\S.*) \[([^\[\]]+)\]$`, nil, (*dotnet).console},
	{`^ +(\S.*) \((\d[^()]*)\): Error Message: (.*)$`, nil, func(d *dotnet, m []string) {
		d.fail(m[1], figures.Spelt(m[2]))
		d.detail(m[3])
	}},
	{`^ +Error Message:$`, nil, func(d *dotnet, _ []string) { d.why = true }},
	{`^ +Stack Trace:$`, nil, func(d *dotnet, _ []string) { d.why = false; d.endDetail() }},
	{`^ +from `, (*dotnet).explaining, func(*dotnet, []string) {}},

	// Microsoft.Testing.Platform: "failed Sum.Tests.Adds (33ms)", and others when
	// its output is to be detailed.
	{`^(passed|failed|skipped) (\S.*) \((\d[^()]*)\)$`, nil, func(d *dotnet, m []string) { d.named(m[2], Status(m[1]), figures.Spelt(m[3])) }},

	// The summaries.
	{`^(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total: +\d+(?:, Duration: ([^-]+?))?(?: - .+)?$`, nil, (*dotnet).sums},
	{`^Test summary: total: \d+, failed: (\d+), succeeded: (\d+), skipped: (\d+)(?:, duration: (\S+))?$`, nil, (*dotnet).sums},
	{`^The active test run was aborted\. Reason: (.*)`, nil, func(d *dotnet, m []string) {
		d.ended(dotnetAborted, Failed, 0)
		d.detail(m[1])
	}},
	{`^Test run summary: (.*)`, nil, func(d *dotnet, m []string) { d.block, d.status = map[string]int{}, strings.Clone(short(m[1])) }},
	{`^Total tests: (.*)`, nil, func(d *dotnet, m []string) {
		d.block, d.status = map[string]int{}, ""
		if n, ok := figures.Number(m[1]); ok {
			d.block["total"] = n
		}
	}},
	{`^No test (?:is available in |matches the given testcase filter |projects were found\.$)`, nil, func(d *dotnet, m []string) {
		d.add(0, 0, 0)
		d.other(m[0])
	}},
	{`^Starting test execution, please wait\.\.\.$`, nil, func(d *dotnet, m []string) {
		d.on = true
		d.other(m[0])
	}},
}, first: (*dotnet).counted, other: (*dotnet).other}

// other is a line that no rule is for.
func (d *dotnet) other(text string) {
	if !d.why && text[0] != ' ' {
		d.endDetail()
	}
	d.detail(text)
}

func (d *dotnet) console(m []string) {
	d.why = false
	d.endDetail()
	switch {
	case d.on:
		d.ended(m[2], Status(strings.ToLower(m[1])), figures.Spelt(m[3]))
	case m[1] == "Failed":
		d.fail(m[2], figures.Spelt(m[3]))
	}
}

// counted reads a count of a summary of several lines, which ends with the time
// or with something else.
func (d *dotnet) counted(text string) bool {
	if d.block == nil {
		return false
	}
	if !strings.HasPrefix(text, " ") {
		if _, ok := d.block["total"]; ok && text != "" {
			d.settle("")
		}
		return false
	}
	what, value, _ := strings.Cut(strings.TrimLeft(text, " "), ": ")
	switch what = strings.ToLower(what); what {
	case "passed", "failed", "skipped", "succeeded", "total":
		if n, ok := figures.Number(value); ok {
			d.block[what] = n
			return true
		}
	case "duration", "total time":
		d.settle(value)
		return true
	}
	return false
}

// settle takes the counts of a summary of several lines.
func (d *dotnet) settle(took string) {
	b := d.block
	d.block = nil
	failed := b["failed"]
	if failed == 0 && (strings.HasPrefix(d.status, "Failed!") || strings.HasPrefix(d.status, "Aborted")) {
		failed = 1
	}
	if len(b) == 0 && failed == 0 && !strings.HasPrefix(d.status, "Zero tests ran") {
		return
	}
	d.end(b["passed"]+b["succeeded"], failed, b["skipped"], took)
}

// report takes a summary that was cut off as far as it goes.
func (d *dotnet) report() (Report, bool) {
	end := *d
	if end.block != nil {
		end.tally = d.fork()
		end.settle("")
	}
	return end.run.report()
}

func (d *dotnet) sums(m []string) {
	n := figures.Ints(m[1:4])
	d.end(n[1], n[0], n[2], m[4])
}

const dotnetAborted = "test run aborted"

func (d *dotnet) end(passed, failed, skipped int, took string) {
	for _, f := range d.failing {
		if f.name == dotnetAborted {
			failed++ // no summary counts it
		}
	}
	d.summary(passed, failed, skipped)
	d.sum.Duration += figures.Spelt(took)
	d.endRun()
	*d = dotnet{run: d.run}
}
