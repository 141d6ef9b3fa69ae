package term

import (
	"fmt"
	"io"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Output shows the events of a run as they happen. Plain, Quiet, JSON, Lines and Auto
// make one.
type Output interface {
	// Observe is called by one goroutine at a time.
	Observe(e loop.Event)
	// Close leaves the screen tidy. It may be called more than once.
	Close()
}

// Options are what a screen can do.
type Options struct {
	Width func() int // in cells, asked at every drawing; nil or 0 is not known
	Color bool
	Brief bool             // a run that is done ends in a line: somebody tells more
	Now   func() time.Time // nil is time.Now
}

func (o Options) width() int {
	if o.Width == nil {
		return 0
	}
	return o.Width()
}

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// style is a way to set text off, as a terminal's code for it.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// paint sets text off where there is colour.
func (o Options) paint(s style, text string) string {
	if !o.Color || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Plain writes one line per fact, with the local time of its event. Every line
// that says an iteration starts is followed by exactly one that says how it
// ended; when that ends the run too, the line on the run comes after it. What
// the agent itself says is in the transcript.
//
// The run holds the past of a resumed run, or nothing. From here on it belongs
// to the output, which keeps it up to date.
func Plain(w io.Writer, run *view.Run) Output {
	return &lines{w: w, narrator: view.NewNarrator(run)}
}

// Quiet writes only warnings, errors and the end, as Plain would.
func Quiet(w io.Writer, run *view.Run) Output {
	return &lines{w: w, narrator: view.NewNarrator(run), quiet: true}
}

type lines struct {
	w        io.Writer
	quiet    bool
	narrator *view.Narrator
	last     time.Time // of the last event
}

func (l *lines) Observe(e loop.Event) {
	l.last = e.Time
	l.write(l.narrator.Tell(e))
}

func (l *lines) Close() { l.write(l.narrator.Close()) }

func (l *lines) write(facts []view.Fact) {
	for _, f := range facts {
		if l.quiet && f.Kind != view.Warning && !f.Kind.Ends() {
			continue
		}
		// A reader that has gone away is no reason to stop the run.
		_, _ = fmt.Fprintln(l.w, timed(l.last, f))
	}
}

// timed is a fact with the local time of its event.
func timed(at time.Time, f view.Fact) string {
	return fmt.Sprintf("[%s] %s", at.Local().Format(time.TimeOnly), f.Text)
}

// JSON writes every event on a line of its own, in the journal's format. The
// agent's text is among them.
func JSON(w io.Writer) Output { return events{w} }

type events struct{ w io.Writer }

func (o events) Observe(e loop.Event) {
	line, err := journal.Encode(e)
	if err != nil {
		return // the journal could not write it either, and has warned of that
	}
	_, _ = o.w.Write(append(line, '\n'))
}

func (events) Close() {}

// Transcript shows what an agent said and did, without the runner's own words:
// its text, and its tool calls as one line each.
func Transcript(w io.Writer, opt Options) Output { return &transcript{w: w, opt: opt} }

// Headed is a Transcript of several iterations, with a heading for each, and what
// came of it: gates, claims that were refused, and the end of the run.
func Headed(w io.Writer, opt Options) Output { return &transcript{w: w, opt: opt, headed: true} }

type transcript struct {
	w      io.Writer
	opt    Options
	headed bool
}

// heading is a line of the runner's among those of an agent.
func (t *transcript) heading(words string) {
	_, _ = fmt.Fprintf(t.w, "%s\n", t.opt.paint(bold, "── "+words+" ──"))
}

// head tells what happened around the agent.
func (t *transcript) head(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.IterationStarted:
		words := view.At(e.Iter, p.Max)
		if e.Attempt > 1 {
			words += fmt.Sprintf(", attempt %d", e.Attempt)
		}
		t.heading(words)
	case *loop.GateFinished:
		if p.With == "" {
			t.heading("gate " + text.Line(p.Gate.Name) + " " + view.Where(p.Gate.Where) + ": " + view.Gate(p.Gate))
		}
	case *loop.ClaimRefused:
		words := "claim refused: "
		if p.NearMiss {
			words = "no claim: "
		}
		t.heading(words + text.Line(p.Why))
	case *loop.IterationFinished:
		t.heading(fmt.Sprintf("iteration %d: %s", e.Iter, p.Outcome.Result))
	case *loop.RunParked:
		t.heading("run parked: " + text.Line(p.Why))
	case *loop.RunFinished:
		t.heading("run " + string(p.State) + ": " + text.Line(p.Why))
	}
}

func (t *transcript) Observe(e loop.Event) {
	if t.headed {
		t.head(e)
	}
	switch p := e.Payload.(type) {
	case *loop.AgentText:
		_, _ = io.WriteString(t.w, said(p, t.opt))
	case *loop.AgentTool:
		_, _ = io.WriteString(t.w, toolLine(p, t.opt))
	}
}

func (t *transcript) Close() {}
