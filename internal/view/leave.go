package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Leave says whether a run can be left alone, and on what grounds. Its JSON
// names are a promise to scripts; the texts are for people.
type Leave struct {
	Safe    bool     `json:"safe"`
	Missing []string `json:"missing,omitempty"`   // what speaks against it, and what to do about it
	Did     string   `json:"did,omitempty"`       // what the agent did, and so may do
	Denied  []string `json:"denied,omitempty"`    // tools that it was not allowed to use
	Red     []string `json:"red,omitempty"`       // gates that were red before the run, and still are
	Sandbox string   `json:"sandbox,omitempty"`   // what confines it; left out when that is not known
	Proof   string   `json:"proof"`               // what becomes of a claim
	Billed  string   `json:"billed_to,omitempty"` // left out when it is not known
	Pace    string   `json:"pace"`                // cost and time so far, and what that comes to
	Ends    string   `json:"ends"`                // what ends the run at the latest
}

// Leave weighs what is known after the first iteration of an agent. It is nil
// before that, when the run is over, and for a command without a prompt, which
// is no agent.
func (r *Run) Leave() *Leave {
	if r.Prompt == "" || r.Outcome == nil || r.Sum.Durations.N == 0 || r.State.Ended() {
		return nil
	}
	_, red := redGates(r.Outcome)
	l := &Leave{
		Missing: missing(r), Did: did(r), Denied: r.Outcome.Denied, Red: red, Sandbox: r.Sandbox(), Proof: claimsAre(r),
		Billed: Billed(r.Outcome.BilledTo), Pace: pace(r), Ends: endsWhen(r),
	}
	l.Safe = len(l.Missing) == 0
	return l
}

// Verdict is the answer in one line.
func (l *Leave) Verdict() string {
	if l.Safe {
		return "yes"
	}
	return "not yet"
}

// Grounds are what the answer rests on, each with its label; what speaks against it
// comes first. What is not known has no text.
func (l *Leave) Grounds() []Ground {
	var list []Ground
	for i, why := range l.Missing {
		label := "why not"
		if i > 0 {
			label = ""
		}
		list = append(list, Ground{label, why})
	}
	return append(list,
		Ground{"agent", l.Did},
		Ground{"sandbox", l.Sandbox},
		Ground{"denied", Names(l.Denied, FewNames)},
		Ground{"still red", Names(l.Red, FewNames)},
		Ground{"proof", l.Proof},
		Ground{"billed to", l.Billed},
		Ground{"pace", l.Pace},
		Ground{"ends", l.Ends},
	)
}

// Ground is one of them.
type Ground struct{ Label, Text string }

// facts are the answer as lines; none where there is no answer.
func (l *Leave) facts() []Fact {
	if l == nil {
		return nil
	}
	facts := one(Leaving, "Safe to leave: %s", l.Verdict())
	for _, g := range l.Grounds() {
		if g.Text != "" {
			facts = append(facts, Fact{Kind: Leaving, Text: fmt.Sprintf("  %-12s%s", g.Label, text.Line(g.Text))})
		}
	}
	return facts
}

// missing is what a person should see to first.
func missing(r *Run) []string {
	var list []string
	iteration := fmt.Sprintf("%s/%d", r.Name, r.Sum.Totals.Iterations)
	o, totals := r.Outcome, r.Sum.Totals
	switch {
	case AgentFailed(o) || o.Result == loop.TimedOut || o.Result == loop.Idle:
		list = append(list, "the last iteration failed (refrain show "+iteration+")")
	case totals.Files == 0 && totals.Commits == 0 && o.Progress != nil && !*o.Progress:
		list = append(list, "nothing has changed so far (refrain logs "+iteration+")")
	}
	list = append(list, leftWorse(r, iteration)...)
	if why, ok := r.Sum.Sandbox.Unconfined(); ok {
		list = append(list, text.Line(why))
	}
	if slices.Contains(r.Sum.WarnedKeys, loop.LostGitKey) {
		list = append(list, "the .git that it began with is gone, or another one: look at that before you run git here")
	}
	if r.seen.trouble != "" {
		list = append(list, r.seen.trouble)
	}
	if r.seen.asks {
		list = append(list, "it asks you before it goes on, and waits for the answer: set ask.timeout, or start it without --ask")
	}
	if r.Sum.Proof == loop.InClean && !r.Sum.SetUp {
		list = append(list, "the clean checkout could not be set up, and without it no claim can be proven (refrain check)")
	}
	switch limits := r.Limits; {
	case limits.Iterations > 0 || limits.Time > 0 || limits.CostUSD > 0 || limits.Tokens > 0:
	case totals.CostUSD > 0 && o.BilledTo != "subscription":
		list = append(list, fmt.Sprintf("nothing limits its cost (refrain raise budget.cost_usd=%d)", int(math.Ceil(suggested*meanOf(r).cost))))
	default:
		list = append(list, "nothing limits it (refrain raise loop.max_time=8h)")
	}
	return list
}

