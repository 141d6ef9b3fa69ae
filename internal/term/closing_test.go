package term

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestEveryResultHasItsLine(t *testing.T) {
	now := time.Date(2026, 11, 3, 10, 0, 0, 0, time.Local)
	before := loop.State{Worked: true, Counting: loop.Counting{Agents: []string{"claude", "codex"}}}
	agentError := func(kind loop.ErrorKind, message string) *loop.AgentError {
		return &loop.AgentError{Kind: kind, Message: message}
	}
	tests := []struct {
		name    string
		outcome loop.Outcome
		want    string
	}{
		{"ok", ok(), "Iteration 2/5 completed in 45.2s"},
		{"ok, out of turns", loop.Outcome{Result: loop.OK, Exit: exited(0), Error: agentError(loop.ErrMaxTurns, "")}, "Iteration 2/5 completed in 45.2s, cut short by max turns"},
		{"ok, redline", loop.Outcome{Result: loop.OK, Exit: &loop.Exit{Cause: loop.OnRedline}}, "Iteration 2/5 completed in 45.2s, cut short by the redline"},
		{"failed, exit status only", loop.Outcome{Result: loop.Failed, Exit: exited(1)}, "WARNING: AI CLI failed (exit 1), consecutive failures: 1/3"},
		{"failed, the agent repeats the exit status", exit1(), "WARNING: AI CLI failed (exit 1), consecutive failures: 1/3"},
		{"failed, killed", loop.Outcome{Result: loop.Failed, Exit: &loop.Exit{Signal: "KILL", Cause: loop.Signaled}, Error: agentError(loop.ErrAgent, "ended by signal KILL")}, "WARNING: AI CLI failed (signal KILL), consecutive failures: 1/3"},
		{"failed, the agent says why", loop.Outcome{Result: loop.Failed, Exit: exited(0), Error: agentError(loop.ErrAgent, "no final\nevent")}, "WARNING: AI CLI failed (exit 0), consecutive failures: 1/3"},
		{"failed, the agent gives a kind", loop.Outcome{Result: loop.Failed, Exit: exited(2), Error: agentError(loop.ErrRefusal, "")}, "WARNING: AI CLI failed (exit 2), consecutive failures: 1/3"},
		{"failed, never started", loop.Outcome{Result: loop.Failed, Agent: "claude", Error: agentError(loop.ErrMissing, "claude: not found")}, "WARNING: AI CLI failed (not started), consecutive failures: 1/3"},
		{"failed, no status", loop.Outcome{Result: loop.Failed, Exit: &loop.Exit{Cause: loop.Exited}}, "WARNING: AI CLI failed (no exit status), consecutive failures: 1/3"},
		{"failed by gates", loop.Outcome{Result: loop.Failed, Exit: exited(0), Gates: []loop.Gate{{Name: "test"}}}, "Iteration 2/5 completed in 45.2s"},
		{"failed by gates, out of turns", loop.Outcome{Result: loop.Failed, Exit: exited(0), Error: agentError(loop.ErrMaxTurns, ""), Gates: []loop.Gate{{Name: "test"}}}, "Iteration 2/5 completed in 45.2s, cut short by max turns"},
		{"failed by its own claim", loop.Outcome{Result: loop.Failed, Exit: exited(0), Claim: &loop.Claim{Kind: loop.ClaimDone, Why: "2 tasks are open"}}, "Iteration 2/5 completed in 45.2s"},
		{"failed by something else", loop.Outcome{Result: loop.Failed, Exit: exited(0)}, "WARNING: Iteration failed, consecutive failures: 1/3"},
		{"timed out", loop.Outcome{Result: loop.TimedOut}, "WARNING: Iteration 2/5 timed out after 45.2s, consecutive failures: 1/3"},
		{"idle", loop.Outcome{Result: loop.Idle}, "WARNING: Iteration 2/5 was silent for too long and ended after 45.2s, consecutive failures: 1/3"},
		{"skipped by a hook", loop.Outcome{Result: loop.Skipped, Hook: &loop.Hook{Point: "next_iteration", Exit: 1}}, "Iteration 2/5 skipped (next_iteration hook requested)"},
		{"skipped by a person", loop.Outcome{Result: loop.Skipped}, "Iteration 2/5 skipped (skip requested)"},
		{"interrupted by a person", loop.Outcome{Result: loop.Interrupted, Exit: &loop.Exit{Cause: loop.OnRequest}}, "Iteration 2/5 interrupted after 45.2s; it does not count"},
		{"interrupted before it began", loop.Outcome{Result: loop.Interrupted}, "Iteration 2/5 interrupted after 45.2s; it does not count"},
		{"interrupted by the budget", loop.Outcome{Result: loop.Interrupted, Exit: &loop.Exit{Cause: loop.OnBudget}}, "Iteration 2/5 interrupted after 45.2s by the budget; it does not count"},
		{"interrupted by the time", loop.Outcome{Result: loop.Interrupted, Exit: &loop.Exit{Cause: loop.OnMaxTime}}, "Iteration 2/5 interrupted after 45.2s by the time limit; it does not count"},
		{"limited until tomorrow", loop.Outcome{Result: loop.Limited, Limit: &loop.Limit{Kind: "weekly", Until: now.Add(20 * time.Hour)}}, "Iteration 2/5 held up: usage limit (weekly) until 2026-11-04 06:00:00; it does not count"},
		{"limited without a time", loop.Outcome{Result: loop.Limited, Limit: &loop.Limit{Kind: "five_hour"}}, "Iteration 2/5 held up: usage limit (five_hour); it does not count"},
		{"limited without a kind", loop.Outcome{Result: loop.Limited, Error: agentError(loop.ErrRateLimit, "")}, "Iteration 2/5 held up: usage limit: rate limit; it does not count"},
		{"signed out in the middle", loop.Outcome{Result: loop.Failed, Agent: "claude", Exit: exited(1), Error: agentError(loop.ErrAuth, "OAuth token expired")}, "Iteration 2/5 held up: claude is not signed in: OAuth token expired; it does not count"},
		{"out of money", loop.Outcome{Result: loop.Failed, Agent: "claude", Exit: exited(1), Error: agentError(loop.ErrBilling, "")}, "Iteration 2/5 held up: claude has no credit left: billing; it does not count"},
		{"a stand-in that is not there", loop.Outcome{Result: loop.Failed, Agent: "codex", Error: agentError(loop.ErrMissing, "codex: not found")}, "Iteration 2/5 held up: codex cannot work: codex: not found; it does not count"},
		{"unavailable", loop.Outcome{Result: loop.Unavailable, Error: agentError(loop.ErrOverloaded, "529")}, "Iteration 2/5 held up: the provider is unavailable: 529; it does not count"},
		{"lost", loop.Outcome{Result: loop.Lost}, "Iteration 2/5 lost: the runner died while it ran; it does not count"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.outcome.Duration = loop.Span(45200 * time.Millisecond)
			p := &loop.IterationFinished{Outcome: tt.outcome, State: loop.State{Streaks: loop.Streaks{Failures: 1}}}
			if got := closing("Iteration 2/5", p, before, loop.Limits{Failures: 3}, now).text; got != tt.want {
				t.Errorf("line\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestWithoutAThresholdThereIsNoSlash(t *testing.T) {
	p := &loop.IterationFinished{Outcome: exit1(), State: loop.State{Streaks: loop.Streaks{Failures: 4}}}
	want := "WARNING: AI CLI failed (exit 1), consecutive failures: 4"
	if got := closing("Iteration 4", p, loop.State{}, loop.Limits{}, time.Now()).text; got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}

func TestWhoGoesOnMeanwhileIsNamed(t *testing.T) {
	now := time.Date(2026, 11, 3, 10, 0, 0, 0, time.Local)
	p := &loop.IterationFinished{
		Outcome: loop.Outcome{Result: loop.Limited, Agent: "claude", Limit: &loop.Limit{Kind: "five_hour", Until: now.Add(time.Hour)}},
		Verdict: loop.Verdict{Action: loop.Continue, Rule: "fallback", Agent: "codex"},
	}
	want := "Iteration 2/5 held up: usage limit (five_hour) until 11:00:00; it does not count, and codex goes on meanwhile"
	if got := closing("Iteration 2/5", p, loop.State{}, loop.Limits{}, now).text; got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}
