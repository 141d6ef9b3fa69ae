package tests

import (
	"regexp"
	"strings"
)

var (
	denoEnd     = regexp.MustCompile(`^(ok|FAILED) \| (\d+ passed.* \| \d+ failed.*) \(([^()]+)\)$`)
	denoSteps   = regexp.MustCompile(` \(\d+ steps?\)`)
	denoRunning = regexp.MustCompile(`^running \d+ tests? from `)
	denoResult  = regexp.MustCompile(`^(\S.*) \.\.\. (ok|FAILED|ignored)(?: \(.*\))? \((\d[^()]*)\)$`)
	denoProblem = regexp.MustCompile(`^(\S.*) => (\S+):\d+:\d+$`)
)

// deno reads deno test. The steps of a test are not counted, as they are in the
// test; a module that throws counts as one failed test.
type deno struct {
	run
	on      bool // the tests are running
	output  bool // what a test printed is being shown
	errors  bool // the failing tests are
	checked bool // a test module was type-checked
	types   message
}

func (d *deno) line(text string) {
	if text == "" {
		return
	}
	switch text[0] {
	case '-':
		if text == "------- output -------" || text == "----- output end -----" {
			d.output = text == "------- output -------"
			return
		}
	case 'r':
		if strings.HasPrefix(text, "running ") && denoRunning.MatchString(text) {
			d.on, d.output = true, false
			return
		}
	case 'C':
		if module, ok := strings.CutPrefix(text, "Check "); ok && script(module) && (strings.Contains(module, "_test.") || strings.Contains(module, ".test.")) {
			d.checked = true
			return
		}
	case 'T':
		if d.checked && strings.HasPrefix(text, "TS") && strings.Contains(text, " [ERROR]: ") {
			d.types.add(text)
		}
	case 'e':
		if d.refused(text) {
			return
		}
	case 'o', 'F':
		if !d.output && d.ended(text) {
			return
		}
	case ' ':
		if text == " ERRORS " || text == " FAILURES " {
			d.errors, d.output = true, false
			d.hush()
			return
		}
	}
	if !d.output {
		d.during(text)
	}
}

// refused reads why no test was run at all.
func (d *deno) refused(text string) bool {
	switch {
	case text == "error: No test modules found":
		d.sumUp(0, 0, 0)
	case text == "error: Type checking failed." && d.checked:
		d.sumUp(0, 1, 0)
		d.tell("type checking", 0)
		d.say(d.types.String())
	default:
		return false
	}
	d.end()
	return true
}

// ended reads "FAILED | 2 passed (1 step) | 2 failed (1 step) | 1 ignored (128ms)".
func (d *deno) ended(text string) bool {
	if !strings.HasPrefix(text, "ok | ") && !strings.HasPrefix(text, "FAILED | ") {
		return false
	}
	m := denoEnd.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	counts := parts(denoSteps.ReplaceAllString(m[2], ""), " | ")
	if counts == nil {
		return false
	}
	failed := counts["failed"]
	if m[1] == "FAILED" {
		failed = max(1, failed)
	}
	d.sumUp(counts["passed"], failed, counts["ignored"])
	d.sum.Duration += spelt(m[3])
	d.end()
	return true
}

// during reads a result, or a failing test and what is said on it.
func (d *deno) during(text string) {
	if d.errors {
		if strings.Contains(text, " => ") {
			if m := denoProblem.FindStringSubmatch(text); m != nil {
				d.tell(m[1]+" => "+m[2], 0)
				return
			}
		}
		if module, ok := strings.CutSuffix(text, " (uncaught error)"); ok {
			d.tell(module, 0)
			return
		}
		d.say(text)
		return
	}
	if !d.on || !strings.HasSuffix(text, ")") || !strings.Contains(text, " ... ") {
		return
	}
	m := denoResult.FindStringSubmatch(text)
	if m == nil {
		return
	}
	switch m[2] {
	case "ok":
		d.passed++
	case "FAILED":
		d.failed++
	case "ignored":
		d.skipped++
	}
}

func (d *deno) end() {
	d.next()
	*d = deno{run: d.run}
}
