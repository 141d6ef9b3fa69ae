package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/parts"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/rehearse"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/trust"
	"github.com/refrain-loop/refrain/internal/view"
)

// Control steers a live run; Observer looks on; Command is a wish.
type (
	Control  = steer.Control
	Observer = engine.Observer
	Command  = steer.Command
)

// NewControl makes a control for one run.
func NewControl() *Control { return steer.NewControl() }

// RunOptions is what a caller brings to a run: who looks on, who steers.
type RunOptions struct {
	Observers  []Observer
	Control    *Control
	Version    string
	ID         string               // of a new run, from journal.NewID; empty: it is given one
	Terminal   io.Writer            // where a person may be looking; nil: nowhere
	Hurry      bool                 // go on at once with a run that waits for a limit
	StayOver   bool                 // a run that has ended stays so: nobody has asked for more of it
	Late       func(loop.Warning)   // hears what went wrong after the end; nil: only the log does
	Simulation *rehearse.Simulation // nil: the run is real
	Live       *Live                // nil: the program does not look into the run
	Relay      engine.Relay         // keeps the run where another runner finds it; nil: it stays here
	MostLost   int                  // how often runners may die on one iteration; 0: the usual
	Readers    []*Patient           // those to whom the observers write
	Broken     func() error         // why the run has to end with an error; nil: never
}

// Start begins a new run and goes on until it ends. The error is a
// *journal.HeldError when another run is live in this work tree.
func (j *Job) Start(ctx context.Context, w RunOptions) (loop.RunFinished, error) {
	if len(j.news) > 0 {
		return loop.RunFinished{}, &trust.Error{Tree: j.Tree, News: j.news}
	}
	if err := j.records.renewKey(); err != nil {
		return loop.RunFinished{}, err
	}
	store, lock, err := j.lock()
	if err != nil {
		return loop.RunFinished{}, err
	}
	defer j.unlock(lock)
	warnings, err := j.settleOthers(ctx, store)
	if err != nil {
		return loop.RunFinished{}, err
	}
	if err := j.repository().canCommit(ctx); err != nil {
		return loop.RunFinished{}, err
	}
	branch, err := j.repository().startBranch(ctx, j.agency.aside)
	if err != nil {
		return loop.RunFinished{}, err
	}
	warnings = append(warnings, append(j.inReach(store), j.repository().uncommitted(ctx)...)...)
	meta, err := j.meta(w.Version)
	if err != nil {
		return loop.RunFinished{}, err
	}
	meta.ID = w.ID
	run, err := store.Create(meta)
	if err != nil {
		return loop.RunFinished{}, fmt.Errorf("create the run in %s: %w", store.Dir, err)
	}
	defer run.Close()
	start := j.started(run, w.Version)
	start.Branch = branch
	return j.drive(ctx, w, openRun{run: run, start: start, seen: view.New(), warnings: warnings, branch: branch, lock: lock, store: store})
}

// inReach warns of records in a repository, as those of somebody whose home folder
// that is: no commit of ours takes them along, but one of the agent's would.
func (j *Job) inReach(store journal.Store) []loop.Warning {
	if j.records.dir != "" || store.InProject() || !j.files.Git() {
		return nil
	}
	if _, inTree := files.Under(store.Tree, store.Dir); !inTree {
		return nil
	}
	return []loop.Warning{{Text: "the records of this run are in the work tree, where the agent can reach and commit them: " + store.Dir, Hint: history.RecordsOutside}}
}

// openRun is a run that is ours to write to.
type openRun struct {
	run      *journal.Run
	past     journal.Past
	start    loop.Payload
	seen     *view.Run
	warnings []loop.Warning

	lock  *journal.Lock
	store journal.Store

	branch     string // the run's own; empty is any
	rebaseline bool   // gates changed since the run was last started
}

// guard sees that work tree and records are still ours.
func (o openRun) guard() error {
	if err := o.lock.Hold(); err != nil {
		return err
	}
	o.run.HoldKey()
	return o.run.Intact()
}

