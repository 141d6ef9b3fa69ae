package tests

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
)

// bun reads bun test. Its counts come before the line that ends the run; a run
// that it gave up early has none.
type bun struct {
	run
	on     bool // the tests are running
	again  bool // results are being repeated
	file   string
	why    *message // what was said on the test whose result comes next
	counts map[string]int
}

func (b *bun) idle() bool { return !b.on && b.counts == nil && !b.again }

func (b *bun) isOn() bool      { return b.on }
func (b *bun) isCounted() bool { return b.counts != nil }

var bunRules = rules[*bun]{list: []rule[*bun]{
	{`^$`, nil, func(*bun, []string) {}},
	{`^bun test v`, nil, func(b *bun, _ []string) { b.endRun(); *b = bun{run: b.run, on: true} }},
	{`^Ran \d+ tests? across \d+ files?\. \[(.+)\]$`, nil, (*bun).ran},
	{`^(?:No tests found!|The following filters did not match any test files:)$`, (*bun).isOn, func(b *bun, m []string) { b.summary(0, 0, 0); b.during(m[0]) }},
	{`^ ?(\d{1,9}) pass$`, nil, func(b *bun, m []string) { b.counts = map[string]int{"pass": figures.Ints(m)[1]} }},
	{`^ ?(\d{1,9}) (fail|skip|todo|error|errors)$`, (*bun).isCounted, func(b *bun, m []string) { b.counts[m[2]] = figures.Ints(m)[1] }},
	{`^ ?\d{1,9} (?:fail|skip|todo|error|errors)$`, (*bun).isOn, func(b *bun, m []string) { b.during(m[0]) }},
	{`^ ?\d{1,9} .* (?:failed|skipped|todo):$`, (*bun).isOn, func(b *bun, _ []string) { b.again = true }},
	{`^ ?\d{1,9}(?: |$)`, func(b *bun) bool { return b.again }, func(*bun, []string) {}},
	{`^(.*):$`, (*bun).isOn, func(b *bun, m []string) {
		if !bunFile(m[1]) {
			b.during(m[0])
			return
		}
		b.file, b.why = strings.Clone(short(m[1])), nil
		b.endDetail()
	}},
	{`^# Unhandled error between tests$`, (*bun).isOn, func(b *bun, _ []string) { b.ended(b.file, Failed, 0) }},
	// "(fail) suite > test [0.28ms]", which in colour begins with a mark.
	{`^(\((?:pass|skip|todo|fail)\)|✓|»|✎|✗)(?: (.*?)(?: \[([^\[\]]*)\])?)?$`, (*bun).isOn, (*bun).result},
}, other: (*bun).during}

func (b *bun) ran(m []string) {
	if b.counts != nil {
		failed := max(b.counts["fail"], b.counts["error"]+b.counts["errors"])
		b.summary(b.counts["pass"], failed, b.counts["skip"]+b.counts["todo"])
	}
	b.endRun()
	b.sum.Duration += figures.Spelt(m[1])
	*b = bun{run: b.run}
}

// during reads what is said on a failing test, or on the result to come.
func (b *bun) during(text string) {
	if !b.on || strings.Trim(text, "-") == "" || excerpt(text) {
		return
	}
	if b.current != nil {
		b.detail(text)
		return
	}
	if word, _, _ := strings.Cut(text, " "); b.why == nil && !strings.HasPrefix(text, "error: ") && !strings.Contains(word, "Error:") {
		return
	}
	if b.why == nil {
		b.why = new(message)
	}
	if !strings.HasPrefix(strings.TrimLeft(text, " "), "at ") {
		b.why.add(text)
	}
}

func (b *bun) result(m []string) {
	name, why := m[2], b.why
	b.why = nil
	b.endDetail()
	if b.again {
		return
	}
	if b.file != "" {
		name = b.file + " > " + name
	}
	b.ended(name, marks[m[1]], figures.Spelt(m[3]))
	if why != nil {
		b.detail(why.String())
	}
	b.endDetail()
}

// bunFile tells whether a name is that of a file that bun test runs.
func bunFile(name string) bool {
	if !script(name) {
		return false
	}
	return strings.Contains(name, ".test.") || strings.Contains(name, "_test.") || strings.Contains(name, ".spec.") || strings.Contains(name, "_spec.")
}
