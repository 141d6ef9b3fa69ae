package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/prompt"
)

// attempt is one fresh agent process and what is gathered around it.
type attempt struct {
	dir       *journal.Attempt
	base      *sight // the tree before the agent; nil when it is not known
	after     *sight // and after it
	prompt    string
	detectors []detect.Detector
	patterns  *matcher
	stderr    tail
	started   time.Time
	born      time.Time // the same on the clock of the disk
	duration  time.Duration
	failure   *loop.AgentError // the runner's own word on why nothing ran
	began     bool             // the agent was started, whatever became of it

	changes     *loop.Changes // all of them; nil when they are not known
	tasks       plan.Tasks    // the plan before the agent
	lost        []plan.Task   // open tasks that are gone from it
	planProblem string        // why the plan cannot be read
	ran         *seenTests    // the tests that the agent ran itself
	told        []string      // what the next agent should know of the gates
	committed   string        // what an earlier runner has committed of it
	pins        git.Guarded   // what pinned files held before the agent; nil when there are none
	open        bool          // what follows its agent was cut short: the next runner settles it
	onHigh      bool          // no agent has touched the tree since it was at its best
}

// kept is the checkpoint after the agent; the zero one when there is none.
func (a *attempt) kept() checkpoint.Checkpoint {
	if a.after == nil || a.after.kept == nil {
		return checkpoint.Checkpoint{}
	}
	return *a.after.kept
}

// Step runs one attempt and decides. The numbers come from the state, so the
// same state gives the same iteration and attempt.
func (e *Engine) Step(ctx context.Context) loop.Verdict {
	s := e.snapshot()
	e.choose()
	a := e.enter(s.Next(), s.Attempts+1, e.Journal.Begin)
	a.onHigh = s.High != nil && s.Here == s.High.Checkpoint
	defer a.dir.Close()
	started := &loop.IterationStarted{Max: e.limits().Iterations}
	if e.worker.Name != e.Workers[0].Name {
		started.Agent = e.worker.Name
	}
	e.record(started)
	if unwanted := e.hookNext(ctx); unwanted != nil {
		return e.conclude(ctx, a, unwanted)
	}
	e.begin(ctx, a)
	e.untouched = nil
	if a.failure == nil {
		e.run(ctx, a)
	}
	e.guardGit(ctx) // before any git of ours
	if a.began {
		e.dropLocks(ctx, a.born)
	}
	if a.after = e.after(ctx); a.after == nil && a.failure == nil && e.stopsNow() {
		return e.ask() // the look was cut short: the next runner has the time
	}
	e.spoil(ctx, a)
	return e.finishAttempt(ctx, a)
}

// finishAttempt judges an attempt whose agent is gone, and decides.
func (e *Engine) finishAttempt(ctx context.Context, a *attempt) loop.Verdict {
	o := e.check(ctx, a)
	if !e.leftOpen(a, o, e.Control.Asked()) {
		e.hookAfter(ctx, a, o)
	}
	return e.conclude(ctx, a, o)
}

// begin gets the attempt ready: its prompt, and then the tree before it, for
// commands of the prompt may write to that.
func (e *Engine) begin(ctx context.Context, a *attempt) {
	e.openPlan(a)
	e.buildPrompt(ctx, a)
	a.base, a.pins = e.before(ctx), e.pinnedNow(ctx)
}

func (e *Engine) buildPrompt(ctx context.Context, a *attempt) {
	if e.Prompt == nil {
		return
	}
	if len(e.Prompt.Commands) > 0 {
		e.untouched = nil
	}
	s := e.snapshot()
	e.Prompt.Handoff = e.handoff(ctx, s)
	p, err := e.Prompt.Build(ctx, s, s.Next(), e.told)
	if err != nil {
		a.failure = &loop.AgentError{Kind: loop.ErrPrompt, Message: err.Error()}
		return
	}
	if a.prompt = p.Text; e.edited != "" { // by a person, and the notes since are not in it
		a.prompt = strings.TrimRight(e.edited, "\n") + "\n\n" + prompt.Notes(s.Notes[min(e.laidNotes, len(s.Notes)):])
		e.edited = ""
	}
	a.dir.WritePrompt(a.prompt)
	if e.PromptBudget > 0 && p.Tokens > e.PromptBudget {
		e.warn("prompt budget", loop.Warning{
			Text: fmt.Sprintf("Prompt exceeds token budget: %d > %d", p.Tokens, e.PromptBudget),
			Hint: "shorten the prompt or raise budget.prompt_tokens; its largest parts are " + largest(p),
		})
	}
}

// largest names what fills a prompt.
func largest(p prompt.Prompt) string {
	var list []string
	for _, part := range p.Largest(3) {
		list = append(list, fmt.Sprintf("%s (%d)", part.Name, part.Tokens))
	}
	return strings.Join(list, ", ")
}

