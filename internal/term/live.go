package term

import (
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
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
	l := &live{w: w, opt: opt, narrator: view.NewNarrator(run), stop: make(chan struct{})}
	l.wg.Go(l.tick)
	return l
}

type live struct {
	w   io.Writer
	opt Options

	mu       sync.Mutex
	narrator *view.Narrator
	started  bool // something of this run has been shown
	shown    bool // the status line is on the screen

	once sync.Once
	stop chan struct{}
	wg   sync.WaitGroup
}

const eraseLine = "\r\x1b[K"

func (l *live) Observe(e loop.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started = true
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

// render is what the screen shows of an event, beyond the status line.
func (l *live) render(e loop.Event, facts []view.Fact) string {
	run := l.narrator.Run()
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		return banner(p, l.opt)
	case *loop.IterationStarted:
		return "\n" + l.opt.paint(bold, l.narrator.Heading(e)) + "\n"
	case *loop.AgentText:
		return said(p, l.opt)
	case *loop.AgentTool:
		return toolLine(p, l.opt)
	case *loop.AgentRetry:
		return retryLine(p, l.opt)
	case *loop.TestsSeen:
		return testsLine(p.Tests, l.opt)
	case *loop.GateFinished:
		if !run.Open || p.With != "" {
			return "" // the baseline comes as a table
		}
		return gateLine(p.Gate, l.opt)
	case *loop.RunBaseline:
		if table := baselineTable(p, l.opt); table != "" {
			return "\n" + table + l.paragraph([]view.Fact{{Text: view.ProvenWhere(p)}})
		}
	case *loop.IterationFinished:
		if slices.ContainsFunc(facts, func(f view.Fact) bool { return f.Kind == view.Leaving }) {
			return l.paragraph(facts) + "\n" + Leave(run, l.opt)
		}
	case *loop.RunFinished:
		return l.paragraph(facts) + "\n" + Card(run, l.opt)
	}
	return l.paragraph(facts)
}

// paragraph is facts as lines. What has a card of its own is left to it.
func (l *live) paragraph(facts []view.Fact) string {
	var b strings.Builder
	for _, f := range facts {
		switch {
		case f.Text == "", f.Kind == view.Leaving, f.Kind.Ends():
			continue
		case f.Kind == view.Warning, f.Kind == view.Refusal:
			b.WriteString(l.opt.paint(yellow, f.Text))
		default:
			b.WriteString(l.opt.paint(dim, f.Text))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
