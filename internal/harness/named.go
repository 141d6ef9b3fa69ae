package harness

import (
	"path"
	"slices"
	"strings"
)

// Named gives the files of the tree that a gate's command runs or is told what
// to do by: "sh check.sh", "./run-tests", "python3 tools/test.py", "make -f
// other.mk", "jest --config x.js", also behind "bash -c", cd, env and their like.
// They decide, whatever Of calls them. has tells whether a file is in the tree;
// where a command runs all that is in a folder, it is asked for the folder with a
// slash behind its name, and the folder is given so.
//
// A command also names what it tests. A compiler's arguments, a program whose
// output goes into a pipe, and a script that is not called like a check are the
// product's. See Reach for what the named files lead to in turn.
func Named(command string, has func(file string) bool) []string {
	n := &naming{has: has}
	n.line(command, "", "")
	return n.files
}

// naming collects the files that commands name.
type naming struct {
	has    func(string) bool
	files  []string
	shells []string // those of them that are scripts of the shell
	script string   // the folder of the script that the line is from
	inside bool     // the line is from a script
	depth  int
}

// line looks at a shell line that is run in a folder.
func (n *naming) line(text, dir, script string) {
	if n.depth >= deepestShell {
		return
	}
	n.depth++
	defer func() { n.depth-- }()
	outer := n.script
	n.script = script
	defer func() { n.script = outer }()

	all := orders(text)
	inFolders(all, dir, func(o order, dir string) { n.order(o, dir, len(all) == 1 && !n.inside) })
}

// order looks at one command. alone says that it is all there is.
func (n *naming) order(o order, dir string, alone bool) {
	args := o.words
	for len(args) > 0 {
		name, value, ok := strings.Cut(args[0], "=")
		if !ok || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "/.$") {
			break
		}
		if optionVars.has(name) {
			n.flags(readerOf(name), strings.Fields(value), dir)
		}
		if name == "BASH_ENV" || name == "ENV" || name == "PYTHONSTARTUP" {
			n.add(value, dir)
		}
		args = args[1:]
	}
	args = unwrapped(args)
	if len(args) == 0 {
		return
	}
	for _, arg := range args[1:] {
		if strings.ContainsAny(arg, " \t") && (strings.HasPrefix(arg, "npm") || concurrent.has(path.Base(args[0]))) {
			n.line(arg, dir, n.script)
		}
	}
	tool := path.Base(args[0])
	if runners.has(tool) || configurable.has(tool) {
		n.flags(tool, args[1:], dir)
	}
	switch {
	case shells.has(tool):
		n.shell(o, args[1:], dir)
	case tool == "." || tool == "source" || tool == "eval":
		for _, arg := range args[1:] {
			if tool == "eval" {
				n.line(arg, dir, n.script)
			} else if n.add(arg, dir) {
				n.shells = append(n.shells, n.files[len(n.files)-1])
			}
		}
	case isPython(tool):
		n.python(args[1:], dir)
	case interpreters.has(tool):
		n.interpreter(tool, args[1:], dir)
	case runners.has(tool):
		n.runner(args[1:], dir)
	case tool == "diff" || tool == "cmp" || tool == "comm":
		for _, arg := range args[1:] {
			if file, ok := n.find(arg, dir); ok && (testish(file) || expected(file)) {
				n.keep(file)
			}
		}
	case tool == "go" && len(args) > 2 && args[1] == "run":
		n.goRun(args[2:], dir)
	case strings.Contains(args[0], "/"):
		n.program(o, args[0], dir, alone)
	}
}

// program is a file of the tree that is run by its path.
func (n *naming) program(o order, word, dir string, alone bool) {
	file, ok := n.find(word, dir)
	if !ok {
		return
	}
	ext := path.Ext(file)
	shell := ext == ".sh" || ext == ".bash"
	switch {
	case testish(file):
	case builds(file) || o.judged || n.inside:
		return
	case shell || ext == "" && alone:
	default:
		return
	}
	if n.keep(file) && (shell || ext == "") {
		n.shells = append(n.shells, file)
	}
}

// shell is a shell with its arguments.
func (n *naming) shell(o order, args []string, dir string) {
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, "c"):
			if i+1 < len(args) {
				n.line(args[i+1], dir, n.script)
			}
			return
		case strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "+"):
			continue
		}
		file, ok := n.find(arg, dir)
		if !ok || !testish(file) && (o.judged || n.inside || builds(file)) {
			return
		}
		n.keep(file)
		n.shells = append(n.shells, file)
		return
	}
}

// python is Python with its arguments: a script, or a module.
func (n *naming) python(args []string, dir string) {
	for i, arg := range args {
		switch {
		case arg == "-m" && i+1 < len(args):
			n.module(args[i+1], args[i+2:], dir)
			return
		case arg == "-c":
			return
		case strings.HasPrefix(arg, "-"):
			continue
		}
		if file, ok := n.find(arg, dir); ok && testish(file) && !builds(file) {
			n.keep(file)
		}
		return
	}
}

func (n *naming) module(name string, args []string, dir string) {
	switch name {
	case "unittest":
		for _, arg := range args {
			if !strings.HasPrefix(arg, "-") {
				n.unittest(arg, dir)
			}
		}
		return
	case "pytest", "nose2", "ward":
		n.flags(name, args, dir)
		n.runner(args, dir)
		return
	case "ruff", "flake8", "mypy", "pylint", "tox", "nox":
		n.flags(name, args, dir)
		return
	case "coverage":
		if len(args) > 0 && args[0] == "run" {
			n.python(args[1:], dir)
		}
		return
	}
	file := strings.ReplaceAll(name, ".", "/")
	for _, try := range []string{file + ".py", file + "/__main__.py"} {
		if found, ok := n.find(try, dir); ok && testish(file+".py") {
			n.keep(found)
		}
	}
}

