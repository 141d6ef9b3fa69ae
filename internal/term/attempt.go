package term

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Attempt is all there is to know of one finished attempt.
type Attempt struct {
	Run    string       // its name
	End    loop.Event   // the iteration.finished
	Events []loop.Event // what else the journal has of it
	Dir    string       // its folder
	// Program is what people type before a command on such runs; empty: refrain.
	Program string
	Files   []string // what people may want to open there
}

// Most of what is listed by name; the rest is counted.
const maxListed = 20

// Sheet shows an attempt in full.
func Sheet(a Attempt, opt Options) string {
	f := a.End.Payload.(*loop.IterationFinished)
	o := &f.Outcome
	list := []row{
		{"exit", exitStatus(o.Exit)},
		{"error", agentError(o.Error)},
		{"time", text.Duration(o.Duration.Duration()) + begun(o)},
		{"progress", progress(o)},
	}
	list = append(list, a.changes(o.Changes)...)
	list = append(list, row{"plan", tasks(o.Plan)})
	if o.Plan != nil {
		list = append(list, several("did", o.Plan.Ticked)...)
	}
	list = append(list, testRows(o)...)
	list = append(list, row{"each test", a.eachTest()})
	list = append(list, gateRows(o.Gates)...)
	list = append(list,
		row{"pinned", changedPins(o.Pinned)},
		row{"claim", claim(o)},
	)
	list = append(list, several("proof", view.Grounds(o.Proof))...)
	list = append(list, several("old tests", view.ChangedTests(o.Proof))...)
	list = append(list, a.happened(o.Claim)...)
	list = append(list,
		row{"blocked", o.Person},
		row{"usage", used(o.Usage)},
		row{"summary", o.Summary},
	)
	list = append(list, several("metadata", metadata(o.Metadata))...)
	list = append(list,
		row{"then", then(f.Verdict)},
		row{"checkpoint", o.Checkpoint},
	)
	list = append(list, a.files()...)
	head := fmt.Sprintf("%s/%s: %s", text.Line(a.Run), number(a.End), o.Result)
	return opt.paint(bold, head) + "\n" + layout(list, opt)
}

// metadata is what hooks said of the attempt, by name.
func metadata(said map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(said)) {
		list = append(list, text.Line(name)+": "+text.Line(said[name]))
	}
	return list
}

// changes lists the files that changed.
func (a Attempt) changes(c *loop.Changes) []row {
	if c == nil {
		return nil
	}
	files := c.Created + c.Modified + c.Deleted
	list := []row{{"changed", changed(view.Figures{Files: files, LinesAdded: c.LinesAdded, LinesRemoved: c.LinesRemoved, Commits: c.Commits})}}
	shown := c.Paths[:min(maxListed, len(c.Paths))]
	for _, p := range shown {
		said := p.Change + " " + text.Path(p.Path)
		if p.From != "" {
			said += ", from " + text.Path(p.From)
		}
		list = append(list, row{"", said})
	}
	if more := files - len(shown); more > 0 && len(shown) > 0 {
		list = append(list, row{"", fmt.Sprintf("and %s more, in %s", text.Count(more), filepath.Join(a.Dir, "changes.json"))})
	}
	return list
}

func tasks(p *loop.Plan) string {
	if p == nil {
		return ""
	}
	said := view.Tasks(p)
	if p.Lost > 0 {
		said += fmt.Sprintf(", %s vanished", text.Count(p.Lost))
	}
	return said
}

func testRows(o *loop.Outcome) []row {
	t := o.Tests
	if t == nil {
		return nil
	}
	fixed, quiet := view.Fixed(o)
	return []row{
		{"tests", view.TestRun(*t)},
		{"failing", view.Names(t.Failing, maxListed)},
		{"broke", view.Names(t.NewlyFailing, maxListed)},
		{"fixed", view.Names(fixed, maxListed)},
		{"not failing", view.Names(quiet, maxListed)},
		{"flaky", view.Names(t.Flaky, maxListed)},
	}
}

// eachTest is how to see the tests one by one, where that is kept.
func (a Attempt) eachTest() string {
	for _, e := range a.Events {
		if g, ok := e.Payload.(*loop.GateFinished); ok && g.TestsFile != "" {
			return fmt.Sprintf("%s show %s/%d --tests", cmp.Or(a.Program, "refrain"), text.Line(a.Run), a.End.Iter)
		}
	}
	return ""
}

func gateRows(gates []loop.Gate) []row {
	var list []row
	for i, g := range gates {
		said := strings.TrimSpace(g.Name + " " + view.Gate(g) + " " + view.Where(g.Where))
		if !g.OK && g.Duration > 0 {
			said += ", after " + text.Duration(g.Duration.Duration())
		}
		label := "gates"
		if i > 0 {
			label = ""
		}
		list = append(list, row{label, said})
	}
	return list
}

func changedPins(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	var list []string
	for _, p := range paths {
		list = append(list, text.Path(p))
	}
	return "not as when the run began: " + view.Names(list, maxListed)
}

func claim(o *loop.Outcome) string {
	switch c := o.Claim; {
	case c == nil:
		return ""
	case c.Refused():
		return fmt.Sprintf("%s %q, refused: %s", c.Kind, c.Text, c.Why)
	default:
		return fmt.Sprintf("%s %q, %s", c.Kind, c.Text, view.LevelWords(view.Level(view.ClaimProof(o))))
	}
}

