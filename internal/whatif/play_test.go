package whatif

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/steer"
)

// act is what one attempt does, whoever looks on.
type act struct {
	result  string        // ok, failed, idle, skipped, limited, unavailable or signed out
	takes   time.Duration // the agent, in all
	told    []loop.Usage  // in equal parts of that time
	reset   time.Duration // of a limit, since the run began; 0: none is stated
	writes  bool          // a file, first of all
	claims  bool
	failing int           // tests that the gate finds failing
	checked time.Duration // how long the gate takes
}

// play is a run that is the same each time but for its settings: its agent plays
// acts, and when they are over, a person stops it.
type play struct {
	acts   []act
	gated  bool
	margin time.Duration
	orders []order // of people
	hurry  bool    // do not wait for a limit that is known

	control *steer.Control
	began   time.Time
	ran     int
}

// order is a command that a person gives so long after a start.
type order struct {
	after time.Duration
	steer.Command
}

func (p *play) act() act { return p.acts[min(p.ran, len(p.acts))-1] }

// exec plays the next act instead of starting a process.
func (p *play) exec(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
	p.ran++
	spec.Started(4711, time.Now())
	say := func(format string, args ...any) {
		spec.Stdout.Line(fmt.Appendf(nil, format, args...), false)
		spec.Stdout.Pause()
	}
	if p.ran > len(p.acts) {
		p.control.Stop(loop.StopRequest{Now: true})
		<-ctx.Done()
		return loop.Exit{Signal: "TERM", Cause: loop.OnRequest}, nil
	}
	a := p.act()
	if a.writes {
		if err := os.WriteFile(filepath.Join(spec.Dir, fmt.Sprintf("file%d", p.ran)), []byte("new"), 0o600); err != nil {
			return loop.Exit{}, err
		}
	}
	parts := len(a.told) + 1
	for i := range parts {
		select {
		case <-time.After(a.takes / time.Duration(parts)):
		case <-ctx.Done():
		}
		if i < len(a.told) && ctx.Err() == nil {
			say(`{"type":"agent.usage","usage":{"input":%d,"cost_usd":%g}}`, a.told[i].Input, a.told[i].CostUSD)
		}
		if ctx.Err() != nil {
			return loop.Exit{Signal: "TERM", Cause: causeOf(ctx)}, nil
		}
	}
	if a.claims {
		say(`{"type":"agent.text","text":"<promise>DONE</promise>"}`)
	}
	code := 1
	switch a.result {
	case "ok":
		code = 0
		say(`{"type":"agent.result","ok":true}`)
	case "failed":
		say(`{"type":"agent.result","ok":false,"error":{"kind":"agent","message":"boom"}}`)
	case "idle":
		return loop.Exit{Signal: "TERM", Cause: loop.WhenIdle}, nil
	case "skipped":
		return loop.Exit{Signal: "TERM", Cause: loop.OnSkip}, nil
	case "signed out":
		say(`{"type":"agent.result","ok":false,"error":{"kind":"auth"}}`)
	case "limited":
		if a.reset > 0 {
			say(`{"type":"agent.limit","limit":{"kind":"five_hour","until":%q}}`, p.began.Add(a.reset).UTC().Format(time.RFC3339))
		}
		say(`{"type":"agent.result","ok":false,"error":{"kind":"usage_limit"}}`)
	case "unavailable":
		say(`{"type":"agent.result","ok":false,"error":{"kind":"overloaded"}}`)
	}
	return loop.Exit{Code: &code, Cause: loop.Exited}, nil
}

func causeOf(ctx context.Context) loop.Cause {
	for _, c := range []loop.Cause{loop.OnBudget, loop.OnMaxTime, loop.OnRequest, loop.OnSkip} {
		if errors.Is(context.Cause(ctx), proc.End(c)) {
			return c
		}
	}
	return loop.Signaled
}

// Name and Check make a play its own gate.
func (p *play) Name() string { return "test" }

