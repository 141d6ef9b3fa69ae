package tui

import (
	"cmp"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/markdown"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// runData is all that a screen knows of a run. Events are written into it as they
// come, from any goroutine, and it keeps a bounded part of them: so nothing has
// to wait for a terminal, and nothing grows while one is not looked at.
type runData struct {
	card func(run *view.Run, width int) string

	mu         sync.Mutex
	narrator   *view.Narrator
	run        *view.Run // the narrator's
	transcript scrollback
	log        scrollback
	rows       []row          // the attempts, the latest at the end
	base       string         // the checkpoint of the files as they were before the attempt under way
	did        map[string]int // the iteration that did a task, by its title
	before     int64          // the number before that of the last end of an attempt
	trend      []loop.Tests
	tests      *loop.Tests // of the last test run
	pausing    bool        // after this iteration
	stopping   bool        // likewise
	gate       string      // what the last gate said, however long it took
	red        string      // the gate that has just failed, as the transcript told it
	trouble    string      // why no more events come, though the run has no end
	end        *block      // the card of a run that is over
}

func newRunData(o Options) *runData {
	run := view.New()
	return &runData{
		did:  map[string]int{},
		card: o.Card, narrator: view.NewNarrator(run), run: run,
		transcript: scrollback{grows: true}, log: scrollback{grows: true},
	}
}

// observe takes in one event.
func (d *runData) observe(e loop.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	facts := d.narrator.Tell(e)
	for _, fact := range facts {
		d.log.add(&block{text: e.Time.Local().Format("15:04:05") + " " + oneLine(fact.Text), style: factStyle(fact.Kind), indent: strings.Repeat(" ", 9)})
	}
	d.steer(e)
	d.list(e)
	switch p := e.Payload.(type) {
	case *loop.IterationStarted:
		d.red, d.gate = "", ""
		d.head(d.narrator.Heading(e))
	case *loop.AgentText:
		d.say(p)
	case *loop.AgentTool:
		d.transcript.add(&block{call: &call{id: p.ID, name: text.Line(p.Name), input: text.Line(p.Input)}})
	case *loop.AgentToolResult:
		d.give(p)
	case *loop.AgentRetry:
		d.note(faint, view.Retry(p))
	case *loop.TestsSeen:
		d.note(faint, view.Tests(p.Tests))
	case *loop.ClaimRefused:
		d.refuse(p, facts)
	case *loop.GateFinished:
		if p.Tests != nil && p.With == "" {
			d.tests = p.Tests
		}
		if d.run.Open && p.With == "" { // else the baseline tells of it
			d.judged(p.Gate)
		}
		d.tell(facts)
	case *loop.RunResumed:
		d.reopen()
		d.tell(facts)
	case *loop.RunParked, *loop.RunFinished:
		d.tell(facts)
		d.close()
	default:
		d.tell(facts)
	}
}

// steer follows what people want of the run.
func (d *runData) steer(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.CommandReceived:
		switch {
		case p.Refused:
		case p.Command == "pause":
			d.pausing = true
		case p.Command == "resume":
			d.pausing = false
		case p.Command == "stop":
			d.stopping = true
		}
	case *loop.RunPaused:
		d.pausing = false
	case *loop.RunResumed, *loop.RunParked, *loop.RunFinished:
		d.pausing, d.stopping = false, false
	}
}

// maxTrend is how many test runs the trend looks back.
const maxTrend = 64

// list keeps the list of attempts.
func (d *runData) list(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.IterationStarted:
		r := row{iter: e.Iter, attempt: e.Attempt, began: e.Time, after: d.before, result: "running", style: live}
		d.rows = append(d.rows, r)
		if len(d.rows) > maxKept {
			d.rows = d.rows[1:]
		}
	case *loop.CheckpointMade:
		if p.Base {
			d.base = p.Checkpoint
		}
	case *loop.CheckpointRestored:
		d.base = p.Checkpoint
	case *loop.IterationFinished:
		if c := p.Outcome.Checkpoint; c != "" && p.Verdict.Restore == nil {
			d.base = c
		}
		i := len(d.rows) - 1
		if i < 0 || d.rows[i].iter != e.Iter || d.rows[i].attempt != e.Attempt {
			d.rows = append(d.rows, row{iter: e.Iter, attempt: e.Attempt, after: d.before})
			i = len(d.rows) - 1
		}
		d.rows[i].finish(p)
		if plan := p.Outcome.Plan; plan != nil {
			for _, task := range plan.Ticked {
				d.did[task] = e.Iter
			}
		}
		d.before = e.Seq - 1
		d.settle()
		if t := p.Outcome.Tests; t != nil && t.Passed+t.Failed > 0 {
			d.tests = t
			d.trend = append(d.trend, *t)
			d.trend = d.trend[max(len(d.trend)-maxTrend, 0):]
		}
	}
}

