package view

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Status is what scripts are told of a run: the content of state.json and of
// "refrain status --json". Its names are a promise; what is not known is left
// out, never 0 or empty.
type Status struct {
	Run           string       `json:"run"`
	ID            string       `json:"id"`
	Dir           string       `json:"dir,omitempty"`
	Gone          string       `json:"gone,omitempty"` // where its project was, which is no more
	State         loop.Status  `json:"state"`
	Phase         loop.Phase   `json:"phase,omitempty"`
	Iteration     int          `json:"iteration,omitempty"`
	MaxIterations int          `json:"max_iterations,omitempty"` // left out when unlimited
	StartedAt     time.Time    `json:"started_at,omitzero"`
	Elapsed       loop.Span    `json:"elapsed_ms"`
	WaitUntil     time.Time    `json:"wait_until,omitzero"`
	PID           int          `json:"pid,omitempty"` // only while a runner is alive
	Reason        loop.Reason  `json:"reason,omitempty"`
	Why           string       `json:"why,omitempty"`    // of the end, or of the wait
	Proven        *bool        `json:"proven,omitempty"` // only when the run is over: the level of its proof is proven
	Proof         *loop.Proof  `json:"proof,omitempty"`  // only when it is done: what stands behind that
	Streaks       loop.Streaks `json:"streaks"`
	Totals        loop.Totals  `json:"totals"`
	// Net is the work tree now against that before the first iteration; totals
	// add up what each attempt changed.
	Net *loop.Changes `json:"net,omitempty"`

	Agent    string         `json:"agent,omitempty"` // who works, or worked last
	Model    string         `json:"model,omitempty"`
	Branch   string         `json:"branch,omitempty"`  // made for the run
	Session  *loop.Session  `json:"session,omitempty"` // of the agent, when it goes on from one iteration to the next
	Refusals []loop.Refusal `json:"refusals,omitempty"`
	Stats    *Averages      `json:"stats,omitempty"`
	Leave    *Leave         `json:"leave,omitempty"`        // only while it is alive
	Asked    *loop.RunAsked `json:"asked,omitempty"`        // what a person is to answer
	Judged   loop.Place     `json:"judged,omitempty"`       // where claims are judged
	Gates    []loop.Gate    `json:"gates,omitempty"`        // what each said last
	Left     *[]string      `json:"left_running,omitempty"` // processes of a run that is over; left out when nobody has looked

	Tampered  string `json:"tampered,omitempty"`  // what in its records is not a runner's
	Unchecked string `json:"unchecked,omitempty"` // why nobody can tell what its records are worth

	Next []string `json:"next,omitempty"` // commands to type, the likeliest first
}

// Status gives the run as scripts see it at a time.
func (r *Run) Status(now time.Time) Status {
	s := Status{
		Run: r.Name, ID: r.ID, Dir: r.Dir,
		State: r.State, Phase: r.Phase,
		Iteration: r.Iteration, MaxIterations: r.Max(),
		StartedAt: r.StartedAt, Elapsed: loop.Span(r.Elapsed(now)),
		Streaks: r.Sum.Streaks, Totals: r.Sum.Totals, Net: r.Net(),
		Agent: orElse(r.Worker, r.Agent), Model: r.Model, Branch: r.Branch, Session: r.Sum.Session,
		Refusals: r.Sum.Refusals, Leave: r.Leave(), Judged: r.Sum.Proof, Gates: r.Gates, Left: r.Left,
		Tampered: r.Tampered, Unchecked: r.Unchecked,
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