func (p *play) Check(ctx context.Context, at gate.Place) gate.Result {
	r := gate.Result{Gate: loop.Gate{Name: "test", OK: true, Where: at.Where, Tests: 10}, Tests: &loop.Tests{Total: 10, Passed: 10}}
	if p.ran == 0 || p.ran > len(p.acts) {
		return r
	}
	a := p.act()
	select {
	case <-time.After(a.checked):
	case <-ctx.Done():
		return gate.Result{Gate: loop.Gate{Name: "test", Where: at.Where, Why: "interrupted"}, Interrupted: true}
	}
	for i := range a.failing {
		r.Tests.Failing = append(r.Tests.Failing, fmt.Sprintf("Test%d", i))
	}
	r.Tests.Passed, r.Tests.Failed, r.OK = 10-a.failing, a.failing, a.failing == 0
	if !r.OK {
		r.Why = "tests fail"
	}
	return r
}

// work is the play under these settings, and how a run of it is stored.
type work struct {
	request request.Request
	terms
}

func (p *play) work(t *testing.T, flags []config.Flag) *work {
	t.Helper()
	if p.gated {
		flags = append(flags[:len(flags):len(flags)], config.Flag{Name: "--gate", Key: "gate", Value: "true"})
	}
	settings, err := config.Load(config.Sources{Flags: flags, Kind: config.AdHocPrompt})
	if err != nil {
		t.Fatal(err)
	}
	return &work{
		request: request.Request{Prompt: "go", Flags: flags},
		terms: terms{
			settings: settings,
			Terms:    policy.Terms{Config: settings.Config, Kind: config.AdHocPrompt, Agents: []string{"agent"}, Margin: p.margin},
		},
	}
}

// stored is the request and the settings as a run keeps them.
func (w *work) stored() (asked, settings json.RawMessage) {
	asked, err := json.Marshal(w.request)
	if err == nil {
		settings, err = json.Marshal(w.settings.Masked())
	}
	if err != nil {
		panic(err) // values of these types always encode
	}
	return asked, settings
}

// raised is the same with one limit changed.
func (w *work) raised(key, value string) (*work, error) {
	next, settings := *w, *w.settings
	if err := policy.Raise(&settings.Config, policy.Raised(key, value)); err != nil {
		return nil, err
	}
	next.settings, next.Config = &settings, settings.Config
	return &next, nil
}

// run plays to the end of a run, in time of its own, and gives that end and the
// rule that made it.
func (p *play) run(t *testing.T, dir string, flags []config.Flag) (loop.RunFinished, string) {
	t.Helper()
	var end loop.RunFinished
	synctest.Test(t, func(t *testing.T) {
		p.began, p.ran = time.Now(), 0
		w := p.work(t, flags)
		run := p.create(t, dir, w)
		defer run.Close()
		end = p.drive(t, dir, w, run, journal.Past{}, &loop.RunStarted{
			Name: run.Meta().Name, Procedure: "run", Agent: "agent", Limits: w.Limits(), Counting: w.Counting(), Promise: w.Config.Done.Promise,
		})
	})
	return end, ruleOf(t, dir)
}

// resume goes on with run-1 after a while.
func (p *play) resume(t *testing.T, dir string, after time.Duration, flags []config.Flag) loop.RunFinished {
	t.Helper()
	var end loop.RunFinished
	synctest.Test(t, func(t *testing.T) {
		store := journal.Store{Dir: filepath.Join(dir, ".refrain"), Tree: dir}
		entry, err := store.Load("run-1")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(entry.State.At.Add(after)))
		w := p.work(t, flags)
		run, past, err := store.Resume("run-1")
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		if err := run.Restate(w.stored()); err != nil {
			t.Fatal(err)
		}
		from := loop.Crashed
		if past.Finished != nil {
			from = past.Finished.State
		}
		end = p.drive(t, dir, w, run, past, &loop.RunResumed{
			From: from, Limits: w.Limits(), Counting: w.Counting(), Changed: config.Diff(storedConfig(t, entry), w.settings.Masked()), Agent: "agent",
		})
	})
	return end
}

