package web

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Row is what a list says of a run. The page relies on its names.
type Row struct {
	ID         string `json:"id"`
	Run        string `json:"run"`
	Tree       string `json:"tree"`
	Repository string `json:"repository"`
	Branch     string `json:"branch,omitempty"`
	Procedure  string `json:"procedure,omitempty"`
	Agent      string `json:"agent,omitempty"`
	Model      string `json:"model,omitempty"`
	Title      string `json:"title,omitempty"`
	Sandbox    string `json:"sandbox,omitempty"`
	Fleet      string `json:"fleet,omitempty"` // who has it there, where it is not on this machine
	Rests      bool   `json:"rests,omitempty"` // nobody is at it, and it goes on by itself

	Standing
	Spent
	Came

	Asked     *loop.RunAsked `json:"asked,omitempty"`
	PID       int            `json:"pid,omitempty"`
	Seq       int64          `json:"seq"`
	Tampered  string         `json:"tampered,omitempty"`
	Unchecked string         `json:"unchecked,omitempty"`
}

// The groups of a Row are embedded: to the page their names stand side by side.
type (
	// Standing is where a run stands, and why.
	Standing struct {
		Group  string      `json:"group"`
		State  loop.Status `json:"state"`
		Phase  loop.Phase  `json:"phase,omitempty"`
		Grade  view.Grade  `json:"grade"`
		People string      `json:"people"`
		Why    string      `json:"why,omitempty"`
		Reason loop.Reason `json:"reason,omitempty"`
		Level  loop.Level  `json:"level,omitempty"`

		Iteration     int  `json:"iteration,omitempty"`
		MaxIterations int  `json:"max_iterations,omitempty"`
		Iterations    int  `json:"iterations"`
		Percent       *int `json:"percent,omitempty"`
	}

	// Spent is what it took.
	Spent struct {
		StartedAt     time.Time   `json:"started_at,omitzero"`
		Elapsed       loop.Millis `json:"elapsed_ms"`
		EndedAt       time.Time   `json:"ended_at,omitzero"`
		WaitUntil     time.Time   `json:"wait_until,omitzero"`
		CostUSD       float64     `json:"cost_usd,omitempty"`
		CostEstimated bool        `json:"cost_estimated,omitempty"`
		Tokens        int         `json:"tokens,omitempty"`
	}

	// Came is what it came to.
	Came struct {
		Tests        *Tests `json:"tests,omitempty"`
		Plan         *Tasks `json:"plan,omitempty"`
		Refused      int    `json:"refused,omitempty"`
		Outside      string `json:"outside,omitempty"` // what the sandbox refused, counted
		Files        int    `json:"files,omitempty"`
		LinesAdded   int    `json:"lines_added,omitempty"`
		LinesRemoved int    `json:"lines_removed,omitempty"`
	}
)

// Tests is how the last tests went.
type Tests struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	Total  int `json:"total"`
}

// Tasks is how far a plan has come.
type Tasks struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// The groups of runs, in the order of the page.
const (
	needsYou = "needs"
	isLive   = "live"
	isOver   = "finished"
)