// drive runs the engine on a run that is locked and open.
func (j *Job) drive(ctx context.Context, w RunOptions, o openRun) (loop.RunFinished, error) {
	if err := o.lock.Note(journal.Self(o.run.Meta().Name, "")); err != nil {
		return loop.RunFinished{}, fmt.Errorf("note the holder of the lock: %w", err)
	}
	c, terms := j.Config(), j.terms()
	signs, err := j.files.Signs(ctx)
	if err != nil {
		return loop.RunFinished{}, fmt.Errorf("find out who signs commits: %w", err)
	}
	crew, err := j.agency.hire(ctx, o, signs)
	if err != nil {
		return loop.RunFinished{}, err
	}
	defer crew.Close()
	if err := crew.raise(ctx, locked(&o.warnings), proc.Agent, proc.Judge); err != nil {
		return loop.RunFinished{}, err
	}
	state := newStateFile(o.run, o.seen)
	defer state.Close()
	if w.Control == nil {
		w.Control = NewControl()
	}
	for _, reader := range slices.Concat(w.Readers, []*Patient{j.log.reader}) {
		if reader != nil {
			defer reader.hurry(w.Control, max(0, c.Stop.Time-o.past.State.Live.Duration()))()
		}
	}
	around, err := surround(j.Assignment, j.lineup, w, o, crew, state)
	if err != nil {
		return loop.RunFinished{}, err
	}
	defer around.close()
	exec := works{o.store, j.files}.noting(around.exec)
	observers := slices.Concat([]engine.Observer{state, j.log}, around.list, w.Live.open(o, state), w.Observers)
	tree := j.files.Through(exec)
	var kept *checkpoint.Store // nil: no checkpoints are made
	if c.Git.Checkpoint {
		if kept, err = checkpoint.OpenStore(ctx, tree, history.Checkpoints(o.run.Dir()), history.Pool(o.store)); err != nil {
			return loop.RunFinished{}, fmt.Errorf("open the checkpoints of %s: %w", o.run.Meta().Name, err)
		}
		defer kept.Tidy(ctx)()
		if c.Git.Watch {
			defer kept.Watch(max(1, c.Git.WatchAbove))()
		}
	}
	bare := environ(j.Environ(), j.Tree, o.run)
	hide := j.secrets()
	if c.Retention.Redact {
		o.run.HideInTranscripts(hide)
	}
	hooks, cautions := findHooks(j.Assignment, o.run)
	hooks.Said = crew.place.Said
	if j.prompt != nil {
		j.prompt.Facts.Run, j.prompt.Facts.RunID = o.run.Meta().Name, o.run.Meta().ID
		j.prompt.Shell.Exec, j.prompt.Shell.Env = exec, bare
	}
	var spent spending
	var work proof.Work
	gates, err := newGates(j.Assignment, j.lineup.UsedBefore, &spent, crew.place.Said, work.Diff)
	if err != nil {
		return loop.RunFinished{}, err
	}
	d := Blueprint{
		Run: engine.Options{
			Journal: o.run, Past: o.past, Rebaseline: o.rebaseline,
			Workers: workers(j.lineup), Shared: around.shared, Terms: engineTerms(terms), Raise: j.raiser(o.run),
			Dir: j.Dir(), Env: slices.Concat(bare, j.Keys()), Bare: bare, Confined: j.agency.confines(),
			Times:       engine.Times{Iteration: c.Loop.IterationTimeout, Idle: c.Loop.IdleTimeout, Patience: c.Limits.Patience},
			Context:     engine.Context{Redline: c.Stop.Session.Redline, Warn: c.Context.Warn, Kill: c.Context.OnRedline == "kill"},
			Transcripts: c.Retention.Transcripts, Trace: around.tracer.Environ,
			Control: w.Control, Observers: observers, Hide: hide, Hurry: w.Hurry, Clock: around.clock, Exec: exec,
			Relay: w.Relay, MostLost: w.MostLost,
		},
		Start: o.start, Warnings: slices.Concat(o.warnings, j.Warnings(), cautions), Asking: j.asking(), Guard: o.guard, Broken: w.Broken,

		Claims: j.claims(), Patterns: j.patterns,
		Files: tree, Store: kept, Progress: signals(c.Loop.Progress), Only: j.only, Compare: c.Stop.Repeats > 0,
		Plan: j.Plan(), Written: j.Written(),
		Prompt: j.prompt, PromptBudget: c.Budget.PromptTokens, Handoff: int(float64(c.Session.HandoffTokens) * bytesPerToken),
		Judge: proof.Judge{
			Gates: gates, Proof: j.proofSettings(history.ProofDir(j.Tree, o.run.Dir()), o.run.Dir()), Dir: j.Dir(), Env: bare, Withheld: j.Withheld(), Unconfined: crew.unconfined(works{o.store, j.files}), Work: &work, Spent: spent.take,
		},
		Done: proof.Done{
			Plan: c.Done.Plan != "" && c.Done.Promise == "", Gates: c.Done.Gates, ExitZero: terms.Completion().ExitZero, Confirmations: c.Stop.Done.Confirmations,
			Rules: j.Request.Extensions.SayingDone(),
		},
		FeedbackRoom: j.feedbackRoom(),
		Guarded:      parts.GuardSettings{Protect: j.protect, Protected: c.Git.Protect, Accepted: j.accepted},
		Commits:      parts.CommitSettings{Enabled: c.Git.Commit, Template: c.Git.CommitTemplate, Procedure: j.Request.Name(), Branch: o.branch, Scratch: crew.scratch()},
		Hooks:        hooks, Scripts: j.scripts(),
	}.Driver()
	j.lineup.Used = d.Used
	crew.news.hear(func(p loop.Payload) {
		switch p := p.(type) {
		case *loop.SandboxRefused:
			d.Refused(p)
		case *loop.Warning:
			d.Tell(*p)
		}
	})
	late := w.Late
	d.Warnings = append(d.Warnings, around.report(func(w loop.Warning) {
		w = redact.In(hide, w)
		if d.Tell(w) {
			return
		}
		j.log.Observe(loop.Event{Time: time.Now(), Run: o.run.Meta().ID, Payload: &w}) // it has ended
		if late != nil {
			late(w)
		}
	})...)
	end, err := d.Run(ctx)
	end = redact.In(hide, end)
	if err == nil && end.State == loop.Done {
		_ = history.DropProof(j.Tree, o.run.Dir()) // prune tries again
	}
	return end, err
}