// happened is what the outcome does not say: what else looked like a claim, and
// what the runner did with the work.
func (a Attempt) happened(c *loop.Claim) []row {
	var list []row
	for _, e := range a.Events {
		switch p := e.Payload.(type) {
		case *loop.ClaimRefused:
			if c == nil || p.Why != c.Why {
				list = append(list, row{"refused", p.Why})
			}
		case *loop.SandboxRefused:
			list = append(list, row{"refused", view.RefusedOutside(p)})
		case *loop.TestExplained:
			list = append(list, row{"explained", view.Explained(p)})
		case *loop.CommitMade:
			name, subject := view.Commit(p)
			list = append(list, row{"committed", name + " " + subject})
		case *loop.CheckpointRestored:
			list = append(list, row{"undone", fmt.Sprintf("back to %s: %s", view.BackTo(p), p.Why)})
		}
	}
	return list
}

func used(u *loop.Usage) string {
	if u == nil {
		return ""
	}
	said := text.Plural(u.Tokens(), "token")
	switch {
	case u.Estimated():
		said += ", " + view.Dollars(u.CostUSD, true) + " (estimated)"
	case u.CostUSD > 0:
		said += ", " + view.Dollars(u.CostUSD, false)
	}
	return said
}

func (a Attempt) files() []row {
	var list []row
	for _, name := range a.Files {
		label := name
		if name == "gates" {
			label = "gate logs"
		}
		list = append(list, row{label, filepath.Join(a.Dir, name)})
	}
	return list
}

func agentError(e *loop.AgentError) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Message)
}

// begun is when the attempt began, where that was written down.
func begun(o *loop.Outcome) string {
	if o.StartedAt.IsZero() {
		return ""
	}
	return ", begun " + o.StartedAt.Local().Format(time.DateTime)
}

func exitStatus(e *loop.Exit) string {
	switch {
	case e == nil:
		return ""
	case e.Code != nil:
		return fmt.Sprintf("status %d (%s)", *e.Code, e.Cause)
	}
	return fmt.Sprintf("signal %s (%s)", e.Signal, e.Cause)
}

func changed(f view.Figures) string {
	var parts []string
	if f.Files > 0 {
		files := text.Plural(f.Files, "file")
		if lines := lineCounts(f.LinesAdded, f.LinesRemoved); lines != "" {
			files += " (" + lines + " lines)"
		}
		parts = append(parts, files)
	}
	if f.Commits > 0 {
		parts = append(parts, text.Plural(f.Commits, "commit"))
	}
	return strings.Join(parts, ", ")
}

// lineCounts is empty where nobody counted.
func lineCounts(added, removed int) string {
	if added == 0 && removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%s -%s", text.Count(added), text.Count(removed))
}

// attemptColumns are what a list of attempts tells of each; cells is one of its
// lines. On a narrow screen the result and what came then stay.
var attemptColumns = []Column{
	{Name: "ITERATION"},
	{Name: "RESULT"},
	{Name: "TIME", Rank: 3},
	{Name: "PROGRESS", Rank: 2, Wraps: true},
	{Name: "TESTS", Rank: 4, Wraps: true},
	{Name: "GATES", Rank: 1, Wraps: true},
	{Name: "LINES", Rank: 5},
	{Name: "THEN", Wraps: true},
}

func cells(e loop.Event, opt Options) []string {
	f := e.Payload.(*loop.IterationFinished)
	o := &f.Outcome
	return []string{
		number(e), string(o.Result), text.Duration(o.Duration.Duration()), progress(o),
		view.Passed(o.Tests), marks(o.Gates, opt), changedLines(o.Changes), then(f.Verdict),
	}
}

// Attempts lists finished attempts, one on a line. A column in which none of
// them has anything is left out.
func Attempts(list []loop.Event, opt Options) string {
	content := make([]bool, len(attemptColumns))
	var lines [][]string
	for _, e := range list {
		line := cells(e, opt)
		for i, text := range line {
			content[i] = content[i] || text != ""
		}
		lines = append(lines, line)
	}
	var table Table
	for i, column := range attemptColumns {
		if content[i] {
			table.Columns = append(table.Columns, column)
		}
	}
	for _, line := range lines {
		var kept []string
		for i, text := range line {
			if content[i] {
				kept = append(kept, text)
			}
		}
		table.Add(kept...)
	}
	return table.String(opt)
}

func number(e loop.Event) string {
	if e.Attempt > 1 {
		return fmt.Sprintf("%d (attempt %d)", e.Iter, e.Attempt)
	}
	return fmt.Sprint(e.Iter)
}

func progress(o *loop.Outcome) string {
	if o.Progress == nil {
		return "unknown"
	}
	return strings.Join(view.Progress(o), ", ")
}

// marks is every gate with its sign, or in words where signs may not show.
func marks(list []loop.Gate, opt Options) string {
	var said []string
	for _, g := range list {
		name := text.Line(g.Name)
		switch {
		case opt.Color:
			said = append(said, mark(g)+" "+name)
		case g.OK:
			said = append(said, name+" ok")
		default:
			said = append(said, name+" failed")
		}
	}
	return strings.Join(said, ", ")
}

func changedLines(c *loop.Changes) string {
	if c == nil {
		return ""
	}
	return lineCounts(c.LinesAdded, c.LinesRemoved)
}

func then(v loop.Verdict) string {
	said := string(v.Action)
	if v.Why != "" {
		said += ": " + text.Line(v.Why)
	}
	if v.Restore != nil {
		return fmt.Sprintf("rolled back to %d, %s", *v.Restore, said)
	}
	return said
}
