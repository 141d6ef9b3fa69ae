package loop

import (
	"fmt"
	"slices"
	"time"
)

// Outcome is what we saw of one attempt. Its JSON names are a promise to
// scripts; what is not known is left out, never 0 or empty. The fields of its
// groups stand beside the others there.
type Outcome struct {
	Result  Result      `json:"result"`
	Exit    *Exit       `json:"exit,omitempty"`
	Error   *AgentError `json:"error,omitempty"`
	Claim   *Claim      `json:"claim,omitempty"`
	Proof   *Proof      `json:"proof,omitempty"` // what stands behind a claim that was taken
	Pending bool        `json:"pending,omitempty"`
	Work
	Tests   *Tests   `json:"tests,omitempty"`
	Gates   []Gate   `json:"gates,omitempty"`
	Pinned  []string `json:"pinned,omitempty"` // pinned files that differ from when the run began
	Person  string   `json:"person,omitempty"` // what only a person can settle
	Limit   *Limit   `json:"limit,omitempty"`
	Matched []string `json:"matched,omitempty"`
	Scripts []string `json:"scripts,omitempty"`
	Hook    *Hook    `json:"hook,omitempty"`
	Denied  []string `json:"denied,omitempty"`
	NoShell bool     `json:"no_shell,omitempty"` // every command it tried was denied
	Usage   *Usage   `json:"usage,omitempty"`
	Worker
	Left
	Said
	// Metadata is what hooks, or the program that runs the loop, have to say of the
	// attempt, by names of their own. Nothing is decided by it.
	Metadata map[string]string `json:"metadata,omitempty"`
	// StartedAt and EndedAt are of the whole attempt, hooks and gates included; Duration
	// is how long its agent was at work.
	StartedAt time.Time `json:"started_at,omitzero"`
	Duration  Millis    `json:"duration_ms"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// Work is what the attempt came to: in the tree, and in the plan.
type Work struct {
	Progress   *bool        `json:"progress,omitempty"`
	ProgressBy []ProgressBy `json:"progress_by,omitempty"`
	Changes    *Changes     `json:"changes,omitempty"`
	Net        *Changes     `json:"net,omitempty"` // since the run began, without paths
	Later                   // of that, what runs by itself
	Plan       *Plan        `json:"plan,omitempty"`
}

// MadeProgress tells whether the attempt is known to have moved the work on.
func (w *Work) MadeProgress() bool { return w.Progress != nil && *w.Progress }

// Worker is who made the attempt.
type Worker struct {
	Agent    string `json:"agent,omitempty"`
	Model    string `json:"model,omitempty"`
	BilledTo string `json:"billed_to,omitempty"`
	Session  string `json:"session,omitempty" redact:"-"`
}

// Left is what the attempt left behind: its tree, and what it is known by.
type Left struct {
	Tree       string        `json:"tree,omitempty" redact:"-"`
	Checkpoint string        `json:"checkpoint,omitempty" redact:"-"`
	Alike      *Fingerprints `json:"alike,omitempty"`
}

// Said is what was read in the agent's own words.
type Said struct {
	Summary string `json:"summary,omitempty"`
	// PromiseChecked says that a promise was looked for in all that the agent said. A
	// promise that was found is a claim, or was refused as one.
	PromiseChecked bool `json:"promise_checked,omitempty"`
}

// Exit is how the agent's process ended. Code is absent when a signal ended it.
type Exit struct {
	Code   *int   `json:"code,omitempty"`
	Signal string `json:"signal,omitempty"`
	Cause  Cause  `json:"cause"`
}

// Zero tells whether the process ended by itself with status 0.
func (e *Exit) Zero() bool {
	return e != nil && e.Cause == Exited && e.Code != nil && *e.Code == 0
}

// AgentError is what the agent says went wrong.
type AgentError struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message,omitempty"`
	// ByExit says that nobody told what went wrong: the message is how the process
	// ended.
	ByExit bool `json:"by_exit,omitempty"`
}

// ProgressBy is a way to see progress.
type ProgressBy string