// enter makes an attempt current: events from here on belong to it.
func (e *Engine) enter(iter, n int, open func(iter, n int) *journal.Attempt) *attempt {
	e.mu.Lock()
	e.iter, e.attempt = iter, n
	e.mu.Unlock()
	return &attempt{
		dir:       open(iter, n),
		detectors: e.Detectors(),
		patterns:  newMatcher(e.Patterns),
		ran:       newSeenTests(e.worker.InText),
		started:   e.Clock.Now(),
		born:      time.Now(),
	}
}

// run lets the agent work until it is gone.
func (e *Engine) run(ctx context.Context, a *attempt) {
	state := e.snapshot()
	cmd, err := e.worker.Agent.Command(agent.Call{
		Prompt: a.prompt, PromptFile: a.dir.PromptPath(), Model: e.worker.Model, HasPrompt: e.Prompt != nil,
		Session: state.SessionOf(e.worker.Name), LeftUSD: max(0, e.limits().CostUSD-state.Totals.CostUSD),
	})
	if err != nil {
		a.failure = &loop.AgentError{Kind: loop.ErrAgent, Message: err.Error()}
		return
	}
	e.record(&loop.IterationPhase{Phase: loop.Executing, Base: a.base.String()})

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(cancel)()
	defer e.skippable(cancel)()
	decoder := e.worker.Agent.Decoder()
	spent, stopMeter := e.newMeter(cancel)
	defer stopMeter()
	var tools openTools

	var said []loop.Payload // since the last pause
	exit, err := e.exec(ctx, proc.Spec{
		Argv:  cmd.Argv,
		Dir:   e.Dir,
		Env:   append(numbered(ChildEnv(e.Env, cmd), e.iter, e.attempt), e.trace()...),
		Stdin: stdin(cmd.Stdin),
		First: cmd.First,

		StdoutFile: cmd.StdoutFile,
		Timeout:    e.Timeout,
		Idle:       e.Idle,
		Busy:       tools.any,
		Stdout: proc.Sink{
			Raw: a.dir.Stdout(),
			Line: WholeLines(
				func(line []byte) { said = append(said, decoder.Decode(line)...) },
				func() {
					e.warn("long line", loop.Warning{Text: "the agent printed a line that is too long to read; it is kept in the transcript only"})
				},
			),
			Pause: func() {
				said = joined(said)
				e.hear(a, said...)
				for _, p := range said {
					spent.add(p)
					tools.hear(p)
				}
				said = said[:0]
			},
		},
		Stderr: proc.Sink{Raw: a.dir.Stderr(), Line: a.complain},
		Started: func(pid int, at time.Time) {
			a.began = true
			e.record(&loop.AgentStarted{Agent: e.worker.Name, PID: pid, Started: at.UTC()})
		},
	})
	a.duration = e.Clock.Now().Sub(a.started).Truncate(time.Millisecond) // as the journal has it
	if agent.Finished(decoder) && cutShort(exit, err) {
		exit, err = e.hadFinished(), nil
	}
	if err != nil {
		a.failure = e.startFailure(err)
		return
	}
	e.record(&loop.AgentExited{Exit: exit, Duration: loop.Span(a.duration)})
	a.observe(&loop.AgentExited{Exit: exit})
	e.hear(a, decoder.Close(exit)...)
}

// skippable lets a person end the agent that runs. The function it returns takes
// that back.
func (e *Engine) skippable(end context.CancelCauseFunc) func() {
	set := func(end context.CancelCauseFunc) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.endAgent = end
	}
	set(end)
	return func() { set(nil) }
}

// trace is what ties the attempt to the traces of the agent's own.
func (e *Engine) trace() []string {
	if e.Trace == nil {
		return nil
	}
	return e.Trace(e.iter, e.attempt)
}

// hear takes in what the agent said, and the test runs in it.
func (e *Engine) hear(a *attempt, said ...loop.Payload) {
	e.record(said...)
	for _, p := range said {
		if seen := a.observe(p); seen != nil {
			e.record(seen)
		}
	}
}

// complain takes in a line of the agent's errors.
func (a *attempt) complain(line []byte, _ bool) {
	a.stderr.add(line)
	a.patterns.look(string(line))
}

func (a *attempt) observe(p loop.Payload) *loop.TestsSeen {
	if text, ok := p.(*loop.AgentText); ok {
		a.patterns.look(text.Text)
	}
	for _, d := range a.detectors {
		d.Observe(loop.Event{Payload: p})
	}
	return a.ran.hear(p)
}

func (e *Engine) startFailure(err error) *loop.AgentError {
	var lost *proc.KeeperError
	if errors.As(err, &lost) {
		return e.lostKeeper(lost)
	}
	var start *proc.StartError
	if errors.As(err, &start) && (start.Missing() || errors.Is(err, fs.ErrPermission)) {
		return &loop.AgentError{Kind: loop.ErrMissing, Message: err.Error() + "; " + e.worker.Remedy}
	}
	return &loop.AgentError{Kind: loop.ErrAgent, Message: err.Error()}
}

