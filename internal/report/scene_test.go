package report

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// scene plays a run: its events go to a collector and to a view, as they would
// from a journal.
type scene struct {
	now   time.Time
	seq   int64
	place place
	state loop.State
	run   *view.Run
	all   Collector
	texts Sources
}

func begin(p *loop.RunStarted) *scene {
	s := &scene{now: time.Date(2026, 3, 14, 22, 4, 0, 0, time.UTC), run: view.New()}
	return s.tell(p)
}

// tell says that something happens now.
func (s *scene) tell(list ...loop.Payload) *scene {
	for _, p := range list {
		s.seq++
		e := loop.Event{Seq: s.seq, Time: s.now, Run: "loop_1", Iter: s.place.iter, Attempt: s.place.attempt, Payload: p}
		s.state = s.state.Sum(e)
		if f, ok := p.(*loop.IterationFinished); ok {
			f.State = s.state
		}
		s.run.Apply(e)
		s.all.Add(e)
	}
	return s
}

func (s *scene) after(d time.Duration) *scene {
	s.now = s.now.Add(d)
	return s
}

// attempt plays one, gates included.
func (s *scene) attempt(o loop.Outcome, v loop.Verdict, said ...loop.Payload) *scene {
	s.place = place{s.state.Next(), s.state.Attempts + 1}
	s.tell(&loop.IterationStarted{Max: s.state.Limits.Iterations}, &loop.IterationPhase{Phase: loop.Executing})
	s.after(o.Duration.Duration())
	if len(o.Gates) > 0 {
		s.tell(&loop.IterationPhase{Phase: loop.Gates})
		for _, g := range o.Gates {
			s.tell(&loop.GateStarted{Name: g.Name, Where: g.Where}).after(g.Duration.Duration()).tell(&loop.GateFinished{Gate: g})
		}
	}
	s.tell(said...)
	o.EndedAt = s.now
	s.tell(&loop.IterationFinished{Outcome: o, Verdict: v})
	s.place = place{}
	return s
}

func (s *scene) wait(rule, why string, d time.Duration) *scene {
	return s.tell(&loop.RunWaiting{Rule: rule, Why: why, Agent: "claude", For: loop.Millis(d), Until: s.now.Add(d)}).after(d)
}

// prove ends a run as done.
func (s *scene) prove(p *loop.Proof) *scene {
	return s.tell(&loop.RunFinished{
		State: loop.Done, Reason: loop.ByPromise, Why: "it said so", Proven: p.Level == loop.LevelProven, Proof: p,
		Totals: loop.Totals{Files: 9}, Net: &loop.Changes{Modified: 3},
	})
}

func (s *scene) finish(state loop.Status, reason loop.Reason, why string, proven bool) *scene {
	return s.tell(&loop.RunFinished{State: state, Reason: reason, Why: why, Proven: proven, Elapsed: s.state.Live, Totals: s.state.Totals})
}

func (s *scene) data() *Data {
	d := s.all.Data(s.run, s.now)
	d.Fill(s.texts)
	return d
}

// saying has diffs and transcripts in which the same line stands again and again.
func saying(line string, times int) Sources {
	diff := func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1,%[2]d +1,%[2]d @@ %[1]s\n%[3]s%[4]s", line, times, strings.Repeat("-"+line+"\n", times), strings.Repeat("+"+line+"\n", times))
		return err
	}
	return Sources{
		Net:  diff,
		Diff: func(w io.Writer, _, _ int) error { return diff(w) },
		Transcript: func(w io.Writer, iter, _ int) error {
			_, err := io.WriteString(w, strings.Repeat(fmt.Sprintf("%d\t%s\n", iter, line), times))
			return err
		},
	}
}

var goOn = loop.Verdict{Action: loop.Continue}

func ok(d time.Duration) loop.Outcome {
	zero, progress := 0, true
	return loop.Outcome{
		Result: loop.OK, Duration: loop.Millis(d), Exit: &loop.Exit{Code: &zero, Cause: loop.Exited},
		Work: loop.Work{Progress: &progress, ProgressBy: []loop.ProgressBy{loop.InFiles}}, Worker: loop.Worker{Agent: "claude"},
	}
}

