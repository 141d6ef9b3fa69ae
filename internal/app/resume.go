package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/parts"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/view"
)

// Continuation is a run that is ready to go on: checked against the settings
// of today, nothing written yet.
type Continuation struct {
	*Job
	Entry   journal.Entry
	Changed []loop.Change // settings that differ from those it last ran with

	gatesChanged bool // the program brings other gates than it did
}

// PrepareResume checks that a run can go on, with flags laid over those it was
// started with. A loosened guard is an error unless accept says it is meant. Records
// without a seal need a consent: whoever made the folder may have written them, and
// they say what is run.
func PrepareResume(ctx context.Context, entry journal.Entry, flags []config.Flag, accept bool, consent request.Consent) (*Continuation, error) {
	return PrepareResumeWith(ctx, entry, flags, accept, consent, request.Extensions{})
}

// PrepareMoved is the same for a run that another machine has had: what that one said of
// itself, and this one says, is for neither to loosen.
func PrepareMoved(ctx context.Context, entry journal.Entry, consent request.Consent) (*Continuation, error) {
	return prepareResume(ctx, entry, nil, false, consent, request.Extensions{}, config.Shared)
}

// PrepareResumeWith is the same for a program that brings something along.
func PrepareResumeWith(ctx context.Context, entry journal.Entry, flags []config.Flag, accept bool, consent request.Consent, own request.Extensions) (*Continuation, error) {
	all := func(settings map[string]config.Stored) map[string]config.Stored { return settings }
	return prepareResume(ctx, entry, flags, accept, consent, own, all)
}

// prepareResume guards those of the settings that guarded lets through.
func prepareResume(ctx context.Context, entry journal.Entry, flags []config.Flag, accept bool, consent request.Consent, own request.Extensions, guarded func(map[string]config.Stored) map[string]config.Stored) (*Continuation, error) {
	if err := entry.Checkable(); err != nil {
		return nil, err
	}
	if err := entry.Here(); err != nil {
		return nil, err
	}
	if entry.Unsealed && consent == request.Remembered {
		return nil, &request.UsageError{
			What: entry.Name + " was found in the project, and nobody can tell who wrote it: its records have no seal",
			Hint: fmt.Sprintf("look at what it ran with \"refrain show %s\"; if it is yours, pass --trust", entry.Name),
		}
	}
	var req request.Request
	if err := json.Unmarshal(entry.Flags, &req); err != nil {
		return nil, fmt.Errorf("read how %s was started: %w", entry.Name, err)
	}
	req, err := req.Again(flags)
	if err != nil {
		return nil, err
	}
	var before map[string]config.Stored
	if err := json.Unmarshal(entry.Config, &before); err != nil {
		return nil, fmt.Errorf("read the settings of %s: %w", entry.Name, err)
	}
	if accept {
		req.Commands = nil
	}
	brought := req.ExtensionNames
	if err := own.Require(entry.Name, brought); err != nil && !accept {
		return nil, err
	}
	req.Extensions, req.Consent = own, consent
	job, err := prepare(ctx, entry.Tree, req)
	if err != nil {
		return nil, err
	}
	now := job.Settings.Masked()
	c := &Continuation{Job: job, Entry: entry, Changed: config.Diff(before, now), gatesChanged: own.GatesChanged(brought)}
	c.accepted = accept
	if accept {
		return c, nil
	}
	if change, ok := loosened(config.Diff(guarded(before), guarded(now)), flags, reviewers(job.Config())); ok {
		return nil, &request.UsageError{
			What: fmt.Sprintf("%s was %s when %s started and is %s now", change.Key, orNone(change.Old), entry.Name, orNone(change.New)),
			Hint: "an agent must not loosen its own end: pass --accept-config if you changed it yourself",
		}
	}
	return c, nil
}

