package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// LiveRun is a run that is alive, to choose from.
type LiveRun struct {
	Name  string
	Tree  string // where it works
	State string // in people's words
	At    string // how far it is
	Here  bool   // it is the one on the screen
	Said  string // by whoever made it change, to be told on its screen
}

// runList is the list of live runs, in place of the panes.
type runList struct {
	list    []LiveRun
	at      int
	top     int // the first in the window
	reading bool
	trouble string
}

// runsRead is the list, or why there is none.
type runsRead struct {
	list []LiveRun
	err  error
}

// again says that the run on the screen may have changed behind its back.
type again struct{ said string }

// listRuns opens the list of live runs.
func (m *model) listRuns() tea.Cmd {
	if m.work.runs == nil {
		m.dialog.say(caution, "Nobody knows of other runs here.")
		return nil
	}
	m.runs = &runList{reading: true}
	return m.work.inBackground(func() tea.Msg {
		list, err := m.work.runs()
		return runsRead{list, err}
	})
}

func (r *runList) take(read runsRead) {
	if r == nil {
		return // it was left meanwhile
	}
	r.list, r.reading = read.list, false
	if read.err != nil {
		r.trouble = text.Line(read.err.Error())
	}
	for i, x := range r.list {
		if x.Here {
			r.at = i
		}
	}
}

// press takes the keys of the list.
func (r *runList) press(m *model, key string) tea.Cmd {
	switch key {
	case "up", "k":
		r.at = max(r.at-1, 0)
	case "down", "j":
		r.at = max(min(r.at+1, len(r.list)-1), 0)
	case "g", "home":
		r.at = 0
	case "G", "end":
		r.at = max(len(r.list)-1, 0)
	case "enter", "space":
		return r.choose(m)
	case "esc", "q", "L":
		m.runs = nil
	case "ctrl+c":
		m.runs = nil
		return m.interrupt()
	}
	return nil
}

// choose shows another run. The screen of a run that this process drives stays with
// it.
func (r *runList) choose(m *model) tea.Cmd {
	if r.at >= len(r.list) {
		return nil
	}
	run := r.list[r.at]
	m.runs = nil
	switch {
	case run.Here:
		return nil
	case m.opt.Switch == nil:
		m.dialog.say(caution, fmt.Sprintf("This screen drives its run. In another terminal: refrain -C %s watch %s", run.Tree, run.Name))
		return nil
	}
	m.opt.Switch(run)
	return tea.Quit
}

func (r *runList) click(m *model, y int) tea.Cmd {
	if i := r.top + y - 1; y > 0 && i < len(r.list) {
		r.at = i
		return r.choose(m)
	}
	return nil
}

// show draws the list: in a frame, or below its name.
func (r *runList) show(p palette, a area) []string {
	name := " Live runs "
	if a.frames == 0 {
		return append([]string{p.paint(heading, strings.TrimSpace(name))}, r.lines(p, a.width, a.height-1)...)
	}
	return box{title: p.paint(marked, name), width: a.width, height: a.height, edge: accent}.draw(p, r.lines(p, a.width-4, a.height-2))
}

func (r *runList) lines(p palette, width, height int) []string {
	switch {
	case r.reading:
		return []string{p.paint(faint, "looking…")}
	case r.trouble != "":
		return []string{p.paint(bad, view.Fit(r.trouble, width))}
	case len(r.list) == 0:
		return []string{p.paint(faint, "No run is live on this machine.")}
	}
	wide := 0
	for _, x := range r.list {
		wide = max(wide, ansi.StringWidth(text.Line(x.Name)))
	}
	r.top = max(min(r.top, r.at), r.at-height+1, 0)
	var lines []string
	for i := r.top; i < len(r.list) && len(lines) < height; i++ {
		x, sign := r.list[i], "  "
		if x.Here {
			sign = "▸ "
		}
		said := pad(sign+text.Line(x.Name), wide+4) + pad(x.State, 10) + pad(x.At, 8)
		said += view.FitPath(text.Line(x.Tree), width-ansi.StringWidth(said))
		said = pad(ansi.Truncate(said, width, "…"), width)
		if i == r.at {
			said = p.paint(marked, said)
		}
		lines = append(lines, said)
	}
	return lines
}