// unittest is a test that unittest is given by its dotted name, or its file.
func (n *naming) unittest(name, dir string) {
	if n.add(name, dir) {
		return
	}
	for parts := strings.Split(name, "."); len(parts) > 0; parts = parts[:len(parts)-1] {
		if n.add(strings.Join(parts, "/")+".py", dir) {
			return
		}
	}
}

// interpreter is another language with its arguments.
func (n *naming) interpreter(tool string, args []string, dir string) {
	testing := slices.Contains(args, "--test") || (tool == "deno" || tool == "bun") && len(args) > 0 && args[0] == "test"
	if testing {
		n.flags(tool, args, dir)
		n.runner(args, dir)
		return
	}
	skip := false
	for i, arg := range args {
		switch {
		case skip:
			skip = false
			continue
		case arg == "-e" || arg == "--eval" || arg == "-p" || arg == "--print":
			return
		case configFlag(tool, arg):
			n.flags(tool, args[i:min(i+2, len(args))], dir)
			skip = true
			continue
		case strings.HasPrefix(arg, "--") && strings.Contains(arg, "="):
			n.flags(tool, args[i:i+1], dir)
			continue
		case strings.HasPrefix(arg, "-") || arg == "run" || arg == "exec":
			continue
		}
		for _, ext := range []string{"", ".js", "/index.js"} {
			if file, ok := n.find(arg+ext, dir); ok {
				if testish(file) && !builds(file) {
					n.keep(file)
				}
				return
			}
		}
		return
	}
}

// runner is a test runner: the files that it is given are tests. So are folders,
// where it runs all that is in them.
func (n *naming) runner(args []string, dir string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		arg, _, _ = strings.Cut(arg, "::")
		if n.add(arg, dir) {
			continue
		}
		if i := strings.IndexAny(arg, "*?[{"); i >= 0 {
			arg = arg[:i]
			if !strings.Contains(arg, "/") {
				continue
			}
			arg = arg[:strings.LastIndexByte(arg, '/')]
		}
		folder := strings.Trim(path.Join("/", dir, arg), "/")
		if p := split(folder + "/x"); folder == "" || p.within(codeFolders) || !n.wholeFolder(folder) {
			continue
		}
		n.keep(folder + "/")
	}
}

// wholeFolder tells whether there is a folder that a runner would run all of: one
// called like a check. pytest and others only look for tests in what they are
// given, and that may be the product.
func (n *naming) wholeFolder(folder string) bool {
	return checkish(path.Base(folder)) && n.has(folder+"/")
}

func (n *naming) goRun(args []string, dir string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		for _, try := range []string{arg, arg + "/main.go"} {
			if file, ok := n.find(try, dir); ok && (testish(file) || checkish(path.Base(path.Dir(file)))) {
				n.keep(file)
			}
		}
		return
	}
}

// find gives the file of the tree that a word means. What comes from a variable
// or another command is taken for the root, or for the folder of the script.
func (n *naming) find(word, dir string) (string, bool) {
	if word == "" || strings.ContainsAny(word, "\n\x00") {
		return "", false
	}
	tries := []string{path.Join("/", dir, word)}
	switch {
	case strings.HasPrefix(word, "$"):
		_, rest, ok := strings.Cut(word, "/")
		if end := strings.LastIndexByte(word, '}'); strings.HasPrefix(word, "${") && end > 0 && end+1 < len(word) && word[end+1] == '/' {
			rest, ok = word[end+2:], true
		}
		if !ok {
			return "", false
		}
		tries = []string{path.Join("/", n.script, rest), path.Join("/", dir, rest), path.Join("/", rest)}
	case strings.HasPrefix(word, "/"), strings.HasPrefix(word, "~"):
		return "", false
	}
	for _, try := range tries {
		if file := strings.TrimPrefix(try, "/"); file != "" && n.has(file) {
			return file, true
		}
	}
	return "", false
}

// add keeps the file that a word means, if there is one.
func (n *naming) add(word, dir string) bool {
	file, ok := n.find(word, dir)
	if ok {
		n.keep(file)
	}
	return ok
}

func (n *naming) keep(file string) bool {
	if i := slices.Index(n.files, file); i >= 0 {
		n.files = append(slices.Delete(n.files, i, i+1), file)
		return true
	}
	n.files = append(n.files, file)
	return true
}

var (
	shells       = words(`sh bash dash zsh ksh ash busybox`)
	interpreters = words(`node nodejs ruby perl php lua Rscript tsx ts-node ts-node-esm deno bun pwsh swift groovy elixir julia babel-node jiti`)
	runners      = words(`pytest py.test mocha ts-mocha bats ava tap tape jest vitest prove phpunit rspec busted uvu jasmine qunit cypress playwright nose2 behave`)
	concurrent   = words(`concurrently npm-run-all npm-run-all2 run-s run-p start-server-and-test nodemon watchexec xvfb-run`)
)

func isPython(tool string) bool {
	rest, ok := strings.CutPrefix(tool, "python")
	return ok && strings.Trim(rest, "0123456789.") == "" || strings.HasPrefix(tool, "pypy")
}
