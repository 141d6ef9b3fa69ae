package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/outside"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/preflight"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/trust"
)

// Job is a run that is ready to start: everything checked, nothing written.
type Job struct {
	request.Assignment

	// LimitedBy is how many open tasks the limit on iterations was made of; 0: it was
	// not.
	LimitedBy int

	lineup  *lineup.Lineup
	margin  time.Duration   // see policy.Terms
	prompt  *prompt.Builder // nil: the command gets none
	protect glob.Patterns
	only    glob.Patterns // files that alone are progress; none is all

	news        []trust.News  // what nobody has agreed to: nothing of this job may run
	firstPrompt prompt.Prompt // as the first iteration would get it
	accepted    bool          // a person has looked at what changed since the run began
	patterns    []*regexp.Regexp
	files       *git.Tree
	records     records
	log         *runLog // opened with the lock
	agency      *agency
}

// Prepare checks a request against the settings of the work tree around dir.
func Prepare(ctx context.Context, dir string, req request.Request) (*Job, error) {
	tree, err := request.Root(dir)
	if err != nil {
		return nil, err
	}
	return prepareNew(ctx, tree, req)
}

func prepare(ctx context.Context, tree string, req request.Request) (*Job, error) {
	assignment, err := request.Load(tree, req)
	if err != nil {
		return nil, err
	}
	j := &Job{Assignment: assignment, records: records{tree: tree}, margin: policy.NewMargin(rand.IntN)}
	if err := j.CheckExtensions(); err != nil {
		return nil, err
	}
	if j.files, err = git.Open(ctx, tree, notProgress(j.Assignment)); err != nil {
		return nil, &request.UsageError{What: err.Error(), Hint: cmp.Or(request.HintOf(err), "see that \"git status\" works here; without it nobody can tell what an agent changed")}
	}
	if j.lineup, err = lineup.New(j.Assignment); err != nil {
		return nil, err
	}
	if j.news, err = agreed(ctx, j.Assignment, programs(j.Assignment, j.lineup)); err != nil {
		return nil, err
	}
	if err := checkDir(j.Dir()); err != nil {
		return nil, err
	}
	j.agency = &agency{Assignment: j.Assignment, lineup: j.lineup}
	if err := j.agency.choose(ctx); err != nil {
		return nil, err
	}
	if err := j.lineup.CheckRoot(j.agency.confines()); err != nil {
		return nil, err
	}
	if err := j.preparePrompt(ctx); err != nil {
		return nil, err
	}
	if j.patterns, err = compile(j.Config().Stop.Patterns); err != nil {
		return nil, err
	}
	if err := j.prepareEvidence(); err != nil {
		return nil, err
	}
	if err := checkNotices(j.Assignment); err != nil {
		return nil, err
	}
	return j, nil
}

// Preflight is what this run would trip over, found before anything starts.
func (j *Job) Preflight(ctx context.Context) []preflight.Finding {
	return preflight.Look(ctx, preflight.Flight{Assignment: j.Assignment, Terms: j.terms(), Workers: whoWorks(j), Git: j.files.Git()})
}

// notProgress is what the user's patterns name, and what the runner itself
// writes into the work tree: its log, and its own output when that goes to a
// file there.
func notProgress(a request.Assignment) []string {
	list := slices.Clone(a.Config().Progress.Ignore)
	ours := []string{}
	for _, file := range []string{a.Config().Log.File, a.Config().Notify.Log, a.Config().Metrics.File} {
		if file != "" {
			ours = append(ours, a.InTree(file))
		}
	}
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err == nil && filepath.IsAbs(path) {
			ours = append(ours, path)
		}
	}
	for _, path := range ours {
		if rel, err := filepath.Rel(a.Tree, path); err == nil && filepath.IsLocal(rel) {
			list = append(list, "/"+globQuote(filepath.ToSlash(rel)))
		}
	}
	return list
}

