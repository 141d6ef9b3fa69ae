package loop

import (
	"slices"
	"time"
)

// State is the sum of a run's past that the next decision needs. It is
// bounded: an endless run does not make it larger.
//
// It is made of groups, each in the file of its own with all that changes it.
// In JSON the fields of a group stand beside the others.
type State struct {
	Totals  Totals  `json:"totals"`
	Streaks Streaks `json:"streaks"`

	Evidence // what gates and tests have shown
	Tree     // where the work tree has been
	Claims   // what became of claims
	Tasks    // how far the plan has come, and what vanished from it
	Tries    // attempts that went wrong, in a row
	Provider // who is turned away, and who has worked
	Talk     // what the next agent, and people, are told

	Confinement // by which sandbox, and what that refused

	Session    *Session  `json:"session,omitempty"` // that the next attempt goes on with; nil: a fresh one
	Paused     bool      `json:"paused,omitempty"`  // a person wants nothing to begin
	Repeats    Repeats   `json:"repeats,omitzero"`
	Unrewarded float64   `json:"unrewarded_usd,omitempty"` // spent since the last progress
	Durations  Durations `json:"durations,omitzero"`       // of counted iterations

	Limits   Limits      `json:"limits,omitzero"` // as the run was last started with
	Counting CountPolicy `json:"counting,omitzero"`
	Live     Millis      `json:"live_ms"`
	At       time.Time   `json:"at,omitzero"` // of the last event added
}

// CountPolicy is the part of the settings that changes how attempts count. It is
// kept in the state so that a journal adds up the same wherever it is read.
type CountPolicy struct {
	GatesAreFailures bool `json:"gates_are_failures,omitempty"`
	SkipsAreFree     bool `json:"skips_are_free,omitempty"`
	// Ratchet says that an iteration worse than the best is undone.
	Ratchet bool `json:"ratchet,omitempty"`
	// Keep says that the agent's session goes on until a reboot.
	Keep bool `json:"keep,omitempty"`
	// Agents is the agent and, behind it, those that stand in for it.
	Agents []string `json:"agents,omitempty"`
}

// standsIn tells whether an agent only works while another is away.
func (c CountPolicy) standsIn(agent string) bool {
	return slices.Index(c.Agents, agent) > 0
}

// Tasks are how far the plan has come, and which tasks were open and are gone from
// it: a few in words, and all of them by their marks.
type Tasks struct {
	Plan       *Tally   `json:"plan,omitempty"`        // as it was last read; nil: there is none
	DoneBefore int      `json:"done_before,omitempty"` // tasks that were done when the run first read it
	Vanished   []string `json:"vanished,omitempty"`
	Marks      []string `json:"marks,omitempty"`
}

// Tally is how far a plan has come, and the task at hand: the first that is in
// progress, else the first that is open.
type Tally struct {
	Open       int    `json:"open"`
	InProgress int    `json:"in_progress"`
	Done       int    `json:"done"`
	Task       string `json:"task,omitempty"`
}

// Total is how many tasks there are.
func (t Tally) Total() int { return t.Open + t.InProgress + t.Done }

// read takes in the plan as an agent finds it.
func (t Tasks) read(now Tally) Tasks {
	if t.Plan == nil {
		t.DoneBefore = now.Done
	}
	t.Plan = &now
	return t
}

// add takes in the plan as an attempt left it, if that is how it stays.
func (t Tasks) add(p *Plan, undone bool) Tasks {
	t.Vanished, t.Marks = p.Vanished, p.Marks
	if !undone {
		t.Plan = &Tally{Open: p.Open, InProgress: p.InProgress, Done: p.Done, Task: p.Task}
	}
	return t
}

// Next is the number of the iteration that comes next.
func (s State) Next() int { return s.Totals.Iterations + 1 }

// Counts tells whether an attempt with outcome o is an iteration.
func (s State) Counts(o Outcome) bool { return s.rowFor(o).counts }

// Sum adds one event to the state. The state of a run is the sum of its
// journal; iteration.finished carries it along, so that a reader may begin at
// the last one and gets the same.
func (s State) Sum(e Event) State {
	s = s.tick(e)
	switch p := e.Payload.(type) {
	case *RunStarted:
		s.Counting, s.Limits, s.Sandbox = p.Counting, p.Limits, p.Sandbox
	case *RunResumed:
		s = s.goOn(p)
	case *RunWaiting:
		if s.AwaitingProvider = p.Agent != ""; s.AwaitingProvider {
			s.Totals.Waits++
		}
	case *RunAsked:
		s.AwaitingProvider = false
	case *RunPaused:
		s.Paused, s.AwaitingProvider = true, false
	case *RunUnpaused:
		s.Paused = false
	case *RunRebootFinished:
		s.Session = nil
		s.Totals.Reboots++
	case *CommandReceived:
		if p.Limits != nil {
			s = s.limit(*p.Limits)
		}
	case *NoteAdded:
		s.Talk = s.Talk.note(p.Text)
	case *Warning:
		s.Talk = s.Talk.warn(p.Key)
	case *RunBaseline:
		s = s.begin(p)
	case *IterationStarted:
		s.Talk, s.AwaitingProvider = s.Talk.begin(), false
	case *PlanRead:
		s.Tasks = s.Tasks.read(p.Tally)
	case *ClaimRefused:
		s.Talk = s.Talk.hear(p.feedback())
		var anew bool
		if s.Claims, anew = s.Claims.refuse(e.Iter, p); anew {
			s.Totals.Refused++
		}
	case *GateFinished:
		if p.With == "" {
			s.Evidence = s.Evidence.look(p.Gate)
		}
	case *SandboxRefused:
		var anew bool
		if s.Confinement, anew = s.Confinement.refuse(p); anew {
			s.Totals.FencedOff = s.Totals.FencedOff.add(p.What)
		}
	case *TestExplained:
		s.Evidence = s.Evidence.explain(p)
	case *CheckpointMade:
		s.Tree = s.Tree.made(p.Checkpoint)
	case *CheckpointRestored:
		s.Tree = s.Tree.putBack(p, e.Iter > 0)
		if e.Iter > 0 {
			s.Talk = s.Talk.hear(p.feedback(false))
		} else {
			s.Talk = s.Talk.putBack(p)
		}
	case *IterationFinished:
		s = s.Add(p.Outcome)
	case *RunFinished:
		s.Tree.Later = p.Later
		if p.Net != nil {
			s.Tree.Net = p.Net
		}
	}
	return s
}