// The ways to see progress.
const (
	InFiles   ProgressBy = "files"
	InCommits ProgressBy = "commits"
	InPlan    ProgressBy = "plan"
	InTests   ProgressBy = "tests"
)

// Changes is what an attempt did to the work tree.
type Changes struct {
	Created      int          `json:"created"`
	Modified     int          `json:"modified"`
	Deleted      int          `json:"deleted"`
	LinesAdded   int          `json:"lines_added"`
	LinesRemoved int          `json:"lines_removed"`
	Commits      int          `json:"commits"`
	Paths        []PathChange `json:"paths,omitempty"`
}

// Committed adds one commit of the runner's own.
func (c *Changes) Committed() *Changes {
	var more Changes
	if c != nil {
		more = *c
	}
	more.Commits++
	return &more
}

// None tells whether there are no changes.
func (c Changes) None() bool {
	return c.Created+c.Modified+c.Deleted+c.Commits+len(c.Paths) == 0
}

// Signals tells in what the changes show progress, nil when there are none.
func (c Changes) Signals() []ProgressBy {
	var seen []ProgressBy
	if c.Created+c.Modified+c.Deleted > 0 {
		seen = append(seen, InFiles)
	}
	if c.Commits > 0 {
		seen = append(seen, InCommits)
	}
	return seen
}

// PathChange is what happened to one file.
type PathChange struct {
	Path   string `json:"path"`
	Change string `json:"change"`
	From   string `json:"from,omitempty"`
}

// Plan counts the tasks of the plan file.
type Plan struct {
	Open       int `json:"open"`
	InProgress int `json:"in_progress"`
	Done       int `json:"done"`
	Lost       int `json:"lost"` // open tasks that vanished in this attempt
	// Vanished are these, and those of earlier attempts that are not back: a
	// few of them in words, and all of them by their marks.
	Vanished []string `json:"vanished,omitempty"`
	Marks    []string `json:"marks,omitempty"`
	// Ticked are the tasks that this attempt has done, the first few of them;
	// Task is the one that is at hand then.
	Ticked []string `json:"ticked,omitempty"`
	Task   string   `json:"task,omitempty"`
}

// Tests is what the test runs of an attempt showed.
type Tests struct {
	Framework string   `json:"framework,omitempty"`
	Total     int      `json:"total"`
	Passed    int      `json:"passed"`
	Failed    int      `json:"failed"`
	Skipped   int      `json:"skipped"`
	Failing   []string `json:"failing,omitempty"`

	// Against the attempts before: which tests fail that did not, which no
	// longer do, and which come and go.
	NewlyFailing []string `json:"newly_failing,omitempty"`
	NewlyFixed   []string `json:"newly_fixed,omitempty"`
	Flaky        []string `json:"flaky,omitempty"`
}

// Plus adds the tests of two gates up.
func (t *Tests) Plus(more *Tests) *Tests {
	if t == nil || more == nil {
		if t == nil {
			t = more
		}
		return t
	}
	sum := *t
	if more.Framework != "" && more.Framework != t.Framework {
		sum.Framework = t.Framework + "+" + more.Framework
	}
	sum.Total, sum.Passed = t.Total+more.Total, t.Passed+more.Passed
	sum.Failed, sum.Skipped = t.Failed+more.Failed, t.Skipped+more.Skipped
	sum.Failing = slices.Concat(t.Failing, more.Failing)
	return &sum
}

// brief is the tests with at most n failing ones by name.
func (t *Tests) brief(n int) *Tests {
	if t == nil {
		return nil
	}
	short := *t
	short.Failing = short.Failing[:min(n, len(short.Failing))]
	return &short
}

// ProtectGate is the name under which a change of protected files fails an
// attempt. No gate of the user's has it.
const ProtectGate = "protect"

