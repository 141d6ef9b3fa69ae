//go:build unix

package refrain_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain"
)

func TestACommandInAnObserverIsRefusedAndDoesNotHang(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir, control := t.TempDir(), refrain.NewControl()
	var pause, note, attached, subscribed error
	r := run(t, refrain.Options{
		Dir: dir, Command: script("true"), Control: control,
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if _, ok := e.Payload.(*refrain.AgentStarted); !ok {
				return
			}
			pause, note = control.Pause(ctx), control.Note(ctx, "hello")
			for _, subscribed = range control.Subscribe(ctx, e.Seq) {
			}
			record, err := refrain.Open(dir, "")
			if err != nil {
				t.Error(err)
				return
			}
			attached = record.Control().StopNow(ctx)
		})},
	})
	if r.State != refrain.Done {
		t.Errorf("result = %+v, want that nothing came of the wishes", r)
	}
	for what, err := range map[string]error{"pause": pause, "note": note, "subscribe": subscribed, "stop_now": attached} {
		var refused *refrain.RefusedError
		if !errors.As(err, &refused) || refused.Command != what || !strings.Contains(refused.Why, "an observer") || refused.State != refrain.Running {
			t.Errorf("%s in an observer = %v, want it refused", what, err)
		}
	}
}

func TestAnObserverMaySteerAnotherRun(t *testing.T) {
	t.Parallel()
	other, ended := steady(t, refrain.Options{Dir: t.TempDir()})
	var stopped error
	run(t, refrain.Options{
		Dir: t.TempDir(), Command: script("true"),
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if _, ok := e.Payload.(*refrain.AgentStarted); ok {
				stopped = other.StopNow(t.Context())
			}
		})},
	})
	if stopped != nil {
		t.Error(stopped)
	}
	<-ended
}

func TestAnObserverThatDoesNotComeBackIsAnErrorOfTheRun(t *testing.T) {
	t.Parallel()
	for _, at := range []refrain.EventType{"run.started Goexit", "run.started", "agent.started", "agent.text", "run.finished", "run.finished Goexit"} {
		t.Run(string(at), func(t *testing.T) {
			does := ways["panic"]
			if point, exits := strings.CutSuffix(string(at), " Goexit"); exits {
				at, does = refrain.EventType(point), ways["Goexit"]
			}
			t.Parallel()
			dir := t.TempDir()
			others := 0
			r, err := refrain.Run(t.Context(), refrain.Options{
				Dir: dir, Command: script("echo Hello; test -e second || " + map[bool]string{true: "true", false: "sleep 1000"}[at == "run.finished"]),
				Observers: []refrain.Observer{
					refrain.ObserverFunc(func(e refrain.Event) {
						if e.Type() == at {
							does.act()
						}
					}),
					refrain.ObserverFunc(func(refrain.Event) { others++ }),
				},
			})
			var panicked *refrain.PanicError
			if !errors.As(err, &panicked) || panicked.Value != does.value || !bytes.Contains(panicked.Stack, []byte("inside_test.go")) {
				t.Fatalf("Run = %+v, %v; want a *PanicError", r, err)
			}
			record, err := refrain.Open(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			end, err := record.Result()
			want := refrain.CouldNotRun
			if at == "run.finished" { // it had its end
				want = refrain.Done
			}
			if err != nil || end.State != want || want == refrain.CouldNotRun && end.Why != "an observer "+does.why || others < 3 {
				t.Errorf("end = %+v, %v, others heard %d events; want the end in the journal, and told to the others", end, err, others)
			}
			write(t, filepath.Join(dir, "second"), "")
			if r, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir}); err != nil || r.State != refrain.Done {
				t.Errorf("Resume = %+v, %v; want that it goes on", r, err)
			}
		})
	}
}

// odd is an agent that says Hello, and does something odd at each point where it is
// called.
type odd struct {
	command, decoder, decode, close func()
	tells                           func() []refrain.Payload
}

func (odd) Name() string { return "odd" }

func (o odd) Command(c refrain.Call) (refrain.Command, error) {
	if c.Iteration > 0 { // else it is only to be shown
		act(o.command)
	}
	return refrain.Command{Argv: script("echo Hello; test -e quick || sleep 1000")}, nil
}

func (o odd) Decoder() refrain.Decoder {
	act(o.decoder)
	return o
}

func (o odd) Decode([]byte) []refrain.Payload {
	act(o.decode)
	if o.tells != nil {
		return o.tells()
	}
	return nil
}

