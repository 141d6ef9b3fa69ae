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

	"github.com/refrain-loop/refrain/internal/loop"
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
		`go there, or pass -C /tmp/x`:                                                                                      `go there, or set Dir to /tmp/x`,
		`name an existing folder with -C`:                                                                                  `name an existing folder as Dir`,
		`use budget.tokens (--max-tokens) instead`:                                                                         `use budget.tokens instead`,
		`a well-known --settings-like word`:                                                                                `a well-known --settings-like word`,
		`nothing of the kind`:                                                                                              `nothing of the kind`,
	} {
		if got := inGo(message); got != want {
			t.Errorf("inGo(%q)\n = %q, want\n   %q", message, got, want)
		}
	}
}

// An agent's own words stay as they are, and so does what the journal holds.
func TestEventsInGo(t *testing.T) {
	const why, want = `unknown "--model: resume with --accept-config`, `unknown "--model: resume with AcceptConfig`
	for _, tt := range []struct {
		told loop.Payload
		say  func(loop.Payload) string
	}{
		{&loop.RunFinished{Why: why}, func(p loop.Payload) string { return p.(*loop.RunFinished).Why }},
		{&loop.ClaimRefused{Why: why}, func(p loop.Payload) string { return p.(*loop.ClaimRefused).Why }},
		{&loop.IterationFinished{Verdict: loop.Verdict{Why: why}}, func(p loop.Payload) string { return p.(*loop.IterationFinished).Verdict.Why }},
		{&loop.IterationFinished{Outcome: loop.Outcome{Person: why}}, func(p loop.Payload) string { return p.(*loop.IterationFinished).Outcome.Person }},
	} {
		if got := tt.say(eventInGo(Event{Payload: tt.told}).Payload); got != want || tt.say(tt.told) != why {
			t.Errorf("%T says %q, and was %q; want %q", tt.told, got, tt.say(tt.told), want)
		}
	}
	text := &loop.AgentText{Text: why}
	if e := eventInGo(Event{Payload: text}); e.Payload != loop.Payload(text) || text.Text != why {
		t.Errorf("what the agent says is %q", text.Text)
	}
}

// notForPrograms are the files whose messages no program gets: commands that the
// library does not have, tables for the manual, and what is given to other programs.
var notForPrograms = []string{
	"app/init.go", "app/worktree.go", "app/check.go", "history/review.go", "history/squash.go", "git/move.go", "git/branch.go", "gate/telling.go", "project/stranger.go",
	"stop/cost.go", "stop/finished.go", "stop/iterations.go", "stop/no_progress.go", "stop/repeats.go", "stop/stop.go", "stop/time.go", "stop/tokens.go",
	"agent/settings.go", "config/workrows.go", "text/hunk.go", "container/room.go",
}

// notToldPrograms are the packages of which the same is true: they read and write what
// other tools do, or speak to people at a terminal.
var notToldPrograms = []string{"foreign", "harness", "lockfile", "migrate", "scaffold", "view"}

// aFlag is a flag of the command in a message, with a value or at its end.
var aFlag = regexp.MustCompile(`(^|[\s(:;,])(--[a-z]|--( |$)|-[CFamnop]($|[\s),.;:]))`)

// speaksOfFlags tells whether a message has a flag, but for the commands in it that
// are to be typed, which stand in quotes.
func speaksOfFlags(message string) bool {
	parts := strings.Split(message, `"`)
	for i := 0; i < len(parts); i += 2 {
		if aFlag.MatchString(parts[i]) {
			return true
		}
	}
	return false
}

// Every message of the packages that the library is made of can be said without a
// flag. A new one is missed here until flagWords knows it. What a warning says
// happened is told as it is, for it may hold an agent's own words: it has no flags to
// begin with.
func TestNoMessageToAProgramSpeaksOfFlags(t *testing.T) {
	found, warnings := 0, 0
	for _, path := range sources(t) {
		name := strings.TrimPrefix(path, "internal/")
		if slices.Contains(notForPrograms, name) || slices.Contains(notToldPrograms, filepath.Dir(name)) {
			continue
		}
		decides := slices.Contains([]string{"stop", "policy", "proof"}, filepath.Dir(name))
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		eachText(file, func(message string) {
			if !strings.Contains(strings.TrimSpace(message), " ") || !aFlag.MatchString(message) {
				return
			}
			if found++; speaksOfFlags(inGo(message)) {
				t.Errorf("%s: a program is told %q, which speaks of a flag", path, inGo(message))
			}
			if decides && speaksOfFlags(whyInGo(message)) {
				t.Errorf("%s: a run ends because of %q, which speaks of a flag", path, whyInGo(message))
			}
		})
		ast.Inspect(file, func(n ast.Node) bool {
			field, ok := n.(*ast.KeyValueExpr)
			if name, named := (*ast.Ident)(nil), false; ok {
				if name, named = field.Key.(*ast.Ident); named && name.Name == "Text" {
					warnings++
					eachText(field.Value, func(message string) {
						if speaksOfFlags(message) {
							t.Errorf("%s: a warning says %q: flags belong in its hint", path, message)
						}
					})
				}
			}
			return true
		})
	}
	if found < 40 || warnings < 50 {
		t.Errorf("only %d messages with flags and %d warnings were found: are they read as they should be?", found, warnings)
	}
}

// eachText gives every text that stands in a piece of code.
func eachText(code ast.Node, visit func(string)) {
	ast.Inspect(code, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if message, err := strconv.Unquote(lit.Value); err == nil {
				visit(message)
			}
		}
		return true
	})
}

// sources are the files of the internal packages that the library is made of.
func sources(t *testing.T) []string {
	t.Helper()
	var list []string
	seen := map[string]bool{}
	var add func(dir string)
	add = func(dir string) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %v", dir, paths, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			if dir != "." {
				list = append(list, filepath.ToSlash(path))
			}
			for _, one := range file.Imports {
				if rest, ours := strings.CutPrefix(strings.Trim(one.Path.Value, `"`), "github.com/refrain-loop/refrain/"); ours {
					add(rest)
				}
			}
		}
	}
	add(".")
	return list
}
