package tests

import (
	"regexp"
	"slices"
	"strings"
)

var (
	denoEnd     = regexp.MustCompile(`^(ok|FAILED) \| (\d+ passed.* \| \d+ failed.*) \(([^()]+)\)$`)
	denoSteps   = regexp.MustCompile(` \(\d+ steps?\)`)
	denoRunning = regexp.MustCompile(`^running \d+ tests? from (.+)$`)
	denoResult  = regexp.MustCompile(`^(\S.*) \.\.\. (ok|FAILED|ignored)(?: \(.*\))? \((\d[^()]*)\)$`)
	denoProblem = regexp.MustCompile(`^(\S.*) => (\S+):\d+:\d+$`)
)

// deno reads deno test. The steps of a test are not counted, as they are in the
// test; a module that throws counts as one failed test.
type deno struct {
	run
	on      bool // the tests are running
	module  string
	broken  []string // the failed tests, as far as they were printed
	output  bool     // what a test printed is being shown
	errors  bool     // the failing tests are
	checked bool     // a test module was type-checked
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
		if !strings.HasPrefix(text, "running ") {
			break
		}
		if m := denoRunning.FindStringSubmatch(text); m != nil {
			d.on, d.output, d.module = true, false, keep(m[1])
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
				d.problem(m[1], m[2])
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
	name := short(m[1] + " => " + d.module)
	switch m[2] {
	case "ok":
		d.pass(name)
	case "FAILED":
		d.failed++
		d.names.put(name, Failed)
		if len(d.broken) < mostFailing {
			d.broken = append(d.broken, strings.Clone(name))
		}
	case "ignored":
		d.skip(name)
	}
}

// problem reads a failing test, or a failing step, "test ... step", for which the
// test goes by its own name: it is the same one when all its steps pass. The place
// may be in a module of Deno's own.
func (d *deno) problem(title, module string) {
	if d.failedAs(title, module) {
		return
	}
	for i := strings.LastIndex(title, " ... "); i > 0; i = strings.LastIndex(title[:i], " ... ") {
		if d.failedAs(title[:i], module) {
			d.say(title[i+len(" ... "):])
			return
		}
	}
	d.tell(title+" => "+module, 0)
}

// failedAs tells of a test that was printed as failed, the one in this module if
// there is one.
func (d *deno) failedAs(test, module string) bool {
	name := short(test + " => " + module)
	if !slices.Contains(d.broken, name) {
		i := slices.IndexFunc(d.broken, func(b string) bool { return strings.HasPrefix(b, test+" => ") })
		if i < 0 {
			return false
		}
		name = d.broken[i]
	}
	d.tell(name, 0)
	return true
}

func (d *deno) end() {
	d.next()
	*d = deno{run: d.run}
}