// lostKeeper is an attempt that was lost with its keeper. Nobody knows how far the
// agent had come, and it is tried again; but not for ever, for the agent itself
// may have ended its keeper.
func (e *Engine) lostKeeper(lost *proc.KeeperError) *loop.AgentError {
	kind := loop.ErrKeeper
	if e.snapshot().Lost+1 >= lostTooOften {
		kind = loop.ErrAgent
	}
	return &loop.AgentError{Kind: kind, Message: lost.Error()}
}

// check turns what was gathered into an outcome.
func (e *Engine) check(ctx context.Context, a *attempt) *loop.Outcome {
	o := &loop.Outcome{Worker: loop.Worker{Agent: e.worker.Name, Model: e.worker.Model}}
	if a.failure != nil {
		o.Result, o.Error = loop.Treat(a.failure.Kind).Result, a.failure
	} else {
		for _, d := range a.detectors {
			for _, p := range d.Report(o) {
				e.record(p)
			}
		}
	}
	o.Duration, o.EndedAt = loop.Span(a.duration), e.now()
	a.explain(o)
	if limits := e.limits(); (limits.CostUSD > 0 || limits.Tokens > 0) && o.Usage == nil && o.Exit != nil && !e.snapshot().TurnedAway(*o) {
		e.warn("usage", loop.Warning{
			Text: "an attempt ended without saying what it used up, so the budget may be exceeded unseen",
			Hint: "some agents tell only at their end: give them the time to reach it, or limit the run with -n or --max-time",
		})
	}
	if u := o.Usage; e.limits().CostUSD > 0 && u.Tokens() > 0 && u.Cost() == 0 {
		e.warn("cost", loop.Warning{
			Text: "the agent tells its tokens and not its cost, so budget.cost_usd is not kept",
			Hint: "use budget.tokens (--max-tokens), or set the price of its model in a [prices] table",
		})
	}
	if e.snapshot().Counting.Keep && o.Result == loop.OK && o.Session == "" && e.snapshot().SessionOf(e.worker.Name) == "" {
		e.warn("session "+e.worker.Name, loop.Warning{Text: e.worker.Name + " tells no session, so there is none to go on with: every iteration begins afresh"})
	}
	seen := e.compare(ctx, a, o)
	if e.checkPlan(a, o) {
		seen = append(seen, loop.InPlan)
	}
	if ran := a.ran.close(); ran != nil {
		e.record(ran)
	}
	o.Tests = a.ran.best
	if e.judge(ctx, a, o); a.open {
		return o
	}
	e.judgeProgress(a, o, seen)
	e.alike(ctx, a, o)
	o.Matched = a.patterns.matched()
	if o.Result == loop.OK || o.Result == loop.Failed {
		e.runScripts(ctx, a, o)
	}
	return o
}

// explain adds the agent's last words on stderr to a failure that says no more
// than its exit status.
func (a *attempt) explain(o *loop.Outcome) {
	if o.Result != loop.Failed || o.Error == nil || o.Error.Kind != loop.ErrAgent {
		return
	}
	if words := a.stderr.String(); words != "" {
		explained := *o.Error
		explained.Message += ": " + words
		o.Error = &explained
	}
}

// judgeProgress keeps the signals that count.
func (e *Engine) judgeProgress(a *attempt, o *loop.Outcome, seen []loop.Signal) {
	if s := e.snapshot(); s.Best != nil && s.Better(o.Tests) && !o.Claim.Doubted() {
		seen = append(seen, loop.InTests)
	}
	for _, signal := range seen {
		if slices.Contains(e.Progress, signal) {
			o.ProgressBy = append(o.ProgressBy, signal)
		}
	}
	if made := len(o.ProgressBy) > 0; made || a.base != nil && a.after != nil {
		o.Progress = &made
	}
}

// conclude decides, does what the verdict says to the work tree, and writes it
// down; unless the attempt is left to the next runner.
func (e *Engine) conclude(ctx context.Context, a *attempt, o *loop.Outcome) loop.Verdict {
	if v, left := e.leaveOpen(a, o, e.Control.Asked()); left {
		return v
	}
	if e.snapshot().Undone(*o) && o.Progress != nil {
		o.Progress, o.ProgressBy = new(bool), nil // what is put back is no progress
	}
	e.proveAgain(ctx, a, o, e.commit(ctx, a, o))
	facts := e.facts(o)
	if v, left := e.leaveOpen(a, o, facts.Asked); left {
		return v
	}
	v := loop.Decide(facts, e.rules())
	e.restore(ctx, a, o, v)
	e.pass(a, o)
	e.share(a, o)
	if e.Prompt != nil {
		e.Prompt.Last = o
	}
	e.record(&loop.IterationFinished{Outcome: *o, Verdict: v})
	if err := e.Journal.DropTranscripts(e.Transcripts); err != nil {
		e.warn("transcripts", loop.Warning{Text: err.Error(), Hint: "old transcripts are kept"})
	}
	e.flushTrouble()
	return v
}
