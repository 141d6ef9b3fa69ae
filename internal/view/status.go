package view

import (
	"cmp"
	"math"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Status is what scripts are told of a run: the content of state.json and of
// "refrain status --json". Its names are a promise; what is not known is left
// out, never 0 or empty.
type Status struct {
	Run  string `json:"run"`
	ID   string `json:"id"`
	Dir  string `json:"dir,omitempty"`
	Gone string `json:"gone,omitempty"` // where its project was, which is no more
	Position
	Result
	Streaks loop.Streaks `json:"streaks"`
	Totals  loop.Totals  `json:"totals"`
	// Net is the work tree now against that before the first iteration; totals
	// add up what each attempt changed.
	Net *loop.Changes `json:"net,omitempty"`
	loop.Later
	loop.Confinement
	Plan *Plan `json:"plan,omitempty"`

	Work
	Refusals []loop.Refusal `json:"refusals,omitempty"`
	Stats    *Averages      `json:"stats,omitempty"`
	Leave    *Leave         `json:"leave,omitempty"`        // only while it is alive
	Asked    *loop.RunAsked `json:"asked,omitempty"`        // what a person is to answer
	Judged   loop.Place     `json:"judged,omitempty"`       // where claims are judged
	Gates    []loop.Gate    `json:"gates,omitempty"`        // what each said last
	Left     *[]string      `json:"left_running,omitempty"` // processes of a run that is over; left out when nobody has looked

	Tampered  string `json:"tampered,omitempty"`  // what in its records is not a runner's
	Unchecked string `json:"unchecked,omitempty"` // why nobody can tell what its records are worth
	Carried   string `json:"carried,omitempty"`   // where it was carried to, when it does not go on here

	Next []string `json:"next,omitempty"` // commands to type, the likeliest first
}

// The groups of a Status are embedded: to scripts their names stand side by side
// with the others, in this order.
type (
	// Position is where a run stands.
	Position struct {
		State         loop.Status `json:"state"`
		Phase         loop.Phase  `json:"phase,omitempty"`
		Iteration     int         `json:"iteration,omitempty"`
		MaxIterations int         `json:"max_iterations,omitempty"` // left out when unlimited
		StartedAt     time.Time   `json:"started_at,omitzero"`
		LastActivity  time.Time   `json:"last_activity,omitzero"` // when something last happened in it
		Elapsed       loop.Millis `json:"elapsed_ms"`
		WaitUntil     time.Time   `json:"wait_until,omitzero"`
		PID           int         `json:"pid,omitempty"` // only while a runner is alive
	}

	// Result is what it came to.
	Result struct {
		Reason loop.Reason `json:"reason,omitempty"`
		Why    string      `json:"why,omitempty"`    // of the end, or of the wait
		Proven *bool       `json:"proven,omitempty"` // only when the run is over: the level of its proof is proven
		Proof  *loop.Proof `json:"proof,omitempty"`  // only when it is done: what stands behind that
	}

	// Work is who works, and where.
	Work struct {
		Agent   string        `json:"agent,omitempty"`   // or worked last
		Command string        `json:"command,omitempty"` // after "--"
		Prompt  string        `json:"prompt,omitempty"`  // a preview
		Promise string        `json:"promise,omitempty"`
		Model   string        `json:"model,omitempty"`
		Branch  string        `json:"branch,omitempty"`  // made for the run
		Tree    string        `json:"tree,omitempty"`    // its work tree, where that is not the one that is asked about
		Session *loop.Session `json:"session,omitempty"` // of the agent, when it goes on from one iteration to the next
	}
)

// Status gives the run as scripts see it at a time.
func (r *Run) Status(now time.Time) Status {
	s := Status{
		Run: r.Name, ID: r.ID, Dir: r.Dir,
		Position: Position{
			State: r.State, Phase: r.Phase,
			Iteration: r.Iteration, MaxIterations: r.Max(),
			StartedAt: r.StartedAt, LastActivity: r.EndedAt(), Elapsed: loop.Millis(r.Elapsed(now)),
		},
		Streaks: r.Sum.Streaks, Totals: r.Sum.Totals, Net: r.Net(), Later: r.Sum.Later, Confinement: r.Sum.Confinement, Plan: PlanOf(r, now),
		Work:     Work{Agent: cmp.Or(r.Worker, r.Agent), Command: r.Command, Prompt: r.Prompt, Promise: r.Promise, Model: r.Model, Branch: r.Branch, Tree: r.Tree, Session: r.Sum.Session},
		Refusals: r.Sum.Refusals, Leave: r.Leave(), Judged: r.Sum.Proof, Gates: r.Gates, Left: r.Left,
		Tampered: r.Tampered, Unchecked: r.Unchecked, Carried: r.Carried,
	}
	if r.Sum.Totals.Iterations > 0 {
		stats := r.Stats(now)
		s.Stats = &stats.Averages
	}
	for _, step := range r.Next() {
		s.Next = append(s.Next, step.Command)
	}
	switch {
	case r.Finished != nil:
		proven := r.Proven()
		s.Reason, s.Why, s.Proven, s.Proof = r.Finished.Reason, r.Finished.Why, &proven, r.Proof()
	case r.State == loop.Crashed:
		proven := false
		s.Why, s.Proven = "the runner died: the journal has no end and nobody holds the lock", &proven
	case r.Parked != nil:
		s.Why, s.WaitUntil = r.Parked.Why, r.Parked.Until
	default:
		s.PID = r.PID
	}
	if r.Asked != nil {
		s.WaitUntil, s.Why, s.Asked = r.Asked.Until, r.Asked.Question, r.Asked
	}
	if r.Wait != nil {
		s.WaitUntil, s.Why = r.Wait.Until, r.Wait.Why
	}
	return s
}

// Stats is what one or more runs came to. Its JSON names are a promise to
// scripts.
type Stats struct {
	Runs     int         `json:"runs"`
	Done     int         `json:"done"`   // of these
	Proven   int         `json:"proven"` // of those that are done
	Elapsed  loop.Millis `json:"elapsed_ms"`
	Totals   loop.Totals `json:"totals"`
	Averages `json:"stats"`
}

// Averages is what follows from the totals of iterations. What is not known is
// left out.
type Averages struct {
	Durations     Spread   `json:"durations,omitzero"`
	SuccessRate   *float64 `json:"success_rate,omitempty"` // of iterations that were not skipped, from 0 to 1
	CostPerProven float64  `json:"cost_per_proven_usd,omitempty"`
}

// Spread is how long iterations took: skipped ones are left out.
type Spread struct {
	N         int         `json:"n"`
	Mean      float64     `json:"mean_ms"`
	Deviation float64     `json:"deviation_ms"` // of a sample; 0 for a single one
	Min       loop.Millis `json:"min_ms"`
	Max       loop.Millis `json:"max_ms"`
}

// Stats is the statistics of the run.
func (r *Run) Stats(now time.Time) Stats {
	s := Stats{Runs: 1, Elapsed: loop.Millis(r.Elapsed(now)), Totals: r.Sum.Totals}
	s.Totals.Waited = loop.Millis(r.Waited(now))
	if r.State == loop.Done {
		s.Done = 1
	}
	if r.Proven() {
		s.Proven = 1
	}
	s.Averages = averages(s.Totals, spread(r.Sum.Durations))
	return s
}

// Plus adds up the statistics of different runs.
func (s Stats) Plus(more Stats) Stats {
	s.Runs, s.Done, s.Proven = s.Runs+more.Runs, s.Done+more.Done, s.Proven+more.Proven
	s.Elapsed += more.Elapsed
	s.Totals = sum(s.Totals, more.Totals)
	s.Averages = averages(s.Totals, s.Durations.plus(more.Durations))
	return s
}

func averages(t loop.Totals, took Spread) Averages {
	a := Averages{Durations: took}
	if ran := t.OK + t.Failed + t.TimedOut; ran > 0 {
		rate := float64(t.OK) / float64(ran)
		a.SuccessRate = &rate
	}
	if t.Proven > 0 {
		a.CostPerProven = micros(t.CostUSD / float64(t.Proven))
	}
	return a
}

func spread(d loop.Durations) Spread {
	s := Spread{N: d.N, Mean: d.Mean, Min: d.Min, Max: d.Max}
	if d.N > 1 {
		s.Deviation = math.Sqrt(d.Squares / float64(d.N-1))
	}
	return s
}

// plus joins two samples as if they had been measured as one (Chan, Golub and
// LeVeque).
func (s Spread) plus(more Spread) Spread {
	switch {
	case s.N == 0:
		return more
	case more.N == 0:
		return s
	}
	n, m := float64(s.N), float64(more.N)
	apart := more.Mean - s.Mean
	squares := s.squares() + more.squares() + apart*apart*n*m/(n+m)
	return Spread{
		N:         s.N + more.N,
		Mean:      s.Mean + apart*m/(n+m),
		Deviation: math.Sqrt(squares / (n + m - 1)),
		Min:       min(s.Min, more.Min),
		Max:       max(s.Max, more.Max),
	}
}

// squares is the sum of the squared distances from the mean.
func (s Spread) squares() float64 { return s.Deviation * s.Deviation * float64(s.N-1) }

func sum(a, b loop.Totals) loop.Totals {
	return loop.Totals{
		Iterations: a.Iterations + b.Iterations, OK: a.OK + b.OK, Failed: a.Failed + b.Failed,
		TimedOut: a.TimedOut + b.TimedOut, Skipped: a.Skipped + b.Skipped,
		Commits: a.Commits + b.Commits, Files: a.Files + b.Files,
		LinesAdded: a.LinesAdded + b.LinesAdded, LinesRemoved: a.LinesRemoved + b.LinesRemoved,
		Tokens: a.Tokens + b.Tokens, CostUSD: micros(a.CostUSD + b.CostUSD), CostEstimated: a.CostEstimated || b.CostEstimated,
		Duration:     a.Duration + b.Duration,
		FilesCreated: a.FilesCreated + b.FilesCreated, FilesModified: a.FilesModified + b.FilesModified, FilesDeleted: a.FilesDeleted + b.FilesDeleted,
		TestsRun: a.TestsRun + b.TestsRun, TestsPassed: a.TestsPassed + b.TestsPassed, TestsFailed: a.TestsFailed + b.TestsFailed,
		Refused: a.Refused + b.Refused, Proven: a.Proven + b.Proven, Reboots: a.Reboots + b.Reboots,
		Waits: a.Waits + b.Waits, Waited: a.Waited + b.Waited,
		FencedOff: loop.FencedOff{HostsRefused: a.HostsRefused + b.HostsRefused, SocketsRefused: a.SocketsRefused + b.SocketsRefused},
	}
}

// micros keeps money free of the dust that adding fractions leaves.
func micros(usd float64) float64 { return math.Round(usd*1e6) / 1e6 }

// Book is the statistics of many runs: together, and by what they were.
type Book struct {
	All        Stats            `json:"all"`
	Procedures map[string]Stats `json:"procedures"`
	Agents     map[string]Stats `json:"agents"`
}

// NewBook makes a book without runs.
func NewBook() *Book {
	return &Book{Procedures: map[string]Stats{}, Agents: map[string]Stats{}}
}

// Add enters a run.
func (b *Book) Add(r *Run, now time.Time) {
	s := r.Stats(now)
	b.All = b.All.Plus(s)
	b.Procedures[r.Procedure] = b.Procedures[r.Procedure].Plus(s)
	b.Agents[r.Agent] = b.Agents[r.Agent].Plus(s)
}
