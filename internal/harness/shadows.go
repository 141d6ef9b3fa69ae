package harness

import (
	"path"
	"slices"
	"strings"
)

// Shadows tells whether a file that is new in the run takes the place of what a
// runner would find without it, so that it has to go when the tests are run as
// they were: a module of Python's in the place of one that the runner imports, a
// go.mod or package.json that comes between tests and the one above them, a
// makefile that is read first, vendored packages where there were none. was is
// the list of files when the run began.
func Shadows(file string, was []string) bool {
	p := split(file)
	switch {
	case len(p.low) > 0 && p.low[0] == "vendor":
		// With such a folder Go takes all that it imports from there.
		return slices.Contains(was, "go.mod") && !slices.ContainsFunc(was, func(f string) bool { return strings.HasPrefix(f, "vendor/") })
	case p.base == "go.mod":
		return between(p, was, "go.mod", func(t place) bool { return strings.HasSuffix(t.base, "_test.go") })
	case p.base == "package.json":
		return between(p, was, "package.json", func(t place) bool { return script.has(t.ext) && isTest(t) })
	case p.base == "makefile":
		return slices.Contains(was, path.Join(p.dir(), "Makefile"))
	}
	return shadowsPython(p, was)
}

// between tells whether a manifest that is new stands between tests that were
// there and the manifest that they belonged to.
func between(p place, was []string, name string, test func(place) bool) bool {
	dir := p.dir()
	if dir == "" || p.within(installed) || p.within(fixtures) {
		return false
	}
	var nested []string // modules of their own further down
	for _, file := range was {
		if path.Base(file) == name && strings.HasPrefix(file, dir+"/") {
			nested = append(nested, path.Dir(file)+"/")
		}
	}
	return slices.ContainsFunc(was, func(file string) bool {
		if !strings.HasPrefix(file, dir+"/") || slices.ContainsFunc(nested, func(n string) bool { return strings.HasPrefix(file, n) }) {
			return false
		}
		t := split(file)
		return !t.within(installed) && !t.within(fixtures) && test(t)
	})
}

// stdlib are modules of Python's own library that unittest, doctest and pytest
// import, as far as a file beside the tests would come before them.
var stdlib = words(`__future__ _collections_abc _weakrefset abc argparse array ast asyncio atexit base64 bdb binascii bisect bz2 codecs codeop collections concurrent
	configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis email encodings enum errno faulthandler fcntl fnmatch functools gc genericpath
	getpass gettext glob gzip hashlib heapq html http importlib inspect io ipaddress itertools json keyword linecache locale logging lzma marshal math mimetypes multiprocessing ntpath
	numbers opcode operator os pathlib pdb pickle pkgutil platform posixpath pprint queue random re reprlib runpy select selectors shlex shutil signal site socket ssl stat string
	stringprep struct subprocess sys sysconfig tempfile textwrap threading time token tokenize tomllib traceback types typing typing_extensions unicodedata urllib uuid warnings weakref
	xml zipfile zipimport zlib`)

// pytestNeeds are packages that pytest brings along.
var pytestNeeds = words(`pytest _pytest pluggy iniconfig exceptiongroup tomli attr attrs pygments colorama packaging py nose nose2 hypothesis mock coverage xdist execnet
	pytest_asyncio pytest_cov pytest_mock pytest_django anyio trio twisted unittest unittest2 doctest sitecustomize usercustomize testtools`)

// runnerNames are those that have no other use.
var runnerNames = words(`unittest pytest _pytest doctest pluggy sitecustomize usercustomize nose nose2`)

// shadowsPython tells whether a new file is a module that comes before one that
// a runner imports: where Python is started, and beside tests.
func shadowsPython(p place, was []string) bool {
	name, at, ok := pythonModule(p)
	if !ok {
		return false
	}
	if at == "" {
		return runnerNames.has(name) || slices.ContainsFunc(was, func(file string) bool { t := split(file); return t.ext == ".py" && isTest(t) })
	}
	if !runnerNames.has(name) && slices.Contains(was, at+"/__init__.py") {
		return false // a module of a package is found by the package's name
	}
	return slices.ContainsFunc(was, func(file string) bool {
		t := split(file)
		if t.ext != ".py" || !isTest(t) {
			return false
		}
		dir := t.dir()
		return dir == at || path.Dir(dir) == at
	})
}

// pythonModule gives the name of the module that a file makes, if it is one that
// a runner imports, and the folder that has to be on Python's path for it.
func pythonModule(p place) (name, at string, ok bool) {
	// A folder that is called like a runner is one as a whole.
	for i, dir := range p.dirs {
		if runnerNames.has(dir) && (p.ext == ".py" || isExtension(p)) {
			return dir, strings.Join(p.dirs[:i], "/"), true
		}
	}
	name, _, _ = strings.Cut(p.base, ".") // json.cpython-311-x86_64-linux-gnu.so
	at = p.dir()
	if name == "__init__" && len(p.dirs) > 0 {
		// A folder comes before a module of the library only as a package.
		name, at = p.dirs[len(p.dirs)-1], strings.Join(p.dirs[:len(p.dirs)-1], "/")
	}
	if p.ext != ".py" && !isExtension(p) || !stdlib.has(name) && !pytestNeeds.has(name) {
		return "", "", false
	}
	return name, at, true
}

func isExtension(p place) bool {
	return p.ext == ".so" || p.ext == ".pyd" || p.ext == ".pyc"
}