// suggested is how many iterations a suggested budget lasts.
const suggested = 20

// AgentFailed tells a failure of the agent's from what gates make of work that
// ended well.
func AgentFailed(o *loop.Outcome) bool {
	return o.Result == loop.Failed && !o.Unfinished() && (o.Error != nil || !o.Exit.Zero())
}

// did is what was seen of the agent's abilities. Commands are seen only by who
// saw the agent at work.
func did(r *Run) string {
	var parts []string
	if n := r.Changed().Files; n > 0 {
		parts = append(parts, text.Plural(n, "file")+" edited")
	}
	if r.Ran {
		parts = append(parts, "commands run")
	}
	if n := r.Sum.Totals.Commits - r.seen.commits; n > 0 {
		parts = append(parts, text.Plural(n, "commit")+" made")
	}
	return strings.Join(parts, ", ")
}

// claimsAre is what becomes of a claim.
func claimsAre(r *Run) string {
	var names []string
	for _, g := range r.Gates {
		names = append(names, g.Name)
	}
	switch by := Names(names, len(names)); {
	case r.Sum.Proof == "" && len(names) > 0:
		return "gates run, but do not judge claims: a claim will be unproven"
	case r.Sum.Proof == "":
		return "no gates: a claim will be unproven"
	case by != "" && len(r.Sum.Tied) == 0:
		return "claims are judged " + Where(r.Sum.Proof) + ", by " + by
	}
	return "claims are judged " + Judged(r.Sum.Proof, r.Sum.Tied)
}

// mean is what an iteration costs.
type mean struct {
	took   time.Duration
	cost   float64
	tokens float64
}

func meanOf(r *Run) mean {
	d, n := r.Sum.Durations, float64(r.Sum.Durations.N)
	return mean{
		took: time.Duration(d.Mean * float64(time.Millisecond)),
		cost: r.Sum.Totals.CostUSD / n, tokens: float64(r.Sum.Totals.Tokens) / n,
	}
}

// times is what a number of iterations comes to: "$8.40 and 2h00m".
func (m mean) times(n float64, estimated bool) string {
	said := text.Seconds(time.Duration(n * float64(m.took)))
	if m.cost > 0 {
		said = Dollars(n*m.cost, estimated) + " and " + said
	}
	return said
}

// pace is what an iteration costs, and what comes of that at the same rate:
// what all of them would cost, or how far the tightest budget goes.
func pace(r *Run) string {
	each, estimated, limits := meanOf(r), r.Sum.Totals.CostEstimated, r.Limits
	said := each.times(1, estimated) + " an iteration"
	if !estimated { // which says as much
		said = "about " + said
	}
	most, of := float64(limits.Iterations), ""
	tighten := func(allowed, spent float64, what string) {
		if allowed > 0 && spent > 0 && (most == 0 || allowed/spent < most) {
			most, of = allowed/spent, what
		}
	}
	tighten(float64(limits.Time), float64(each.took), text.Seconds(limits.Time.Duration()))
	tighten(limits.CostUSD, each.cost, Dollars(limits.CostUSD, false))
	tighten(float64(limits.Tokens), each.tokens, text.Plural(limits.Tokens, "token"))
	switch {
	case of != "":
		return fmt.Sprintf("%s; at this rate about %s within %s", said, text.Plural(max(int(most), 1), "iteration"), of)
	case most > 0:
		return fmt.Sprintf("%s; at this rate %s for all %s", said, each.times(most, estimated), text.Count(limits.Iterations))
	case each.cost > 0 && each.took > 0:
		return fmt.Sprintf("%s; at this rate %s an hour", said, Dollars(each.cost*float64(time.Hour)/float64(each.took), estimated))
	}
	return said
}