func (o odd) Close(refrain.Exit) []refrain.Payload {
	act(o.close)
	return []refrain.Payload{&refrain.AgentResult{OK: true}}
}

func act(f func()) {
	if f != nil {
		f()
	}
}

// part is something that a program brings, in words, and the options that bring it.
type part struct {
	who     string
	options refrain.Options
}

// parts is every part that a program can bring, with something that it does, and
// what it is called.
func parts(does func()) map[string]part {
	plain := func() refrain.Options { return refrain.Options{Command: script("echo Hello")} }
	with := func(change func(*refrain.Options)) refrain.Options {
		o := plain()
		change(&o)
		return o
	}
	hook := func(context.Context, refrain.Moment) refrain.Answer { does(); return refrain.Answer{} }
	return map[string]part{
		"command": {"an agent", refrain.Options{Prompt: "Hi", CustomAgent: odd{command: does}}},
		"decoder": {"a decoder", refrain.Options{Prompt: "Hi", CustomAgent: odd{decoder: does}}},
		"decode":  {"a decoder", refrain.Options{Prompt: "Hi", CustomAgent: odd{decode: does}}},
		"close":   {"a decoder", refrain.Options{Prompt: "Hi", CustomAgent: odd{close: does}}},
		"gate": {"a gate", with(func(o *refrain.Options) {
			o.CustomGates = []refrain.Gate{refrain.GateFunc("odd", func(context.Context, refrain.Place) refrain.Finding { does(); return refrain.Finding{OK: true} })}
		})},
		"rule": {"a rule", with(func(o *refrain.Options) {
			o.Rules = []refrain.Rule{refrain.RuleFunc("odd", func(refrain.Facts) refrain.Verdict { does(); return refrain.Verdict{} })}
		})},
		"completion": {"a completion check", with(func(o *refrain.Options) {
			o.Completion = refrain.CompletionFunc(func(string, refrain.Outcome) (string, bool) { does(); return "", false })
		})},
		"before":   {"a hook", with(func(o *refrain.Options) { o.Hooks.Before = hook })},
		"after":    {"a hook", with(func(o *refrain.Options) { o.Hooks.After = hook })},
		"finished": {"a hook", with(func(o *refrain.Options) { o.Hooks.Finished = func(context.Context, refrain.Result) { does() } })},
	}
}

// ways are how a part can fail to come back, what a PanicError has of it, and how that
// is told.
var ways = map[string]struct {
	act   func()
	value any
	why   string
}{
	"panic":  {func() { panic("out of cheese") }, "out of cheese", "panicked: out of cheese"},
	"Goexit": {runtime.Goexit, nil, "called runtime.Goexit, as t.FailNow does, and did not come back"},
}

func TestAPartThatDoesNotComeBackIsAnErrorOfTheRun(t *testing.T) {
	t.Parallel()
	for way, does := range ways {
		all := parts(does.act)
		all["observer"] = part{"an observer", refrain.Options{Command: script("echo Hello; sleep 1000"), Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if e.Type() == "agent.text" {
				does.act()
			}
		})}}}
		for name, part := range all {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				o := part.options
				o.Dir, o.MaxIterations = t.TempDir(), 2
				if name == "close" {
					write(t, filepath.Join(o.Dir, "quick"), "")
				}
				r, err := refrain.Run(t.Context(), o)
				var panicked *refrain.PanicError
				if !errors.As(err, &panicked) || panicked.Value != does.value || panicked.Who != part.who || !bytes.Contains(panicked.Stack, []byte("inside_test.go")) {
					t.Fatalf("Run = %+v, %v; want a *PanicError of %s", r, err, part.who)
				}
				record, err := refrain.Open(o.Dir, "")
				if err != nil {
					t.Fatal(err)
				}
				end, err := record.Result()
				want, why := refrain.CouldNotRun, part.who+" "+does.why
				if name == "finished" { // the work is what it is
					want, why = refrain.Done, end.Why
				}
				if err != nil || end.State != want || end.Why != why {
					t.Errorf("end = %s, %q, %v; want that it says who it was", end.State, end.Why, err)
				}
			})
		}
	}
}

// early is an agent that does something odd when it is looked at before the run.
type early struct {
	odd
	name, abilities, command func()
	argv                     []string
	err                      error
}

func (e early) Name() string {
	act(e.name)
	return "early"
}

func (e early) Abilities() refrain.Abilities {
	act(e.abilities)
	return refrain.Abilities{}
}

