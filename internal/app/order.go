package app

import (
	"context"
	"regexp"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/later"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/parts"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/proof"
)

// Blueprint is what the parts of a run are made from.
type Blueprint struct {
	Run      engine.Options
	Start    loop.Payload   // run.started or run.resumed
	Warnings []loop.Warning // what people should know before the first iteration
	Asking   engine.Asking  // when a person is asked before it goes on
	Guard    func() error   // asked before every step whether the run is still ours; nil: it is
	Broken   func() error   // see engine.Driver

	Claims   detect.ClaimSettings
	Patterns []*regexp.Regexp // on the agent's text and stderr
	Files    *git.Tree
	Store    *checkpoint.Store // keeps checkpoints; nil: none are made
	Progress []loop.ProgressBy // the signals that count
	Only     glob.Patterns     // the files that count; none is all
	Compare  bool              // mark what attempts could repeat

	Plan         files.Named     // the plan's file; zero is none
	Written      files.Named     // a plan that a claim must have written; zero is none
	Prompt       *prompt.Builder // nil: the command gets none
	PromptBudget int             // in tokens; a larger prompt is warned about
	Handoff      int             // bytes that an agent with a fresh session is told of the one before

	Judge        proof.Judge // the runner's own checks
	Done         proof.Done  // what claims done without the agent's words
	FeedbackRoom int         // bytes that one gate may take in the next prompt
	Guarded      parts.GuardSettings
	Commits      parts.CommitSettings
	Hooks        parts.HookSettings
	Scripts      []parts.Script // exit status 0 means stop
}

// Driver puts the parts of a run together.
func (s Blueprint) Driver() *engine.Driver {
	_, s.Run.Resumed = s.Start.(*loop.RunResumed)
	s.Run.HasPrompt = s.Prompt != nil
	kit := engine.NewKit(s.Run)
	d := &engine.Driver{Kit: kit, Start: s.Start, Warnings: s.Warnings, Asking: s.Asking, Guard: s.Guard, Broken: s.Broken}
	if s.Run.Relay != nil { // else it is a person who goes on, and is asked
		d.Unanswered = engine.Unanswered(s.Run.Past.Tail)
	}

	tree := &parts.Tree{
		Kit: kit, Files: s.Files, Store: s.Store, Only: s.Only, Progress: s.Progress,
		Glance: s.Store.Watched(),
		Later:  parts.LaterSettings{Below: s.Judge.Proof.Below, Commands: commandsOf(s.Judge.Gates)},
	}
	kit.AddObserver(tree)
	guards := &parts.Guards{Kit: kit, GuardSettings: s.Guarded, Files: s.Files, Pins: pinsOf(s.Judge.Gates)}
	gits := &parts.Git{Kit: kit, Files: s.Files, Guards: guards}
	commits := &parts.Commits{Kit: kit, CommitSettings: s.Commits, Files: s.Files, Tree: tree, Git: gits, Guards: guards}
	hooks := &parts.Hooks{Kit: kit, HookSettings: s.Hooks, Guards: guards, Tree: tree, Start: s.Start}
	plan := &parts.Plan{Kit: kit, File: s.Plan, Written: s.Written}
	prompts := &parts.Prompt{Kit: kit, Builder: s.Prompt, Files: s.Files, Plan: plan, Budget: s.PromptBudget, Handoff: s.Handoff}
	if s.Prompt != nil {
		d.Draft = prompts
	}
	scripts := &parts.Scripts{Kit: kit, List: s.Scripts}
	s.Judge.Store, s.Judge.Accepted = s.Store, s.Guarded.Accepted
	claims := &proof.Claims{
		Kit: kit, Judge: &s.Judge, Tree: tree, Done: s.Done, Room: s.FeedbackRoom,
		ChangedPins: guards.ChangedPins, PlanFinished: plan.Finished, TellUncommitted: commits.TellUncommitted,
		Disturbs: len(s.Scripts) > 0 || s.Hooks.Set.Has(hook.PostIteration),
	}
	tree.MayClaim = claims.MayCome
	usage := &parts.Usage{Kit: kit}
	repeats := &parts.Repeats{Tree: tree, Enabled: s.Compare, MaxDiff: proof.MaxDiff}

	// The order of things. What a part does stands over its method.
	d.Stepper = engine.New(kit, s.Run, engine.Order{
		Open:    []openFunc{guards.Load, gits.Note, guards.Note, gits.FindLocks, commits.Tidy, claims.Open},
		Recall:  []recallFunc{prompts.Recall, plan.Recall},
		Recover: []recoverFunc{plan.Recover, tree.Recover, commits.Recover},
		Lost:    []lostFunc{plan.Lost},

		Begin: []partFunc{
			hooks.AskNext,   // next_iteration: go on, skip or end
			plan.Take,       // the tasks as the agent finds them
			prompts.Build,   // what the agent is told; its commands may write to the tree
			tree.TakeBase,   // the tree as the agent finds it
			guards.TakePins, // and the pinned files, those that git ignores too
		},
		Listen: s.detectors,
		Gone: []partFunc{
			gits.PutBack,           // what decides how git acts, before any git of ours
			gits.DropLocks,         // of those that were ended with the agent
			tree.TakeAfter,         // the tree as the agent left it, before anything else runs
			guards.NoteChangedPins, // the pinned files that it has changed
		},
		Check: []checkFunc{
			usage.Check,                          // warns of what the agent did not tell
			tree.LookAgain,                       // at everything, before it is judged as done
			tree.Compare,                         // what changed
			tree.NoteLater,                       // and what of that runs by itself
			(&parts.Conflicts{Tree: tree}).Check, // merge conflicts that were left in it
			plan.Check,                           // what was ticked, and what vanished
			guards.CheckProtected,                // fails the attempt if it changed what it must not
			claims.Check,                         // gates, and what is claimed: the proof
			tree.CountProgress,                   // which of all that counts
			repeats.Mark,                         // what the next attempts could repeat
			claims.AskRules,                      // a rule of the program's that calls it done
			scripts.Ask,                          // the user's stop scripts
			hooks.TellAfter,                      // post_iteration, failed
		},
		Settle: []checkFunc{
			commits.Commit,
			claims.CheckAgain, // what is left behind is what was proven
			gits.PutBackAgain, // what gates and hooks have done to git, which run what the agent wrote
			tree.NoteLater,    // hooks of git's may have changed it once more
		},
		Finish: []finishFunc{
			tree.Restore,   // where the verdict says so
			prompts.HandOn, // what the next agent should know
			kit.ShareOutcome,
		},

		Started: hooks.Started, Baseline: claims.Baseline, DoneBefore: claims.DoneBefore,
		Ended: []endFunc{
			tree.LeaveLater, // what runs by itself in what is left
			hooks.Ended,
			gits.LeaveBack, // hooks run what the agent wrote, too
		},
	})
	return d
}

