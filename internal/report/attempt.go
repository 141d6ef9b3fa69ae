package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// attempt is what is listed of one attempt.
type attempt struct {
	place
	result   loop.Result
	took     time.Duration
	tests    *loop.Tests // counts only
	gates    []loop.Gate
	progress string
	usage    loop.Usage
	changes  *loop.Changes
	remark   string // what came of it
	summary  string // what it said of itself
	refused  bool   // its claim was
	notable  bool
}

// mostPaths is how many of its changed files an attempt is listed with.
const mostPaths = 100

func attemptOf(e loop.Event, p *loop.IterationFinished, restored string) attempt {
	o := &p.Outcome
	a := attempt{
		place: place{e.Iter, e.Attempt}, result: o.Result, took: o.Duration.Duration(),
		gates: o.Gates, progress: progress(o), changes: fewPaths(o.Changes),
		remark:  view.Fit(remark(o, p.Verdict, restored), mostText),
		summary: view.Fit(o.Summary, mostText),
		refused: o.Claim.Refused(),
		notable: o.Result != loop.OK || o.Claim != nil || p.Verdict.Action != loop.Continue || restored != "",
	}
	if t := o.Tests; t != nil {
		a.tests = &loop.Tests{Passed: t.Passed, Failed: t.Failed, Skipped: t.Skipped}
	}
	if o.Usage != nil {
		a.usage = *o.Usage
	}
	return a
}

// fewPaths drops what is not listed, so that it need not be kept.
func fewPaths(c *loop.Changes) *loop.Changes {
	if c == nil {
		return nil
	}
	few := *c
	few.Paths = append([]loop.PathChange(nil), c.Paths[:min(len(c.Paths), mostPaths)]...)
	return &few
}

// progress is what moved the work on.
func progress(o *loop.Outcome) string {
	switch {
	case o.Progress == nil:
		return ""
	case !*o.Progress:
		return "none"
	}
	var by []string
	for _, s := range o.ProgressBy {
		by = append(by, string(s))
	}
	return view.Names(by, 4)
}

// remark says in one sentence what came of an attempt: what the runner found,
// what went wrong, and what that led to.
func remark(o *loop.Outcome, v loop.Verdict, restored string) string {
	var said []string
	if found := claimed(o); found != "" {
		said = append(said, found)
	} else if red := redGates(o); red != "" {
		said = append(said, red)
	}
	if wrong := trouble(o); wrong != "" && !strings.Contains(v.Why, wrong) {
		said = append(said, wrong)
	}
	if restored != "" {
		said = append(said, "undone: "+restored)
	}
	switch v.Action {
	case loop.Wait, loop.Reboot, loop.Stop:
		then := string(v.Action)
		if v.Why != "" {
			then += ": " + v.Why
		}
		said = append(said, then)
	}
	return strings.Join(said, "; ")
}

func claimed(o *loop.Outcome) string {
	switch c := o.Claim; {
	case c == nil:
		return ""
	case c.Refused():
		return fmt.Sprintf("claimed %s, refused: %s", c.Kind, c.Why)
	case c.Kind == loop.ClaimBlocked:
		return "said it is blocked: " + c.Text
	default:
		return fmt.Sprintf("claimed %s, %s", c.Kind, view.LevelWords(view.Level(view.ClaimProof(o))))
	}
}

func redGates(o *loop.Outcome) string {
	var said []string
	for _, g := range o.Gates {
		if !g.OK && !g.Known {
			said = append(said, g.Name+" "+view.Gate(g))
		}
	}
	return strings.Join(said, ", ")
}

// trouble is what the agent, its provider or its process ran into.
func trouble(o *loop.Outcome) string {
	switch {
	case o.Limit != nil:
		return fmt.Sprintf("usage limit (%s)", o.Limit.Kind)
	case o.Error != nil && o.Error.Message != "" && o.Error.Kind == loop.ErrAgent:
		return o.Error.Message
	case o.Error != nil && o.Error.Message != "":
		return text.Words(string(o.Error.Kind)) + ": " + o.Error.Message
	case o.Error != nil:
		return text.Words(string(o.Error.Kind))
	case o.Hook != nil:
		return fmt.Sprintf("the %s hook exited with status %d: %s", o.Hook.Point, o.Hook.Exit, o.Hook.Why)
	case o.Exit == nil:
		return ""
	case o.Exit.Signal != "":
		return "ended by signal " + o.Exit.Signal
	case o.Exit.Code != nil && *o.Exit.Code != 0:
		return fmt.Sprintf("exit status %d", *o.Exit.Code)
	}
	return ""
}
