package stop

import (
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func turned(agent string, kind loop.ErrorKind, reset time.Duration) loop.Outcome {
	o := loop.Outcome{Result: loop.Treat(kind).Result, Worker: loop.Worker{Agent: agent}, Error: &loop.AgentError{Kind: kind}, EndedAt: noon}
	if reset > 0 {
		o.Limit = &loop.Limit{Kind: "five_hour", Until: noon.Add(reset)}
	}
	return o
}

func worked(agent string) loop.Outcome {
	return loop.Outcome{Result: loop.OK, Exit: exit(0), Worker: loop.Worker{Agent: agent}, EndedAt: noon.Add(-time.Minute)}
}

// With agents that stand in, who works and for whom it waits.
func TestFallback(t *testing.T) {
	h := ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour, Backoff: time.Second, Margin: time.Second}
	tests := []struct {
		name   string
		agents []string
		past   []loop.Outcome
		action loop.Action
		rule   string
		agent  string
		until  time.Duration
	}{
		{"the next agent goes on during a limit", []string{"claude", "codex"}, []loop.Outcome{turned("claude", loop.ErrUsageLimit, time.Hour)}, loop.Continue, "fallback", "codex", 0},
		{"with both limited, it waits for the first that is free", []string{"claude", "codex"}, []loop.Outcome{turned("claude", loop.ErrUsageLimit, time.Hour), turned("codex", loop.ErrUsageLimit, 10*time.Minute)}, loop.Wait, "limit", "codex", 10*time.Minute + time.Second},
		{"no money left: the next agent goes on", []string{"claude", "codex"}, []loop.Outcome{turned("claude", loop.ErrBilling, 0)}, loop.Continue, "fallback", "codex", 0},
		{"never signed in, with another agent", []string{"claude", "codex"}, []loop.Outcome{turned("claude", loop.ErrAuth, 0)}, loop.Continue, "fallback", "codex", 0},
		{"one that stands in is not installed: it waits for the first", []string{"claude", "codex"}, []loop.Outcome{turned("claude", loop.ErrUsageLimit, time.Hour), turned("codex", loop.ErrMissing, 0)}, loop.Wait, "limit", "claude", time.Hour + time.Second},
		{"no money anywhere", []string{"claude", "codex"}, []loop.Outcome{turned("claude", loop.ErrBilling, 0), turned("codex", loop.ErrBilling, 0)}, loop.Stop, "no_credit", "", 0},
		{"an outage: the next agent goes on", []string{"claude", "codex"}, []loop.Outcome{turned("claude", loop.ErrOverloaded, 0)}, loop.Continue, "fallback", "codex", 0},
		{"signed out in the middle, alone", []string{"claude"}, []loop.Outcome{worked("claude"), turned("claude", loop.ErrAuth, 0)}, loop.Wait, "sign_in", "claude", signInBackoff},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := loop.State{Counting: loop.CountPolicy{Agents: tt.agents}}
			var v loop.Verdict
			for _, o := range tt.past {
				v = loop.Decide(loop.Facts{State: s, Outcome: &o, Now: noon}, []loop.Rule{fatal(), providerLimit(h)})
				s = s.Add(o)
			}
			if v.Action != tt.action || v.Rule != tt.rule || v.Agent != tt.agent {
				t.Errorf("verdict = %+v, want %s by %s for %q", v, tt.action, tt.rule, tt.agent)
			}
			if tt.until > 0 && !v.Until.Equal(noon.Add(tt.until)) {
				t.Errorf("until %s, want %s", v.Until, noon.Add(tt.until))
			}
			if s.Totals.Iterations > 1 || s.Streaks.Failures > 0 {
				t.Errorf("it counted: %+v %+v", s.Totals, s.Streaks)
			}
		})
	}
}

func TestTheFirstAgentComesBackWhenItsWindowOpens(t *testing.T) {
	h := ProviderPolicy{Wait: true, Margin: time.Second}
	s := loop.State{Counting: loop.CountPolicy{Agents: []string{"claude", "codex"}}}.Add(turned("claude", loop.ErrUsageLimit, time.Hour))
	for at, want := range map[time.Duration]string{0: "codex", time.Hour: "codex", time.Hour + time.Second: "claude"} {
		if got := h.Agent(loop.Facts{State: s, Now: noon.Add(at)}); got != want {
			t.Errorf("after %s %s works, want %s", at, got, want)
		}
	}
}

func TestALimitThatAnotherRunNoted(t *testing.T) {
	h := ProviderPolicy{Wait: true, Margin: time.Second}
	f := loop.Facts{
		Now:   noon,
		State: loop.State{Counting: loop.CountPolicy{Agents: []string{"claude"}}},
		Noted: []loop.ProviderHold{{Agent: "claude", Kind: loop.ErrUsageLimit, At: noon, Tries: 1, By: "build-3", Limit: &loop.Limit{Kind: "weekly", Until: noon.Add(time.Hour)}}},
	}
	v := awaitProvider(h)(f)
	if v.Action != loop.Wait || !v.Until.Equal(noon.Add(time.Hour+time.Second)) || !strings.Contains(v.Why, "build-3") {
		t.Errorf("verdict = %+v, want a wait that names who noted it", v)
	}
	f.Hurry = true
	if v := awaitProvider(h)(f); v.Action != "" {
		t.Errorf("in a hurry: %+v, want no opinion", v)
	}
}

func TestASignInThatDoesNotComeBack(t *testing.T) {
	s := loop.State{Counting: loop.CountPolicy{Agents: []string{"claude"}}}.Add(worked("claude"))
	h := ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour}
	now := noon
	for tries := 1; ; tries++ {
		o := turned("claude", loop.ErrAuth, 0)
		o.EndedAt = now
		v := loop.Decide(loop.Facts{State: s, Outcome: &o, Now: now}, []loop.Rule{fatal(), providerLimit(h)})
		s = s.Add(o)
		if v.Action == loop.Stop {
			if v.Reason != loop.ByNotSignedIn || now.Sub(noon) <= signInPatience || tries < 4 {
				t.Errorf("after %d tries in %s: %+v", tries, now.Sub(noon), v)
			}
			return
		}
		now = v.Until
	}
}
