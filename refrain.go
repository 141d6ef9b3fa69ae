package refrain

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/trust"
)

// Helper must be called first in main, and in TestMain of tests that run loops. A
// run starts its program again in other roles: to keep the agent's processes, and
// end them should the program die, and to play rehearsals. In such a process
// Helper does that work and does not return. Without it Run and Resume give
// ErrNoHelper.
func Helper() { app.Helper() }

// Run starts a run and goes on until it ends. When ctx is done, the agent is
// ended at once with all that it started, and the run ends as Stopped; Resume
// goes on with it.
//
// The error is a *UsageError when the options or the settings make no sense, a
// *MissingAgentError when the agent is not installed, and a *HeldError when another
// run is live in the work tree. None of them leaves a trace.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Control == nil {
		o.Control = NewControl()
	}
	return o.hands().attend(ctx, func(w app.RunOptions) (loop.RunFinished, bool, error) {
		req, err := o.request()
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		job, err := app.Prepare(ctx, orHere(o.Dir), req)
		if err == nil {
			err = missingAgent(job)
		}
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		end, err := job.Start(ctx, w)
		return end, true, err
	})
}

// Resume goes on with a run that was stopped, gave up, hit a limit or crashed,
// under the options that it was started with. Settings are read anew; limits are
// new totals, not additions.
//
// The error is a *NotFoundError when there is no such run, a *HeldError when it
// is alive, and a *UsageError when it cannot go on as things are.
func Resume(ctx context.Context, o ResumeOptions) (Result, error) {
	if o.Control == nil {
		o.Control = NewControl()
	}
	var found Result
	result, err := o.hands().attend(ctx, func(w app.RunOptions) (loop.RunFinished, bool, error) {
		flags, own, err := o.request()
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		entry, err := history.FindResumable(orHere(o.Dir), o.Run)
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		found = Result{Run: entry.Name, ID: entry.ID, Dir: entry.Dir}
		c, err := app.PrepareResumeWith(ctx, entry, flags, o.AcceptConfig, consent(o.Trust), own)
		if err == nil {
			err = missingAgent(c.Job)
		}
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		w.Hurry = o.Now
		return c.Resume(ctx, w, nil)
	})
	result.Run, result.ID, result.Dir = found.Run, found.ID, found.Dir
	return result, err
}

// missingAgent is an error when there is nobody to do the work, before anything
// begins.
func missingAgent(j *app.Job) error {
	if f := app.MissingAgent(j); f != nil {
		return &MissingAgentError{Agent: strings.TrimPrefix(f.Name, "agent "), What: f.What, Hint: inGo(f.Hint)}
	}
	return nil
}

// hands is what a caller brings to any run: where it is, who looks on and who
// steers.
type hands struct {
	dir       string
	set       []Setting
	observers []Observer
	control   *Control
	version   string
}

// consent is what the caller agrees to.
func consent(given bool) request.Consent {
	if given {
		return request.Given
	}
	return request.Remembered
}

func (o Options) hands() hands { return hands{o.Dir, o.Set, o.Observers, o.Control, o.Version} }

func (o ResumeOptions) hands() hands { return hands{o.Dir, o.Set, o.Observers, o.Control, o.Version} }

// attend has a run go on under a control, and puts its end together.
func (h hands) attend(ctx context.Context, run func(app.RunOptions) (end loop.RunFinished, started bool, err error)) (Result, error) {
	if !app.HelperCalled() {
		return Result{}, ErrNoHelper
	}
	control := h.control
	at, err := control.begin()
	if err != nil {
		return Result{}, err
	}
	defer at.end()
	last := &lastWords{}
	w := app.RunOptions{Control: at.engine, Live: at.live, Version: h.version, ID: at.fresh, Observers: []app.Observer{last}, Broken: at.brokenBy}
	for _, o := range h.observers {
		w.Observers = append(w.Observers, &watched{Observer: o, control: control})
	}
	end, started, err := run(w)
	if err != nil && end.State == "" && ctx.Err() != nil {
		return Result{}, context.Cause(ctx) // it never began
	}
	s, result := control.Snapshot(), resultOf(end)
	result.Run, result.ID, result.Dir, result.Output, result.Started = s.Run, s.ID, s.Dir, last.text(), started
	return result, h.since(bySet(public(err), h.set))
}

// since adds to the error that another run is live when that began: its process may
// run one after the other.
func (h hands) since(err error) error {
	if held, ok := errors.AsType[*HeldError](err); ok && held.Run != "" {
		if other, err := Open(h.dir, held.Run); err == nil {
			held.Since = other.Started
		}
	}
	return err
}

// begin takes the control for a run.
func (c *Control) begin() (*here, error) {
	at, ours := c.wheel.(*here)
	if !ours || !c.taken.CompareAndSwap(false, true) {
		return nil, &UsageError{What: "this Control has a run already", Hint: "make a new one for each run"}
	}
	return at, nil
}

// end lets go of everybody who waits.
func (h *here) end() {
	h.engine.End()
	h.live.End()
}

