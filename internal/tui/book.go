package tui

import (
	"fmt"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// book is all that a screen knows of a run. Events are written into it as they
// come, from any goroutine, and it keeps a bounded part of them: so nothing has
// to wait for a terminal, and nothing grows while one is not looked at.
type book struct {
	card func(run *view.Run, width int) string

	mu         sync.Mutex
	narrator   *view.Narrator
	run        *view.Run // the narrator's
	transcript roll
	log        roll
	rows       []row // the attempts, the latest at the end
	before     int64 // the number before that of the last end of an attempt
	trend      []loop.Tests
	tests      *loop.Tests // of the last test run
	pausing    bool        // after this iteration
	stopping   bool        // likewise
	trouble    string      // why no more events come, though the run has no end
	end        *block      // the card of a run that is over
}

func newBook(o Options) *book {
	run := view.New()
	return &book{
		card: o.Card, narrator: view.NewNarrator(run), run: run,
		transcript: roll{grows: true}, log: roll{grows: true},
	}
}

// observe takes in one event.
func (b *book) observe(e loop.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	facts := b.narrator.Tell(e)
	for _, fact := range facts {
		b.log.add(&block{text: e.Time.Local().Format("15:04:05") + " " + oneLine(fact.Text), style: factStyle(fact.Kind), indent: strings.Repeat(" ", 9)})
	}
	b.steer(e)
	b.list(e)
	switch p := e.Payload.(type) {
	case *loop.IterationStarted:
		b.head(b.narrator.Heading(e))
	case *loop.AgentText:
		b.say(p)
	case *loop.AgentTool:
		b.transcript.add(&block{call: &call{id: p.ID, name: text.Line(p.Name), input: text.Line(p.Input)}})
	case *loop.AgentToolResult:
		b.give(p)
	case *loop.AgentRetry:
		b.note(faint, retry(p))
	case *loop.TestsSeen:
		b.note(faint, view.Tests(p.Tests))
	case *loop.GateFinished:
		if p.Tests != nil && p.With == "" {
			b.tests = p.Tests
		}
		if b.run.Open && p.With == "" { // else the baseline tells of it
			b.note(gateStyle(p.Gate), "gate "+text.Line(p.Gate.Name)+" "+view.Gate(p.Gate)+in(p.Gate.Where))
		}
		b.tell(facts)
	case *loop.RunResumed:
		b.reopen()
		b.tell(facts)
	case *loop.RunFinished:
		b.tell(facts)
		b.close()
	default:
		b.tell(facts)
	}
}

// steer follows what people want of the run.
func (b *book) steer(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.CommandReceived:
		switch {
		case p.Refused:
		case p.Command == "pause":
			b.pausing = true
		case p.Command == "resume":
			b.pausing = false
		case p.Command == "stop":
			b.stopping = true
		}
	case *loop.RunPaused:
		b.pausing = false
	case *loop.RunResumed, *loop.RunFinished:
		b.pausing, b.stopping = false, false
	}
}

// head begins an iteration.
func (b *book) head(said string) {
	if len(b.transcript.blocks) > 0 {
		b.transcript.add(&block{})
	}
	b.transcript.add(&block{text: text.Line(said), style: heading})
}

func (b *book) say(p *loop.AgentText) {
	b.transcript.add(&block{text: strings.Trim(text.Clean(p.Text), "\n")})
	if p.Cut {
		b.note(faint, "(cut here: the raw transcript has the whole text)")
	}
}

// give adds a result to its call: by its id, else to the oldest of that name
// that has none.
func (b *book) give(p *loop.AgentToolResult) {
	for _, x := range b.transcript.blocks {
		c := x.call
		if c == nil || c.done || p.ID != c.id || p.ID == "" && p.Name != "" && text.Line(p.Name) != c.name {
			continue
		}
		b.transcript.change(x, func() { c.finish(p) })
		return
	}
	c := &call{id: p.ID, name: text.Line(p.Name)}
	if c.name == "" {
		c.name = "tool"
	}
	c.finish(p)
	b.transcript.add(&block{call: c})
}

// settle closes calls that got no result, and will not any more.
func (b *book) settle() {
	for _, x := range b.transcript.blocks {
		if x.call != nil && !x.call.done {
			b.transcript.change(x, func() { x.call.done, x.call.how = true, "no result" })
		}
	}
}

func (b *book) note(s style, text string) {
	b.transcript.add(&block{text: oneLine(text), style: s, indent: "  "})
}

// tell puts the runner's own words among the agent's.
func (b *book) tell(facts []view.Fact) {
	for _, fact := range facts {
		b.note(factStyle(fact.Kind), fact.Text)
	}
}

// close shows what the run came to, below all else.
func (b *book) close() {
	b.reopen()
	b.end = &block{draw: func(width int) string { return "\n" + b.card(b.run, width) }}
	b.transcript.add(b.end)
}

// reopen takes the card away: the run goes on.
func (b *book) reopen() {
	if b.end != nil {
		b.transcript.drop(b.end)
	}
	b.end = nil
}

// died says that the runner is gone and has left no end.
func (b *book) died() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run.State == "" || b.run.State.Ended() {
		return
	}
	b.run.Died()
	if n := len(b.rows); n > 0 && !b.rows[n-1].done {
		b.rows[n-1].lose(b.run.Sum.At)
	}
	b.settle()
	b.pausing, b.stopping = false, false
	b.close()
}

// lost says that no more is heard of the run.
func (b *book) lost(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trouble = text.Line(why.Error())
}

// over tells whether the run has ended, and by which signal.
func (b *book) over() (ended bool, signal string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.run.Finished; f != nil {
		return true, f.Signal
	}
	return b.run.State.Ended(), ""
}

// oneLine keeps a fact on one line, with the spaces that it has.
func oneLine(fact string) string { return strings.ReplaceAll(text.Clean(fact), "\n", " ") }

// factStyle says how much a kind of fact should stand out.
func factStyle(k view.Kind) style {
	switch k {
	case view.Failure:
		return bad
	case view.Warning, view.Refusal:
		return caution
	case view.Success:
		return good
	}
	return faint
}

func retry(p *loop.AgentRetry) string {
	said := "retrying"
	if p.Try > 0 && p.Most > 0 {
		said = fmt.Sprintf("retrying (%d of %d)", p.Try, p.Most)
	}
	if p.Error != nil {
		said += ": " + string(p.Error.Kind) + " " + p.Error.Message
	}
	return said
}

func gateStyle(g loop.Gate) style {
	switch {
	case g.OK:
		return good
	case g.Known:
		return caution
	}
	return bad
}

// in says where a gate looked, if that is not the work tree.
func in(where loop.Place) string {
	if where != loop.InClean {
		return ""
	}
	return ", " + view.Where(where)
}
