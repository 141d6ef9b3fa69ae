package tests

import (
	"regexp"
	"strings"
)

var (
	dotnetLine     = regexp.MustCompile(`^(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total: +\d+(?:, Duration: ([^-]+?))?(?: - .+)?$`)
	dotnetTerminal = regexp.MustCompile(`^Test summary: total: \d+, failed: (\d+), succeeded: (\d+), skipped: (\d+)(?:, duration: (\S+))?$`)
	dotnetResult   = regexp.MustCompile(`^  (Passed|Failed|Skipped) (\S.*) \[([^\[\]]+)\]$`)
	dotnetError    = regexp.MustCompile(`^ +(\S.*) \((\d[^()]*)\): Error Message: (.*)$`)
	dotnetOne      = regexp.MustCompile(`^(passed|failed|skipped) (\S.*) \((\d[^()]*)\)$`)
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

func (d *dotnet) line(text string) {
	if d.block != nil && d.counted(text) {
		return
	}
	if text == "" {
		return
	}
	switch text[0] {
	case ' ':
		d.indented(text)
		return
	case 'P', 'F', 'S':
		if d.oneLine(text) {
			return
		}
		d.on = d.on || text == "Starting test execution, please wait..."
	case 'T':
		if d.summary(text) {
			return
		}
	case 'N':
		if strings.HasPrefix(text, "No test is available in ") || strings.HasPrefix(text, "No test matches the given testcase filter ") || text == "No test projects were found." {
			d.add(0, 0, 0)
		}
	case 'f', 'p', 's':
		if d.one(text) {
			return
		}
	}
	if d.why {
		d.say(text)
		return
	}
	d.hush()
}

// oneLine reads "Failed!  - Failed:     1, Passed:     2, Skipped:     0, …".
func (d *dotnet) oneLine(text string) bool {
	if !strings.Contains(text, "! ") || !strings.Contains(text, "- Failed: ") {
		return false
	}
	m := dotnetLine.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	d.end(m[2], m[1], m[3], m[4])
	return true
}

// summary reads the first lines of the longer summaries, and what the terminal
// logger ends with.
func (d *dotnet) summary(text string) bool {
	if m := dotnetTerminal.FindStringSubmatch(text); m != nil {
		d.end(m[2], m[1], m[3], m[4])
		return true
	}
	if why, ok := strings.CutPrefix(text, "The active test run was aborted. Reason: "); ok {
		d.fail("test run aborted", 0)
		d.say(why)
		return true
	}
	if status, ok := strings.CutPrefix(text, "Test run summary: "); ok {
		d.block, d.status = make(map[string]int), strings.Clone(short(status))
		return true
	}
	if total, ok := strings.CutPrefix(text, "Total tests: "); ok {
		d.block, d.status = make(map[string]int), ""
		n, known := number(total)
		if known {
			d.block["total"] = n
		}
		return true
	}
	return false
}

// counted reads a count of a summary of several lines, which ends with the time
// or with something else.
func (d *dotnet) counted(text string) bool {
	if !strings.HasPrefix(text, " ") {
		if _, ok := d.block["total"]; ok && text != "" {
			d.settle("")
		}
		return false
	}
	what, value, _ := strings.Cut(strings.TrimLeft(text, " "), ": ")
	switch what = strings.ToLower(what); what {
	case "passed", "failed", "skipped", "succeeded", "total":
		if n, ok := number(value); ok {
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
	passed, failed := b["passed"]+b["succeeded"], b["failed"]
	if failed == 0 && (strings.HasPrefix(d.status, "Failed!") || strings.HasPrefix(d.status, "Aborted")) {
		failed = 1
	}
	if len(b) == 0 && failed == 0 && !strings.HasPrefix(d.status, "Zero tests ran") {
		return
	}
	d.sumUp(passed, failed+d.aborted(), b["skipped"])
	d.sum.Duration += spelt(took)
	d.next()
	*d = dotnet{run: d.run}
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

func (d *dotnet) end(passed, failed, skipped, took string) {
	p, _ := number(passed)
	f, _ := number(failed)
	s, _ := number(skipped)
	d.sumUp(p, f+d.aborted(), s)
	d.sum.Duration += spelt(took)
	d.next()
	*d = dotnet{run: d.run}
}

// aborted is 1 when the test host died in the run, which no summary counts.
func (d *dotnet) aborted() int {
	for _, f := range d.failing {
		if f.name == "test run aborted" {
			return 1
		}
	}
	return 0
}

func (d *dotnet) indented(text string) {
	if strings.HasSuffix(text, "]") {
		if m := dotnetResult.FindStringSubmatch(text); m != nil {
			d.result(m[1], m[2], m[3])
			return
		}
	}
	if strings.Contains(text, "): Error Message: ") {
		if m := dotnetError.FindStringSubmatch(text); m != nil {
			d.tell(m[1], spelt(m[2]))
			d.say(m[3])
			return
		}
	}
	switch inner := strings.TrimLeft(text, " "); {
	case inner == "Error Message:":
		d.why = true
	case strings.HasPrefix(inner, "from "):
	case inner == "Stack Trace:":
		d.why = false
		d.hush()
	default:
		d.say(text)
	}
}

// result reads one test of VSTest's console: "  Failed Sum.Tests.Adds [12 ms]".
func (d *dotnet) result(status, name, took string) {
	d.why = false
	d.hush()
	switch {
	case status == "Failed" && d.on:
		d.fail(name, spelt(took))
	case status == "Failed":
		d.tell(name, spelt(took))
	case status == "Passed" && d.on:
		d.pass(name)
	case status == "Skipped" && d.on:
		d.skip(name)
	}
}

// one reads a test of Microsoft.Testing.Platform: "failed Sum.Tests.Adds (33ms)",
// and others when its output is to be detailed.
func (d *dotnet) one(text string) bool {
	if !strings.HasPrefix(text, "failed ") && !strings.HasPrefix(text, "passed ") && !strings.HasPrefix(text, "skipped ") {
		return false
	}
	m := dotnetOne.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	d.hush()
	switch m[1] {
	case "passed":
		d.names.put(m[2], Passed)
	case "skipped":
		d.names.put(m[2], Skipped)
	case "failed":
		d.tell(m[2], spelt(m[3]))
	}
	return true
}
