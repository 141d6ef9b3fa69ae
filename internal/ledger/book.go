package ledger

import (
	"cmp"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Book is a little of each attempt, and what happened between them, in order.
type Book struct {
	Attempts    []Attempt
	Marks       []Mark
	Gates       map[string][]GateRun
	Names       []string // of the gates, in the order in which they first ran
	Claims      []Claim
	Checkpoints []Checkpoint
	Warnings    []Warning
	Redline     int
	CostUSD     float64

	asksDone bool // a person is asked whether the run is done
}

// Attempt is one that has finished. The page relies on its names.
type Attempt struct {
	Iteration int   `json:"iteration"`
	Attempt   int   `json:"attempt"`
	Seq       int64 `json:"seq"`

	StartedAt time.Time   `json:"started_at,omitzero"`
	EndedAt   time.Time   `json:"ended_at"`
	Duration  loop.Millis `json:"duration_ms"`

	Ending
	Evidence
	Work
	Usage
}

// The groups of an Attempt are embedded: their names stand side by side.
type (
	// Ending is how it ended, and what was decided.
	Ending struct {
		Result  loop.Result `json:"result"`
		Agent   string      `json:"agent,omitempty"`
		Model   string      `json:"model,omitempty"`
		Action  loop.Action `json:"action"`
		Why     string      `json:"why,omitempty"`
		Summary string      `json:"summary,omitempty"`
		Error   string      `json:"error,omitempty"`
	}

	// Evidence is what was seen of it.
	Evidence struct {
		Claim       string     `json:"claim,omitempty"`
		Refused     string     `json:"refused,omitempty"`
		Level       loop.Level `json:"level,omitempty"`
		Gates       int        `json:"gates"`
		RedGates    []string   `json:"red_gates,omitempty"`
		TestsPassed *int       `json:"tests_passed,omitempty"`
		TestsFailed *int       `json:"tests_failed,omitempty"`
	}

	// Work is what it changed.
	Work struct {
		Files        int      `json:"files"`
		LinesAdded   int      `json:"lines_added"`
		LinesRemoved int      `json:"lines_removed"`
		Commits      int      `json:"commits"`
		Checkpoint   string   `json:"checkpoint,omitempty"`
		Did          []string `json:"did,omitempty"` // tasks of the plan
	}

	// Usage is what it used up.
	Usage struct {
		CostUSD float64 `json:"cost_usd,omitempty"`
		Tokens  int     `json:"tokens,omitempty"`
		Context int     `json:"context,omitempty"` // percent
		Total   float64 `json:"total_cost_usd,omitempty"`
	}
)

// Mark is something that happened, for a timeline.
type Mark struct {
	Seq       int64  `json:"seq"`
	Time      int64  `json:"time"` // in milliseconds since 1970
	Kind      string `json:"kind"`
	Iteration int    `json:"iteration,omitempty"`
	Until     int64  `json:"until,omitempty"`
	ID        string `json:"id,omitempty"`
	Text      string `json:"text,omitempty"`
}

// GateRun is what a gate said once.
type GateRun struct {
	Seq       int64       `json:"seq"`
	Time      time.Time   `json:"time"`
	Iteration int         `json:"iteration"`
	Attempt   int         `json:"attempt"`
	OK        bool        `json:"ok"`
	Known     bool        `json:"known,omitempty"`
	Where     loop.Place  `json:"where,omitempty"`
	With      string      `json:"with,omitempty"`
	Tests     int         `json:"tests,omitempty"`
	Exit      *int        `json:"exit,omitempty"`
	Duration  loop.Millis `json:"duration_ms"`
	Why       string      `json:"why,omitempty"`
	Text      string      `json:"text"`
}

// Claim is what an agent said, and what became of it.
type Claim struct {
	Seq       int64          `json:"seq"`
	Time      time.Time      `json:"time"`
	Iteration int            `json:"iteration"`
	Attempt   int            `json:"attempt"`
	Kind      loop.ClaimKind `json:"kind"`
	Text      string         `json:"text"`
	Taken     bool           `json:"taken"`
	Why       string         `json:"why,omitempty"`
	Lacks     string         `json:"lacks,omitempty"`
	NearMiss  bool           `json:"near_miss,omitempty"`
	Level     loop.Level     `json:"level,omitempty"`
}

// Checkpoint is the work tree as it was kept.
type Checkpoint struct {
	Seq          int64     `json:"seq"`
	Time         time.Time `json:"time"`
	Iteration    int       `json:"iteration"`
	Attempt      int       `json:"attempt,omitempty"`
	ID           string    `json:"id"`
	Files        int       `json:"files"`
	LinesAdded   int       `json:"lines_added"`
	LinesRemoved int       `json:"lines_removed"`
	Text         string    `json:"text,omitempty"`
}

// Warning is what a person should know.
type Warning struct {
	Seq       int64     `json:"seq"`
	Time      time.Time `json:"time"`
	Iteration int       `json:"iteration,omitempty"`
	Kind      string    `json:"kind"`
	Text      string    `json:"text"`
	Hint      string    `json:"hint,omitempty"`
	Key       string    `json:"key,omitempty"`
}

// Of what a run may have without end, so many are kept, the latest.
const (
	maxGateRuns = 200
	maxListed   = 5000
	maxMarks    = 50000
	maxSaid     = 400
)

// finish enters the end of an attempt. Of records that nobody can vouch for, no claim is
// more than one.
func (b *Book) finish(e loop.Event, begun time.Time, f *loop.IterationFinished, doubted bool) {
	o := &f.Outcome
	b.CostUSD += o.Usage.Cost()
	a := Attempt{
		Iteration: e.Iter, Attempt: e.Attempt, Seq: e.Seq,
		StartedAt: begun, EndedAt: cmp.Or(o.EndedAt, e.Time), Duration: o.Duration,
		Ending: Ending{
			Result: o.Result, Agent: o.Agent, Model: o.Model, Action: f.Verdict.Action,
			Why: short(f.Verdict.Why), Summary: short(o.Summary),
		},
		Evidence: Evidence{Gates: len(o.Gates), Level: view.Level(view.ClaimProof(o))},
		Work:     Work{Checkpoint: o.Checkpoint},
		Usage:    Usage{CostUSD: o.Usage.Cost(), Tokens: o.Usage.Tokens(), Total: b.CostUSD},
	}
	if doubted && a.Level != "" {
		a.Level = loop.LevelClaimed
	}
	if o.Usage != nil {
		a.Context = o.Usage.ContextPercent
	}
	if o.Error != nil {
		a.Error = short(cmp.Or(o.Error.Message, string(o.Error.Kind)))
	}
	for _, g := range o.Gates {
		if !g.OK {
			a.RedGates = append(a.RedGates, text.Line(g.Name))
		}
	}
	if t := o.Tests; t != nil && t.Passed+t.Failed > 0 {
		a.TestsPassed, a.TestsFailed = &t.Passed, &t.Failed
	}
	if c := o.Changes; c != nil {
		a.Files, a.LinesAdded, a.LinesRemoved, a.Commits = c.Created+c.Modified+c.Deleted, c.LinesAdded, c.LinesRemoved, c.Commits
	}
	if o.Plan != nil {
		for _, task := range o.Plan.Ticked {
			a.Did = append(a.Did, short(task))
		}
	}
	if c := o.Claim; c != nil {
		a.Claim, a.Refused = string(c.Kind), short(c.Why)
		if !c.Refused() {
			claim := Claim{Seq: e.Seq, Time: e.Time, Iteration: e.Iter, Attempt: e.Attempt, Kind: c.Kind, Text: short(c.Text)}
			if claim.Why = unsettled(f); claim.Why == "" {
				claim.Taken, claim.Level = true, a.Level
			} else {
				a.Refused, a.Level = claim.Why, ""
			}
			b.Claims = kept(append(b.Claims, claim), maxListed)
		}
	}
	b.Attempts = append(b.Attempts, a)
	for i := len(b.Checkpoints) - 1; i >= 0 && b.Checkpoints[i].Iteration == e.Iter; i-- {
		if c := &b.Checkpoints[i]; c.Attempt == e.Attempt {
			c.Files, c.LinesAdded, c.LinesRemoved = a.Files, a.LinesAdded, a.LinesRemoved
		}
	}
}

// saysDone is what a person says who is content with what was claimed.
const saysDone = "done"

// decline takes the last claim back: a person wanted the run to go on.
func (b *Book) decline() {
	const why = "a person wanted the run to go on"
	if n := len(b.Claims); n > 0 && b.Claims[n-1].Taken {
		c := &b.Claims[n-1]
		c.Taken, c.Level, c.Why = false, "", why
	}
	if n := len(b.Attempts); n > 0 && b.Attempts[n-1].Claim != "" {
		b.Attempts[n-1].Level, b.Attempts[n-1].Refused = "", why
	}
}

// unsettled is why a claim that nobody refused was not taken either: the run ended, and
// not as done, before anybody looked at it.
func unsettled(f *loop.IterationFinished) string {
	o, v := &f.Outcome, f.Verdict
	if o.Claim.Kind == loop.ClaimDone && (v.Action == loop.Stop && v.State != loop.Done || o.Person != "") {
		return short("nobody looked at it: " + cmp.Or(o.Person, v.Why, "the run ended before"))
	}
	return ""
}

// note enters any other event.
func (b *Book) note(e loop.Event) {
	mark := func(kind, said string) *Mark {
		b.Marks = kept(append(b.Marks, Mark{Seq: e.Seq, Time: e.Time.UnixMilli(), Kind: kind, Iteration: e.Iter, Text: short(said)}), maxMarks)
		return &b.Marks[len(b.Marks)-1]
	}
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		b.Redline = p.Limits.Redline
		mark("start", "")
	case *loop.RunResumed:
		b.Redline = p.Limits.Redline
		mark("resume", "")
	case *loop.RunWaiting:
		mark("wait", p.Why).Until = p.Until.UnixMilli()
	case *loop.RunPaused:
		mark("pause", "")
	case *loop.RunUnpaused:
		mark("unpause", "")
	case *loop.RunAsked:
		mark("ask", p.Question)
		b.asksDone = len(p.Choices) > 0 && p.Choices[0] == saysDone
	case *loop.RunAnswered:
		mark("answer", p.Answer)
		if b.asksDone && p.Answer != saysDone {
			b.decline()
		}
		b.asksDone = false
	case *loop.RunRebootStarted:
		mark("reboot", p.Why)
	case *loop.RunRule:
		mark("rule", p.Verdict.Why)
	case *loop.RunParked:
		mark("parked", p.Why)
	case *loop.RunFinished:
		mark("end", p.Why)
	case *loop.CheckpointMade:
		b.checkpoint(e, p, mark)
	case *loop.CheckpointRestored:
		mark("rollback", cmp.Or(p.Why, view.BackTo(p))).ID = p.Checkpoint
	case *loop.CommitMade:
		name, subject := view.Commit(p)
		mark("commit", name+" "+subject)
	case *loop.CommandReceived:
		mark("command", p.Command+": "+p.Effect)
	case *loop.NoteAdded:
		mark("note", p.Text)
	case *loop.AgentLimit:
		mark("limit", view.UsageLimit(&p.Limit))
	case *loop.AgentResult:
		if p.Error != nil {
			b.warn(e, "error", loop.Warning{Text: cmp.Or(p.Error.Message, string(p.Error.Kind))})
		}
	case *loop.Warning:
		mark("warning", p.Text)
		b.warn(e, "warning", *p)
	case *loop.ClaimRefused:
		kind := "refusal"
		if p.NearMiss {
			kind = "near_miss"
		}
		mark(kind, p.Why)
		b.Claims = kept(append(b.Claims, Claim{
			Seq: e.Seq, Time: e.Time, Iteration: e.Iter, Attempt: e.Attempt, Kind: p.Kind, Text: short(p.Text), Why: short(p.Why), Lacks: short(p.Lacks), NearMiss: p.NearMiss,
		}), maxListed)
	case *loop.GateFinished:
		b.gate(e, p)
	}
}

