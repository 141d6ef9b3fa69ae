package refrain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestInGo(t *testing.T) {
	for message, want := range map[string]string{
		`--set: unknown key loop.max_iteration`:                                                                            `Settings: unknown key loop.max_iteration`,
		`--max-iterations: loop.max_iterations must be a whole number, 0 or more, not "-5"`:                                `MaxIterations: loop.max_iterations must be a whole number, 0 or more, not "-5"`,
		`resume it with that program, or pass --accept-config to go on without`:                                            `resume it with that program, or set AcceptConfig to go on without`,
		`run "refrain init" and say what is to be built, or pass -p TEXT or -F FILE`:                                       `run "refrain init" and say what is to be built, or set Prompt or PromptFile`,
		`set a limit (-n 20, --max-time 8h, --max-cost 20) or a way to be done (--until DONE, --plan FILE); --unlimited x`: `set a limit (MaxIterations, loop.max_time in Settings, budget.cost_usd in Settings) or a way to be done (Until, done.plan in Settings); Unlimited x`,
		`write it like --set loop.max_iterations=5`:                                                                        `write it like Settings: {loop.max_iterations: 5}`,
		`use --permissions work, or set x`:                                                                                 `use permissions.mode = work, or set x`,
		`go there, or pass -C /tmp/x`:                                                                                      `go there, or with Dir /tmp/x`,
		`a well-known --settings-like word`:                                                                                `a well-known --settings-like word`,
		`nothing of the kind`:                                                                                              `nothing of the kind`,
	} {
		if got := inGo(message); got != want {
			t.Errorf("inGo(%q)\n = %q, want\n   %q", message, got, want)
		}
	}
}

// notForPrograms are the files whose messages no program gets: commands that the
// library does not have, tables for the manual, and what is given to other programs.
var notForPrograms = []string{
	"app/init.go", "app/worktree.go", "app/check.go", "history/review.go", "history/squash.go", "git/move.go", "git/branch.go", "gate/telling.go", "project/stranger.go",
	"stop/cost.go", "stop/finished.go", "stop/iterations.go", "stop/no_progress.go", "stop/repeats.go", "stop/stop.go", "stop/time.go", "stop/tokens.go",
	"agent/settings.go", "config/workrows.go",
}

// Every message of the packages that a run is prepared by can be said without a
// flag. A new one is missed here until flagWords knows it.
func TestNoMessageToAProgramSpeaksOfFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|[\s(:;,])(--[a-z]|--( |$)|-[CFmnp] )`)
	found := 0
	for _, pkg := range strings.Fields("config request lineup app history policy surface trust preflight plan prompt journal stop git agent procedure gate hook project") {
		list, err := filepath.Glob("internal/" + pkg + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range list {
			if strings.HasSuffix(path, "_test.go") || slices.Contains(notForPrograms, pkg+"/"+filepath.Base(path)) {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				message, err := strconv.Unquote(lit.Value)
				if err != nil || !strings.Contains(strings.TrimSpace(message), " ") || !flag.MatchString(message) {
					return true
				}
				found++
				parts := strings.Split(inGo(message), `"`)
				for i := 0; i < len(parts); i += 2 {
					if flag.MatchString(parts[i]) {
						t.Errorf("%s: a program is told %q, which speaks of a flag", path, inGo(message))
					}
				}
				return true
			})
		}
	}
	if found < 15 {
		t.Errorf("only %d messages with flags were found: are they read as they should be?", found)
	}
}