func (p *play) create(t *testing.T, dir string, w *work) *journal.Run {
	t.Helper()
	store := journal.Store{Dir: filepath.Join(dir, ".refrain"), Tree: dir}
	asked, settings := w.stored()
	run, err := store.Create(journal.Meta{Procedure: "run", Version: "test", StartedAt: time.Now(), Flags: asked, Config: settings})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (p *play) drive(t *testing.T, dir string, w *work, run *journal.Run, past journal.Past, start loop.Payload) loop.RunFinished {
	t.Helper()
	a, err := agent.New(agent.Options{Name: "command", Command: []string{"agent"}, Format: "rehearsal"})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := git.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.control = steer.NewControl()
	o := app.Blueprint{
		Run: engine.Options{
			Journal: run, Past: past, Dir: dir, Workers: []engine.Worker{{Name: "agent", Agent: a}},
			Terms:   engine.Terms{Rules: w.Rules(), Limits: w.Limits(), Holds: w.Holds()},
			Control: p.control, Exec: p.exec, Raise: raises(w, run), Hurry: p.hurry,
		},
		Start: start, Claims: detect.ClaimSettings{Promise: w.Config.Done.Promise, Gates: w.Gated()}, Files: tree, Progress: []loop.ProgressBy{loop.InFiles, loop.InTests},
		Compare: w.Config.Stop.Repeats > 0,
	}
	if p.gated {
		o.Judge = proof.Judge{Gates: []proof.Gate{{Gate: p}}, Proof: proof.Settings{Mode: "workspace", Baseline: true}, Dir: dir}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, order := range p.orders {
		go func() {
			select {
			case <-time.After(order.after):
				_, _ = p.control.Do(ctx, order.Command)
			case <-ctx.Done():
			}
		}()
	}
	end, err := o.Driver().Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	synctest.Wait()
	return end
}

func storedConfig(t *testing.T, entry journal.Entry) map[string]config.Stored {
	t.Helper()
	var stored map[string]config.Stored
	if err := json.Unmarshal(entry.Config, &stored); err != nil {
		t.Fatal(err)
	}
	return stored
}

// whatif supposes other settings of run-1.
func whatif(t *testing.T, dir string, flags []config.Flag) *Result {
	t.Helper()
	store := journal.Store{Dir: filepath.Join(dir, ".refrain"), Tree: dir}
	entry, err := store.Load("run-1")
	if err != nil {
		t.Fatal(err)
	}
	w, err := Suppose(store, entry, flags)
	if err != nil {
		t.Fatalf("Suppose(%v): %v", flags, err)
	}
	return w
}

// ruleOf is the rule that ended run-1 last.
func ruleOf(t *testing.T, dir string) string {
	t.Helper()
	store := journal.Store{Dir: filepath.Join(dir, ".refrain"), Tree: dir}
	rule := ""
	for e, err := range store.Events("run-1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := e.Payload.(*loop.RunRule); ok {
			rule = p.Verdict.Rule
		}
	}
	return rule
}

// sets reads KEY=VALUE, separated by spaces.
func sets(t *testing.T, settings string) []config.Flag {
	t.Helper()
	var flags []config.Flag
	for _, arg := range strings.Fields(settings) {
		f, err := config.ParseSet(arg)
		if err != nil {
			t.Fatal(err)
		}
		flags = append(flags, f)
	}
	return flags
}

// raises changes limits as a live run does, of an agent that tells what it uses.
func raises(w *work, run *journal.Run) func(key, value string) (engine.Terms, error) {
	latest := w
	return func(key, value string) (engine.Terms, error) {
		next, err := latest.raised(key, value)
		if err != nil {
			return engine.Terms{}, err
		}
		latest = next
		return engine.Terms{Rules: next.Rules(), Limits: next.Limits(), Holds: next.Holds()}, run.Restate(next.stored())
	}
}

// newRun makes a run of the command cat with these events, one second apart, and
// the promise to be done.
func newRun(t *testing.T, events []loop.Payload) (journal.Store, string) {
	t.Helper()
	dir := t.TempDir()
	store := journal.Store{Dir: filepath.Join(dir, ".refrain"), Tree: dir}
	w := (&play{}).work(t, sets(t, "done.promise=DONE"))
	w.request = request.Request{Command: []string{"cat"}, Prompt: "go"}
	asked, settings := w.stored()
	run, err := store.Create(journal.Meta{Procedure: "run", Flags: asked, Config: settings})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	run.Attempt(0, 1).WriteGuarded(map[string]string{}) // as every run has it
	var state loop.State
	at, iter := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), 0
	for _, p := range events {
		if _, ok := p.(*loop.IterationStarted); ok {
			iter++
		}
		e := loop.Event{Time: at, Iter: iter, Attempt: min(iter, 1), Payload: p}
		if p, ok := p.(*loop.IterationFinished); ok {
			p.State = state.Sum(e)
		}
		state = state.Sum(run.Append(e))
		at = at.Add(time.Second)
	}
	return store, run.Meta().Name
}
