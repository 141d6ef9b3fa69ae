package loop

import "testing"

func yes() *bool       { v := true; return &v }
func no() *bool        { v := false; return &v }
func code(n int) *Exit { return &Exit{Code: &n, Cause: Exited} }

var (
	redGate  = []Gate{{Name: "test", OK: false}}
	counting = []Gate{{Name: "test", OK: false, Tests: 10}}
	someRed  = &Tests{Total: 10, Passed: 6, Failed: 4}
	lessRed  = &Tests{Total: 10, Passed: 7, Failed: 3}
)

// Each row of the counting table, from streaks of 2 each.
func TestWhatCounts(t *testing.T) {
	type streaks struct{ failures, red, stuck int }
	tests := []struct {
		name    string
		outcome Outcome
		given   CountPolicy
		best    *Tests
		counts  bool
		want    streaks
	}{
		{"ok with progress", Outcome{Result: OK, Exit: code(0), Work: Work{Progress: yes()}}, CountPolicy{}, nil, true, streaks{0, 0, 0}},
		{"ok without progress", Outcome{Result: OK, Exit: code(0), Work: Work{Progress: no()}}, CountPolicy{}, nil, true, streaks{0, 0, 3}},
		{"ended by max_turns: ok, unfinished", Outcome{Result: OK, Exit: code(1), Error: &AgentError{Kind: ErrMaxTurns}, Work: Work{Progress: yes()}}, CountPolicy{}, nil, true, streaks{0, 0, 0}},
		{"failed by the agent", Outcome{Result: Failed, Exit: code(1), Work: Work{Progress: no()}}, CountPolicy{}, nil, true, streaks{3, 2, 3}},
		{"failed by the agent, with progress", Outcome{Result: Failed, Exit: code(1), Work: Work{Progress: yes()}}, CountPolicy{}, nil, true, streaks{3, 2, 0}},
		{"an agent error with exit 0", Outcome{Result: Failed, Exit: code(0), Error: &AgentError{Kind: ErrAgent}}, CountPolicy{}, nil, true, streaks{3, 2, 3}},
		{"failed by a gate, better than the best", Outcome{Result: Failed, Exit: code(0), Gates: counting, Tests: lessRed, Work: Work{Progress: yes()}}, CountPolicy{}, someRed, true, streaks{0, 0, 0}},
		{"failed by a gate, not better", Outcome{Result: Failed, Exit: code(0), Gates: counting, Tests: someRed, Work: Work{Progress: yes()}}, CountPolicy{}, someRed, true, streaks{0, 3, 0}},
		{"failed by a gate, better by the agent's own words only", Outcome{Result: Failed, Exit: code(0), Gates: redGate, Tests: lessRed, Work: Work{Progress: yes()}}, CountPolicy{}, someRed, true, streaks{0, 3, 0}},
		{"a refused claim, better than the best", Outcome{Result: OK, Exit: code(0), Gates: counting, Tests: lessRed, Claim: &Claim{Kind: ClaimDone, Why: "gate test failed"}, Work: Work{Progress: yes()}}, CountPolicy{}, someRed, true, streaks{0, 0, 0}},
		{"failed by a gate without counted tests", Outcome{Result: Failed, Exit: code(0), Gates: redGate}, CountPolicy{}, nil, true, streaks{0, 3, 3}},
		{"ended by max_turns, failed by a gate", Outcome{Result: Failed, Exit: code(1), Error: &AgentError{Kind: ErrMaxTurns}, Gates: redGate, Work: Work{Progress: yes()}}, CountPolicy{}, nil, true, streaks{0, 3, 0}},
		{"a refused claim", Outcome{Result: OK, Exit: code(0), Claim: &Claim{Kind: ClaimDone, Why: "2 tasks are open"}, Work: Work{Progress: no()}}, CountPolicy{}, nil, true, streaks{0, 3, 3}},
		{"failed by a gate, gates are failures", Outcome{Result: Failed, Exit: code(0), Gates: redGate}, CountPolicy{GatesAreFailures: true}, nil, true, streaks{3, 3, 3}},
		{"timed out", Outcome{Result: TimedOut, Work: Work{Progress: no()}}, CountPolicy{}, nil, true, streaks{3, 2, 3}},
		{"timed out with progress", Outcome{Result: TimedOut, Work: Work{Progress: yes()}}, CountPolicy{}, nil, true, streaks{2, 2, 0}},
		{"idle", Outcome{Result: Idle, Work: Work{Progress: no()}}, CountPolicy{}, nil, true, streaks{3, 2, 3}},
		{"skipped", Outcome{Result: Skipped}, CountPolicy{}, nil, true, streaks{2, 2, 2}},
		{"skipped, skips are free", Outcome{Result: Skipped}, CountPolicy{SkipsAreFree: true}, nil, false, streaks{2, 2, 2}},
		{"limited", Outcome{Result: Limited}, CountPolicy{}, nil, false, streaks{2, 2, 2}},
		{"unavailable", Outcome{Result: Unavailable}, CountPolicy{}, nil, false, streaks{2, 2, 2}},
		{"interrupted", Outcome{Result: Interrupted, Work: Work{Progress: yes()}}, CountPolicy{}, nil, false, streaks{2, 2, 2}},
		{"lost", Outcome{Result: Lost}, CountPolicy{}, nil, false, streaks{2, 2, 2}},
		{"first context overflow", Outcome{Result: Failed, Exit: code(1), Error: &AgentError{Kind: ErrContextOverflow}, Work: Work{Progress: no()}}, CountPolicy{}, nil, true, streaks{2, 2, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := State{Streaks: Streaks{Failures: 2, RedGates: 2, NoProgress: 2}, Counting: tt.given, Evidence: Evidence{Best: bestOf(tt.best)}}
			after := before.Add(tt.outcome)
			got := streaks{after.Streaks.Failures, after.Streaks.RedGates, after.Streaks.NoProgress}
			if got != tt.want {
				t.Errorf("streaks after %q = %+v, want %+v", tt.name, got, tt.want)
			}
			if counted := after.Totals.Iterations == 1; counted != tt.counts {
				t.Errorf("counted = %v, want %v", counted, tt.counts)
			}
			if tt.counts != (after.Attempts == 0) {
				t.Errorf("attempts at the next number = %d after an attempt that counts: %v", after.Attempts, tt.counts)
			}
		})
	}
}

