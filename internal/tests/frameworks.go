package tests

import "github.com/refrain-loop/refrain/internal/text"

// frameworks are the test runners that can be read, one file each. Their order
// is the order of their names in a report.
var frameworks = []framework{
	{name: "go", source: ruled(&goRules)},
	{name: "go-json", source: byLine[goJSON](`^\{"(?:Time|ImportPath|Action)":"`)},
	{name: "gotestsum", over: []string{"go"}, source: ruled(&gotestsumRules)},
	{name: "cargo", source: ruled(&cargoRules)},
	{name: "nextest", over: []string{"cargo"}, source: ruled(&nextestRules)},
	{name: "pytest", source: ruled(&pytestRules)},
	{name: "unittest", source: ruled(&unittestRules)},
	{name: "ctest", source: ruled(&ctestRules)},
	{name: "tap", source: byLine[tap](`^ *(?:not )?ok \d`, `^1\.\.\d`, `^TAP version `, `^Bail out!`, `^ *#`, `^ *---$`)},
	{name: "prove", over: []string{"tap"}, source: ruled(&proveRules)},
	{name: "junit", echo: true, source: byLine[junit](`^<`)},
	{name: "jest", source: ruled(&jestRules)},
	{name: "vitest", source: ruled(&vitestRules)},
	{name: "mocha", source: ruled(&mochaRules)},
	{name: "node", source: byLine[node](`^ *[ℹ▶✔✖﹣⚠]`, `^test at `)},
	{name: "node-tap", over: []string{"tap"}, source: byLine[nodeTAP](`^ *(?:not )?ok \d`, `^TAP version `, `^ *#`, `^ *type: 'suite'$`, `^ *duration_ms: `)},
	{name: "bun", source: ruled(&bunRules)},
	{name: "deno", source: ruled(&denoRules)},
	{name: "rspec", source: ruled(&rspecRules)},
	{name: "minitest", source: ruled(&minitestRules)},
	{name: "phpunit", source: ruled(&phpunitRules)},
	{name: "dotnet", source: ruled(&dotnetRules)},
	{name: "surefire", source: ruled(&surefireRules)},
	{name: "gradle", source: ruled(&gradleRules)},
	{name: "exunit", source: ruled(&exunitRules)},
}

// framework is one kind of test runner.
type framework struct {
	name string
	// over names the frameworks whose lines this one prints too: a Go test
	// run by gotestsum is counted once. Their reports are dropped when this one
	// has something to say; when its reader is a runner, they only do not
	// hear what is printed while it runs.
	over []string
	// echo marks a framework that is no runner but a form in which runners
	// say again what they said: counts that another one gave are not counted
	// twice.
	echo bool
	source
}

// source makes the readers of a framework.
type source struct {
	// new is a reader of the framework's lines, and how it is given one. It must
	// know its own by their exact form from the first character on: sentences, diffs
	// and source code talk of tests too. It is given lines without colour and line
	// end, and all of them while it is not idle; while it is, those that may be of
	// the forms in wakes.
	new   func() (reader, func(line string))
	wakes func() []*text.Form
}

// reader is what was read of one framework.
type reader interface {
	report() (Report, bool) // false when the framework was not seen
	// idle tells that nothing has begun which the next line, whatever it is, could
	// go on with.
	idle() bool
}

// ruled is for a framework that is read by rules alone.
func ruled[T any, R interface {
	*T
	reader
}](rules *rules[R]) source {
	return source{
		new: func() (reader, func(string)) {
			r := R(new(T))
			return r, rules.on(r)
		},
		wakes: func() []*text.Form { return rules.waking(R(new(T))) },
	}
}

// byLine is for a framework whose reader looks at each line itself.
func byLine[T any, R interface {
	*T
	reader
	line(text string)
}](wakes ...string) source {
	return source{
		new: func() (reader, func(string)) {
			r := R(new(T))
			return r, r.line
		},
		wakes: func() []*text.Form { return forms(wakes) },
	}
}

// runner is a reader that knows from its framework's first and last lines
// whether the tests are running now.
type runner interface{ running() bool }