func (e early) Command(refrain.Call) (refrain.Command, error) {
	act(e.command)
	return refrain.Command{Argv: e.argv}, e.err
}

// oddlyNamed is a gate and a rule that do something when they are asked their name.
type oddlyNamed struct{ does func() }

func (n oddlyNamed) Name() string {
	n.does()
	return "odd"
}
func (oddlyNamed) Check(context.Context, refrain.Place) refrain.Finding { return refrain.Finding{} }
func (oddlyNamed) Decide(refrain.Facts) refrain.Verdict                 { return refrain.Verdict{} }

// mute is an error that cannot be told.
type mute struct{ does func() }

func (m mute) Error() string {
	m.does()
	return ""
}

func TestAPartThatDoesNotComeBackBeforeTheRunIsAnError(t *testing.T) {
	t.Parallel()
	for way, does := range ways {
		for name, part := range map[string]part{
			"agent's name":      {"an agent", refrain.Options{CustomAgent: early{name: does.act}}},
			"agent's abilities": {"an agent", refrain.Options{CustomAgent: early{abilities: does.act}}},
			"agent's command":   {"an agent", refrain.Options{CustomAgent: early{command: does.act}}},
			"agent's error":     {"an agent", refrain.Options{CustomAgent: early{err: mute{does.act}}}},
			"gate's name":       {"a gate", refrain.Options{Command: script("true"), CustomGates: []refrain.Gate{oddlyNamed{does.act}}}},
			"rule's name":       {"a rule", refrain.Options{Command: script("true"), Rules: []refrain.Rule{oddlyNamed{does.act}}}},
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				o := part.options
				o.Dir, o.Prompt, o.Control = t.TempDir(), "Hi", refrain.NewControl()
				_, preflight := refrain.Preflight(t.Context(), o)
				r, run := refrain.Run(t.Context(), o)
				for what, err := range map[string]error{"Preflight": preflight, "Run": run} {
					var panicked *refrain.PanicError
					if !errors.As(err, &panicked) || panicked.Value != does.value || panicked.Who != part.who || !bytes.Contains(panicked.Stack, []byte("inside_test.go")) {
						t.Errorf("%s = %v; want a *PanicError of %s", what, err, part.who)
					}
				}
				if r.Started || r.State != "" {
					t.Errorf("Run = %+v, want that none has begun", r)
				}
				for record := range refrain.Runs(o.Dir) {
					t.Errorf("%s is left behind", record.Run)
				}
				run1 := refrain.Options{Dir: o.Dir, Command: script("true"), Until: "DONE", MaxIterations: 1}
				if _, err := refrain.Run(t.Context(), run1); err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(name, "name") {
					var panicked *refrain.PanicError
					_, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: o.Dir, CustomAgent: o.CustomAgent, CustomGates: o.CustomGates, Rules: o.Rules})
					if !errors.As(err, &panicked) || panicked.Who != part.who {
						t.Errorf("Resume = %v; want a *PanicError of %s", err, part.who)
					}
				}
			})
		}
	}
}

// What is only looked at has no run that it could end.
func TestAPartThatPanicsInPreflightSparesTheRun(t *testing.T) {
	t.Parallel()
	panics := true
	o := refrain.Options{Dir: t.TempDir(), Prompt: "Hi", MaxIterations: 1, Control: refrain.NewControl(), CustomAgent: early{argv: script("true"), command: func() {
		if panics {
			panic("out of cheese")
		}
	}}}
	var panicked *refrain.PanicError
	if _, err := refrain.Preflight(t.Context(), o); !errors.As(err, &panicked) {
		t.Errorf("Preflight = %v, want a *PanicError", err)
	}
	panics = false
	if r := run(t, o); r.Totals.Iterations != 1 {
		t.Errorf("result = %+v, want that it has worked", r)
	}
}

func TestACommandInPreflightIsRefusedAndDoesNotHang(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	control := refrain.NewControl()
	var pause error
	_, err := refrain.Preflight(ctx, refrain.Options{Dir: t.TempDir(), Prompt: "Hi", Control: control, CustomAgent: early{argv: script("true"), command: func() {
		pause = control.Pause(ctx)
	}}})
	var refused *refrain.RefusedError
	if err != nil || !errors.As(pause, &refused) {
		t.Errorf("Preflight = %v, and pause in its look at the agent = %v; want it refused", err, pause)
	}
}

