package later

import (
	"path"
	"strings"

	"github.com/refrain-loop/refrain/internal/harness"
	"github.com/refrain-loop/refrain/internal/text"
)

// Command is a line of the settings that the next run, or "refrain check", runs.
type Command struct {
	Of   string // who runs it: "gate test"
	Line string
}

// Reached tells which command leads to a changed file: by its name, through a
// script, or because its tool reads it. It gives nothing where none does. has tells
// whether a file is in the tree as it is now, and read what it holds; both take
// paths from the top, and dir is the folder there in which commands run.
func Reached(commands []Command, dir string, has func(file string) bool, read func(file string) []byte) func(file string) string {
	by := map[string]string{}
	var tools []toolKind
	for _, c := range commands {
		line := c.Line
		if dir != "" {
			line = "cd '" + dir + "' && " + line
		}
		for _, file := range harness.Reach(line, has, read) {
			if _, known := by[file]; !known {
				by[file] = c.Of
			}
		}
		for _, text := range append(harness.Scripts(line, read), line) {
			for _, t := range toolFiles {
				if t.shape().MatchString(text) {
					tools = append(tools, toolKind{t.names, c.Of})
				}
			}
		}
	}
	return func(file string) string {
		if of := by[file]; of != "" && !isSource(file) {
			return of
		}
		name := strings.ToLower(path.Base(file))
		for _, t := range tools {
			for glob := range strings.FieldsSeq(t.names) {
				if ok, _ := path.Match(glob, name); ok {
					return t.of
				}
			}
		}
		return ""
	}
}

// isSource tells whether a file that a command names is a test rather than a
// script: what was changed in tests is told with the proof.
func isSource(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case "", ".sh", ".bash", ".zsh", ".ps1", ".bat", ".cmd":
		return false
	}
	return harness.Of(file) == harness.Test
}

type toolKind struct{ names, of string }

// toolFiles are what tools read that run what people have written there. They lie
// in more folders than the one where the tool is called, and include each other.
var toolFiles = []struct {
	shape text.Pattern
	names string
}{
	{tool("g?make"), "makefile gnumakefile makefile.* *.mk"},
	{tool("just"), "justfile .justfile *.just"},
	{tool("(go-)?task"), "taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml"},
	{tool("rake"), "rakefile *.rake"},
	{tool("(invoke|inv)"), "tasks.py"},
	{tool("mage"), "magefile.go"},
	{tool("tox"), "tox.ini"},
	{tool("nox"), "noxfile.py"},
	{tool("gulp"), "gulpfile.*"},
	{tool("grunt"), "gruntfile.*"},
}

// tool is a command as it stands in a shell line.
func tool(name string) text.Pattern {
	return text.NewPattern(`(^|[\s;&|('"/])` + name + `($|[\s;&|)'"])`)
}

// sameForTools tells whether a file that tools read differs only in what the
// product is made of, such as its list of sources.
func sameForTools(file string, was, is []byte) bool {
	if was == nil || harness.Of(file) != harness.Manifest {
		return false
	}
	_, same := harness.Blend(file, was, is)
	return same
}