// loosened is a guarded setting that changed without being set just now; what
// makes a reviewer is guarded too. The longest key comes last, for
// done.failure_promise goes with done.promise.
func loosened(changes []loop.Change, flags []config.Flag, reviewers []string) (loop.Change, bool) {
	reviews := func(key string) bool {
		return slices.ContainsFunc(reviewers, func(name string) bool { return strings.HasPrefix(key, "agents."+name+".") })
	}
	var found []loop.Change
	for _, change := range changes {
		if (config.Guarded(change.Key) || reviews(change.Key)) && !request.Sets(flags, change.Key) {
			found = append(found, change)
		}
	}
	if len(found) == 0 {
		return loop.Change{}, false
	}
	return slices.MinFunc(found, func(a, b loop.Change) int { return cmp.Compare(len(a.Key), len(b.Key)) }), true
}

func orNone(value string) string { return cmp.Or(value, "not set") }

// Resume goes on with the run until it ends. Where it could only end again for
// the same reason, nothing starts, and started is false. Else show, if there is
// one, gets the run as it was.
func (c *Continuation) Resume(ctx context.Context, w RunOptions, show func(*view.Run)) (end loop.RunFinished, started bool, err error) {
	store, lock, err := c.lock()
	if err != nil {
		return loop.RunFinished{}, false, err
	}
	defer c.unlock(lock)
	if err := c.Entry.Here(); err != nil { // somebody may have carried it away since it was looked at
		return loop.RunFinished{}, false, err
	}
	run, past, err := store.Resume(c.Entry.Name)
	if err != nil {
		return loop.RunFinished{}, false, err
	}
	defer run.Close()
	if past.Tampered != "" {
		return c.endTampered(ctx, w, openRun{run: run, past: past, lock: lock, store: store}, show)
	}
	from := c.settle(ctx, run, &past)
	resumed := c.resumed(w, from)
	resumed.Changed = c.Changed
	entry := c.Entry
	entry.Past = past
	seen := history.Look(entry)
	if again := c.again(past, resumed, w); again != nil {
		// Its runner may have died between the end and the file that tells it.
		newStateFile(run, seen).Close()
		return *again, false, nil
	}
	var warnings []loop.Warning
	if mayHaveLeft(from, past) {
		warnings = c.cleanUpOwn(ctx)
	}
	if from == loop.Crashed || midAttempt(past) {
		warnings = append(warnings, c.repository().dropLocks(ctx, past)...)
	}
	branch := past.Branch()
	if err := c.mayGoOn(ctx, from, branch, midAttempt(past) || w.Relay != nil); err != nil {
		return loop.RunFinished{}, false, err
	}
	if err := c.samePlace(past); err != nil {
		return loop.RunFinished{}, false, err
	}
	request, settings, err := c.stored()
	if err != nil {
		return loop.RunFinished{}, false, err
	}
	if err := run.Restate(request, settings); err != nil {
		return loop.RunFinished{}, false, err
	}
	if show != nil {
		shown := *seen
		show(&shown)
	}
	o := openRun{run: run, past: past, start: resumed, seen: seen, warnings: warnings, branch: branch, rebaseline: c.judgedAnew(past), lock: lock, store: store}
	if past.Strange.Any() {
		o.warnings = append(o.warnings, loop.Warning{Text: past.Strange.String(), Hint: "somebody has written to the run's files; what could be read is used"})
	}
	end, err = c.drive(ctx, w, o)
	return end, true, err
}

// resumed is how the run goes on.
func (c *Continuation) resumed(w RunOptions, from loop.Status) *loop.RunResumed {
	return &loop.RunResumed{
		From: from, Version: w.Version, PID: os.Getpid(), Limits: c.terms().Limits(), Counting: c.terms().Counting(),
		Agent: c.lineup.Name(), Model: c.lineup.Model(), Promise: c.Config().Done.Promise, Settings: history.Set(c.Settings.Masked()),
		Sandbox: c.agency.found,
	}
}

