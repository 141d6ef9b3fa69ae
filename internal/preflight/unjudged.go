package preflight

import (
	"cmp"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/scaffold"
)

// Unjudged is what no gate of some settings checks of a project, and how it could
// be. It keeps no run from starting, so Look does not look for it.
func Unjudged(p scaffold.Project, c config.Config) []Finding {
	var have []scaffold.Gate
	for _, g := range c.Gates {
		have = append(have, scaffold.Gate{Name: g.Name, Dir: filepath.ToSlash(cmp.Or(g.Dir, c.Loop.Dir)), Command: scaffold.Command{Line: g.Run}})
	}
	var list []Finding
	for _, g := range p.Lacking(have) {
		proposal := g.Proposal()
		list = append(list, Finding{Name: "gates", What: proposal.Text, Hint: proposal.Hint, Worry: true})
	}
	for _, g := range p.Guided(append(have, p.Lacking(have)...)) {
		proposal := g.GuideProposal()
		list = append(list, Finding{Name: "gates", What: proposal.Text, Hint: proposal.Hint, Worry: true})
	}
	return list
}
