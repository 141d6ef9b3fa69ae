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
	"sync"

	"github.com/refrain-loop/refrain/internal/text"
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
	layout = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(unix(pageHTML))) })
)

// page is what the template shows, from top to bottom. Every string in it is plain
// text.
type page struct {
	Policy template.HTML
	Style  template.CSS
	Script template.JS

	pageHead
	pageEvidence
	pageCourse
	pageEnd
	Made string
}

// pageCourse is how the run went, over time and attempt by attempt.
type pageCourse struct {
	Charts    []chart
	Grouped   string
	Band      *band
	Attempts  table
	Unlisted  string
	Net       *shown
	Changes   []changed
	Spoken    []spoken
	Later     []laterFile
	MoreLater string
}

// fact is one thing known of the run. Code is shown as it is typed.
type fact struct {
	Label, Text string
	Code        bool
}

// Write writes the page. An error is the writer's.
func Write(w io.Writer, d *Data) error {
	out := bufio.NewWriter(w)
	if err := layout().Execute(out, pageOf(d)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return out.Flush()
}

func pageOf(d *Data) page {
	return page{
		Policy: policy(), Style: template.CSS(style), Script: template.JS(script),
		pageHead: headOf(d), pageEvidence: evidenceOf(d), pageCourse: courseOf(d), pageEnd: endOf(d),
		Made: clock(d.made, d.made.Location()),
	}
}

func courseOf(d *Data) pageCourse {
	c := pageCourse{Charts: charts(d), Band: bandOf(d), Attempts: attemptTable(d), Net: d.texts.net, Changes: changes(d), Spoken: transcripts(d), Later: runsLater(d), MoreLater: moreLater(d)}
	if n := len(d.points); n > maxColumns {
		c.Grouped = fmt.Sprintf("%s are too many to draw one by one: each bar stands for up to %d.", text.Plural(n, "attempt"), (n+maxColumns-1)/maxColumns)
	}
	if d.unlisted > 0 {
		c.Unlisted = fmt.Sprintf("The last %s are listed, and of those before them the ones in which something happened. %s more went by without news.",
			text.Count(lastListed), text.Count(d.unlisted))
	}
	return c
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