// endTampered ends a run whose records are not what its runners wrote. One that
// would not go on anyway keeps its end.
func (c *Continuation) endTampered(ctx context.Context, w RunOptions, o openRun, show func(*view.Run)) (loop.RunFinished, bool, error) {
	entry := c.Entry
	entry.Past = o.past
	o.seen = history.Look(entry)
	from := loop.Crashed
	if o.past.Finished != nil {
		from = o.past.Finished.State
	} else {
		o.warnings = c.cleanUpOwn(ctx)
	}
	resumed := c.resumed(w, from)
	if again := c.again(o.past, resumed, w); again != nil {
		return *again, false, nil
	}
	o.start = resumed
	if show != nil {
		shown := *o.seen
		show(&shown)
	}
	end, err := c.drive(ctx, w, o)
	return end, true, err
}

// cleanUpOwn is cleanUp for the run itself, before it goes on. Where anything was
// left the keeper had died too, and who had lost its mark was not found.
func (c *Continuation) cleanUpOwn(ctx context.Context) []loop.Warning {
	list := cleanUp(ctx, c.Assignment, history.Engines([]journal.Entry{c.Entry}), c.Entry.ID)
	for i := range list {
		list[i].Key = proc.Unkept
	}
	return list
}

// midAttempt tells whether the last runner was ended in the middle of an attempt.
func midAttempt(past journal.Past) bool {
	middle := false
	if past.Last != nil {
		middle = past.Last.Payload.(*loop.IterationFinished).Outcome.Result == loop.Interrupted
	}
	for _, ev := range past.Tail {
		switch p := ev.Payload.(type) {
		case *loop.IterationStarted:
			middle = true
		case *loop.IterationFinished:
			middle = p.Outcome.Result == loop.Interrupted
		}
	}
	return middle
}

// mayGoOn refuses what would put commits in a wrong place. What is staged after a
// crash, or an end in the middle of an attempt, is the agent's own: before the
// run nothing was. And where a relay keeps the run, nobody else is in its work tree.
func (c *Continuation) mayGoOn(ctx context.Context, from loop.Status, branch string, agents bool) error {
	if err := c.repository().onBranch(ctx, branch); err != nil {
		return err
	}
	if from == loop.Crashed || agents {
		return nil
	}
	return c.repository().canCommit(ctx)
}

// samePlace refuses to judge in another place than before: a run whose claims were
// judged in clean checkouts, in a folder that git no longer takes for a work
// tree.
func (c *Continuation) samePlace(past journal.Past) error {
	if past.State.Proof != loop.InClean || c.files.Git() || c.accepted {
		return nil
	}
	if git, err := project.FindGit(c.Tree); err == nil && git.Root == "" {
		return &request.UsageError{
			What: c.Entry.Name + " was started in a git work tree, and its .git is gone",
			Hint: fmt.Sprintf("bring it back, or make one with \"git init\"; \"refrain rollback %s/0\" brings back the files; --accept-config judges in the work tree", c.Entry.Name),
		}
	}
	return &request.UsageError{
		What: c.Entry.Name + " was started in a git work tree, and git says that it is not one any more",
		Hint: "look at \"git config core.bare\" and \"git config core.worktree\"; --accept-config judges in the work tree",
	}
}

// judgedAnew tells whether the baseline has to be taken again: there is none, or
// what it was taken with has changed.
func (c *Continuation) judgedAnew(past journal.Past) bool {
	if c.terms().Gates() == 0 {
		return false
	}
	return past.State.BestTree == nil || c.gatesChanged || c.accepted || slices.ContainsFunc(c.Changed, func(change loop.Change) bool {
		return change.Key == "done.proof" || strings.HasPrefix(change.Key, "gate.") || strings.HasPrefix(change.Key, "proof.")
	})
}