// rowOf is the row of a run. Its group is that of the run alone: which one is the
// latest of its work tree, the fleet knows.
func rowOf(run *view.Run, tree string, seq int64, now time.Time) Row {
	s := run.Status(now)
	changed := run.Changed()
	row := Row{
		ID: run.ID, Run: calledBy(run), Tree: cmp.Or(run.Away.Where(), tree), Branch: run.Branch,
		Procedure: run.Procedure, Agent: s.Agent, Model: s.Model, Title: titleOf(run.Prompt), Sandbox: run.Sandbox(),
		Standing: Standing{
			State: s.State, Phase: s.Phase, Grade: run.Grade(), People: view.People(s.State, run.Level()),
			Why: sentence(run, s.Why), Reason: s.Reason, Level: view.Level(s.Proof),
			Iteration: s.Iteration, MaxIterations: s.MaxIterations, Iterations: s.Totals.Iterations, Percent: percent(s),
		},
		Spent: Spent{
			StartedAt: s.StartedAt, Elapsed: s.Elapsed, WaitUntil: s.WaitUntil,
			CostUSD: run.Cost(), CostEstimated: run.CostEstimated(), Tokens: run.Tokens(),
		},
		Came:  Came{Refused: s.Totals.Refused, Outside: view.SandboxRefused(s.Totals.FencedOff), Files: changed.Files, LinesAdded: changed.LinesAdded, LinesRemoved: changed.LinesRemoved},
		Asked: s.Asked, PID: s.PID, Seq: seq, Tampered: s.Tampered, Unchecked: s.Unchecked,
	}
	if s.State.Ended() {
		row.EndedAt = run.EndedAt()
	}
	if o := run.Outcome; o != nil && o.Tests != nil && o.Tests.Passed+o.Tests.Failed > 0 {
		row.Tests = &Tests{Passed: o.Tests.Passed, Failed: o.Tests.Failed, Total: o.Tests.Passed + o.Tests.Failed}
	}
	if s.Plan != nil {
		row.Plan = &Tasks{Done: s.Plan.Done, Total: s.Plan.Total}
	}
	row.Group = groupOf(run)
	if run.Away != nil {
		row.Fleet, row.Rests = text.Line(run.Away.Who), run.Away.Rests(run.State)
	}
	return row
}

// calledBy is what people call a run by: in a fleet it has a name of its own.
func calledBy(run *view.Run) string {
	if run.Away != nil {
		return run.Away.Called
	}
	return run.Name
}

// titleOf is what a run is for, in its first words. A heading needs no marks in a list.
func titleOf(prompt string) string {
	return text.Shorten(strings.TrimSpace(strings.TrimLeft(text.Line(prompt), "#")), 100)
}

// backOff is a wait that nobody has to know of: a run that tries again in a moment
// stays where it is in the list.
const backOff = time.Minute

// groupOf tells whom a run waits for.
func groupOf(run *view.Run) string {
	if run.State == loop.Waiting && run.Wait != nil && run.Wait.For.Duration() < backOff {
		return isLive
	}
	if run.Away.Rests(run.State) {
		return isLive
	}
	switch run.State {
	case loop.Waiting, loop.Paused, loop.Aborted, loop.CouldNotRun, loop.Crashed:
		return needsYou
	}
	if run.State.Ended() {
		return isOver
	}
	return isLive
}

// percent is how much of its iterations a run has had; nil where there is no end of
// them.
func percent(s view.Status) *int {
	if s.MaxIterations <= 0 {
		return nil
	}
	n := min(100, 100*s.Totals.Iterations/s.MaxIterations)
	return &n
}

// sentence says in one line what a run does, or why it does nothing.
func sentence(run *view.Run, why string) string {
	if why = text.Line(why); why != "" {
		return why
	}
	at := "before the first iteration"
	if run.Iteration > 0 {
		if at = fmt.Sprintf("iteration %d", run.Iteration); run.Max() > 0 {
			at += fmt.Sprintf(" of %d", run.Max())
		}
	}
	agent := text.Line(cmp.Or(run.Worker, run.Agent, "the agent"))
	switch {
	case run.State == loop.Paused:
		return at + ": paused until you let it go on"
	case run.State == loop.Rebooting:
		return at + ": the agent's session is given up for a fresh one"
	case run.Gate != nil:
		return at + ": gate " + text.Line(run.Gate.Name+" "+view.Where(run.Gate.Where))
	case run.Open && run.Phase == loop.Executing:
		return at + ": " + agent + " works"
	case run.Open && run.Phase != "" && run.Phase != loop.Pending:
		return at + ": " + text.Words(string(run.Phase))
	case run.Open:
		return at + " begins"
	}
	return at
}