// goOn is the state when another runner takes over. Where a person has looked at
// what went wrong, it is a new start.
func (s State) goOn(p *RunResumed) State {
	s.Counting, s.AwaitingProvider, s.Paused, s.Sandbox = p.Counting, false, false, p.Sandbox
	s.PendingFeedback = nil // an attempt that is judged again says it again
	s = s.limit(p.Limits)
	for _, c := range p.Changed {
		if begins(c.Key, "gate.") || begins(c.Key, "proof.") || c.Key == "done.proof" {
			s.Evidence = s.Evidence.forgetLooks()
		}
	}
	if p.From == Aborted || p.From == CouldNotRun {
		s.Streaks, s.Repeats, s.ProviderHolds, s.Unrewarded, s.Lacking = Streaks{}, Repeats{}, nil, 0, Lacking{}
	}
	if !s.Counting.Keep {
		s.Session = nil
	}
	return s
}

// limit changes the limits.
func (s State) limit(l Limits) State {
	if l == s.Limits {
		return s
	}
	s.Limits, s.Talk = l, s.Talk.forgetBudgets()
	return s
}

func begins(text, with string) bool { return len(text) >= len(with) && text[:len(with)] == with }

// tick adds to the live time. The time between an end and a resume is not live,
// and neither is that before a rollback by a person in between.
func (s State) tick(e Event) State {
	if !wakes(e) && !s.At.IsZero() && e.Time.After(s.At) {
		passed := Millis(e.Time.Sub(s.At))
		s.Live += passed
		if s.AwaitingProvider {
			s.Totals.Waited += passed
		}
	}
	s.At = e.Time
	return s
}

// wakes tells whether no runner was there before an event.
func wakes(e Event) bool {
	switch e.Payload.(type) {
	case *RunResumed:
		return true
	case *CheckpointRestored:
		return e.Iter == 0
	}
	return false
}

// Add gives the state after an attempt with outcome o. What an attempt means
// depends on the state before it, so that is asked first; then each group takes
// in what is its own.
func (s State) Add(o Outcome) State {
	row, undone, away := s.rowFor(o), s.Undone(o), s.HeldByProvider(o)
	s.Session = s.nextSession(o, row.counts)
	s.Talk = s.Talk.add(o, row.counts)
	if row.counts {
		s.Streaks.TestFailures = s.Evidence.testFailures(s.Streaks.TestFailures, o)
		if o.Result != Skipped {
			s.Repeats = s.Repeats.add(o, s.Evidence)
		}
	}
	s = row.apply(s, o, undone)
	if row.counts && !undone {
		s.Tree = s.Tree.add(s.Totals.Iterations, o)
		s.Evidence = s.Evidence.add(o)
	}
	if o.Plan != nil {
		s.Tasks = s.Tasks.add(o.Plan, undone)
	}
	s.Totals = s.Totals.add(o, row.counts, undone)
	s.Unrewarded = toMicros(s.Unrewarded + o.Usage.Cost())
	if o.MadeProgress() && !undone {
		s.Unrewarded = 0
	}
	if row.counts && o.Result != Skipped {
		s.Durations = s.Durations.add(o.Duration)
	}
	s.Claims = s.Claims.add(o, row.counts)
	s.Provider = s.Provider.add(o, away, s.Counting.standsIn(o.Agent))
	return s
}

func lastN[T any](list []T, n int) []T {
	if len(list) > n {
		list = list[len(list)-n:]
	}
	return slices.Clone(list)
}

// maxText bounds a text in the state, so that a state in every
// iteration.finished stays small.
const maxText = 400

// brief is a text that the state carries along.
func brief(s string) string {
	if len(s) <= maxText {
		return s
	}
	return cut(s, maxText-len("…")) + "…"
}

// cut is the first n bytes of a text at most, never half a character. The words
// import nothing of ours, so that everything can stand on them.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := 0
	for i := range s {
		if i > n {
			break
		}
		end = i
	}
	return s[:end]
}

// toMicros keeps a sum of money free of the dust that adding fractions leaves.
func toMicros(usd float64) float64 { return float64(int64(usd*1e6+0.5)) / 1e6 }

// Carried is the state as iteration.finished carries it along. What iterations said of
// themselves is on their own lines, and would be most of it: only which they are is
// carried.
func (s State) Carried() State {
	said := slices.Clip(s.SaidIn) // of one that was carried and has gone on since
	for _, one := range s.Summaries {
		said = append(said, one.Iteration)
	}
	s.SaidIn, s.Summaries = nil, nil
	if len(said) > 0 {
		s.SaidIn = lastN(said, maxSummaries)
	}
	return s
}

// Recalled is a carried state with what iterations said of themselves, by their numbers.
func (s State) Recalled(said map[int]string) State {
	iterations := s.SaidIn
	s.SaidIn = nil
	for _, i := range iterations {
		s.Talk = s.Talk.sumUp(i, said[i])
	}
	return s
}