// workers is the agents as the engine takes them.
func workers(l *lineup.Lineup) []engine.Worker {
	var list []engine.Worker
	for _, w := range l.Workers {
		list = append(list, engine.Worker(w))
	}
	return list
}

// matches is done.match in the detector's words.
var matches = map[string]detect.Match{"line": detect.Line, "tag": detect.Tag, "substring": detect.Substring}

// claims is what a claim looks like.
func (j *Job) claims() detect.ClaimSettings {
	c := j.Config().Done
	return detect.ClaimSettings{Promise: c.Promise, Failure: c.FailurePromise, Match: matches[c.Match], Gates: j.terms().Gated(), AnyExit: c.AnyExit, Own: j.Request.Extensions.Claims}
}

// raised is the job with one limit changed.
func (j *Job) raised(key, value string) (*Job, error) {
	next, settings, limit := *j, *j.Settings, policy.Raised(key, value)
	if err := policy.Raise(&settings.Config, limit); err != nil {
		return nil, err
	}
	next.Settings = &settings
	next.Request.Flags = append(slices.Clone(j.Request.Flags), limit)
	return &next, nil
}

// raiser changes limits of a live run, and writes them down so that a resume
// knows them too.
func (j *Job) raiser(run *journal.Run) func(key, value string) (engine.Terms, error) {
	var mu sync.Mutex
	latest := j
	return func(key, value string) (engine.Terms, error) {
		mu.Lock()
		defer mu.Unlock()
		next, err := latest.raised(key, value)
		if err == nil {
			err = next.lineup.CheckBudget(next.Config().Stop)
		}
		if err != nil {
			return engine.Terms{}, err
		}
		request, stored, err := next.stored()
		if err == nil {
			err = run.Restate(request, stored)
		}
		if err != nil {
			return engine.Terms{}, err
		}
		latest = next
		return engineTerms(next.terms()), nil
	}
}

