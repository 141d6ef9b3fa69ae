package scaffold

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

var makefile = row{kind: Make, markers: []string{"GNUmakefile", "makefile", "Makefile"}, adapt: adaptMake, tools: true}

// rule is a line of a makefile that says how targets are made. A := or ::= sets
// a variable.
var rule = text.NewPattern(`(?m)^([A-Za-z0-9][\w ./%+-]*?)[ \t]*:{1,2}(?:[^:=]|$)`)

// adaptMake takes the targets that there are.
func adaptMake(p tree, t *Toolchain) {
	targets := makeTargets(p.read(t.Marker))
	for _, want := range []struct {
		command *Command
		names   []string
	}{
		{&t.Test, []string{"test", "tests", "check"}},
		{&t.Build, []string{"build", "all"}},
		{&t.Lint, []string{"lint"}},
	} {
		for _, name := range want.names {
			if slices.Contains(targets, name) {
				want.command.Line = "make " + name
				break
			}
		}
	}
}

// makeTargets is what the text of a makefile can make.
func makeTargets(text string) []string {
	var targets []string
	for _, m := range rule().FindAllStringSubmatch(text, -1) {
		targets = append(targets, strings.Fields(m[1])...)
	}
	return targets
}