// endsWhen is what ends the run at the latest: a limit, else a rule. How many files
// it changes, nobody knows.
func endsWhen(r *Run) string {
	said := limitedBy(r)
	if n := r.Limits.Files; n > 0 {
		said += ", or with more than " + text.Plural(n, "changed file")
	}
	return said
}

func limitedBy(r *Run) string {
	var at []string
	if n := r.Limits.Iterations; n > 0 {
		at = append(at, text.Plural(n, "iteration"))
	}
	if d := r.Limits.Time; d > 0 {
		at = append(at, text.Seconds(d.Duration()))
	}
	if usd := r.Limits.CostUSD; usd > 0 {
		at = append(at, Dollars(usd, false))
	}
	if n := r.Limits.Tokens; n > 0 {
		at = append(at, text.Plural(n, "token"))
	}
	if len(at) > 0 {
		return "at the latest after " + either(at)
	}
	for _, rule := range []struct {
		n    int
		what string
	}{{r.Limits.Failures, "failure"}, {r.Limits.RedGates, "red iteration"}, {r.Limits.TestFailures, "test failure"}} {
		if rule.n > 0 {
			at = append(at, text.Plural(rule.n, rule.what))
		}
	}
	if n := r.Limits.NoProgress; n > 0 {
		at = append(at, text.Plural(n, "iteration")+" without progress")
	}
	if len(at) > 0 {
		return "without a limit: only when done, or after " + either(at) + " in a row"
	}
	return "without a limit: only when done, or by you"
}

// either lists what comes first of several.
func either(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// leftWorse is what the last iteration left worse than the run found it, as far as
// its gates and tests tell: it speaks against leaving the run alone. Gates that
// were red before the run and are no worse are what iterations are for. What was
// put back is as it was.
func leftWorse(r *Run, iteration string) []string {
	if r.Verdict.Restore != nil {
		return nil
	}
	var list []string
	if red, _ := redGates(r.Outcome); len(red) > 0 {
		list = append(list, fmt.Sprintf("gates are red: %s (refrain show %s)", strings.Join(red, "; "), iteration))
	}
	list = append(list, fewerTests(r, iteration)...)
	o := r.Outcome
	if t := o.Tests; t != nil && len(t.NewlyFailing) > 0 && !o.Red() {
		list = append(list, "tests fail that did not: "+Names(t.NewlyFailing, maxProofNames))
	}
	if o.Proof != nil && o.Proof.Tests != nil && len(o.Proof.Tests.Changed) > 0 {
		list = append(list, "tests were changed: "+changedNames(o.Proof)+" (refrain show "+iteration+")")
	}
	if o.Claim.Refused() && o.Claim.Lacks != "" {
		list = append(list, "its claim was refused: "+Fit(o.Claim.Why, maxReason))
	}
	if len(o.Pinned) > 0 {
		list = append(list, "pinned files were changed: "+Names(o.Pinned, maxProofNames))
	}
	if len(r.Sum.Flaky) > 0 {
		list = append(list, "flaky, red and green on one tree, and so no proof: "+Names(r.Sum.Flaky, maxProofNames))
	}
	return list
}

// fewerTests names the gates that ran fewer tests than they once did. One that is
// red and ran none may just not have come to them.
func fewerTests(r *Run, iteration string) []string {
	var list []string
	for _, g := range r.Outcome.Gates {
		most := r.Sum.Expected(g.Name)
		if g.Tests >= most || !g.OK && !g.Known && g.Tests == 0 {
			continue
		}
		list = append(list, fmt.Sprintf("gate %s ran %s, and %s before: some are gone or skipped (refrain diff %s)",
			text.Line(g.Name), text.Plural(g.Tests, "test"), text.Count(most), iteration))
	}
	return list
}