// request is what the options ask for, in the words of the command line.
func (o Options) request() (request.Request, error) {
	req := request.Request{
		Procedure: o.Procedure, Command: o.Command, Prompt: o.Prompt, Context: o.Context, Vars: o.Vars,
		Untrusted: o.Untrusted, Consent: consent(o.Trust),
	}
	if o.Trust && o.Untrusted {
		return req, &UsageError{What: "the work tree is both trusted and not: Trust and Untrusted", Hint: "give one of them"}
	}
	if o.Prompt != "" && o.PromptFile != "" {
		return req, &UsageError{What: "there are two prompts: Prompt and PromptFile", Hint: "give one of them"}
	}
	if o.PromptFile != "" {
		var err error
		if req.File, err = filepath.Abs(inFolder(orHere(o.Dir), o.PromptFile)); err != nil {
			return req, err
		}
	}
	req.Flags = settings(o.Settings, o.Set, o.MaxIterations)
	for _, f := range []app.Flag{
		{Name: "--agent", Key: "agent", Value: o.Agent},
		{Name: "--model", Key: "model", Value: o.Model},
		{Name: "--until", Key: "done.promise", Value: o.Until},
	} {
		if f.Value != "" {
			req.Flags = append(req.Flags, f)
		}
	}
	for _, command := range o.Gates {
		if strings.TrimSpace(command) == "" {
			return req, &UsageError{What: "a gate has no command", Hint: "leave it out, or name the command that must pass"}
		}
		req.Flags = append(req.Flags, app.Flag{Name: "--gate", Key: "gate", Value: command})
	}
	var err error
	req.Extensions, err = own{o.CustomAgent, o.CustomGates, o.Rules, o.Hooks, o.Completion}.parts(o.Control)
	return req, err
}

func (o ResumeOptions) request() ([]app.Flag, request.Extensions, error) {
	parts, err := own{o.CustomAgent, o.CustomGates, o.Rules, o.Hooks, o.Completion}.parts(o.Control)
	return settings(o.Settings, o.Set, o.MaxIterations), parts, err
}

// settings are flags, always in the same order.
func settings(values map[string]string, set []Setting, iterations int) []app.Flag {
	var list []app.Flag
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, app.Flag{Name: "--set", Key: key, Value: values[key]})
	}
	for _, s := range set {
		list = append(list, app.Flag{Name: "--set", Key: s.key, Value: s.value})
	}
	if iterations == Unlimited {
		list = append(list, app.Flag{Name: "--max-iterations", Key: "loop.max_iterations", Value: "0"})
	} else if iterations != 0 {
		list = append(list, app.Flag{Name: "--max-iterations", Key: "loop.max_iterations", Value: strconv.Itoa(iterations)})
	}
	return list
}

// own is what the program brings along.
type own struct {
	agent      Agent
	gates      []Gate
	rules      []Rule
	hooks      Hooks
	completion Completion
}

// parts is all of it as a run takes it. While one of them is called, the run waits,
// and its control knows that.
func (w own) parts(c *Control) (parts request.Extensions, err error) {
	parts = request.Extensions{Hooks: w.hooks.byPoint(c), Claims: claimsOf(w.completion, w.agent, c)}
	if w.agent != nil {
		if parts.Agent, err = ownAgent(w.agent, c); err != nil {
			return parts, err
		}
	}
	for _, g := range w.gates {
		if g == nil {
			return parts, &UsageError{What: "a gate is nil", Hint: "leave it out"}
		}
		called := ownGate{own: g, control: c}
		if err := c.guard("a gate", false, func() { called.name = g.Name() }); err != nil {
			return parts, err
		}
		parts.Gates = append(parts.Gates, called)
	}
	for _, r := range w.rules {
		if r == nil {
			return parts, &UsageError{What: "a rule is nil", Hint: "leave it out"}
		}
		called := request.Rule{Rule: func(f loop.Facts) (v loop.Verdict) {
			_ = c.guard("a rule", false, func() { v = r.Decide(facts(f)) })
			return v
		}}
		if err := c.guard("a rule", false, func() { called.Name = r.Name() }); err != nil {
			return parts, err
		}
		parts.Rules = append(parts.Rules, called)
	}
	return parts, nil
}

func orHere(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// usage is a mistake of the caller's, in the words of the library.
func usage(what, hint string, err error) *UsageError {
	return &UsageError{What: inGo(what), Hint: inGo(hint), err: err}
}

// public gives an error the type that callers may know. Each kind is named here
// and nowhere else.
func public(err error) error {
	var (
		panicked *PanicError
		asked    *request.UsageError
		choice   *lineup.ChoiceError
		settings *app.SettingsError
		gone     *app.GoneError
		held     *app.HeldError
		missing  *app.NotFoundError
		newer    *app.NewerError
		corrupt  *app.CorruptError
		unasked  *trust.Error
	)
	switch {
	case errors.As(err, &panicked):
		return panicked // whatever it came to
	case errors.As(err, &asked):
		return usage(asked.What, asked.Hint, err)
	case errors.As(err, &choice):
		return &UsageError{What: choice.Error(), Hint: "name one as Agent, or set agent in refrain.toml", err: err}
	case errors.As(err, &unasked):
		return &UsageError{What: inGo(unasked.Error()), Hint: "look at it with \"refrain trust --show\", then type \"refrain trust\", or set Trust", err: err}
	case errors.As(err, &settings):
		return usage(settings.Error(), settings.Hint(), err)
	case errors.As(err, &gone):
		return usage(gone.Error(), gone.Hint(), err)
	case errors.As(err, &held):
		h := held.Holder
		return &HeldError{Run: h.Run, PID: h.PID, Host: h.Host, Since: h.Started, err: err}
	case errors.As(err, &missing):
		return &NotFoundError{Run: missing.Ref, Near: missing.Near, err: err}
	case errors.As(err, &newer):
		return &UnreadableError{Newer: true, err: err}
	case errors.As(err, &corrupt):
		return &UnreadableError{err: err}
	}
	return err
}
