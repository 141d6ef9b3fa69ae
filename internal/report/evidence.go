package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// pageEvidence is what the runner itself found, refused, waited for and warned of.
type pageEvidence struct {
	Proof    string
	Grounds  []string
	OldTests []string
	TestDiff []string
	MoreDiff string
	Gates    []gate
	Pinned   string

	Refusals     []refused
	MoreRefusals string
	Waits        []waitRow
	WaitsSay     string
	Warnings     []warned
	MoreWarnings string

	Outside     []refusedOutside
	MoreOutside string
}

type gate struct{ Name, Says, Class string }

type refused struct {
	Why, Text, Times string
	Near             bool
	Places           []link
}

// link leads to a place of the page, if it has one.
type link struct{ To, Text string }

type waitRow struct{ Rule, Times, Total, Longest, Why string }

type warned struct{ Text, Hint, Times string }

func evidenceOf(d *Data) pageEvidence {
	run := d.run
	e := pageEvidence{
		Proof: proof(run), Grounds: grounds(run), OldTests: view.ChangedTests(run.Proof()), Gates: gates(run.Gates),
		Refusals: refusedClaims(d), MoreRefusals: more(d.unsaid, "refused claim"), MoreWarnings: more(d.unwarned, "warning"),
	}
	var left int
	if e.TestDiff, left = view.Diff(run.Proof(), maxDiff); left > 0 {
		e.MoreDiff = fmt.Sprintf("And %s: refrain diff %s", text.Plural(left, "more line"), cmp.Or(text.Line(d.Status.Run), "run"))
	}
	if o := run.Outcome; o != nil && len(o.Pinned) > 0 {
		e.Pinned = view.Names(o.Pinned, 10)
	}
	e.Waits, e.WaitsSay = waitRows(d.waits)
	e.Outside, e.MoreOutside = d.outside.rows()
	for _, w := range d.warnings {
		one := warned{Text: w.text, Hint: w.hint}
		if w.times > 1 {
			one.Times = times(w.times)
		}
		e.Warnings = append(e.Warnings, one)
	}
	return e
}

// proof says what the runner's own checks make of the work.
func proof(run *view.Run) string {
	p := run.Proof()
	switch {
	case p != nil && p.Level.AtLeast(loop.LevelTestsChanged):
		return agreed(p)
	case p != nil && p.Place != "":
		return "Nothing proves it: the gates alone were not enough."
	case p != nil:
		return "Nothing proves it: no gate of the runner's judged the work. With a gate (refrain run --gate COMMAND), it can be proven."
	case run.Sum.Proof != "":
		return "Nothing was proven done. Claims are judged " + view.Judged(run.Sum.Proof, run.Sum.Tied) + "."
	case run.State.Ended():
		return "Nothing was proven done."
	}
	return "Nothing is proven done yet."
}

// agreed says what the gates agreed to.
func agreed(p *loop.Proof) string {
	said := strings.TrimSpace("The runner's own gates agreed " + view.Where(p.Place))
	if p.Place == loop.InWorkspace {
		said += " only"
	}
	switch p.Level {
	case loop.LevelKept:
		return said + " that nothing broke; whether the work is done, they cannot tell."
	case loop.LevelTestsChanged:
		return said + ", with changed tests."
	}
	return said + "."
}

// grounds are what a proof rests on, and what a higher one lacks.
func grounds(run *view.Run) []string {
	list := view.Grounds(run.Proof())
	for i, line := range list {
		list[i] = text.Sentence(view.Fit(line, 4*maxText))
	}
	return list
}

func gates(list []loop.Gate) []gate {
	var shown []gate
	for _, g := range list {
		class := "bad"
		if g.OK {
			class = "ok"
		} else if g.Known {
			class = "held"
		}
		shown = append(shown, gate{text.Line(g.Name), view.Fit(join(" ", view.Gate(g), view.Where(g.Where)), maxText), class})
	}
	return shown
}

func refusedClaims(d *Data) []refused {
	listed := map[place]bool{}
	for _, a := range d.attempts {
		listed[a.place] = true
	}
	var list []refused
	for _, r := range d.refusals {
		one := refused{Why: text.Sentence(r.why), Text: r.text, Near: r.near, Times: times(r.times)}
		for _, at := range r.places {
			to := ""
			if listed[at] {
				to = at.anchor("i")
			}
			one.Places = append(one.Places, link{to, at.String()})
		}
		list = append(list, one)
	}
	return list
}

func waitRows(list []wait) ([]waitRow, string) {
	var rows []waitRow
	var total time.Duration
	n := 0
	for _, w := range list {
		n, total = n+w.times, total+w.total
		rows = append(rows, waitRow{text.Words(w.rule), text.Count(w.times), durationWords(w.total.Milliseconds()), durationWords(w.longest.Milliseconds()), text.Sentence(w.why)})
	}
	if n == 0 {
		return nil, "It never had to wait."
	}
	return rows, fmt.Sprintf("It waited %s, %s in all.", times(n), durationWords(total.Milliseconds()))
}

// maxDiff is how many lines of the diff of changed tests a page has.
const maxDiff = 200
