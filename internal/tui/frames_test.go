package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Whatever the width, what the footer shows of a key is all of it.
func TestTheFooterCutsNoKeyInHalf(t *testing.T) {
	for _, s := range []*story{begin().working(), begin().worked(1).tell(&loop.RunFinished{State: loop.Exhausted})} {
		for _, keys := range [][]string{nil, {"2"}, {"?"}, {"L"}, {"2", "k", "enter"}, {"/", "e", "enter"}} {
			for width := 1; width <= 140; width++ {
				m := (&world{around: true}).shown(s, width, 20)
				press(m, keys...)
				m.dialog.said = notice{}
				var whole []string
				for _, h := range m.hints() {
					whole = append(whole, h.key+" "+h.does)
				}
				for said := range strings.SplitSeq(footer(m), "  ") {
					if said != "" && !slices.Contains(whole, said) {
						t.Fatalf("after %v, %d wide, the footer has %q in %q", keys, width, said, footer(m))
					}
				}
			}
		}
	}
}

func TestTheKeysOfAQuestionStayWhole(t *testing.T) {
	for _, width := range []int{30, 60, 80} {
		m := (&world{around: true}).shown(begin().worked(1).tell(&loop.RunFinished{State: loop.Exhausted}), width, 20)
		press(m, "B")
		if got := footer(m); !strings.HasSuffix(got, "a after it  b before it  n") {
			t.Errorf("%d wide: %q", width, got)
		}
	}
}

func TestOfALongPathTheMiddleGoes(t *testing.T) {
	m := (&world{}).shown(begin().in(1, 1, &loop.IterationStarted{}, &loop.AgentTool{ID: "a", Name: "Edit", Input: strings.Repeat("/folder", 20) + "/greet.go"}), 80, 24)
	wantShown(t, m, "▸ Edit  /folder/", "/greet.go  …")
}

func TestTheNamesOfPanesAreNeverCut(t *testing.T) {
	for width := 28; width <= 140; width++ {
		m := (&world{}).shown(begin().working(), width, 20)
		w, _ := m.panes.inner()
		for _, tab := range m.panes.tabsFor(w) {
			if tab.to > w {
				t.Errorf("%d wide: %q reaches to %d of %d", width, tab.text, tab.to, w)
			}
		}
	}
}

// The state is seen by its colour, and the pane that keys act on by its edge.
func TestTheColoursOfTheFrame(t *testing.T) {
	coloured := func(o *Options) { o.Color = true }
	p := newPalette(true)
	for _, tt := range []struct {
		story *story
		want  string
	}{
		{begin().working(), p.paint(stateLive, " running ")},
		{begin().working().tell(&loop.RunPaused{}), p.paint(stateCaution, " paused ")},
		{begin().worked(0).done(), p.paint(stateGood, " done, proven ")},
		{begin().worked(1).tell(&loop.RunFinished{State: loop.Aborted}), p.paint(stateBad, " aborted ")},
	} {
		m := (&world{}).shown(tt.story, 80, 24, coloured)
		if got := m.View().Content; !strings.Contains(got, tt.want) {
			t.Errorf("no %q in\n%q", tt.want, got)
		}
	}
	m := (&world{}).shown(begin().working(), 120, 24, coloured)
	edges := func() string { return strings.Split(m.View().Content, "\n")[1] }
	focused, other := p.paint(accent, "╭─"), p.paint(edge, "╭─")
	if got := edges(); strings.Index(got, focused) < strings.Index(got, other) {
		t.Errorf("the transcript is not set off: %q", got)
	}
	if press(m, "2"); strings.Index(edges(), focused) > strings.Index(edges(), other) {
		t.Errorf("the list is not set off: %q", edges())
	}
}

func TestTheHeaderSaysWhatIsUsedUp(t *testing.T) {
	s := begin()
	s.events[0].Payload.(*loop.RunStarted).Limits = loop.Limits{Iterations: 20, Time: loop.Millis(8 * 3600e9), CostUSD: 5, Tokens: 1_000_000}
	m := (&world{}).shown(s.working(), 200, 24)
	wantShown(t, m, "iteration 1/20  █░░░░░░░  12s of 8h00m  ≈$0.04 of $5.00  9,300 of 1,000,000 tokens  until \"DONE\"")
}

func TestAClickMeansWhatIsUnderIt(t *testing.T) {
	for _, size := range [][2]int{{50, 20}, {80, 24}, {120, 40}} {
		w := &world{around: true}
		m := w.shown(begin().working(), size[0], size[1])
		var shown string
		at := 0
		for y, l := range strings.Split(screen(m), "\n") {
			if i := strings.Index(l, " 5 Log "); i >= 0 {
				shown, at = l[:i], y
				break
			}
		}
		from := ansi.StringWidth(shown)
		for x, want := range map[int]pane{from - 1: checksPane, from: logPane, from + len(" 5 Log ") - 1: logPane, from + len(" 5 Log "): promptPane} {
			if do(m, tea.MouseClickMsg{X: x, Y: at}); m.panes.open != want {
				t.Errorf("%v: a click at %d opens pane %d, want %d", size, x, m.panes.open+1, want+1)
			}
		}
		press(m, "L")
		for y, l := range strings.Split(screen(m), "\n") {
			if strings.Contains(l, "/w/proj-v") {
				do(m, tea.MouseClickMsg{X: 9, Y: y})
			}
		}
		if len(w.chosen) != 1 || w.chosen[0].Name != "run-3" {
			t.Errorf("%v: a click on run-3 chooses %v", size, w.chosen)
		}
	}
}
