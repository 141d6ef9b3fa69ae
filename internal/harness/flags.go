package harness

import "strings"

// configFlags are flags whose value is a file that decides, for those who know them.
var configFlags = words(`--config --file --makefile --require --import --loader --experimental-loader --rcfile --settings --ini --ini-file
	--setup-file --setupFiles --globalSetup --globalTeardown --reporter --reporters --test-reporter --test-global-setup --opts --project --tsconfig
	--exec --overlay --toolexec --modfile --vettool --config-file --configuration --bootstrap --helper --preload --runner --testRunner --resolver
	--env-file --rulesdir --testEnvironment --transform --ignore-path --noxfile`)

// shortFlags are the same where they have one letter, for each tool.
var shortFlags = map[string]set{
	"-c": words(`pytest py.test jest vitest eslint golangci-lint phpunit webpack vite rollup nightwatch playwright tox nose2 phpstan`),
	"-f": words(`make gmake nox`),
	"-r": words(`node nodejs mocha ts-mocha ts-node tsx tape ruby rspec`),
	"-p": words(`tsc pytest py.test`),
	"-P": words(`ts-node`),
}

// configurable are tools beside the runners that are told by files what to do.
var configurable = words(`make gmake go tsc vue-tsc eslint ruff flake8 mypy pylint pyright golangci-lint gotestsum tox nox karma wdio webpack vite rollup
	phpstan psalm rubocop biome prettier stylelint react-scripts craco nightwatch codeceptjs stryker cucumber-js ng nx turbo`)

// optionVars hold flags for what is run.
var optionVars = words(`NODE_OPTIONS PYTEST_ADDOPTS RUBYOPT GOFLAGS MOCHA_OPTS JEST_OPTS TS_NODE_PROJECT`)

func configFlag(tool, flag string) bool {
	if short, ok := shortFlags[flag]; ok {
		return short.has(tool)
	}
	return configFlags.has(flag) || tool == "go" && configFlags.has("-"+flag)
}

// flags looks for files behind the flags of a tool.
func (n *naming) flags(tool string, args []string, dir string) {
	for i, arg := range args {
		flag, value, ok := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(arg, "-") || !configFlag(tool, flag):
		case ok:
			n.config(value, dir)
		case i+1 < len(args):
			n.config(args[i+1], dir)
		}
	}
}

// config is a file behind a flag, or a module of Python, or of Node without its ending.
func (n *naming) config(value, dir string) {
	value = strings.TrimPrefix(value, "file://")
	for _, ending := range []string{"", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/tsconfig.json"} {
		if n.add(value+ending, dir) {
			return
		}
	}
	if !strings.ContainsAny(value, "/ ") {
		n.add(strings.ReplaceAll(value, ".", "/")+".py", dir)
	}
}

// readerOf is who reads the flags of a variable.
func readerOf(variable string) string {
	if variable == "GOFLAGS" {
		return "go"
	}
	return "node"
}