// globQuote makes a path a pattern that matches only itself.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// preparePrompt builds the first prompt to see that it can be built: a missing
// or empty one should not be found out at night.
func (j *Job) preparePrompt(ctx context.Context) error {
	if !j.HasPrompt() {
		return nil
	}
	title, pieces, err := j.Pieces()
	if err != nil {
		return err
	}
	c, vars := j.Config(), map[string]any{}
	for name, value := range j.Request.Vars {
		vars[name] = value
	}
	j.prompt = &prompt.Builder{
		Title: title, Pieces: pieces, Template: j.Templated(), Tree: j.Tree,
		Facts: prompt.Facts{
			Procedure: j.Request.Procedure, WorkDir: j.Dir(), Agent: j.lineup.Name(), Model: j.lineup.Model(), Plan: c.Done.Plan,
		},
		Branch: j.repository().branch,
		Vars:   vars,

		Shell:    prompt.Shell{Env: j.Environ(), Exec: j.agency.aside},
		Commands: j.Request.Commands, ShowCommands: j.Request.Untrusted || len(j.news) > 0,
		Context: j.Request.Context,
		Claims:  prompt.Claims{Tell: c.Claims.Tell, From: c.Claims.From, Promise: c.Done.Promise, Failure: c.Done.FailurePromise, Anywhere: c.Done.Match == "substring"},
		Max:     c.Stop.Iterations,
		Feedback: prompt.Feedback{
			Enabled: c.Feedback.Enabled, MaxTokens: c.Feedback.MaxTokens, Summaries: c.Feedback.Summaries,
		},
		IterationContext: c.Loop.IterationContext.Or(j.Request.Procedure == ""),
		Tests:            j.terms().TestsMayBecome(),
		Kept:             j.lineup.KeepsSession(),
	}
	if j.Request.Commands != nil { // of a run that goes on
		j.prompt.Settle()
	}
	first, err := j.prompt.Build(ctx, loop.State{}, 1, nil)
	if err != nil {
		return request.PromptProblem(err)
	}
	j.firstPrompt = first
	j.prompt.Settle()
	if _, _, err := j.shownCommand(first.Text); err != nil {
		return err // it cannot be handed over
	}
	j.Request.Commands = append([]string{}, j.prompt.Commands...) // none is known, too
	if !c.Loop.FreezePrompt || j.Request.Prompt != "" {
		return nil
	}
	// The texts are stored with the run, so that a resume has the first ones too.
	j.Request.Title = title
	j.Request.Pieces, err = request.Frozen(pieces)
	j.prompt.Pieces = j.Request.Pieces
	return err
}

// compile reads the patterns that end a run.
func compile(texts []string) ([]*regexp.Regexp, error) {
	var list []*regexp.Regexp
	for _, text := range texts {
		p, err := regexp.Compile(text)
		if err != nil {
			return nil, &request.UsageError{What: fmt.Sprintf("stop.patterns: %v", err), Hint: "write a regular expression of Go's kind"}
		}
		list = append(list, p)
	}
	return list, nil
}

// checkDir sees that the agent can work in a folder.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return &request.UsageError{What: fmt.Sprintf("cannot work in %s: %v", dir, err), Hint: "set loop.dir to a folder of the work tree"}
	}
	if !info.IsDir() {
		return &request.UsageError{What: dir + " is not a folder", Hint: "set loop.dir to a folder of the work tree"}
	}
	return nil
}

// repository is the one that the run works in.
func (j *Job) repository() repository { return repository{j.Assignment, j.files} }

// prepareEvidence checks what the run will be judged by, while a mistake still
// costs nothing.
func (j *Job) prepareEvidence() error {
	c := j.Config()
	if c.Done.Plan != "" {
		if _, err := plan.Read(j.Plan()); err != nil {
			hint, missing := request.HintOf(err), (*plan.MissingError)(nil)
			if said := j.Telling(""); said != "" && errors.As(err, &missing) {
				hint = "plan it first: " + text.JoinArgs([]string{"refrain", "plan", said})
			}
			return &request.UsageError{What: err.Error(), Hint: hint}
		}
	}
	protect, err := glob.Parse(c.Git.Protect)
	if err != nil {
		return &request.UsageError{What: fmt.Sprintf("git.protect: %v", err), Hint: "write patterns as in a .gitignore file"}
	}
	j.protect = protect
	if j.only, err = glob.Parse(c.Progress.Only); err != nil {
		return &request.UsageError{What: fmt.Sprintf("progress.only: %v", err), Hint: "write patterns as in a .gitignore file"}
	}
	for _, g := range c.Gates {
		if _, err := glob.Parse(g.Pin); err != nil {
			return &request.UsageError{What: fmt.Sprintf("gate %s: pin: %v", g.Name, err), Hint: "write patterns as in a .gitignore file"}
		}
	}
	if _, err := text.Expand(c.Git.CommitTemplate, j.repository().names(0)); err != nil {
		return &request.UsageError{What: fmt.Sprintf("git.commit_template: %v", err), Hint: "use {task}, {iteration}, {run}, {procedure}, {summary} and {timestamp}"}
	}
	if j.files.Git() {
		return nil
	}
	for key, wanted := range map[string]bool{
		"git.commit":                 c.Git.Commit,
		"git.branch":                 c.Git.Branch.New,
		`git.on_regression=rollback`: c.Git.OnRegression == "rollback",
		`done.proof=clean`:           c.Done.Proof == "clean",
	} {
		if wanted {
			return &request.UsageError{What: key + " needs git, and this folder is in no repository", Hint: "run \"git init\" here, or leave it out"}
		}
	}
	return nil
}

