package scaffold

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/lockfile"
	"github.com/refrain-loop/refrain/internal/text"
)

var python = row{
	kind: Python, markers: []string{"pyproject.toml", "setup.py", "manage.py", "Pipfile"}, testFiles: pythonTests,
	adapt: adaptPython,

	// pytest finds tests wherever they are, unittest only in packages.
	reaches: func(_ tree, t Toolchain, _ string) bool { return strings.Contains(t.Test.Line, "pytest") },
	tests:   []string{"test_*.py", "*_test.py", "tests.py"},
}

var pythonTools = row{kind: Python, markers: []string{"requirements.txt", "setup.cfg", "tox.ini"}, testFiles: pythonTests, adapt: adaptPython}

var pythonScripts = row{kind: Python, markers: []string{"*.py"}, testFiles: pythonTests, adapt: adaptPython, alone: true}

var pythonTests = []string{"test_*.py", "*_test.py", "tests/"}

// pythonFiles are where a project says which tools it uses.
var pythonFiles = []string{"pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "requirements*.txt", "requirements/*.txt"}

// adaptPython runs tools in the project's own environment where it has one.
func adaptPython(p tree, t *Toolchain) {
	run := pythonRunner(p)
	python := "python3" // a system's own Python often has no other name
	if run != "" {
		python = run + "python"
	}
	switch {
	case p.has("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"), p.mentions("pytest", pythonFiles...):
		t.Test.Line = python + " -m pytest -v"
	case p.has("manage.py"):
		t.Test.Line = python + " manage.py test -v 2"
	default:
		t.Test.Line = python + " -m unittest" + discovery(p) + " -v"
	}
	t.Test.Why = named
	switch {
	case p.has("ruff.toml", ".ruff.toml"), p.mentions("ruff", pythonFiles...):
		t.Lint.Line = tool(p, run, "ruff") + " check ."
	case p.has(".flake8"), p.mentions("flake8", pythonFiles...):
		t.Lint.Line = tool(p, run, "flake8")
	}
	adaptPythonTypes(p, run, t)
	adaptPythonSetup(p, run, t)
}

var (
	mypyTable  = text.NewPattern(`(?m)^\s*\[(tool\.)?mypy\]`)
	mypyNames  = text.NewPattern(`(?m)^\s*(files|packages|modules)\s*=`)
	pyrightSet = text.NewPattern(`(?m)^\s*\[tool\.(based)?pyright\]`)
)

// adaptPythonTypes checks types where the project says how.
func adaptPythonTypes(p tree, run string, t *Toolchain) {
	for _, name := range []string{"mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"} {
		if text := p.read(name); mypyTable().MatchString(text) {
			t.Types.Line = tool(p, run, "mypy")
			if !mypyNames().MatchString(text) {
				t.Types.Line += " ."
			}
			return
		}
	}
	if p.has("pyrightconfig.json") || pyrightSet().MatchString(p.read("pyproject.toml")) {
		t.Types.Line = tool(p, run, "pyright")
	}
}

// adaptPythonSetup says how a checkout gets its environment, which is never copied:
// it names its own place inside.
func adaptPythonSetup(p tree, run string, t *Toolchain) {
	if command, files := lockfile.Install(p.isFile); slices.ContainsFunc(files, func(f string) bool { return slices.Contains(pythonLocks, f) }) {
		t.Setup = command
		return
	}
	switch wanted := p.requirements(); {
	case strings.HasSuffix(run, "/bin/") && wanted != "":
		env := strings.TrimSuffix(run, "/bin/")
		t.Setup = "python3 -m venv " + env + " && " + run + "pip install " + wanted
	case strings.HasSuffix(run, "/bin/"):
		t.note("nothing says what "+strings.TrimSuffix(run, "/bin/")+" was made from, so a clean checkout cannot have it", "write a requirements.txt, then set proof.setup in "+settingsFile)
	case run == "poetry run ":
		t.Setup = "poetry install --no-interaction"
	case run == "pipenv run ":
		t.Setup = "pipenv install --dev"
	case p.has("requirements*.txt"):
		t.note("there is no .venv, so the commands use whatever Python finds", "run \"python3 -m venv .venv && .venv/bin/pip install "+wanted+"\", then \"refrain init --force\"")
	}
}

var pythonLocks = []string{"uv.lock", "poetry.lock", "Pipfile.lock"}

// requirements is what pip is told to install: what the project's files list, else
// the project itself. It is empty where nothing says it.
func (p tree) requirements() string {
	var words []string
	for _, name := range p.all("requirements*.txt") {
		words = append(words, "-r "+word(name))
	}
	project := p.read("pyproject.toml")
	switch {
	case len(words) > 0:
	case extras().MatchString(project):
		words = append(words, "-e '.["+extras().FindStringSubmatch(project)[1]+"]'")
	case p.has("setup.py"), strings.Contains(project, "[project]"), strings.Contains(project, "[build-system]"):
		words = append(words, "-e .")
	}
	return strings.Join(words, " ")
}

// extras is the dependencies for who works on a project.
var extras = text.NewPattern(`(?m)^\[project\.optional-dependencies\].*\n(?:(?:[^\[\n].*)?\n)*?(dev|test|tests)\s*=`)

// isScript tells whether a marker is nothing but a script of Python.
func isScript(marker string) bool {
	return strings.HasSuffix(marker, ".py") && !slices.Contains(python.markers, marker)
}

// named says why a test command is told to say more.
const named = "It names every test, so that one that is changed, skipped or removed is noticed."

// pythonRunner is what comes before a program so that it runs in the project's
// environment.
func pythonRunner(p tree) string {
	switch {
	case p.has("uv.lock"):
		return "uv run "
	case p.has("poetry.lock"), p.mentions("[tool.poetry]", "pyproject.toml"):
		return "poetry run "
	case p.has("pdm.lock"):
		return "pdm run "
	case p.has("Pipfile"):
		return "pipenv run "
	case p.hasEnvironment(".venv"):
		return ".venv/bin/"
	case p.hasEnvironment("venv"):
		return "venv/bin/"
	}
	return ""
}

// hasEnvironment tells whether a folder is an environment of Python. Its Python is a
// link out of the project, as a rule, so it is known by its settings, too.
func (p tree) hasEnvironment(folder string) bool {
	return p.has(folder+"/bin/python") || p.has(folder+"/pyvenv.cfg") && p.isFolder(folder+"/bin")
}

// tool is how a program is called. One that is not in a plain environment is
// somewhere on the PATH.
func tool(p tree, run, name string) string {
	if strings.HasSuffix(run, "/") && !p.has(run+name) {
		return name
	}
	return run + name
}

// discovery helps unittest to a folder that is no package, which it passes by.
func discovery(p tree) string {
	for _, folder := range []string{"tests", "test"} {
		if p.isFolder(folder) && !p.has(folder+"/__init__.py") {
			return " discover -s " + folder
		}
	}
	return ""
}