func TestSecondOverflowInARowIsAFailure(t *testing.T) {
	o := Outcome{Result: Failed, Exit: code(1), Error: &AgentError{Kind: ErrContextOverflow}}
	s := State{}.Add(o).Add(o)
	if s.Streaks.Failures != 1 {
		t.Errorf("failures = %d after two overflows, want 1", s.Streaks.Failures)
	}
}

func TestTestFailureStreak(t *testing.T) {
	red := func(passed, failed int) Outcome {
		return Outcome{Result: OK, Exit: code(0), Tests: &Tests{Total: passed + failed, Passed: passed, Failed: failed}}
	}
	tests := []struct {
		name string
		seen []Outcome
		want int
	}{
		{"the first red result is the best so far", []Outcome{red(6, 4)}, 0},
		{"the same again is not better", []Outcome{red(6, 4), red(6, 4), red(6, 4)}, 2},
		{"fewer failures reset it", []Outcome{red(6, 4), red(6, 4), red(7, 3)}, 0},
		{"fewer failures because tests are gone do not", []Outcome{red(6, 4), red(6, 4), red(6, 3)}, 2},
		{"worse than the best, though better than the last", []Outcome{red(8, 2), red(2, 8), red(5, 5)}, 2},
		{"all passed resets it", []Outcome{red(6, 4), red(6, 4), red(5, 0)}, 0},
		{"none ran leaves it", []Outcome{red(6, 4), red(6, 4), {Result: OK, Exit: code(0)}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s State
			for _, o := range tt.seen {
				s = s.Add(o)
			}
			if s.Streaks.TestFailures != tt.want {
				t.Errorf("test failure streak = %d, want %d", s.Streaks.TestFailures, tt.want)
			}
		})
	}
}

