package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Auto shows a run live on a terminal: what the agent says as it says it, its
// tool calls as one line each, and a status line at the bottom. The status line
// is erased before anything else is written, so it is never left behind among
// the text; for this a carriage return and "erase to the end of the line" are
// enough, and nothing else is asked of the terminal.
//
// The run holds the past of a resumed run, or nothing. From here on it belongs
// to the output, which keeps it up to date.
func Auto(w io.Writer, run *view.Run, opt Options) Output {
	l := newLive(w, run, opt)
	l.render, l.paragraph = l.pictured, l.folded
	l.wg.Go(l.tick)
	return l
}

// Lines shows a run live as well, in the lines that Plain writes, with the time of
// each: what the agent says and does stands between them, and a status line below
// them where there is a terminal.
func Lines(w io.Writer, run *view.Run, opt Options) Output {
	l := newLive(w, run, opt)
	l.render, l.paragraph = l.logged, l.timed
	l.wg.Go(l.tick)
	return l
}

func newLive(w io.Writer, run *view.Run, opt Options) *live {
	return &live{w: w, opt: opt, narrator: view.NewNarrator(run), stop: make(chan struct{})}
}

type live struct {
	w   io.Writer
	opt Options

	// render is what the screen shows of an event, beyond the status line, and paragraph
	// is facts as lines.
	render    func(loop.Event, []view.Fact) string
	paragraph func([]view.Fact) string

	mu       sync.Mutex
	narrator *view.Narrator
	last     time.Time // of the last event
	started  bool      // something of this run has been shown
	shown    bool      // the status line is on the screen
	judged   loop.Gate // the last that this attempt has told

	once sync.Once
	stop chan struct{}
	wg   sync.WaitGroup
}

const eraseLine = "\r\x1b[K"

func (l *live) Observe(e loop.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started, l.last = true, e.Time
	l.draw(l.render(e, l.narrator.Tell(e)))
}

func (l *live) Close() {
	l.once.Do(func() {
		close(l.stop)
		l.wg.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.started = false // no more status line
		l.draw(l.paragraph(l.narrator.Close()))
	})
}

// tick keeps the times in the status line going.
func (l *live) tick() {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-second.C:
			l.mu.Lock()
			l.draw("")
			l.mu.Unlock()
		}
	}
}

// draw writes text where the status line is, and the status line below it, in
// one piece: half a drawing would flicker. The text is whole lines.
func (l *live) draw(text string) {
	var b strings.Builder
	if l.shown {
		b.WriteString(eraseLine)
	}
	b.WriteString(text)
	status := ""
	if l.started {
		status = statusLine(l.narrator.Run(), l.opt)
	}
	b.WriteString(status)
	l.shown = status != ""
	if b.Len() > 0 {
		_, _ = io.WriteString(l.w, b.String())
	}
}

// byAgent is what the agent itself says and does; empty: it is not from there.
func (l *live) byAgent(e loop.Event) string {
	switch p := e.Payload.(type) {
	case *loop.AgentText:
		return said(p, l.opt)
	case *loop.AgentTool:
		return toolLine(p, l.opt)
	case *loop.AgentRetry:
		return dimLine(view.Retry(p), l.opt)
	case *loop.TestsSeen:
		return dimLine(view.TestRun(p.Tests), l.opt)
	}
	return ""
}

// logged tells of an event in lines.
func (l *live) logged(e loop.Event, facts []view.Fact) string {
	return l.byAgent(e) + l.timed(facts)
}

// timed is facts as lines with the time of their event.
func (l *live) timed(facts []view.Fact) string {
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(folded(factStyle(f.Kind), timed(l.last, f), l.opt))
	}
	return b.String()
}

// factStyle sets off what a person should not miss.
func factStyle(k view.Kind) style {
	switch k {
	case view.Warning, view.Refusal:
		return yellow
	case view.Opening:
		return bold
	case view.Success:
		return green
	case view.Failure:
		return red
	}
	return ""
}