// engineTerms are the terms as the engine asks for them.
func engineTerms(t policy.Terms) engine.Terms {
	return engine.Terms{Rules: t.Rules(), Limits: t.Limits(), Holds: t.Holds()}
}

// bytesPerToken is what text comes to on average.
const bytesPerToken = 3.5

// feedbackRoom is how much of the next prompt one gate may fill: together they
// leave some for the rest.
func (j *Job) feedbackRoom() int {
	c := j.Config()
	const share = 0.7
	return int(float64(c.Feedback.MaxTokens) * bytesPerToken * share / float64(max(1, j.terms().Gates())))
}

// meta is run.json: what a resume needs, and what a person may want to know.
func (j *Job) meta(version string) (journal.Meta, error) {
	request, settings, err := j.stored()
	return journal.Meta{
		Procedure: j.Request.Name(), Version: version, StartedAt: time.Now(), Flags: request, Config: settings,
	}, err
}

// stored is the request and the settings as the run keeps them.
func (j *Job) stored() (request, settings json.RawMessage, err error) {
	if request, err = json.Marshal(j.Request.Masked()); err != nil {
		return nil, nil, fmt.Errorf("store the request: %w", err)
	}
	if settings, err = json.Marshal(j.Settings.Masked()); err != nil {
		return nil, nil, fmt.Errorf("store the settings: %w", err)
	}
	return request, settings, nil
}

func (j *Job) started(run *journal.Run, version string) *loop.RunStarted {
	return &loop.RunStarted{
		Name: run.Meta().Name, Dir: run.Dir(), Procedure: run.Meta().Procedure, Version: version, PID: os.Getpid(),
		Profile: j.Config().Profile,
		Agent:   j.lineup.Name(), Model: j.lineup.Model(), Limits: j.terms().Limits(), Counting: j.terms().Counting(),
		Promise: j.Config().Done.Promise, Prompt: prompt.Preview(j.Telling(j.firstPrompt.Own), 100),
		Command: text.JoinArgs(setting.MaskArgs(j.Request.Command)), Settings: history.Set(j.Settings.Masked()),
		Sandbox: j.agency.found,
	}
}

// scripts are the user's stop scripts; a relative path starts at the work tree.
func (j *Job) scripts() []parts.Script {
	var list []parts.Script
	for _, path := range j.Config().Stop.Scripts {
		one := parts.Script{Named: j.File("stop.scripts", path)}
		_, inTree := files.Under(j.Tree, one.Path)
		one.Own = one.Tree == "" && !inTree
		list = append(list, one)
	}
	return list
}

func signals(names []string) []loop.ProgressBy {
	var list []loop.ProgressBy
	for _, name := range names {
		list = append(list, loop.ProgressBy(name))
	}
	return list
}

// environ is an environment with who a child of the run works for. The keeper
// adds the marks by which they are found.
func environ(env []string, tree string, run *journal.Run) []string {
	return append(env,
		"REFRAIN_RUN="+run.Meta().Name,
		"REFRAIN_PROCEDURE="+run.Meta().Procedure,
		"REFRAIN_PROJECT_DIR="+tree,
		"REFRAIN_RUN_DIR="+run.Dir(),
	)
}

// findHooks finds the user's commands at fixed points.
func findHooks(a request.Assignment, run *journal.Run) (parts.HookSettings, []loop.Warning) {
	c := a.Config().Hooks
	commands := map[hook.Point]hook.Command{}
	for point, line := range c.Run.ByPoint() {
		commands[hook.Point(point)] = hook.Command{Line: line, Own: !a.Settings.OfProject("hooks.run." + point)}
	}
	files := a.Tree
	if a.Request.Untrusted {
		files = "" // those in the work tree are not read
	}
	set, warnings := hook.Find(files, commands, c.Enabled)
	return parts.HookSettings{
		Set: set.WithOwn(a.Request.Extensions.Hooks), Timeout: loop.Millis(c.Timeout),
		About: hook.Facts{
			Run: run.Meta().Name, RunID: run.Meta().ID, Procedure: run.Meta().Procedure, Profile: a.Config().Profile,
			ProjectDir: a.Tree, RunDir: run.Dir(), PlanFile: a.Plan().Path,
		},
	}, warnings
}