// Gate is the verdict of one of the runner's own checks.
type Gate struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Exit     *int   `json:"exit,omitempty"`
	Tests    int    `json:"tests,omitempty"`
	Where    Place  `json:"where,omitempty"`
	Dir      string `json:"dir,omitempty"` // the folder in which it ran, from the root of the work tree; empty: where the agent works
	Duration Millis `json:"duration_ms"`
	Why      string `json:"why,omitempty"`             // why it did not pass
	Tree     string `json:"tree,omitempty" redact:"-"` // what it looked at, where that has a name
	// Known marks a gate that was red before the first iteration and in which
	// no test fails that did not fail then: it is no reason to call the
	// iteration failed, and no proof either, unless no more was asked of it.
	Known bool `json:"known,omitempty"`
}

// Limit is a usage or rate limit that the provider set.
type Limit struct {
	Kind  string    `json:"kind"`
	Until time.Time `json:"until,omitzero"`
}

// Hook is the exit of a hook that had something to say.
type Hook struct {
	Point string `json:"point"`
	By    string `json:"by,omitempty"`  // ByProgram; empty: a command
	Exit  int    `json:"exit"`          // of a function: the status by which a command says the same
	Why   string `json:"why,omitempty"` // the last line that it printed
}

// Says is what the hook did, in words.
func (h *Hook) Says() string {
	did := fmt.Sprintf("the %s hook exited with status %d", h.Point, h.Exit)
	if h.By == ByProgram {
		did = fmt.Sprintf("the program's own %s hook says so", h.Point)
	}
	if h.Why != "" {
		did += ": " + h.Why
	}
	return did
}

// Usage is what an attempt used up. Cached tokens are counted once.
type Usage struct {
	Input          int     `json:"input,omitempty"`
	Output         int     `json:"output,omitempty"`
	CacheRead      int     `json:"cache_read,omitempty"`
	CacheWrite     int     `json:"cache_write,omitempty"`
	CostUSD        float64 `json:"cost_usd,omitempty"`
	CostEstimated  bool    `json:"cost_estimated,omitempty"`
	ContextPercent int     `json:"context_percent,omitempty"`
	Turns          int     `json:"turns,omitempty"`
}

// Plus adds what another agent used in the same attempt. How full a context is
// stays what it was: contexts do not add up.
func (u *Usage) Plus(more *Usage) Usage {
	var sum Usage
	switch {
	case u == nil && more == nil:
		return sum
	case more == nil:
		return *u
	case u == nil:
		u = &Usage{}
	}
	sum = *u
	sum.Input, sum.Output = u.Input+more.Input, u.Output+more.Output
	sum.CacheRead, sum.CacheWrite = u.CacheRead+more.CacheRead, u.CacheWrite+more.CacheWrite
	sum.CostUSD = toMicros(u.CostUSD + more.CostUSD)
	sum.CostEstimated = u.CostEstimated || more.CostEstimated
	sum.Turns = u.Turns + more.Turns
	return sum
}

// Tokens is everything that went through the model.
func (u *Usage) Tokens() int {
	if u == nil {
		return 0
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// Cost is the attempt's cost in US dollars, 0 when it is not known.
func (u *Usage) Cost() float64 {
	if u == nil {
		return 0
	}
	return u.CostUSD
}

// Estimated tells whether the cost was worked out from a price list.
func (u *Usage) Estimated() bool { return u != nil && u.CostEstimated && u.CostUSD > 0 }

// ClaimsDone tells whether there is a claim to be done that nothing has refused yet.
func (o *Outcome) ClaimsDone() bool {
	return o.Claim != nil && o.Claim.Kind == ClaimDone && !o.Claim.Refused()
}

// Unfinished tells whether the agent was cut short in a way that keeps its
// work but not its word: a turn limit, its own budget, a redline.
func (o *Outcome) Unfinished() bool {
	if o.Exit != nil && o.Exit.Cause == OnRedline {
		return true
	}
	return o.Error != nil && Treat(o.Error.Kind).Unfinished
}

// Red tells whether one of the runner's gates failed that had not been failing
// all along.
func (o *Outcome) Red() bool {
	for _, g := range o.Gates {
		if !g.OK && !g.Known {
			return true
		}
	}
	return false
}