func TestAnAgentWithoutACommandIsAUsageError(t *testing.T) {
	t.Parallel()
	for name, argv := range map[string][]string{"none": nil, "an empty one": {"", "x"}} {
		o := refrain.Options{Dir: t.TempDir(), Prompt: "Hi", CustomAgent: early{argv: argv}}
		_, preflight := refrain.Preflight(t.Context(), o)
		_, run := refrain.Run(t.Context(), o)
		for what, err := range map[string]error{"Preflight": preflight, "Run": run} {
			var usage *refrain.UsageError
			if !errors.As(err, &usage) || !strings.Contains(usage.What, "agent early") || usage.Hint == "" {
				t.Errorf("%s with %s = %v, want a *UsageError that names the agent, and a hint", what, name, err)
			}
		}
	}
}

// whimsical is an agent that has a command only when it is looked at.
type whimsical struct{ odd }

func (whimsical) Command(c refrain.Call) (refrain.Command, error) {
	if c.Iteration > 0 {
		return refrain.Command{}, nil
	}
	return refrain.Command{Argv: script("true")}, nil
}

func TestAnAttemptWithoutACommandHasFailed(t *testing.T) {
	t.Parallel()
	o := refrain.Options{Dir: t.TempDir(), Prompt: "Hi", CustomAgent: whimsical{}, MaxIterations: 1}
	run(t, o)
	record, err := refrain.Open(o.Dir, "")
	if err != nil {
		t.Fatal(err)
	}
	i, err := record.Iteration(1)
	if err != nil || i.Outcome.Result != refrain.Failed || i.Outcome.Error == nil || !strings.Contains(i.Outcome.Error.Message, "no program to start") {
		t.Errorf("iteration = %+v, %v; want that it has failed, and says why", i.Outcome, err)
	}
}

// An agent may keep what it gives: it is looked at, and not written to.
func TestTheCommandOfAnAgentIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	argv := []string{"echo", "Hi"}
	if _, err := refrain.Preflight(t.Context(), refrain.Options{Dir: t.TempDir(), Prompt: "Hi", CustomAgent: early{argv: argv}}); err != nil || argv[1] != "Hi" {
		t.Errorf("Preflight = %v, and the agent's arguments are %q now", err, argv)
	}
}

// API-08: commands where the run waits for who gives them.
func TestACommandInAPartIsRefusedAndDoesNotHang(t *testing.T) {
	t.Parallel()
	for name := range parts(nil) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			dir, control := t.TempDir(), refrain.NewControl()
			write(t, filepath.Join(dir, "quick"), "")
			answers := map[string]error{}
			var note, raise error // which wait for nothing
			part := parts(func() {
				if len(answers) > 0 {
					return
				}
				answers["pause"], answers["stop"] = control.Pause(ctx), control.Stop(ctx)
				for _, answers["subscribe"] = range control.Subscribe(ctx, 0) {
				}
				note, raise = control.Note(ctx, "hello"), control.Raise(ctx, "loop.max_iterations", "3")
			})[name]
			o := part.options
			o.Dir, o.Control, o.MaxIterations = dir, control, 2
			run(t, o)
			for _, what := range []string{"pause", "stop", "subscribe"} {
				var refused *refrain.RefusedError
				if err := answers[what]; !errors.As(err, &refused) || !strings.Contains(refused.Why, part.who) {
					t.Errorf("%s in %s = %v, want it refused", what, part.who, err)
				}
			}
			if late := name == "finished"; (note != nil) != late || (raise != nil) != late {
				t.Errorf("note and raise in %s = %v, %v; want them taken, unless it is too late for them", part.who, note, raise)
			}
		})
	}
}

func TestADecoderTellsOnlyWhatAgentsDo(t *testing.T) {
	t.Parallel()
	for name, tells := range map[string]refrain.Payload{
		"nil":             nil,
		"a nil text":      (*refrain.AgentText)(nil),
		"the run's end":   &refrain.RunFinished{State: refrain.Done},
		"a foreign event": stranger{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := refrain.Run(t.Context(), refrain.Options{
				Dir: t.TempDir(), Prompt: "Hi",
				CustomAgent: odd{tells: func() []refrain.Payload { return []refrain.Payload{&refrain.AgentText{Text: "Hello"}, tells} }},
			})
			if err == nil || !strings.Contains(err.Error(), "which is no event of an agent") || r.State != refrain.CouldNotRun {
				t.Errorf("Run = %+v, %v; want an error of the run", r, err)
			}
		})
	}
}

type stranger struct{}

func (stranger) Type() refrain.EventType { return "stranger" }
