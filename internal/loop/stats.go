package loop

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
	CostEstimated bool   `json:"cost_estimated,omitempty"`
	Duration      Millis `json:"duration_ms"`

	FilesCreated  int `json:"files_created,omitempty"`
	FilesModified int `json:"files_modified,omitempty"`
	FilesDeleted  int `json:"files_deleted,omitempty"`
	TestsRun      int `json:"tests_run,omitempty"` // in all iterations together
	TestsPassed   int `json:"tests_passed,omitempty"`
	TestsFailed   int `json:"tests_failed,omitempty"`

	Refused int    `json:"refused,omitempty"` // claims that were not taken
	Proven  int    `json:"proven,omitempty"`  // iterations that made progress with every gate passing
	Reboots int    `json:"reboots,omitempty"`
	Waits   int    `json:"waits,omitempty"` // for the provider
	Waited  Millis `json:"waited_ms,omitempty"`

	FencedOff // by the sandbox
}

// add counts what an attempt used and changed. What was put back is no change.
func (t Totals) add(o Outcome, counts, undone bool) Totals {
	t.Duration += o.Duration
	t.Tokens += o.Usage.Tokens()
	t.CostUSD = toMicros(t.CostUSD + o.Usage.Cost())
	t.CostEstimated = t.CostEstimated || o.Usage.Estimated()
	if c := o.Changes; c != nil {
		t.Commits += c.Commits
		if !undone {
			t.Files += c.Created + c.Modified + c.Deleted
			t.FilesCreated += c.Created
			t.FilesModified += c.Modified
			t.FilesDeleted += c.Deleted
			t.LinesAdded += c.LinesAdded
			t.LinesRemoved += c.LinesRemoved
		}
	}
	if !counts || o.Result == Skipped {
		return t
	}
	if o.Tests != nil {
		t.TestsRun += o.Tests.Passed + o.Tests.Failed
		t.TestsPassed += o.Tests.Passed
		t.TestsFailed += o.Tests.Failed
	}
	if o.Result == OK && o.MadeProgress() && !undone && len(o.Gates) > 0 && len(o.green()) == len(o.Gates) {
		t.Proven++
	}
	return t
}

// Durations sums up how long iterations took, without keeping them.
type Durations struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean_ms"`
	// Squares is the sum of the squared distances from the mean; divided by
	// N-1 it is the variance.
	Squares float64 `json:"squares"`
	Min     Millis  `json:"min_ms"`
	Max     Millis  `json:"max_ms"`
}

// add takes one more in, so that neither long runs nor long iterations cost the
// sum its precision.
func (d Durations) add(took Millis) Durations {
	ms := float64(took.Duration().Milliseconds())
	if d.N++; d.N == 1 {
		return Durations{N: 1, Mean: ms, Min: took, Max: took}
	}
	away := ms - d.Mean
	d.Mean += away / float64(d.N)
	d.Squares += away * (ms - d.Mean)
	d.Min, d.Max = min(d.Min, took), max(d.Max, took)
	return d
}