// night is a long run with everything that a report tells: limits, a crash, a
// pause, reboots, refused claims, and a proof at the end.
func night() *scene {
	dice := rand.New(rand.NewPCG(7, 7))
	s := begin(&loop.RunStarted{
		Name: "build-7", Dir: "/home/ada/tide/.git/refrain/runs/build-7", Procedure: "build", Version: "1.4.0", Agent: "claude", Model: "opus",
		Limits:  loop.Limits{Iterations: 60, Time: loop.Millis(10 * time.Hour), CostUSD: 25, Failures: 3, NoProgress: 5, RedGates: 8, TestFailures: 8, Redline: 85},
		Promise: "ALL TIDES PREDICTED", Branch: "loop/20260314-220400", Prompt: "Study @specs/* and IMPLEMENTATION_PLAN.md, pick the most important open task, build it, test it.",
	})
	s.texts = saying("	the tide comes in, and goes out again, as it was predicted for the harbour of Dover in the year to come", 12)
	s.tell(&loop.GateStarted{Name: "test", Where: loop.InWorkspace}).after(40 * time.Second).tell(&loop.RunBaseline{Proof: loop.InClean})
	total, passed := 96, 21
	for i := 1; i <= 34; i++ {
		total += dice.IntN(7)
		passed = min(total-1, passed+dice.IntN(9))
		if i == 34 {
			passed = total
		}
		o := ok(time.Duration(150+dice.IntN(900)) * time.Second)
		verdict := goOn
		now := passed
		if i == 12 || i == 13 {
			now -= 20 // it breaks what worked
		}
		o.Tests = &loop.Tests{Framework: "go", Total: total, Passed: now, Failed: total - now}
		test := loop.Gate{Name: "test", OK: now == total, Tests: total, Where: loop.InWorkspace, Duration: loop.Millis(time.Duration(50+dice.IntN(90)) * time.Second)}
		if !test.OK {
			test.Why = fmt.Sprintf("%d of %d tests", total-now, total)
			test.Known = now == passed
		}
		lint := loop.Gate{Name: "lint", OK: i%9 != 4, Where: loop.InWorkspace, Duration: loop.Millis(7 * time.Second)}
		if !lint.OK {
			lint.Why = "exit 1: unused variable in internal/tide/harmonic.go"
		}
		o.Gates = []loop.Gate{test, lint}
		if o.Red() {
			o.Result = loop.Failed
		}
		o.Usage = &loop.Usage{Input: 4000 + dice.IntN(30000), Output: 900 + dice.IntN(9000), CacheRead: dice.IntN(900000), CostUSD: 0.2 + dice.Float64()*0.9, CostEstimated: i > 20, ContextPercent: 24 + dice.IntN(66), Turns: 12}
		o.Changes = &loop.Changes{Created: 1, Modified: 1 + dice.IntN(4), LinesAdded: 20 + dice.IntN(300), LinesRemoved: dice.IntN(120), Commits: i % 2}
		o.Changes.Paths = []loop.PathChange{{Path: fmt.Sprintf("internal/tide/harmonic_%02d.go", i), Change: "created"}, {Path: "IMPLEMENTATION_PLAN.md", Change: "modified"}}
		if i%6 == 0 {
			o.Changes.Deleted = 1
			o.Changes.Paths = append(o.Changes.Paths, loop.PathChange{Path: "internal/tide/old.go", Change: "deleted"}, loop.PathChange{Path: "internal/tide/station.go", From: "internal/tide/harbour.go", Change: "renamed"})
		}
		o.Summary = fmt.Sprintf("Added constituent %d and its tests; the phase of M%d is still off by a minute.", i, i%8)
		var said []loop.Payload
		switch i {
		case 9:
			limited := loop.Outcome{Result: loop.Limited, Duration: loop.Millis(8 * time.Second), Limit: &loop.Limit{Kind: "five_hour", Until: s.now.Add(70 * time.Minute)}, Worker: loop.Worker{Agent: "claude"}}
			s.attempt(limited, loop.Verdict{Action: loop.Wait, Rule: "limit", Why: "usage limit (five_hour)"}).wait("limit", "usage limit (five_hour)", 71*time.Minute)
		case 15:
			o.Result, o.Gates, o.Tests, o.Changes = loop.TimedOut, nil, nil, nil
			o.Exit = &loop.Exit{Signal: "KILL", Cause: loop.AtDeadline}
			o.Duration = loop.Millis(30 * time.Minute)
		case 16, 17:
			one := 1
			o.Result, o.Gates, o.Tests = loop.Failed, nil, nil
			o.Exit = &loop.Exit{Code: &one, Cause: loop.Exited}
			o.Error = &loop.AgentError{Kind: loop.ErrAgent, Message: "API Error: the response ended early"}
			verdict = loop.Verdict{Action: loop.Wait, Rule: "backoff", Why: "back-off after failure"}
		case 19, 27, 31:
			why := fmt.Sprintf("gate test failed (%d of %d tests)", total-now, total)
			if i == 27 {
				why = "it had deleted 3 tests: gate test ran 93 tests, and 96 before"
			}
			o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "ALL TIDES PREDICTED", By: loop.ByPromise, Why: why}
			said = append(said, &loop.ClaimRefused{Kind: loop.ClaimDone, Text: o.Claim.Text, Why: why})
		case 22:
			said = append(said, &loop.ClaimRefused{Kind: loop.ClaimDone, Why: "the tag was inside backticks", NearMiss: true})
		case 23:
			s.tell(&loop.RunPaused{}).after(35 * time.Minute).tell(&loop.RunUnpaused{})
		case 25:
			s.tell(&loop.RunRebootStarted{Why: "88% of the context is full (redline 85%)"}).after(90 * time.Second).tell(&loop.RunRebootFinished{Reboots: 1})
		case 28:
			s.after(48 * time.Hour).tell(&loop.RunResumed{From: loop.Running, Version: "1.4.0", Agent: "claude", Model: "opus", Limits: s.state.Limits, Counting: s.state.Counting})
		case 34:
			for j := range o.Gates {
				o.Gates[j].OK, o.Gates[j].Why, o.Gates[j].Where = true, "", loop.InClean
			}
			o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "ALL TIDES PREDICTED", By: loop.ByPromise, Proven: true}
			verdict = loop.Verdict{Action: loop.Stop, Rule: "done", State: loop.Done, Reason: loop.ByPromise, Why: `promise "ALL TIDES PREDICTED" found, and every gate passed`, Proven: true}
		}
		s.attempt(o, verdict, said...)
		if verdict.Rule == "backoff" {
			s.wait("backoff", "back-off after failure 1 in a row", time.Second)
		}
	}
	s.tell(&loop.Warning{Text: "80% of the cost budget is used", Hint: "raise it with: refrain resume build-7 --max-cost 50", Key: "budget.cost"})
	return s.finish(loop.Done, loop.ByPromise, `the agent kept its promise "ALL TIDES PREDICTED", and the gates test and lint passed in a clean checkout`, true)
}

// marathon is a run of n short iterations, one in ten of them a failure.
func marathon(n int) *scene {
	s := begin(&loop.RunStarted{Name: "run-1", Procedure: "run", Agent: "command"})
	for i := range n {
		o := ok(time.Duration(1+i%7) * time.Second)
		if i%10 == 3 {
			one := 1
			o.Result, o.Exit = loop.Failed, &loop.Exit{Code: &one, Cause: loop.Exited}
		}
		s.attempt(o, goOn)
	}
	return s.finish(loop.Stopped, loop.ByRequest, "you asked for it", false)
}

func written(t testing.TB, d *Data) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Where the browser's tests, a module of their own, want pages to look at, one is
// written for each kind of run. All of them can be written anyway.
func TestPagesForTheBrowser(t *testing.T) {
	folder := os.Getenv("REFRAIN_REPORT_PAGES")
	if folder == "" {
		folder = t.TempDir()
	}
	var none Collector
	for name, data := range map[string]*Data{
		"night": night().data(), "empty": none.Data(view.New(), time.Now()), "one": marathon(1).data(),
		"marathon": marathon(5000).data(), "hostile": hostile(attack).data(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name+".html"), []byte(written(t, data)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
