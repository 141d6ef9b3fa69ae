package scaffold

import (
	"fmt"
	"path"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Gate is a check that the settings should have.
type Gate struct {
	Name string
	Dir  string // from the root of the work tree, with slashes; empty is the root
	Command

	checks string // what of the project it checks: build, lint, types, test
}

// Gates are all checks of a project: those of its commands, in the order in which
// they run, then those that have a table of their own.
func (p Project) Gates() []Gate { return append(p.commands(), p.tables()...) }

// commands are the checks that stand in [commands].
func (p Project) commands() []Gate {
	var list []Gate
	for _, c := range p.Main.named() {
		if c.Line != "" && c.checks != "types" {
			list = append(list, c)
		}
	}
	return list
}

// tables are the checks that stand in a table each: what [commands] has no key for,
// and those of the parts, in their folders.
func (p Project) tables() []Gate {
	var list []Gate
	if p.Main.Types.Line != "" {
		list = append(list, Gate{Name: "types", Command: p.Main.Types, checks: "types"})
	}
	names := map[string]bool{}
	for _, part := range p.Parts {
		stem := gateStem(part.Dir)
		for n := 2; names[stem]; n++ {
			stem = fmt.Sprintf("%s-%d", gateStem(part.Dir), n)
		}
		names[stem] = true
		for _, c := range part.named() {
			if c.Line != "" {
				c.Name, c.Dir = stem+"-"+c.Name, part.Dir
				list = append(list, c)
			}
		}
	}
	return list
}

// named are the commands of a toolchain, empty ones too.
func (t Toolchain) named() []Gate {
	return []Gate{
		{Name: "build", Command: t.Build, checks: "build"},
		{Name: "lint", Command: t.Lint, checks: "lint"},
		{Name: "types", Command: t.Types, checks: "types"},
		{Name: "test", Command: t.Test, checks: "test"},
	}
}

// maxStem leaves room for the rest of a gate's name, which is also that of a file.
const maxStem = 48

// gateStem is a folder as the beginning of a gate's name.
func gateStem(dir string) string {
	stem := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		}
		return '-'
	}, dir)
	if stem = strings.TrimLeft(stem, "-._"); stem == "" {
		stem = "part"
	}
	return stem[:min(len(stem), maxStem)]
}

// Setup is the command that gives a clean checkout what the commands need; empty is
// none that has to be written down.
func (p Project) Setup() string {
	var lines []string
	if p.setup != "" {
		lines = append(lines, p.setup)
	}
	for _, part := range p.Parts {
		if part.Setup != "" {
			lines = append(lines, "(cd "+word(part.Dir)+" && "+part.Setup+")")
		}
	}
	return strings.Join(lines, " && ")
}

// Lacking is the checks of types and tests that none of the gates of a project's
// settings does. One that runs in a folder, or names it, does for that folder what
// it is there for; which types it checks can be told from its program alone.
func (p Project) Lacking(have []Gate) []Gate {
	var list []Gate
	for _, want := range p.Gates() {
		done := want.checks == "build" || want.checks == "lint"
		for _, g := range have {
			here := path.Clean(g.Dir) == path.Clean(want.Dir) || want.Dir != "" && strings.Contains(g.Line, want.Dir)
			done = done || here && (want.checks == "test" || strings.Contains(g.Line, want.program()))
		}
		if !done {
			list = append(list, want)
		}
	}
	return list
}

// program is the word of a check of types by which it is known.
func (g Gate) program() string {
	for _, name := range []string{"mypy", "pyright", "tsc", "typecheck", "type-check"} {
		if strings.Contains(g.Line, name) {
			return name
		}
	}
	return g.Line
}

// Proposal says that a check is missing, and how it is written down.
func (g Gate) Proposal() loop.Warning {
	where, dir := "", ""
	if g.Dir != "" {
		where, dir = " in "+g.Dir, "dir = "+quote(g.Dir)+", "
	}
	return loop.Warning{
		Text: "no gate runs " + g.Line + where,
		Hint: "add a [[gate]] to " + settingsFile + ": name = " + quote(g.Name) + ", " + dir + "run = " + quote(g.Line),
	}
}
