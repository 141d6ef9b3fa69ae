package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the page's three parts
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	style  = unix(pageCSS)
	script = unix(pageJS)
	layout = template.Must(template.New("page").Parse(unix(pageHTML)))
)

// page is what the template shows. Every string in it is plain text.
type page struct {
	Policy template.HTML
	Style  template.CSS
	Script template.JS

	Run, Headline, Standing, Why string
	Unsaved                      []string
	Facts                        []fact
	Proof                        string
	Grounds                      []string
	OldTests                     []string
	TestDiff                     []string
	MoreDiff                     string
	Gates                        []gate
	Pinned                       string
	Refusals                     []refused
	MoreRefusals                 string
	Waits                        []waitRow
	WaitsSay                     string
	Warnings                     []warned
	MoreWarnings                 string
	Figures                      []figure
	Charts                       []chart
	Grouped                      string
	Band                         *band
	Attempts                     table
	Unlisted                     string
	Changes                      []changed
	Ending                       []fact
	Limits                       []limit
	Commands                     []command
	Made                         string
}

// fact is one thing known of the run. Code is shown as it is typed.
type fact struct {
	Label, Text string
	Code        bool
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

// Write writes the page. An error is the writer's.
func Write(w io.Writer, d *Data) error {
	out := bufio.NewWriter(w)
	if err := layout.Execute(out, pageOf(d)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return out.Flush()
}

func pageOf(d *Data) page {
	run := d.run
	p := page{
		Policy: policy(), Style: template.CSS(style), Script: template.JS(script),
		Run: text.Line(d.Status.Run), Headline: headline(d), Standing: standing(run),
		Why: text.Sentence(view.Fit(d.Status.Why, 4*mostText)), Facts: facts(d),
		Proof: proof(run), Grounds: grounds(run), OldTests: view.ChangedTests(run.Proof()), Gates: gates(run.Gates),
		Figures: figures(d), Charts: charts(d), Band: bandOf(d),
		Ending: ending(d), Limits: limits(d), Commands: commands(d),
		Made: clock(d.made, d.made.Location()),
	}
	if p.Run == "" {
		p.Run = "run"
	}
	var left int
	if p.TestDiff, left = view.Diff(run.Proof(), mostDiff); left > 0 {
		p.MoreDiff = fmt.Sprintf("And %s: refrain diff %s", text.Plural(left, "more line"), p.Run)
	}
	if run.Finished != nil {
		for _, what := range run.Finished.Unsaved {
			p.Unsaved = append(p.Unsaved, view.Fit(what, mostText))
		}
	}
	if o := run.Outcome; o != nil && len(o.Pinned) > 0 {
		p.Pinned = view.Names(o.Pinned, 10)
	}
	if n := len(d.points); n > mostColumns {
		p.Grouped = fmt.Sprintf("%s are too many to draw one by one: each bar stands for up to %d.", text.Plural(n, "attempt"), (n+mostColumns-1)/mostColumns)
	}
	p.Refusals, p.MoreRefusals = refusedClaims(d), more(d.unsaid, "refused claim")
	p.Waits, p.WaitsSay = waitRows(d.waits)
	for _, w := range d.warnings {
		one := warned{Text: w.text, Hint: w.hint}
		if w.times > 1 {
			one.Times = times(w.times)
		}
		p.Warnings = append(p.Warnings, one)
	}
	p.MoreWarnings = more(d.unwarned, "warning")
	p.Attempts, p.Changes = attemptTable(d), changes(d)
	if d.unlisted > 0 {
		p.Unlisted = fmt.Sprintf("The last %s are listed, and of those before them the ones in which something happened. %s more went by without news.",
			text.Count(lastListed), text.Count(d.unlisted))
	}
	return p
}

// mostDiff is how many lines of the diff of changed tests a page has.
const mostDiff = 200

// grounds are what a proof rests on, and what a higher one lacks.
func grounds(run *view.Run) []string {
	list := view.Grounds(run.Proof())
	for i, line := range list {
		list[i] = text.Sentence(view.Fit(line, 4*mostText))
	}
	return list
}

// policy forbids the page everything but its own style and script.
func policy() template.HTML {
	return template.HTML(fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'">`,
		fingerprint(style), fingerprint(script)))
}

func fingerprint(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// unix ends lines as browsers count them, however the source was checked out: the
// fingerprints are of what they see.
func unix(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// facts are what the run was.
func facts(d *Data) []fact {
	run, zone := d.run, d.made.Location()
	agent := text.Line(run.Agent)
	if run.Model != "" {
		agent = join(" ", agent, "("+text.Line(run.Model)+")")
	}
	billed := ""
	if run.Outcome != nil {
		billed = text.Words(run.Outcome.BilledTo)
	}
	until := ""
	if run.Promise != "" {
		until = "“" + text.Line(run.Promise) + "”"
	}
	return known([]fact{
		{"Procedure", text.Line(run.Procedure), false},
		{"Agent", agent, false},
		{"Billed to", billed, false},
		{"Until", until, false},
		{"Started", clock(run.StartedAt, zone), false},
		{"Branch", text.Line(run.Branch), true},
		{"Version", text.Line(d.version), false},
		{"Files", text.Path(d.Status.Dir), true},
		{"Prompt", view.Fit(run.Prompt, mostText), false},
	})
}

// ending is what ended the run.
func ending(d *Data) []fact {
	if !d.run.State.Ended() {
		return nil
	}
	rule := text.Line(d.run.Verdict.Rule)
	if rule == string(d.Status.Reason) {
		rule = ""
	}
	signal := ""
	if d.run.Finished != nil && d.run.Finished.Signal != "" {
		signal = "SIG" + text.Line(d.run.Finished.Signal)
	}
	return known([]fact{
		{"State", text.Line(string(d.run.State)), true},
		{"Reason", text.Line(string(d.Status.Reason)), true},
		{"Rule", rule, true},
		{"Setting", endedBy(d), true},
		{"Signal", signal, true},
	})
}

// known leaves out what is not.
func known(list []fact) []fact {
	var some []fact
	for _, f := range list {
		if f.Text != "" {
			some = append(some, f)
		}
	}
	return some
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
		shown = append(shown, gate{text.Line(g.Name), view.Fit(join(" ", view.Gate(g), view.Where(g.Where)), mostText), class})
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
		rows = append(rows, waitRow{text.Words(w.rule), text.Count(w.times), stretch(w.total.Milliseconds()), stretch(w.longest.Milliseconds()), text.Sentence(w.why)})
	}
	if n == 0 {
		return nil, "It never had to wait."
	}
	return rows, fmt.Sprintf("It waited %s, %s in all.", times(n), stretch(total.Milliseconds()))
}

// times is how often, in words.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return text.Count(n) + " times"
}

// more counts what is not listed.
func more(n int, thing string) string {
	if n == 0 {
		return ""
	}
	return "And " + text.Plural(n, "more "+thing) + "."
}

func clock(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format("2 January 2006, 15:04:05 MST")
}
