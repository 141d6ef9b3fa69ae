package term

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

func TestWhatIsLeftRunning(t *testing.T) {
	none, some := []string{}, []string{"sh (pid 7)", "sleep (pid 8)"}
	for want, run := range map[string]*view.Run{
		"":                  {State: loop.Running},
		"none left running": {State: loop.Done, Surroundings: view.Surroundings{Left: &none}},
		"none left running but gradle, bazel (proc.keep)":                                   {State: loop.Stopped, Surroundings: view.Surroundings{Left: &none, Spared: []string{"gradle", "bazel"}}},
		"still running: sh (pid 7), sleep (pid 8); resume, or the next run here, ends them": {State: loop.Crashed, Surroundings: view.Surroundings{Left: &some}},
		"what may be left is ended by resume, or by the next run here":                      {State: loop.Crashed, Surroundings: view.Surroundings{Spared: []string{"gradle"}}},
	} {
		if got := processes(run); got != want {
			t.Errorf("%s: %q, want %q", run.State, got, want)
		}
	}
}

// Finding 35: where who keeps the processes was gone, or one of them does not end,
// nobody claims that none is left.
func TestWhatMayBeLeftRunning(t *testing.T) {
	for _, tt := range []struct {
		state loop.Status
		told  []string
		left  []string
		want  string
	}{
		{loop.Done, nil, []string{}, "none left running"},
		{loop.Done, []string{loop.UnkeptKey}, []string{}, "none that could be found"},
		{loop.Crashed, nil, []string{}, "none that could be found"},
		{loop.Done, []string{loop.UnkeptKey}, []string{"sleep (pid 7)"}, "still running: sleep (pid 7); resume, or the next run here, ends them"},
	} {
		run := view.New()
		run.State, run.Sum.WarnedKeys, run.Left = tt.state, tt.told, &tt.left
		if got := processes(run); got != tt.want {
			t.Errorf("%s, told %q: %q, want %q", tt.state, tt.told, got, tt.want)
		}
	}
}

func TestWhoWorks(t *testing.T) {
	now := time.Date(2026, 11, 3, 22, 0, 0, 0, time.Local)
	away := loop.State{Provider: loop.Provider{ProviderHolds: []loop.ProviderHold{{Agent: "claude", Kind: loop.ErrUsageLimit, Limit: &loop.Limit{Kind: "five_hour", Until: now.Add(time.Hour)}, At: now}}}}
	tests := []struct {
		run            view.Run
		agent, standIn string
	}{
		{view.Run{Identity: view.Identity{Agent: "claude", Model: "large"}, Worker: "claude"}, "claude (large)", ""},
		{view.Run{Identity: view.Identity{Agent: "claude", Model: "large"}}, "claude (large)", ""},
		{view.Run{Identity: view.Identity{Agent: "claude", Model: "gpt"}, Worker: "codex", Sum: away}, "claude", "codex (gpt), while claude is away: usage limit (five_hour) until 23:00"},
		{view.Run{Identity: view.Identity{Agent: "claude"}, Worker: "codex"}, "claude", "codex made the last attempt"},
	}
	for _, tt := range tests {
		if agent, standIn := agent(&tt.run), standIn(&tt.run, now); agent != tt.agent || standIn != tt.standIn {
			t.Errorf("%s: agent %q and stand-in %q, want %q and %q", tt.run.Worker, agent, standIn, tt.agent, tt.standIn)
		}
	}
}

func TestAKeptSessionOnACard(t *testing.T) {
	held := &loop.Session{Iterations: 3, Percent: 61}
	for want, run := range map[string]*view.Run{
		"": {State: loop.Running},
		"kept for 3 iterations, its context is 61% full, 2 reboots": {State: loop.Running, Sum: loop.State{Session: held, Totals: loop.Totals{Reboots: 2}}},
		"kept for 1 iteration": {State: loop.Paused, Sum: loop.State{Session: &loop.Session{Iterations: 1}}},
		"1 reboot":             {State: loop.Done, Sum: loop.State{Session: held, Totals: loop.Totals{Reboots: 1}}},
	} {
		if got := session(run); got != want {
			t.Errorf("%s: %q, want %q", run.State, got, want)
		}
	}
}
