package scaffold

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

var bun = row{
	kind: Bun, markers: []string{"bun.lock", "bun.lockb", "bunfig.toml"}, testFiles: scriptTests, covers: []Kind{Node},
	test: "bun test", adapt: adaptBun, reaches: runsWorkspaces,
}

var node = row{kind: Node, markers: []string{"package.json"}, testFiles: scriptTests, adapt: adaptNode, reaches: runsWorkspaces}

// runsWorkspaces tells whether the test script at the root of workspaces runs those of
// its packages: that is what it is for. Without one, each package has its own.
func runsWorkspaces(above tree, t Toolchain, _ string) bool {
	pkg, err := readPackage(above)
	return err == nil && t.Test.Line != "" && (len(pkg.Workspaces) > 0 || above.has("pnpm-workspace.yaml", "lerna.json"))
}

var scriptTests = []string{"*.test.*", "*.spec.*", "__tests__/"}

// packageJSON is what a package.json says that we want to know.
type packageJSON struct {
	Scripts        map[string]string `json:"scripts"`
	PackageManager string            `json:"packageManager"`

	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Workspaces      json.RawMessage   `json:"workspaces"` // a list, or a table with one
}

// noTests is in the test script that npm writes where there are no tests.
const noTests = "no test specified"

func adaptNode(p tree, t *Toolchain) {
	pkg, err := readPackage(p)
	if err != nil {
		t.broken("package.json", err)
		return
	}
	t.useScripts(pkg, pkg.manager(p))
	t.useTypes(p, pkg, pkg.manager(p))
	if t.Test.Line == "" {
		t.note("package.json has no test script", "add one, then set commands.test in "+settingsFile)
	}
}

// adaptBun leaves the tests to Bun's own runner unless there is a script.
func adaptBun(p tree, t *Toolchain) {
	if !p.has("package.json") {
		return
	}
	pkg, err := readPackage(p)
	if err != nil {
		t.broken("package.json", err)
		return
	}
	t.useScripts(pkg, "bun")
	t.useTypes(p, pkg, "bun")
}

func readPackage(p tree) (packageJSON, error) {
	var pkg packageJSON
	err := json.Unmarshal([]byte(strings.TrimPrefix(p.read("package.json"), "\uFEFF")), &pkg)
	return pkg, err
}

// lockfiles tell the package manager. They are looked at in this order, for a
// package-lock.json beside another one mostly came about by mistake.
var lockfiles = []struct{ file, manager string }{
	{"pnpm-lock.yaml", "pnpm"},
	{"yarn.lock", "yarn"},
	{"bun.lock", "bun"},
	{"bun.lockb", "bun"},
}

// manager is the package manager that the project says or shows it uses.
func (pkg packageJSON) manager(p tree) string {
	switch name, _, _ := strings.Cut(pkg.PackageManager, "@"); name {
	case "npm", "pnpm", "yarn", "bun":
		return name
	}
	for _, l := range lockfiles {
		if p.has(l.file) {
			return l.manager
		}
	}
	return "npm"
}

// buildScripts are what can stand for a build; a check of the types is the
// nearest thing where nothing is built.
var buildScripts = []string{"build", "typecheck", "type-check", "compile"}

// useScripts makes commands of the project's own scripts.
func (t *Toolchain) useScripts(pkg packageJSON, manager string) {
	if test := pkg.Scripts["test"]; test != "" && !strings.Contains(test, noTests) {
		t.Test.Line = manager + " run test"
		if manager == "npm" {
			t.Test.Line = "npm test"
		}
		if more := namesTests(test); more != "" {
			if manager == "npm" {
				t.Test.Line += " --"
			}
			t.Test = Command{Line: t.Test.Line + " " + more, Why: named}
		}
		if strings.Contains(test, "react-scripts test") {
			t.Test = Command{Line: "CI=true " + t.Test.Line, Why: "Without CI=true, react-scripts waits for changes and never ends."}
		}
		t.lookInto("test", test)
	}
	for _, name := range buildScripts {
		if build := pkg.Scripts[name]; build != "" {
			t.Build.Line = manager + " run " + name
			t.lookInto(name, build)
			break
		}
	}
	if lint := pkg.Scripts["lint"]; lint != "" {
		t.Lint.Line = manager + " run lint"
		t.lookInto("lint", lint)
	}
}

// runsTool is how each manager runs a program of the project's own.
var runsTool = map[string]string{"npm": "npx --no-install", "pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx --no-install"}

// useTypes checks types by the project's script, else by the compiler where the
// project has it, unless the build does so.
func (t *Toolchain) useTypes(p tree, pkg packageJSON, manager string) {
	for _, name := range []string{"typecheck", "type-check"} {
		if pkg.Scripts[name] == "" {
			continue
		}
		if line := manager + " run " + name; line != t.Build.Line {
			t.Types.Line = line
		}
		return
	}
	_, dev := pkg.DevDependencies["typescript"]
	_, has := pkg.Dependencies["typescript"]
	if (dev || has) && p.has("tsconfig.json") && !slices.Contains(strings.Fields(pkg.Scripts["build"]), "tsc") {
		t.Types.Line = runsTool[manager] + " tsc --noEmit"
	}
}

// namesTests is what makes the runner that a script ends with name every test;
// others do so by themselves, or cannot.
func namesTests(script string) string {
	last := script[max(strings.LastIndex(script, "&"), strings.LastIndex(script, "|"), strings.LastIndex(script, ";"))+1:]
	switch words := strings.Fields(last); {
	case strings.Contains(last, "reporter") || strings.Contains(last, "verbose"):
		return ""
	case slices.Contains(words, "jest"):
		return "--verbose"
	case slices.Contains(words, "vitest"):
		return "--reporter=verbose"
	}
	return ""
}

var (
	watches = text.NewPattern(`(^|\s)(--watch(All)?(\s|=true|$)|ng test(\s|$))`)
	ends    = text.NewPattern(`--(no-watch|watch(All)?=false)`)
	fixes   = text.NewPattern(`(^|\s)--(fix|write)(\s|$)`)
)

// lookInto notes what a script does that a gate should not.
func (t *Toolchain) lookInto(name, script string) {
	if watches().MatchString(script) && !ends().MatchString(script) {
		t.note(`the script "`+name+`" of package.json seems to wait for changes, and a gate has to end`, "set commands in "+settingsFile+" to one that runs once")
	}
	if fixes().MatchString(script) {
		t.note(`the script "`+name+`" of package.json changes files, and a gate should only look`, "set commands in "+settingsFile+" to one that changes nothing")
	}
}
