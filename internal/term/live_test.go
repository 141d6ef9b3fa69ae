package term

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// at gives options of a screen, at the time that the story has reached.
func at(s *story, width int, colour bool) Options {
	return Options{Width: func() int { return width }, Color: colour, Now: func() time.Time { return s.now }}
}

func longStory() *story {
	started := build(loop.Limits{Iterations: 5, Failures: 3, CostUSD: 4, Tokens: 1000000, Time: loop.Millis(time.Hour)})
	started.Model, started.Prompt = "large", "Fix the\nbuild"
	s := begin(10, 0).tell(started).
		in(1, 1, &loop.IterationStarted{Max: 5}, &loop.IterationPhase{Phase: loop.Executing}).
		in(1, 1, &loop.AgentText{Text: "I will \x1b[2Jrun the tests.\r\nThen I fix them.\n"}).
		in(1, 1, &loop.AgentTool{Name: "Bash", Input: "go test ./...", Shell: true}).
		in(1, 1, &loop.AgentTool{Name: "Grep"}).
		in(1, 1, &loop.AgentToolResult{Name: "Bash", Output: "FAIL"}).
		in(1, 1, &loop.AgentUsage{Usage: loop.Usage{Input: 12000, Output: 340, CostUSD: 0.42, ContextPercent: 31}}).
		after(63*second).
		in(1, 1, &loop.AgentText{Text: "A long story", Cut: true}).
		in(1, 1, &loop.ClaimRefused{Text: "DONE", Why: "gate test failed"}).
		in(1, 1, &loop.TestsSeen{Tests: loop.Tests{Framework: "go", Total: 12, Passed: 11, Failed: 1}}).
		in(1, 1, &loop.IterationPhase{Phase: loop.Gates}).
		in(1, 1, &loop.GateStarted{Name: "lint", Where: loop.InWorkspace}, &loop.GateFinished{Gate: passing("lint", 0)}).
		in(1, 1, &loop.GateStarted{Name: "test", Where: loop.InClean}, &loop.GateFinished{Gate: loop.Gate{Name: "test", Why: "3 of 12 tests", Where: loop.InClean}})
	failed := loop.Outcome{
		Result: loop.Failed, Exit: exited(0), Gates: []loop.Gate{passing("lint", 0), failing("test", "3 of 12 tests")}, Tests: &loop.Tests{Total: 12, Passed: 9, Failed: 3},
		Usage: &loop.Usage{Input: 12000, Output: 340, CostUSD: 0.42}, Duration: loop.Millis(63 * second), Denied: []string{"WebFetch"},
	}
	return s.in(1, 1, &loop.IterationFinished{Outcome: failed}).
		tell(&loop.RunWaiting{Why: "back-off", For: loop.Millis(2 * second), Until: s.now.Add(2 * second)}).
		after(2*second).
		iteration(second, 5, ok()).
		tell(finished(loop.Done, loop.ByPromise, `promise "DONE" found (claimed, unproven: no gates are set)`))
}

func TestLiveScreen(t *testing.T) {
	s := longStory()
	screen := newScreen(t, 80)
	s.show(Auto(screen, view.New(), at(s, 80, false)))
	want := `refrain build-7: claude (large) · max 5 iterations · at most 1h00m · at most
$4.00 · at most 1,000,000 tokens · until "DONE"
prompt: Fix the build

Iteration 1/5
I will run the tests.
Then I fix them.
Bash  go test ./...
Grep
A long story
(cut here; the raw transcript has the whole text)
Claim refused: gate test failed
11 of 12 tests passed (go)
gate lint passed (0.9s)
gate test failed (3 of 12 tests), in a clean checkout
Iteration 1/5 completed in 1m03s
WARNING: Gates failed: test (3 of 12 tests), red iterations: 1

Safe to leave: not yet
  why not     gates are red: test (3 of 12 tests) (refrain show build-7/1)
  agent       commands run
  denied      WebFetch
  proof       gates run, but do not judge claims: a claim will be unproven
  pace        about $0.42 and 1m03s an iteration; at this rate $2.10 and 5m15s
              for all 5
  ends        at the latest after 5 iterations, 1h00m, $4.00 or 1,000,000 tokens
Waiting 2s: back-off (until 10:01:05)

Iteration 2/5
Iteration 2/5 completed in 1.0s

build-7: done, unproven
  why         promise "DONE" found (claimed, unproven: no gates are set)
  proof       none: nothing but the agent's word stands behind it
  refused     iteration 1: claimed done, but gate test failed; sent back
  iterations  2 of 5 (1 ok, 1 failed), 32.0s ± 43.8s each
  time        1m06s
  cost        $0.42, 12,340 tokens
  agent       claude (large), until "DONE"
  started     2026-11-03 10:00:00, ended 10:01:06
  next        refrain show build-7  # how it went
`
	if diff := cmp.Diff(want, screen.String()); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
}

