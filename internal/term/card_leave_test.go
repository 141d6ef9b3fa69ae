package term

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// firstOf is a run of an agent with its first iteration behind it.
func firstOf(limits loop.Limits, o loop.Outcome) *story {
	started := build(limits)
	started.Prompt = "Build the wheel"
	o.Duration = loop.Millis(371 * second)
	return begin(22, 0).tell(started).
		in(1, 1, &loop.IterationStarted{Max: limits.Iterations}, &loop.AgentTool{Name: "Bash", Shell: true}).after(371*second).
		in(1, 1, &loop.IterationFinished{Outcome: o})
}

func leavable() loop.Outcome {
	o := ok()
	o.Usage, o.BilledTo, o.Denied = &loop.Usage{Input: 9000, CostUSD: 0.42}, "api_key", []string{"WebFetch"}
	o.Changes = &loop.Changes{Modified: 3, Commits: 1}
	return o
}

func TestTheCardThatSaysWhetherToLeave(t *testing.T) {
	tests := []struct {
		name   string
		limits loop.Limits
		width  int
		colour bool
		want   string
	}{
		{"with limits", loop.Limits{Iterations: 20, CostUSD: 10}, 80, false, `
Safe to leave: yes
  agent       3 files edited, commands run, 1 commit made
  denied      WebFetch
  proof       no gates: a claim will be unproven
  billed to   your API key
  pace        about $0.42 and 6m11s an iteration; at this rate $8.40 and 2h03m
              for all 20
  ends        at the latest after 20 iterations or $10.00
`},
		{"without", loop.Limits{Failures: 3}, 60, false, `
Safe to leave: not yet
  why not     nothing limits its cost (refrain raise
              budget.cost_usd=9)
  agent       3 files edited, commands run, 1 commit made
  denied      WebFetch
  proof       no gates: a claim will be unproven
  billed to   your API key
  pace        about $0.42 and 6m11s an iteration; at this
              rate $4.08 an hour
  ends        without a limit: only when done, or after 3
              failures in a row
`},
		{"narrow, in colour", loop.Limits{Iterations: 2}, 40, true, `
{1}Safe to leave: {0}{32}yes{0}
{2}  agent       {0}3 files edited, commands
              run, 1 commit made
{2}  denied      {0}WebFetch
{2}  proof       {0}no gates: a claim will be
              unproven
{2}  billed to   {0}your API key
{2}  pace        {0}about $0.42 and 6m11s an
              iteration; at this rate
              $0.84 and 12m22s for all 2
{2}  ends        {0}at the latest after 2
              iterations
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := firstOf(tt.limits, leavable())
			want := strings.NewReplacer("{0}", "\x1b[0m", "{1}", "\x1b[1m", "{2}", "\x1b[2m", "{32}", "\x1b[32m").Replace(strings.TrimPrefix(tt.want, "\n"))
			if diff := cmp.Diff(want, Leave(s.run(), at(s, tt.width, tt.colour))); diff != "" {
				t.Errorf("card (-want +got):\n%s", diff)
			}
		})
	}
	if got := Leave(view.New(), Options{}); got != "" {
		t.Errorf("before a run the card is %q, want none", got)
	}
}

func TestPlainSaysOnceWhetherToLeave(t *testing.T) {
	var b strings.Builder
	firstOf(loop.Limits{Iterations: 20}, leavable()).iteration(second, 20, leavable()).show(Plain(&b, view.New()))
	want := `[22:00:00] Starting build-7 (max 20 iterations)
[22:00:00] Iteration 1/20 starting...
[22:06:11] Iteration 1/20 completed in 6m11s
[22:06:11] Safe to leave: yes
[22:06:11]   agent       3 files edited, commands run, 1 commit made
[22:06:11]   denied      WebFetch
[22:06:11]   proof       no gates: a claim will be unproven
[22:06:11]   billed to   your API key
[22:06:11]   pace        about $0.42 and 6m11s an iteration; at this rate $8.40 and 2h03m for all 20
[22:06:11]   ends        at the latest after 20 iterations
[22:06:11] Iteration 2/20 starting...
[22:06:12] Iteration 2/20 completed in 1.0s
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestNobodyAsksWhetherToLeaveARunThatIsOver(t *testing.T) {
	started := build(loop.Limits{Iterations: 1})
	started.Prompt = "Build the wheel"
	over := begin(10, 0).tell(started).in(1, 1, &loop.IterationStarted{Max: 1}).
		in(1, 1, &loop.IterationFinished{Outcome: ok(), Verdict: loop.Verdict{Action: loop.Stop}})
	held := begin(10, 0).tell(started).in(1, 1, &loop.IterationStarted{Max: 1}).
		in(1, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.Limited}})
	for name, s := range map[string]*story{
		"its only iteration": over, "an attempt that did not count": held, "a command": begin(10, 0).tell(build(loop.Limits{})).iteration(second, 0, ok()),
	} {
		var plain, quiet strings.Builder
		s.show(Plain(&plain, view.New()))
		firstOf(loop.Limits{}, leavable()).show(Quiet(&quiet, view.New()))
		if strings.Contains(plain.String()+quiet.String(), "Safe to leave") {
			t.Errorf("after %s:\n%s%s", name, plain.String(), quiet.String())
		}
	}
}