// pictured shows an event with headings, tables and cards.
func (l *live) pictured(e loop.Event, facts []view.Fact) string {
	run := l.narrator.Run()
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		return banner(p, l.opt)
	case *loop.IterationStarted:
		l.judged = loop.Gate{}
		return "\n" + l.opt.paint(bold, l.narrator.Heading(e)) + "\n"
	case *loop.GateFinished:
		if !run.Open || p.With != "" {
			return "" // the baseline comes as a table
		}
		last := l.judged
		l.judged = p.Gate
		again := p.Gate.Tree != "" && last.Tree == p.Gate.Tree && last.Name == p.Gate.Name && last.Where == p.Gate.Where
		return gateLine(p.Gate, again, l.opt)
	case *loop.RunBaseline:
		if table := baselineTable(p, l.opt); table != "" {
			return "\n" + table + l.paragraph([]view.Fact{{Text: view.ProvenWhere(p)}})
		}
	case *loop.IterationFinished:
		if slices.ContainsFunc(facts, func(f view.Fact) bool { return f.Kind == view.Leaving }) {
			return l.paragraph(facts) + "\n" + Leave(run, l.opt)
		}
	case *loop.RunFinished:
		if l.opt.Brief && run.State == loop.Done {
			s := run.Status(l.opt.now())
			return l.opt.paint(bold, text.Line(run.Name)+": ") + fmt.Sprintf("done after %s, %s\n",
				text.Plural(s.Totals.Iterations, "iteration"), text.Seconds(s.Elapsed.Duration()))
		}
		return l.paragraph(facts) + "\n" + Card(run, l.opt)
	case *loop.RunParked:
		return l.paragraph(facts) + "\n" + Card(run, l.opt)
	}
	return l.byAgent(e) + l.paragraph(facts)
}

// folded is facts as lines. What has a card of its own is left to it.
func (l *live) folded(facts []view.Fact) string {
	var b strings.Builder
	for _, f := range facts {
		switch {
		case f.Text == "", f.Kind == view.Leaving, f.Kind.Ends():
			continue
		case f.Kind == view.Warning, f.Kind == view.Refusal:
			b.WriteString(folded(yellow, f.Text, l.opt))
		default:
			b.WriteString(folded(dim, f.Text, l.opt))
		}
	}
	return b.String()
}

// folded is a text on lines that fit the screen.
func folded(s style, said string, opt Options) string {
	var b strings.Builder
	for i, line := range Fold(said, opt.width()) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(opt.paint(s, line))
	}
	return b.String() + "\n"
}

// A tool call is cut here even where there is more room: what matters of a
// command is at its front.
const widestTool = 100

// banner says what is about to happen.
func banner(p *loop.RunStarted, opt Options) string {
	parts := []string{text.Line(named(p.Agent, p.Model)), view.MaxIterations(p.Limits)}
	if p.Limits.Time > 0 {
		parts = append(parts, "at most "+text.Seconds(p.Limits.Time.Duration()))
	}
	if p.Limits.CostUSD > 0 {
		parts = append(parts, "at most "+view.Dollars(p.Limits.CostUSD, false))
	}
	if p.Limits.Tokens > 0 {
		parts = append(parts, "at most "+text.Plural(p.Limits.Tokens, "token"))
	}
	if p.Promise != "" {
		parts = append(parts, fmt.Sprintf("until %q", text.Line(p.Promise)))
	}
	name := "refrain " + text.Line(p.Name)
	text := strings.Join(Fold(name+": "+strings.Join(parts, " · "), opt.width()), "\n") + "\n"
	if rest, ok := strings.CutPrefix(text, name); ok {
		text = opt.paint(bold, name) + rest
	}
	if p.Prompt != "" {
		text += opt.paint(dim, "prompt: "+view.Fit(p.Prompt, 60)) + "\n"
	}
	if said := view.Sandbox(p.Sandbox); said != "" {
		text += folded(dim, "sandbox: "+said, opt)
	}
	return text
}

// said is what the agent says, in whole lines.
func said(p *loop.AgentText, opt Options) string {
	text := strings.TrimRight(text.Clean(p.Text), "\n")
	if p.Cut {
		text += "\n" + opt.paint(dim, "(cut here; the raw transcript has the whole text)")
	}
	return text + "\n"
}

// toolLine is a tool call on one line.
func toolLine(p *loop.AgentTool, opt Options) string {
	line := view.Fit(p.Name+" "+p.Input, opt.widest()-1)
	return opt.paint(dim, strings.Replace(line, " ", "  ", 1)) + "\n"
}

// gateLine is the word of a gate on one line.
func gateLine(g loop.Gate, again bool, opt Options) string {
	line := fmt.Sprintf("gate %s %s", g.Name, view.Gate(g))
	if opt.Color {
		line = fmt.Sprintf("%s %s %s", mark(g), text.Line(g.Name), view.Found(g))
	}
	line += view.Elsewhere(g.Where)
	if again {
		line += ", once more"
	}
	return opt.paint(gateStyle(g), view.Fit(line, opt.widest())) + "\n"
}

// dimLine is something beside the agent's work on one line.
func dimLine(said string, opt Options) string {
	return opt.paint(dim, view.Fit(said, opt.widest())) + "\n"
}

// widest is how wide a line of this kind may be.
func (o Options) widest() int {
	if w := o.width(); w > 0 {
		return min(widestTool, w-1)
	}
	return widestTool
}