// head begins an iteration.
func (d *runData) head(said string) {
	if len(d.transcript.blocks) > 0 {
		d.transcript.add(&block{})
	}
	d.transcript.add(&block{text: text.Line(said), style: heading})
}

// maxJoined is how long a block of code may get that comes line by line: each line has
// all of it laid out again.
const maxJoined = 16_000

// say shows a text of the agent's. One that goes on with code which the last text began
// belongs to it: agents that print line by line begin and end code in different texts.
func (d *runData) say(p *loop.AgentText) {
	said := strings.Trim(text.Clean(p.Text), "\n")
	if n := len(d.transcript.blocks); n > 0 && d.transcript.blocks[n-1].rich && markdown.Open(d.transcript.blocks[n-1].text) && len(d.transcript.blocks[n-1].text) < maxJoined {
		last := d.transcript.blocks[n-1]
		d.transcript.change(last, func() { last.text += "\n" + said })
	} else {
		d.transcript.add(&block{text: said, rich: true})
	}
	if p.Cut {
		d.note(faint, "(cut here: the raw transcript has the whole text)")
	}
}

// judged tells what a gate said. One that says the same once more, or fails in the same
// way in the work tree and in a clean checkout, is told once.
func (d *runData) judged(g loop.Gate) {
	tell := func(g loop.Gate) string { return "gate " + text.Line(g.Name) + " " + view.Gate(g) }
	timeless := g
	timeless.Duration = 0 // no two runs take the same
	said, same := tell(g), tell(timeless)+view.Elsewhere(g.Where)
	if said == d.red || same == d.gate {
		return
	}
	if d.red, d.gate = "", same; !g.OK {
		d.red = said
	}
	d.note(gateStyle(g), said+view.Elsewhere(g.Where))
}

// refuse tells that a claim was refused. When that was for the gate of the line
// before, it need not be told again.
func (d *runData) refuse(p *loop.ClaimRefused, facts []view.Fact) {
	if d.red != "" && oneLine(p.Why) == d.red {
		d.note(caution, "Claim refused")
	} else {
		d.tell(facts)
	}
	d.red = ""
}

// give adds a result to its call: by its id, else to the oldest of that name
// that has none.
func (d *runData) give(p *loop.AgentToolResult) {
	for _, x := range d.transcript.blocks {
		c := x.call
		if c == nil || c.done || p.ID != c.id || p.ID == "" && p.Name != "" && text.Line(p.Name) != c.name {
			continue
		}
		d.transcript.change(x, func() { c.finish(p) })
		return
	}
	c := &call{id: p.ID, name: text.Line(p.Name)}
	if c.name == "" {
		c.name = "tool"
	}
	c.finish(p)
	d.transcript.add(&block{call: c})
}

// settle closes calls that got no result, and will not any more.
func (d *runData) settle() {
	for _, x := range d.transcript.blocks {
		if x.call != nil && !x.call.done {
			d.transcript.change(x, func() { x.call.done, x.call.how = true, "no result" })
		}
	}
}

func (d *runData) note(s style, text string) {
	d.transcript.add(&block{text: oneLine(text), style: s, indent: "  "})
}

// tell puts the runner's own words among the agent's. What each gate said stands there
// already.
func (d *runData) tell(facts []view.Fact) {
	for _, fact := range facts {
		d.note(factStyle(fact.Kind), cmp.Or(fact.Brief, fact.Text))
	}
}

// close shows what the run came to, below all else.
func (d *runData) close() {
	d.reopen()
	d.end = &block{draw: func(width int) string { return "\n" + d.card(d.run, width) }}
	d.transcript.add(d.end)
}

// reopen takes the card away: the run goes on.
func (d *runData) reopen() {
	if d.end != nil {
		d.transcript.drop(d.end)
	}
	d.end = nil
}

// died says that the runner is gone and has left no end.
func (d *runData) died() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.run.State == "" || d.run.State.Ended() {
		return
	}
	d.run.Died()
	if n := len(d.rows); n > 0 && !d.rows[n-1].done {
		d.rows[n-1].lose(d.run.Sum.At)
	}
	d.settle()
	d.pausing, d.stopping = false, false
	d.close()
}

// lost says that no more is heard of the run.
func (d *runData) lost(why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trouble = text.Line(why.Error())
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

func gateStyle(g loop.Gate) style {
	switch {
	case g.OK:
		return good
	case g.Known:
		return caution
	}
	return bad
}

// holds tells whether the run is paused, or about to be.
func (d *runData) holds() bool {
	return d.run.State == loop.Paused || d.run.State == loop.Parked || d.pausing
}
