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
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/refrain-loop/refrain/internal/lockfile"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Project is what was found in a work tree.
type Project struct {
	Main   Toolchain
	Others []Toolchain // what else is there, in the order of the table
	Parts  []Part      // folders with tools of their own, which those at the root do not reach

	guide []Gate // the checks that AGENTS.md names
	setup string // installs what the tools at the root need; empty: nothing is, or it is known from lockfiles
}

// Part is a folder of the work tree that is built and tested by itself.
type Part struct {
	Dir string // from the root of the work tree, with slashes
	Toolchain
}

// Toolchain is one set of tools that a project is made with.
type Toolchain struct {
	Kind   Kind
	Marker string // the file that told; empty for a generic project

	Test  Command
	Build Command
	Lint  Command
	Types Command // checks types, where the build does not

	// Setup installs what the commands need in a folder that has nothing but what git
	// knows; empty: nothing is needed, or nobody can tell.
	Setup string

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
	root := tree{files: fsys}
	list := find(root)
	main := mainOf(list)
	p := Project{Main: list[main], Others: append(list[:main:main], list[main+1:]...), guide: readGuide(root.read(guideFile))}
	var more int
	if p.Parts, more = findParts(root, list); more > 0 {
		p.Main.note(fmt.Sprintf("%d more folders have tests of their own, which no gate runs", more), "add a [[gate]] with its dir for each that matters")
	}
	if names := rowOf(p.Main.Kind).tests; len(p.Parts) > 0 && names != nil && !root.hasFile(p.folders(), names...) {
		p.Main.Test = Command{} // it would find no test, and so never pass
	}
	p.setup = p.Main.Setup
	for _, part := range p.Parts { // what is written takes the place of what would be guessed at the root
		if part.Setup != "" && p.setup == "" {
			p.setup, _ = lockfile.Install(root.isFile)
		}
	}
	p.noteTests()
	return p
}

// DetectPart finds out what one folder of a work tree is made with, or the nearest
// one above it that has tools of its own. It is not found where that is the root.
func DetectPart(fsys fs.FS, dir string) (Project, bool) {
	root := tree{files: fsys}
	for ; dir != "."; dir = path.Dir(dir) {
		list := find(root.below(dir))
		if list[0].Kind == Generic {
			continue
		}
		p := Project{Main: Toolchain{Kind: Generic}, Parts: []Part{newPart(root, find(root), dir, list)}}
		p.noteTests()
		return p, true
	}
	return Project{}, false
}

// folders are those of the parts.
func (p Project) folders() []string {
	var list []string
	for _, part := range p.Parts {
		list = append(list, part.Dir)
	}
	return list
}

// noteTests notes that nothing could be proven.
func (p *Project) noteTests() {
	if p.Main.Test.Line == "" && !slices.ContainsFunc(p.Parts, func(part Part) bool { return part.Test.Line != "" }) {
		p.Main.note("no test command was found", "set commands.test in "+settingsFile+": without it nothing proves that the work is done")
	}
}

// Notes is what a person should know or mend.
func (p Project) Notes() []loop.Warning {
	list := slices.Clone(p.Main.Notes)
	for _, part := range p.Parts {
		for _, n := range part.Notes {
			list = append(list, loop.Warning{Text: part.Dir + ": " + n.Text, Hint: n.Hint})
		}
	}
	for _, g := range p.Guided(p.Gates()) {
		list = append(list, g.GuideProposal())
	}
	return list
}

// mainOf is the index of the main toolchain.
func mainOf(list []Toolchain) int {
	return max(0, slices.IndexFunc(list, func(t Toolchain) bool { return t.Test.Line != "" }))
}

// find gives every toolchain whose files are there, or the generic one.
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
	if len(list) == 0 {
		return []Toolchain{{Kind: Generic}}
	}
	return list
}
