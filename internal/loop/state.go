package loop

import (
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// State is the sum of a run's past that the next decision needs. It is
// bounded: an endless run does not make it larger.
type State struct {
	Totals  Totals  `json:"totals"`
	Streaks Streaks `json:"streaks"`

	Best  *Best      `json:"best,omitempty"`  // the best test counts so far
	High  *High      `json:"high,omitempty"`  // the last iteration that was no worse than any before
	Known []KnownRed `json:"known,omitempty"` // gates that were red before the first iteration, and have not passed since
	Seen  []SeenTest `json:"seen,omitempty"`  // tests that have failed
	Ran   []GateRan  `json:"ran,omitempty"`   // how many tests each gate has run
	Proof Place      `json:"proof,omitempty"` // where gates judge a claim
	Tied  []string   `json:"tied,omitempty"`  // gates that judge claims in the work tree all the same
	First string     `json:"first,omitempty"` // the first checkpoint
	Here  string     `json:"here,omitempty"`  // the last one, or the one that was put back

	Looks     []Look          `json:"looks,omitempty"`     // what gates said of the last trees
	Flaky     []string        `json:"flaky,omitempty"`     // gates that were red and green on one tree
	Explained []TestExplained `json:"explained,omitempty"` // why agents changed tests
	Lacking   Lacking         `json:"lacking,omitzero"`    // what claims were last refused for
	Net       *Changes        `json:"net,omitempty"`       // since the run began

	Vanished []string `json:"vanished,omitempty"` // open tasks that are gone from the plan: a few of them
	Marks    []string `json:"marks,omitempty"`    // and all of them
	SetUp    bool     `json:"set_up,omitempty"`   // the clean checkout could be set up at the baseline

	Attempts  int      `json:"attempts,omitempty"`  // ended attempts at the next number, none of which counted
	Lost      int      `json:"lost,omitempty"`      // of these, the lost ones
	Away      []Away   `json:"away,omitempty"`      // agents that were turned away, and have not worked since
	Overflows int      `json:"overflows,omitempty"` // context overflows in a row
	Skips     int      `json:"skips,omitempty"`     // skipped attempts in a row
	Confirmed int      `json:"confirmed,omitempty"` // claims in a row that were taken
	Worked    bool     `json:"worked,omitempty"`    // the agent has ended well at least once; not those that stand in for it
	Able      []string `json:"able,omitempty"`      // the agents that have
	LastOK    bool     `json:"last_ok,omitempty"`   // the last counted iteration was ok
	Session   *Session `json:"session,omitempty"`   // that the next attempt goes on with; nil: a fresh one
	Paused    bool     `json:"paused,omitempty"`    // a person wants nothing to begin
	Idle      bool     `json:"idle,omitempty"`      // it waits for its provider

	Repeats    Repeats   `json:"repeats,omitzero"`
	Unrewarded float64   `json:"unrewarded_usd,omitempty"` // spent since the last progress
	Durations  Durations `json:"durations,omitzero"`       // of counted iterations
	Refusals   []Refusal `json:"refusals,omitempty"`       // the last claims that were not taken
	Told       []string  `json:"told,omitempty"`           // warnings that are not to be said again, by their keys

	Feedback  []Feedback `json:"feedback,omitempty"`  // what the next prompt should say
	Heard     []Feedback `json:"heard,omitempty"`     // gathered in the attempt under way
	Summaries []Summary  `json:"summaries,omitempty"` // of the last iterations, oldest first
	Notes     []string   `json:"notes,omitempty"`     // what people want the next agent to know
	Given     int        `json:"given,omitempty"`     // of these, how many the agent at work has been told

	Limits   Limits    `json:"limits,omitzero"` // as the run was last started with
	Counting Counting  `json:"counting,omitzero"`
	Live     Span      `json:"live_ms"`
	At       time.Time `json:"at,omitzero"` // of the last event added
}

// Counting is the part of the settings that changes how attempts count. It is
// kept in the state so that a journal adds up the same wherever it is read.
type Counting struct {
	GatesAreFailures bool `json:"gates_are_failures,omitempty"`
	SkipsAreFree     bool `json:"skips_are_free,omitempty"`
	// Ratchet says that an iteration worse than the best is undone.
	Ratchet bool `json:"ratchet,omitempty"`
	// Keep says that the agent's session goes on until a reboot.
	Keep bool `json:"keep,omitempty"`
	// Agents is the agent and, behind it, those that stand in for it.
	Agents []string `json:"agents,omitempty"`
}

// Streaks count in a row.
type Streaks struct {
	Failures     int `json:"failures"`
	RedGates     int `json:"red_gates"`
	TestFailures int `json:"test_failures"`
	NoProgress   int `json:"no_progress"`
}

// Totals count over the whole run.
type Totals struct {
	Iterations   int     `json:"iterations"`
	OK           int     `json:"ok"`
	Failed       int     `json:"failed"`
	TimedOut     int     `json:"timed_out"`
	Skipped      int     `json:"skipped"`
	Commits      int     `json:"commits"`
	Files        int     `json:"files"`
	LinesAdded   int     `json:"lines_added"`
	LinesRemoved int     `json:"lines_removed"`
	Tokens       int     `json:"tokens,omitempty"`   // left out when no agent told
	CostUSD      float64 `json:"cost_usd,omitempty"` // likewise
	// CostEstimated says that some of it was not told but worked out.
	CostEstimated bool `json:"cost_estimated,omitempty"`
	Duration      Span `json:"duration_ms"`

	FilesCreated  int `json:"files_created,omitempty"`
	FilesModified int `json:"files_modified,omitempty"`
	FilesDeleted  int `json:"files_deleted,omitempty"`
	TestsRun      int `json:"tests_run,omitempty"` // in all iterations together
	TestsPassed   int `json:"tests_passed,omitempty"`
	TestsFailed   int `json:"tests_failed,omitempty"`

	Refused int  `json:"refused,omitempty"` // claims that were not taken
	Proven  int  `json:"proven,omitempty"`  // iterations that made progress with every gate passing
	Reboots int  `json:"reboots,omitempty"`
	Waits   int  `json:"waits,omitempty"` // for the provider
	Waited  Span `json:"waited_ms,omitempty"`
}

// Feedback is one thing that the next agent should know.
type Feedback struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Summary is what an iteration said of itself.
type Summary struct {
	Iteration int    `json:"iteration"`
	Text      string `json:"text"`
}

// Feedback and summaries in the state are bounded by these, so that a state in
// every iteration.finished stays small.
const (
	maxFeedback  = 8
	maxSummaries = 10
	maxText      = 400
	maxTold      = 20
)

// MaxNotes is how many notes of people's may wait for the next agent, and MaxNote
// how long one may be, in bytes.
const (
	MaxNotes = 10
	MaxNote  = 4000
)

// Next is the number of the iteration that comes next.
func (s State) Next() int { return s.Totals.Iterations + 1 }

// Counts tells whether an attempt with outcome o is an iteration.
func (s State) Counts(o Outcome) bool { return s.rowFor(o).counts }

// Add gives the state after an attempt with outcome o.
func (s State) Add(o Outcome) State {
	undone := s.Undone(o)
	s.Feedback, s.Heard = s.nextFeedback(o), nil
	row := s.rowFor(o)
	if row.counts {
		s = s.addTests(o)
		if o.Result != Skipped {
			s = s.addRepeats(o)
		}
		if o.Result == OK || o.MadeProgress() { // an agent has worked with them; others came meanwhile
			s.Notes = s.Notes[min(s.Given, len(s.Notes)):]
		}
		s.Given = 0
	}
	s = s.addSession(o)
	s = row.apply(s, o)
	if row.counts {
		s = s.addGates(o, undone)
	}
	if o.Plan != nil {
		s.Vanished, s.Marks = o.Plan.Vanished, o.Plan.Marks
	}

	s = s.addTotals(o, row.counts, undone)
	if o.Result == OK {
		s.Worked = s.Worked || !s.standsIn(o.Agent)
		if o.Agent != "" && !slices.Contains(s.Able, o.Agent) {
			s.Able = append(slices.Clip(s.Able), o.Agent)
		}
	}
	s = s.lack(o.Claim)
	if row.counts && !undone && o.Net != nil {
		s.Net = o.Net
	}
	if o.Claim.taken(o.Proof) {
		s.Confirmed++
	} else if row.counts {
		s.Confirmed = 0
	}
	return s.addAway(o)
}

// nextFeedback keeps what was already waiting to be said when the attempt did
// not count: the next agent has not heard it.
func (s State) nextFeedback(o Outcome) []Feedback {
	next := slices.Concat(s.Heard, o.feedback())
	if !s.rowFor(o).counts {
		next = slices.Concat(s.Feedback, next)
	}
	return lastN(next, maxFeedback)
}

func lastN[T any](list []T, n int) []T {
	if len(list) > n {
		list = list[len(list)-n:]
	}
	return slices.Clone(list)
}

// brief is a text that the state carries along.
func brief(s string) string { return text.Shorten(s, maxText) }

// toMicros keeps a sum of money free of the dust that adding fractions leaves.
func toMicros(usd float64) float64 { return float64(int64(usd*1e6+0.5)) / 1e6 }