func TestLinesAreThoseOfThePlainLogWithTheAgentBetweenThem(t *testing.T) {
	s := longStory()
	screen := newScreen(t, 300)
	s.show(Lines(screen, view.New(), at(s, 300, false)))
	var plain strings.Builder
	longStory().show(Plain(&plain, view.New()))
	own := regexp.MustCompile(`(?m)^\[\d\d:\d\d:\d\d\] .*\n`)
	if diff := cmp.Diff(plain.String(), strings.Join(own.FindAllString(screen.String(), -1), "")); diff != "" {
		t.Errorf("the lines of the runner (-plain +lines):\n%s", diff)
	}
	want := "I will run the tests.\nThen I fix them.\nBash  go test ./...\nGrep\nA long story\n(cut here; the raw transcript has the whole text)\n11 of 12 tests passed (go)\n"
	if said := own.ReplaceAllString(screen.String(), ""); said != want {
		t.Errorf("between them stands\n%s\nwant what the agent said and did:\n%s", said, want)
	}
	if !strings.HasPrefix(screen.String(), "[10:00:00] Starting build-7 (max 5 iterations)\n[10:00:00] Iteration 1/5 starting...\nI will") {
		t.Errorf("it begins with\n%s", screen)
	}
}

// statusRow finds the beginning of a status line; no other row begins so.
var statusRow = regexp.MustCompile(`(?m)^(iteration \d|running|waiting)`)

func TestTheStatusLineIsNeverLeftBehind(t *testing.T) {
	t.Run("pictured", func(t *testing.T) { neverLeftBehind(t, Auto) })
	t.Run("in lines", func(t *testing.T) { neverLeftBehind(t, Lines) })
}

func neverLeftBehind(t *testing.T, output func(io.Writer, *view.Run, Options) Output) {
	for _, width := range []int{0, 10, 19, 20, 21, 40, 80, 300} {
		for _, colour := range []bool{false, true} {
			s := longStory()
			screen := newScreen(t, max(width, 1))
			shown := false
			screen.after = func() {
				if statusRow.MatchString(screen.past()) {
					t.Fatalf("width %d: the status line is among the text:\n%s", width, screen)
				}
				if w := ansi.StringWidth(screen.bottom()); w >= max(width, 1) {
					t.Fatalf("width %d: the status line is %d cells wide: %q", width, w, screen.bottom())
				}
				shown = shown || statusRow.MatchString(screen.bottom())
			}
			s.show(output(screen, view.New(), at(s, width, colour)))
			if screen.bottom() != "" {
				t.Errorf("width %d: after the end the bottom line is %q", width, screen.bottom())
			}
			if shown != (width >= narrowest) {
				t.Errorf("width %d: status line shown is %v", width, shown)
			}
		}
	}
}

func TestWithoutColourThereAreNoColours(t *testing.T) {
	s := longStory()
	var b strings.Builder
	s.show(Auto(&b, view.New(), at(s, 80, false)))
	if rest := strings.ReplaceAll(b.String(), eraseLine, ""); strings.Contains(rest, "\x1b") {
		t.Errorf("an escape was sent: %q", rest)
	}
}

func TestWithColourWarningsStandOut(t *testing.T) {
	s := longStory()
	var b strings.Builder
	s.show(Auto(&b, view.New(), at(s, 80, true)))
	for _, want := range []string{
		"\x1b[2mBash  go test ./...\x1b[0m\n",
		"\x1b[33mClaim refused: gate test failed\x1b[0m\n",
		"\x1b[1mIteration 1/5\x1b[0m\n",
		"\x1b[2m11 of 12 tests passed (go)\x1b[0m\n",
		"\x1b[2m✓ lint 0.9s\x1b[0m\n",
		"\x1b[31m✗ test 3 of 12 tests, in a clean checkout\x1b[0m\n",
		"\x1b[33mdone, unproven\x1b[0m\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in %q", want, b.String())
		}
	}
}

func TestTheStatusLineTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen := newScreen(t, 80)
		out := Auto(screen, view.New(), Options{Width: func() int { return 80 }, Now: time.Now})
		time.Sleep(3 * time.Second)
		if screen.String() != "\n" {
			t.Errorf("before the run the screen was written to: %q", screen)
		}
		event := func(p loop.Payload) { out.Observe(loop.Event{Time: time.Now(), Iter: 2, Attempt: 1, Payload: p}) }
		event(build(loop.Limits{Iterations: 5}))
		event(&loop.IterationStarted{Max: 5})
		event(&loop.AgentUsage{Usage: loop.Usage{Input: 12340, CostUSD: 0.42, ContextPercent: 31}})
		for _, want := range []string{
			"iteration 2/5 · 1s · 12,340 tokens · $0.42 · context 31%",
			"iteration 2/5 · 2s · 12,340 tokens · $0.42 · context 31%",
		} {
			time.Sleep(time.Second)
			synctest.Wait()
			if screen.bottom() != want {
				t.Errorf("status line %q, want %q", screen.bottom(), want)
			}
		}
		event(&loop.IterationPhase{Phase: loop.Gates})
		event(&loop.GateFinished{Gate: passing("lint", 0)})
		event(&loop.GateStarted{Name: "test", Where: loop.InClean})
		if want := "iteration 2/5, gate test in a clean checkout · 2s · 12,340 tokens · $0.42 · con…"; screen.bottom() != view.Fit(want, 79) {
			t.Errorf("status line %q, want %q", screen.bottom(), want)
		}
		event(&loop.GateFinished{Gate: failing("test", "exit 1")})
		if want := "iteration 2/5, gates · 2s · 12,340 tokens · $0.42 · context 31% · gate test failed"; screen.bottom() != view.Fit(want, 79) {
			t.Errorf("status line %q, want %q", screen.bottom(), want)
		}
		event(&loop.IterationFinished{State: loop.State{Limits: loop.Limits{Iterations: 5}, At: time.Now()}})
		until := time.Now().Add(time.Hour)
		wait := &loop.RunWaiting{Rule: "limit", Agent: "claude", Why: "usage limit (weekly)", For: loop.Millis(time.Hour), Until: until}
		event(wait)
		rows := screen.past()
		for _, want := range []string{"59m59s", "59m58s", "59m57s"} {
			time.Sleep(time.Second)
			synctest.Wait()
			if want = fmt.Sprintf("waiting %s for usage limit (weekly), until %s · Ctrl+C stops", want, until.Local().Format("15:04")); screen.bottom() != want {
				t.Errorf("status line %q, want %q", screen.bottom(), want)
			}
		}
		event(wait) // it woke, looked, and waits on
		if past := screen.past(); past != rows {
			t.Errorf("counting down wrote more than the status line:\n%s\nbefore:\n%s", past, rows)
		}
		event(&loop.RunPaused{})
		if want := "iteration 2/5, paused · 3s · refrain resume goes on"; screen.bottom() != want {
			t.Errorf("status line %q, want %q", screen.bottom(), want)
		}
		event(&loop.RunUnpaused{})
		event(&loop.RunRebootStarted{Why: "the context is full"})
		if want := "iteration 2/5, rebooting · 3s"; screen.bottom() != want {
			t.Errorf("status line %q, want %q", screen.bottom(), want)
		}
		event(&loop.IterationStarted{Max: 5})

		out.Close()
		out.Close()
		if screen.bottom() != "" {
			t.Errorf("after closing the bottom line is %q", screen.bottom())
		}
		if !strings.HasSuffix(screen.past(), "WARNING: Iteration 2/5 ended without an outcome") {
			t.Errorf("closing did not end the iteration:\n%s", screen)
		}
	})
}

func TestToolLinesFit(t *testing.T) {
	tool := &loop.AgentTool{Name: "Bash", Input: strings.Repeat("世", 200)}
	for _, width := range []int{0, 1, 2, 3, 10, 80, 500} {
		got := strings.TrimSuffix(toolLine(tool, Options{Width: func() int { return width }}), "\n")
		most := widestTool
		if width > 0 {
			most = min(most, width-1)
		}
		if w := ansi.StringWidth(got); w > most {
			t.Errorf("at width %d the tool line is %d cells: %q", width, w, got)
		}
	}
}

func TestABriefEnd(t *testing.T) {
	screenOf := func(end *loop.RunFinished) string {
		s := begin(10, 0).tell(build(loop.Limits{})).tell(end)
		opt := at(s, 80, false)
		opt.Brief = true
		screen := newScreen(t, 80)
		s.show(Auto(screen, view.New(), opt))
		return screen.String()
	}
	if got, want := screenOf(finished(loop.Done, loop.ByPromise, "why")), "\nbuild-7: done after 0 iterations, 0s\n"; !strings.HasSuffix(got, want) {
		t.Errorf("of a run that is done:\n%s", got)
	}
	if got := screenOf(finished(loop.Aborted, loop.ByBlocked, "why")); !strings.Contains(got, "  next ") {
		t.Errorf("any other has its card:\n%s", got)
	}
}

func TestAGateThatRunsTwiceOnOneTree(t *testing.T) {
	gate := passing("test", 0)
	gate.Tree, gate.Where = "cd8abae4", loop.InClean
	other := gate
	other.Tree = "11111111"
	s := begin(10, 0).tell(build(loop.Limits{})).in(1, 1, &loop.IterationStarted{})
	for _, g := range []loop.Gate{gate, gate, other} {
		s = s.in(1, 1, &loop.GateFinished{Gate: g})
	}
	s = s.in(2, 1, &loop.IterationStarted{}).in(2, 1, &loop.GateFinished{Gate: other})
	screen := newScreen(t, 80)
	s.show(Auto(screen, view.New(), at(s, 80, false)))
	if got := strings.Count(screen.String(), "gate test passed"); got != 4 {
		t.Errorf("told %d times:\n%s", got, screen.String())
	}
	if got := strings.Count(screen.String(), ", in a clean checkout, once more\n"); got != 1 {
		t.Errorf("once more %d times, want once:\n%s", got, screen.String())
	}
}
