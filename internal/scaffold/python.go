package scaffold

import "strings"

var python = row{
	kind: Python, markers: []string{"pyproject.toml", "setup.py", "manage.py", "Pipfile"}, testFiles: pythonTests,
	adapt: adaptPython,
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
	case p.has(".venv/bin/python"):
		return ".venv/bin/"
	case p.has("venv/bin/python"):
		return "venv/bin/"
	}
	return ""
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
