// Package scaffold makes a project ready for its first run: it finds out how
// the project is tested, built and linted, and writes the files that a person
// would otherwise have to begin from nothing.
//
// It only looks at files, and runs none of the commands it names. What a person
// wrote stays: a file that is there is left alone, and one that is replaced on
// demand is kept beside the new one. Which agents there are, what to ask and
// what to say about it is for others.
package scaffold

import (
	"io/fs"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Project is what was found in a work tree.
type Project struct {
	Main   Toolchain
	Others []Toolchain // what else is there, in the order of the table
}

// Toolchain is one set of tools that a project is made with.
type Toolchain struct {
	Kind   Kind
	Marker string // the file that told; empty for a generic project

	Test  Command
	Build Command
	Lint  Command

	TestFiles []string       // patterns of a .gitignore file; empty when tests have no files of their own
	Files     []File         // what the commands need
	Notes     []loop.Warning // what a person should know or mend
}

// Command is a line for the shell. An empty one is none.
type Command struct {
	Line string
	Why  string // why it is not the line that people expect; empty when it is
}

// Detect finds out what a work tree, given as its root, is made with. The main
// toolchain is the first of the table that knows how to run tests, else the
// first at all: a package.json that only holds a formatter does not make a
// project one of Node.js.
func Detect(fsys fs.FS) Project {
	list := find(tree{fsys})
	if len(list) == 0 {
		list = []Toolchain{{Kind: Generic}}
	}
	main := 0
	for i, t := range list {
		if t.Test.Line != "" {
			main = i
			break
		}
	}
	p := Project{Main: list[main], Others: append(list[:main:main], list[main+1:]...)}
	if p.Main.Test.Line == "" {
		p.Main.Notes = append(p.Main.Notes, loop.Warning{
			Text: "no test command was found",
			Hint: "set commands.test in " + settingsFile + ": without it nothing proves that the work is done",
		})
	}
	return p
}

// find gives every toolchain whose files are there.
func find(p tree) []Toolchain {
	var list []Toolchain
	seen := map[Kind]bool{}
	for _, row := range table {
		marker := p.first(row.markers...)
		if marker == "" || seen[row.kind] || row.alone && len(list) > 0 {
			continue
		}
		t := Toolchain{
			Kind: row.kind, Marker: marker, TestFiles: row.testFiles,
			Test: Command{Line: row.test}, Build: Command{Line: row.build}, Lint: Command{Line: row.lint},
		}
		if row.adapt != nil {
			row.adapt(p, &t)
		}
		list = append(list, t)
		seen[row.kind] = true
		for _, kind := range row.covers {
			seen[kind] = true
		}
	}
	return list
}
