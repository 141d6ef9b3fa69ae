package tests

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
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

func (d *deno) idle() bool { return !d.on && !d.output && !d.errors && !d.checked }

func (d *deno) reading() bool  { return !d.output }
func (d *deno) inErrors() bool { return d.errors && !d.output }

var denoRules = rules[*deno]{list: []rule[*deno]{
	{`^$`, nil, func(*deno, []string) {}},
	{`^------- output -------$`, nil, func(d *deno, _ []string) { d.output = true }},
	{`^----- output end -----$`, nil, func(d *deno, _ []string) { d.output = false }},
	{`^running \d+ tests? from (.+)$`, nil, func(d *deno, m []string) { d.on, d.output, d.module = true, false, keep(m[1]) }},
	{`^Check (.*[_.]test\..*)`, nil, func(d *deno, m []string) {
		if !script(m[1]) {
			d.other(m[0])
			return
		}
		d.checked = true
	}},
	{`^TS.* \[ERROR\]: `, func(d *deno) bool { return d.checked }, func(d *deno, m []string) { d.types.add(m[0]); d.other(m[0]) }},
	{`^error: No test modules found$`, nil, func(d *deno, _ []string) { d.summary(0, 0, 0); d.end() }},
	{`^error: Type checking failed\.$`, func(d *deno) bool { return d.checked }, func(d *deno, _ []string) {
		d.summary(0, 1, 0)
		d.fail("type checking", 0)
		d.detail(d.types.String())
		d.end()
	}},
	{`^(ok|FAILED) \| (\d+ passed.* \| \d+ failed.*) \(([^()]+)\)$`, (*deno).reading, (*deno).sums},
	{`^ (?:ERRORS|FAILURES) $`, nil, func(d *deno, _ []string) { d.errors, d.output = true, false; d.endDetail() }},
	{`^(\S.*) => (\S+):\d+:\d+$`, (*deno).inErrors, func(d *deno, m []string) { d.problem(m[1], m[2]) }},
	{`^(.*) \(uncaught error\)$`, (*deno).inErrors, func(d *deno, m []string) { d.fail(m[1], 0) }},
	{`^(\S.*) \.\.\. (ok|FAILED|ignored)(?: \(.*\))? \((\d[^()]*)\)$`, func(d *deno) bool { return d.on && !d.output && !d.errors }, (*deno).result},
}, other: (*deno).other}

// other is a line that may be said on a failing test.
func (d *deno) other(text string) {
	if d.inErrors() {
		d.detail(text)
	}
}

var denoSteps = text.NewPattern(` \(\d+ steps?\)`)

// sums reads "FAILED | 2 passed (1 step) | 2 failed (1 step) | 1 ignored (128ms)".
func (d *deno) sums(m []string) {
	counts := figures.Parts(denoSteps().ReplaceAllString(m[2], ""), " | ")
	if counts == nil {
		d.other(m[0])
		return
	}
	failed := counts["failed"]
	if m[1] == "FAILED" {
		failed = max(1, failed)
	}
	d.summary(counts["passed"], failed, counts["ignored"])
	d.sum.Duration += figures.Spelt(m[3])
	d.end()
}

func (d *deno) result(m []string) {
	name := short(m[1] + " => " + d.module)
	status := cargoStatus[m[2]] // the words are the same
	d.count(status, 1)
	d.names.timed(name, status, figures.Spelt(m[3]))
	if status == Failed && len(d.broken) < maxFailing {
		d.broken = append(d.broken, strings.Clone(name))
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
			d.detail(title[i+len(" ... "):])
			return
		}
	}
	d.fail(title+" => "+module, 0)
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
	d.fail(name, 0)
	return true
}

func (d *deno) end() {
	d.endRun()
	*d = deno{run: d.run}
}
