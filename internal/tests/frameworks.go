package tests

// frameworks are the test runners that can be read, one file each. Their order
// is the order of their names in a report.
var frameworks = []framework{
	{name: "go", new: func() reader { return &goText{} }},
	{name: "go-json", new: func() reader { return &goJSON{} }},
	{name: "gotestsum", over: []string{"go"}, new: func() reader { return &gotestsum{} }},
	{name: "cargo", new: func() reader { return &cargo{} }},
	{name: "nextest", over: []string{"cargo"}, new: func() reader { return &nextest{} }},
	{name: "pytest", new: func() reader { return &pytest{} }},
	{name: "unittest", new: newUnittest},
	{name: "ctest", new: func() reader { return &ctest{} }},
	{name: "tap", new: newTAP},
	{name: "prove", over: []string{"tap"}, new: newProve},
	{name: "junit", echo: true, new: func() reader { return &junit{} }},
	{name: "jest", new: func() reader { return &jest{} }},
	{name: "vitest", new: func() reader { return &vitest{} }},
	{name: "mocha", new: func() reader { return &mocha{} }},
	{name: "node", new: func() reader { return &node{} }},
	{name: "node-tap", over: []string{"tap"}, new: func() reader { return &nodeTAP{} }},
	{name: "bun", new: func() reader { return &bun{} }},
	{name: "deno", new: func() reader { return &deno{} }},
	{name: "rspec", new: func() reader { return &rspec{} }},
	{name: "minitest", new: func() reader { return &minitest{} }},
	{name: "phpunit", new: func() reader { return &phpunit{} }},
	{name: "dotnet", new: func() reader { return &dotnet{} }},
	{name: "surefire", new: func() reader { return &surefire{} }},
	{name: "gradle", new: func() reader { return &gradle{} }},
	{name: "exunit", new: func() reader { return &exunit{} }},
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
	new  func() reader
}

// reader reads one framework's lines. It is given every line of an output,
// without colour and line end, and must know its own by their exact form from
// the first character on: sentences, diffs and source code talk of tests too.
type reader interface {
	line(text string)
	report() (Report, bool) // false when the framework was not seen
}

// runner is a reader that knows from its framework's first and last lines
// whether the tests are running now.
type runner interface{ running() bool }