func TestEveryCountedAttemptFallsIntoOneTotal(t *testing.T) {
	var s State
	for _, r := range []Result{OK, Failed, TimedOut, Idle, Skipped, Interrupted, Limited, Unavailable, Lost} {
		s = s.Add(Outcome{Result: r, Exit: code(0), Error: errorFor(r)})
	}
	sum := s.Totals.OK + s.Totals.Failed + s.Totals.TimedOut + s.Totals.Skipped
	if sum != s.Totals.Iterations || s.Totals.Iterations != 5 {
		t.Errorf("totals %+v: the parts sum to %d of %d iterations, want 5", s.Totals, sum, s.Totals.Iterations)
	}
}

func errorFor(r Result) *AgentError {
	if r == Failed {
		return &AgentError{Kind: ErrAgent}
	}
	return nil
}

func TestAttemptsAtOneNumber(t *testing.T) {
	overflow := Outcome{Result: Failed, Exit: code(1), Error: &AgentError{Kind: ErrContextOverflow}}
	for _, tt := range []struct {
		name string
		past []Outcome
		want Tries
	}{
		{"limits", []Outcome{{Result: Limited}, {Result: Limited}}, Tries{Attempts: 2}},
		{"its runner died", []Outcome{{Result: Interrupted}, {Result: Lost}, {Result: Lost}}, Tries{Attempts: 3, Lost: 2}},
		{"then it counted", []Outcome{{Result: Lost}, works("a")}, Tries{LastOK: true}},
		{"then a gate was red", []Outcome{works("a"), {Result: OK, Exit: code(0), Gates: redGate}}, Tries{}},
		{"what does not count leaves the last as it was", []Outcome{works("a"), {Result: Limited}}, Tries{Attempts: 1, LastOK: true}},
		{"overflows in a row", []Outcome{overflow, overflow}, Tries{Overflows: 2}},
		{"and then another error", []Outcome{overflow, {Result: Failed, Exit: code(1)}}, Tries{}},
		{"skips in a row", []Outcome{{Result: Skipped}, {Result: Skipped}}, Tries{Skips: 2}},
		{"and then a try", []Outcome{{Result: Skipped}, {Result: Limited}}, Tries{Attempts: 1}},
	} {
		var s State
		for _, o := range tt.past {
			s = s.Add(o)
		}
		if s.Tries != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, s.Tries, tt.want)
		}
	}
}

func TestClaimsInARow(t *testing.T) {
	claim := func(why, lacks string) Outcome {
		o := works("a")
		if o.Claim = (&Claim{Kind: ClaimDone, Why: why, Lacks: lacks}); why == "" {
			o.Proof = &Proof{Level: LevelKept}
		}
		return o
	}
	for _, tt := range []struct {
		name string
		past []Outcome
		want int
	}{
		{"none", []Outcome{works("a")}, 0},
		{"two", []Outcome{claim("", ""), claim("", "")}, 2},
		{"one was refused", []Outcome{claim("", ""), claim("gate test failed", "")}, 0},
		{"an iteration without one", []Outcome{claim("", ""), works("a")}, 0},
		{"an attempt that did not count", []Outcome{claim("", ""), {Result: Limited}}, 1},
		{"a word without gates", []Outcome{{Result: OK, Exit: code(0), Claim: &Claim{Kind: ClaimDone}}}, 0},
		{"an earlier version: proven", []Outcome{{Result: OK, Exit: code(0), Claim: &Claim{Kind: ClaimDone, Proven: true}}}, 1},
		{"blocked is another claim", []Outcome{{Result: OK, Exit: code(0), Claim: &Claim{Kind: ClaimBlocked, Proven: true}}}, 0},
	} {
		var s State
		for _, o := range tt.past {
			s = s.Add(o)
		}
		if s.Confirmed != tt.want {
			t.Errorf("%s: %d confirmed in a row, want %d", tt.name, s.Confirmed, tt.want)
		}
	}
}