type (
	openFunc    = func(context.Context) error
	recallFunc  = func(*journal.Attempt)
	recoverFunc = func(context.Context, *engine.Attempt) error
	lostFunc    = func(*engine.Attempt, *loop.Outcome)
	partFunc    = func(context.Context, *engine.Attempt)
	checkFunc   = func(context.Context, *engine.Attempt, *loop.Outcome)
	finishFunc  = func(context.Context, *engine.Attempt, *loop.Outcome, loop.Verdict)
	endFunc     = func(*loop.RunFinished)
)

// detectors hear what the agent says: a fresh set for each attempt.
func (s Blueprint) detectors(a *engine.Attempt) []engine.Listener {
	return []engine.Listener{
		detect.Ending(),                                // how it ended; the others read that
		detect.Denials(),                               // what it was not allowed to do
		detect.Claims(s.Claims),                        // done, or blocked
		detect.Reasons(s.Claims.Gates),                 // why it changed tests
		detect.Summaries(),                             // what it says of its work
		detect.LastWords(notices(a)),                   // what it complains of
		detect.OtherModel(a.Worker.Model, agent.Meant), // who answers in the place of whom
		detect.TestRuns(a.Worker.InText),               // tests that it ran
		detect.Patterns(s.Patterns),                    // what nobody wants to see
	}
}

// notices tells what the agent prints as errors however it fares.
func notices(a *engine.Attempt) func(string) bool {
	return func(line string) bool { return agent.Notice(a.Worker.Agent, line) }
}

// commandsOf is what gates run.
func commandsOf(gates []proof.Gate) []later.Command {
	var list []later.Command
	for _, g := range gates {
		if g.Line != "" {
			list = append(list, later.Command{Of: "gate " + g.Name(), Line: g.Line})
		}
	}
	return list
}

func pinsOf(gates []proof.Gate) []parts.Pin {
	var list []parts.Pin
	for _, g := range gates {
		list = append(list, parts.Pin{Gate: g.Name(), Patterns: g.Pin})
	}
	return list
}