// terms are what the run is judged by.
func (j *Job) terms() policy.Terms {
	t := policy.Terms{
		Config: j.Config(), Kind: j.Request.Kind(),
		OwnGates: len(j.Request.Extensions.Gates), OwnRules: j.Request.Extensions.StopRules(),
		OwnClaims: j.Request.Extensions.Claims != nil, Margin: j.margin,
	}
	if j.lineup != nil { // else it is only a check
		t.Agents, t.KeepsSession = j.lineup.Names(), j.lineup.KeepsSession()
	}
	return t
}

// Warnings is what a person should know before the run starts.
func (j *Job) Warnings() []loop.Warning {
	terms := j.terms()
	var list []loop.Warning
	if promise := j.Config().Done.Promise; promise != "" && j.prompt != nil {
		if detect.BareTag(j.firstPrompt.Own, promise) {
			hint := "put the tag inside a sentence"
			if j.Config().Claims.Tell {
				hint += "; the agent is told how to claim anyway"
			}
			list = append(list, loop.Warning{Text: "the prompt has the promise tag alone on a line: an agent that repeats its prompt claims done", Hint: hint})
		}
	}
	if text, hint, ok := j.agency.found.Warning(); ok {
		list = append(list, loop.Warning{Text: text, Hint: hint})
	}
	for _, s := range outside.Skipped() {
		text, hint := s.Warning()
		list = append(list, loop.Warning{Text: text, Hint: hint})
	}
	list = append(list, unusedOpenings(j.Config().Sandbox)...)
	list = append(list, j.lineup.Warnings(j.agency.confines())...)
	if len(j.news) > 0 {
		e := &trust.Error{Tree: j.Tree, News: j.news}
		list = append(list, loop.Warning{Text: e.Error(), Hint: e.Hint()})
	}
	// Gates whose red counts as a failure have their use without a way to be done.
	if terms.Gated() && !terms.CanBeDone() && !j.Config().Stop.GatesAreFailures {
		list = append(list, loop.Warning{
			Text: "there are gates, but no claim for them to judge: nothing can prove this run done",
			Hint: "set a promise (--until), a plan (--plan), or done.gates = true, which takes passing gates for done",
		})
	}
	if j.Config().Session.Mode == "keep" && !terms.KeepsSession {
		list = append(list, loop.Warning{Text: j.lineup.Name() + " cannot go on with a session: every iteration begins with a fresh one"})
	}
	if !terms.CanEnd() {
		list = append(list, loop.Warning{
			Text: "nothing can end this run but you",
			Hint: "set a limit (-n, --max-time, --max-cost), a promise (--until) or stop.failures",
		})
	}
	return list
}

// Answers is what may be said to a question.
var Answers = engine.Answers

// asking is when a person is asked.
func (j *Job) asking() engine.Asking {
	c := j.Config()
	a := engine.Asking{Always: c.Loop.Attended, Done: c.Ask.Done, OnFailure: c.Ask.OnFailure, Timeout: c.Ask.Timeout, Default: c.Ask.Default}
	for _, text := range c.Ask.At {
		if n, err := strconv.Atoi(text); err == nil { // else the settings would have been refused
			a.At = append(a.At, n)
		}
	}
	return a
}

// Attended tells whether a person will be asked anything.
func (j *Job) Attended() bool {
	a := j.asking()
	return a.Always || a.Done || a.OnFailure || len(a.At) > 0
}

// Answerable tells whether the run goes on though nobody answers.
func (j *Job) Answerable() bool { return j.Config().Ask.Timeout > 0 }
