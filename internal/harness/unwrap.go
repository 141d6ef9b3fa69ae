package harness

import (
	"path"
	"strings"
)

var (
	wrappers = words(`env time timeout nice nohup command exec sudo xvfb-run stdbuf cross-env cross-env-shell dotenv npx bunx pnpx c8 nyc xargs chronic unbuffer ionice setsid script -- gotestsum`)
	runWords = words(`uv poetry pipenv pdm rye hatch bundle mise asdf pixi conda dotenvx op doppler nix`)
)

// unwrapped takes away what only stands before a command: env, timeout, npx …
func unwrapped(args []string) []string {
	for len(args) > 0 {
		tool := path.Base(args[0])
		switch {
		case wrappers.has(tool):
			args = args[1:]
		case runWords.has(tool) && len(args) > 1 && (args[1] == "run" || args[1] == "exec"):
			args = args[2:]
		case (tool == "npm" || tool == "pnpm" || tool == "yarn") && len(args) > 1 && (args[1] == "exec" || args[1] == "dlx"):
			args = args[2:]
		case tool == "coverage" && len(args) > 1 && args[1] == "run":
			return append([]string{"python3"}, args[2:]...)
		case tool == "yarn" && len(args) > 1 && (args[1] == "node" || runners.has(args[1])):
			args = args[1:]
		default:
			return args
		}
		for len(args) > 0 && before(args[0]) {
			args = args[1:]
		}
	}
	return args
}

// before tells whether a word belongs to what stands before a command: a flag, a
// number, or a variable.
func before(arg string) bool {
	if strings.HasPrefix(arg, "-") || arg == "" || arg[0] >= '0' && arg[0] <= '9' {
		return true
	}
	name, _, ok := strings.Cut(arg, "=")
	return ok && !strings.ContainsAny(name, "/.")
}
