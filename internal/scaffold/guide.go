package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// guideFile is what tells agents how to work in a project.
const guideFile = "AGENTS.md"

// maxGuided is how many checks of a guide are offered.
const maxGuided = 8

var (
	guideHeading = text.NewPattern(`^#{1,6}\s+(.*)$`)
	guideSection = text.NewPattern(`(?i)\b(build|tests?|testing|lint|checks?|quality gates?|commands|validation)\b`)
	guideGates   = text.NewPattern(`(?i)\b(quality gates?|checks?|validation)\b`)
	guideLabel   = text.NewPattern("(?i)^\\s*(?:[-*+]\\s+)?\\**(test|build|lint|types?|typecheck)s?\\b[^:`]{0,40}:\\**\\s*(.*)$")
	guideItem    = text.NewPattern("^\\s*(?:[-*+]|[0-9]+[.)])\\s+(?:\\[[ xX]\\]\\s+)?`([^`]+)`")
	guideCode    = text.NewPattern("`([^`]+)`")
	guideWord    = text.NewPattern(`(?i)\b(test|build|lint|typecheck)\b`)
	guideLine    = text.NewPattern(`^[A-Za-z0-9_./][^<>{}…]*$`) // no sample that somebody has to fill in
)

// readGuide finds the checks that a guide names: below a heading about such things,
// what has the label of one, and in a list of gates everything in code. They are
// what somebody wrote for agents to read, so they are offered and not taken.
func readGuide(text string) []Gate {
	var list []Gate
	add := func(label, line string) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		line = strings.TrimSpace(strings.TrimPrefix(line, "$ "))
		if label == "" || !guideLine().MatchString(line) || len(list) == maxGuided || slices.ContainsFunc(list, func(g Gate) bool { return g.Line == line }) {
			return
		}
		name := label
		for n := 2; slices.ContainsFunc(list, func(g Gate) bool { return g.Name == name }); n++ {
			name = fmt.Sprintf("%s-%d", label, n)
		}
		list = append(list, Gate{Name: name, Command: Command{Line: line}, checks: label})
	}
	within, gates, fenced, label := false, false, false, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		switch heading := guideHeading().FindStringSubmatch(line); {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced:
			switch {
			case !within || strings.HasPrefix(strings.TrimSpace(line), "#"):
			case label == "" && gates:
				add(checkOf(line), line)
			default:
				add(label, line)
			}
		case heading != nil:
			within, gates, label = guideSection().MatchString(heading[1]), guideGates().MatchString(heading[1]), ""
			if m := guideLabel().FindStringSubmatch(strings.TrimRight(heading[1], ":") + ":"); m != nil && !strings.ContainsAny(heading[1], "/,&") {
				label = labelOf(m[1])
			}
		case !within:
		default:
			if m := guideLabel().FindStringSubmatch(line); m != nil {
				label = labelOf(m[1])
				if code := guideCode().FindStringSubmatch(m[2]); code != nil {
					add(label, code[1])
					label = "" // what follows is something else
				}
			} else if m := guideItem().FindStringSubmatch(line); m != nil && (gates || label != "") {
				if gates {
					add(checkOf(m[1]), m[1])
				} else {
					add(label, m[1])
				}
			}
		}
	}
	return list
}

// checkOf is what a check without a label is called, by the command that it is.
func checkOf(line string) string {
	if word := guideWord().FindString(line); word != "" {
		return labelOf(word)
	}
	return "check"
}

// labelOf is what a check is called, in our words.
func labelOf(word string) string {
	if word = strings.ToLower(word); strings.HasPrefix(word, "type") {
		return "types"
	}
	return word
}

// Guided is the checks that the guide of the project names and none of the gates
// does. One that a gate runs with other flags is done by it.
func (p Project) Guided(have []Gate) []Gate {
	return slices.DeleteFunc(slices.Clone(p.guide), func(want Gate) bool {
		return slices.ContainsFunc(have, func(g Gate) bool {
			line := readable(g.Line)
			return line != "" && (strings.Contains(line, want.Line) || strings.Contains(want.Line, line))
		})
	})
}

// GuideProposal says that the guide names a check that no gate does, and how it is
// written down.
func (g Gate) GuideProposal() loop.Warning {
	w := g.Proposal()
	w.Text = guideFile + " names " + g.Line + ", which no gate runs"
	return w
}