func (b *Book) warn(e loop.Event, kind string, said loop.Warning) {
	b.Warnings = kept(append(b.Warnings, Warning{Seq: e.Seq, Time: e.Time, Iteration: e.Iter, Kind: kind, Text: short(said.Text), Hint: short(said.Hint), Key: said.Key}), maxListed)
}

func (b *Book) checkpoint(e loop.Event, p *loop.CheckpointMade, mark func(kind, said string) *Mark) {
	if p.Base && e.Iter > 1 {
		return // it is what the iteration before it left, or a person has changed
	}
	c := Checkpoint{Seq: e.Seq, Time: e.Time, Iteration: e.Iter, Attempt: e.Attempt, ID: p.Checkpoint}
	if p.Base || e.Iter == 0 {
		c.Iteration, c.Attempt, c.Text = 0, 0, "before the first iteration"
		if len(b.Checkpoints) > 0 {
			return
		}
	}
	b.Checkpoints = append(b.Checkpoints, c)
	mark("checkpoint", c.Text).ID = p.Checkpoint
}

func (b *Book) gate(e loop.Event, p *loop.GateFinished) {
	if b.Gates == nil {
		b.Gates = map[string][]GateRun{}
	}
	g := p.Gate
	if _, known := b.Gates[g.Name]; !known {
		b.Names = append(b.Names, g.Name)
	}
	b.Gates[g.Name] = kept(append(b.Gates[g.Name], GateRun{
		Seq: e.Seq, Time: e.Time, Iteration: e.Iter, Attempt: e.Attempt,
		OK: g.OK, Known: g.Known, Where: g.Where, With: p.With, Tests: g.Tests, Exit: g.Exit, Duration: g.Duration,
		Why: short(g.Why), Text: view.Gate(g),
	}), maxGateRuns)
}

// kept is the end of a list that has grown too long. It is cut now and then, and not
// with every one.
func kept[T any](list []T, most int) []T {
	if len(list) < 2*most {
		return list
	}
	return append([]T(nil), list[len(list)-most:]...)
}

// short is a text that is shown in a row.
func short(s string) string { return text.Shorten(text.Line(s), maxSaid) }