// settle tells how the run stood, and writes the end that a runner decided on
// and died before writing.
func (c *Continuation) settle(ctx context.Context, run *journal.Run, past *journal.Past) loop.Status {
	if past.Finished != nil {
		return past.Finished.State
	}
	if past.Parked != nil {
		return loop.Parked
	}
	v, ok := engine.Decided(*past)
	if !ok {
		return loop.Crashed
	}
	end := &loop.RunFinished{
		State: v.State, Reason: v.Reason, Why: v.Why, Proven: v.Proven, Proof: v.Proof,
		Elapsed: past.State.Live, Totals: past.State.Totals,
	}
	c.lastHook(ctx, run, *past, end)
	e := run.Append(loop.Event{Time: past.State.At, Payload: end})
	past.State = past.State.Sum(e)
	past.Tail = append(past.Tail, e)
	past.Finished = end
	return v.State
}

// lastHook runs the hook of the end for a runner that died before it had its
// turn.
func (c *Continuation) lastHook(ctx context.Context, run *journal.Run, past journal.Past, end *loop.RunFinished) {
	hooks, _ := findHooks(c.Assignment, run)
	due := func(by string, there bool) bool {
		return there && !slices.ContainsFunc(past.Tail, func(e loop.Event) bool {
			said, ok := e.Payload.(*loop.HookFinished)
			return ok && said.Point == string(hook.Finished) && said.By == by
		})
	}
	event := loop.Event{Time: now(), Run: run.Meta().ID, Payload: end}
	if due("", hooks.Set.HasCommand(hook.Finished)) {
		noteHook(run, "", c.lastCommand(ctx, run, hooks, event, end))
	}
	if due(loop.ByProgram, hooks.Set.HasOwn(hook.Finished)) {
		noteHook(run, loop.ByProgram, hooks.Set.Ask(ctx, hook.Finished, hook.Moment{Run: run.Meta().Name, Dir: run.Dir(), Event: event, State: past.State, Limits: past.State.Limits}))
	}
}

// noteHook writes down what the hook of the end said.
func noteHook(run *journal.Run, by string, r hook.Result) {
	run.Append(loop.Event{Time: now(), Payload: &loop.HookFinished{
		Point: string(hook.Finished), By: by, Exit: r.Exit, Action: string(r.Action), Duration: r.Duration, Why: r.Why,
	}})
}

// lastCommand runs the user's command.
func (c *Continuation) lastCommand(ctx context.Context, run *journal.Run, hooks parts.HookSettings, event loop.Event, end *loop.RunFinished) hook.Result {
	input, err := journal.Encode(event)
	if err != nil {
		input = nil // values of these types always encode
	}
	facts := hooks.About
	facts.FinishState, facts.FinishReason = end.State, end.Reason
	facts.Iteration, facts.TotalIterations = &end.Totals.Iterations, &end.Totals.Iterations
	facts.TotalCommits, facts.Elapsed, facts.MaxIterations = &end.Totals.Commits, end.Elapsed.Duration(), c.Config().Stop.Iterations
	return hooks.Set.Run(ctx, hook.Finished, hook.Call{
		Input: input, Env: hook.Environ(environ(c.Environ(), c.Tree, run), facts), Dir: c.Dir(), Timeout: hooks.Timeout.Duration(), Hide: c.secrets(), Exec: c.agency.aside,
	})
}

// again is the end that a resume would only repeat; nil when there is work.
func (c *Continuation) again(past journal.Past, resumed *loop.RunResumed, w RunOptions) *loop.RunFinished {
	if past.Finished == nil {
		return nil
	}
	if past.Finished.State == loop.Done || past.Finished.Reason == loop.ByTampering || w.StayOver {
		return past.Finished // nothing that is set now can change that, or nobody wants it to
	}
	at := now()
	state := past.State.Sum(loop.Event{Time: at, Payload: resumed})
	v := loop.Decide(loop.Facts{State: state, Now: at, Hurry: w.Hurry}, c.terms().Rules())
	if v.Action != loop.Stop {
		return nil
	}
	end := *past.Finished
	end.State, end.Reason, end.Why = v.State, v.Reason, v.Why
	return &end
}

// now is the time as the journal writes it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
