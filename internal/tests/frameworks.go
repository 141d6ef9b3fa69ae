package tests

// frameworks are the test runners that can be read, one file each. Their order
// is the order of their names in a report.
var frameworks = []framework{
	{name: "go", new: ruled(&goRules)},
	{name: "go-json", new: byLine[goJSON]},
	{name: "gotestsum", over: []string{"go"}, new: ruled(&gotestsumRules)},
	{name: "cargo", new: ruled(&cargoRules)},
	{name: "nextest", over: []string{"cargo"}, new: ruled(&nextestRules)},
	{name: "pytest", new: ruled(&pytestRules)},
	{name: "unittest", new: ruled(&unittestRules)},
	{name: "ctest", new: ruled(&ctestRules)},
	{name: "tap", new: byLine[tap]},
	{name: "prove", over: []string{"tap"}, new: ruled(&proveRules)},
	{name: "junit", echo: true, new: byLine[junit]},
	{name: "jest", new: ruled(&jestRules)},
	{name: "vitest", new: ruled(&vitestRules)},
	{name: "mocha", new: ruled(&mochaRules)},
	{name: "node", new: byLine[node]},
	{name: "node-tap", over: []string{"tap"}, new: byLine[nodeTAP]},
	{name: "bun", new: ruled(&bunRules)},
	{name: "deno", new: ruled(&denoRules)},
	{name: "rspec", new: ruled(&rspecRules)},
	{name: "minitest", new: ruled(&minitestRules)},
	{name: "phpunit", new: ruled(&phpunitRules)},
	{name: "dotnet", new: ruled(&dotnetRules)},
	{name: "surefire", new: ruled(&surefireRules)},
	{name: "gradle", new: ruled(&gradleRules)},
	{name: "exunit", new: ruled(&exunitRules)},
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
	// new is a reader of the framework's lines, and how it is given one. It is
	// given every line of an output, without colour and line end, and must know
	// its own by their exact form from the first character on: sentences, diffs
	// and source code talk of tests too.
	new func() (reader, func(line string))
}

// reader is what was read of one framework.
type reader interface {
	report() (Report, bool) // false when the framework was not seen
}

// ruled is for a framework that is read by rules alone.
func ruled[T any, R interface {
	*T
	reader
}](rules *rules[R]) func() (reader, func(string)) {
	return func() (reader, func(string)) {
		r := R(new(T))
		return r, rules.on(r)
	}
}

// byLine is for a framework whose reader looks at each line itself.
func byLine[T any, R interface {
	*T
	reader
	line(text string)
}]() (reader, func(string)) {
	r := R(new(T))
	return r, r.line
}

// runner is a reader that knows from its framework's first and last lines
// whether the tests are running now.
type runner interface{ running() bool }
