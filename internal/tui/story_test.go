package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// story writes the events of a run as a runner would. Times are local, so that
// what they look like does not depend on where the test runs.
type story struct {
	events []loop.Event
	sum    loop.State
	now    time.Time
}

func begin() *story {
	s := &story{now: time.Date(2026, 11, 3, 10, 0, 0, 0, time.Local)}
	return s.tell(&loop.RunStarted{
		Name: "build-7", Procedure: "build", Agent: "claude", Promise: "DONE", Prompt: "mend it",
		Limits: loop.Limits{Iterations: 20, Failures: 3, RedGates: 5, Redline: 80},
	})
}

func (s *story) after(d time.Duration) *story {
	s.now = s.now.Add(d)
	return s
}

func (s *story) tell(payloads ...loop.Payload) *story { return s.in(0, 0, payloads...) }

func (s *story) in(iter, attempt int, payloads ...loop.Payload) *story {
	for _, p := range payloads {
		e := loop.Event{Seq: int64(len(s.events) + 1), Time: s.now, Run: "loop_1", Iter: iter, Attempt: attempt, Payload: p}
		s.sum = s.sum.Sum(e)
		switch p := p.(type) {
		case *loop.IterationFinished:
			p.State = s.sum
		case *loop.RunFinished:
			p.Elapsed, p.Totals = s.sum.Live, s.sum.Totals
		}
		s.events = append(s.events, e)
	}
	return s
}

func number(n int) *int { return &n }

// worked is an iteration in which the agent uses tools and claims, and a gate
// disagrees as long as tests fail.
func (s *story) worked(failing int) *story {
	n := s.sum.Next()
	s.in(n, 1,
		&loop.IterationStarted{Max: 20},
		&loop.IterationPhase{Phase: loop.Executing},
		&loop.AgentStarted{Agent: "claude"},
		&loop.AgentText{Text: fmt.Sprintf("Iteration %d: I look at the failing test first, and at what it needs to pass, which is a good deal more than it seems.\n\n- one\n- two", n)},
		&loop.AgentTool{ID: "a", Name: "Bash", Input: "go test ./...", Shell: true},
		&loop.AgentToolResult{ID: "a", Name: "Bash", Output: "--- FAIL: TestA\nFAIL\nexit status 1\n", Failed: true, Exit: number(1)},
		&loop.TestsSeen{Tests: loop.Tests{Framework: "go", Total: 12, Passed: 9, Failed: 3}},
		&loop.AgentTool{ID: "b", Name: "Edit", Input: "greet.go"},
		&loop.AgentToolResult{ID: "b", Name: "Edit", Output: "ok"},
		&loop.AgentUsage{Usage: loop.Usage{Input: 40_000, Output: 1_200, CostUSD: 0.21, CostEstimated: true, ContextPercent: 62}},
		&loop.AgentText{Text: "<promise>DONE</promise>"},
	).after(45 * time.Second)
	tests := &loop.Tests{Framework: "go", Total: 12, Passed: 12 - failing, Failed: failing}
	gate := loop.Gate{Name: "test", OK: failing == 0, Tests: 12, Where: loop.InClean, Duration: loop.Millis(time.Second)}
	claim := &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", By: loop.ByPromise, Proven: failing == 0}
	for i := range failing {
		tests.Failing = append(tests.Failing, fmt.Sprintf("TestGreet/%d", i+1))
	}
	if failing > 0 {
		gate.Why = fmt.Sprintf("%d of 12 tests", failing)
		claim.Why = "gate test failed (" + gate.Why + ")"
	}
	s.in(n, 1, &loop.IterationPhase{Phase: loop.Gates}, &loop.GateStarted{Name: "test", Where: loop.InClean}, &loop.GateFinished{Gate: gate, Tests: tests})
	if failing > 0 {
		s.in(n, 1, &loop.ClaimRefused{Kind: loop.ClaimDone, Text: "DONE", Why: claim.Why})
	}
	made := true
	return s.in(n, 1, &loop.IterationFinished{Outcome: loop.Outcome{
		Result: loop.OK, Exit: &loop.Exit{Code: number(0), Cause: loop.Exited}, Claim: claim, Tests: tests, Gates: []loop.Gate{gate}, Work: loop.Work{Progress: &made, Changes: &loop.Changes{Modified: 2, LinesAdded: 40, LinesRemoved: 3}}, Worker: loop.Worker{Agent: "claude"}, Duration: loop.Millis(45 * time.Second),
		Usage: &loop.Usage{Input: 40_000, Output: 1_200, CostUSD: 0.21, CostEstimated: true, ContextPercent: 62},
	}, Verdict: loop.Verdict{Action: loop.Continue}})
}

// working is an iteration that is under way.
func (s *story) working() *story {
	return s.in(s.sum.Next(), 1,
		&loop.IterationStarted{Max: 20},
		&loop.AgentStarted{Agent: "claude"},
		&loop.AgentText{Text: "Now the second part."},
		&loop.AgentTool{ID: "c", Name: "Bash", Input: "make all && make check", Shell: true},
		&loop.AgentUsage{Usage: loop.Usage{Input: 9_000, Output: 300, CostUSD: 0.04, CostEstimated: true, ContextPercent: 71}},
	).after(12 * time.Second)
}

func (s *story) done() *story {
	return s.tell(&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "the gates agree", Proven: true})
}

// world is what stands around a screen in tests.
type world struct {
	sent    []control.Command
	refuse  string // why commands are refused
	diff    string
	failing error
	around  bool   // there are a plan, prompts, outputs of gates, and other runs
	said    string // is in all of them
	story   *story
	chosen  []LiveRun // runs that the screen has gone to
	back    []int     // iterations that the files were put back to
}

// surround gives a screen what a plan, prompts, gates and other runs have to say.
func (w *world) surround(o *Options) {
	o.Tasks = func(context.Context, string) ([]Task, error) {
		return []Task{{Text: "Greet by name " + w.said, Done: true}, {Text: "Refuse names that lead out of the folder, wherever they come from, and say so", Doing: true}, {Text: "Export"}}, nil
	}
	o.Prompt = func(_ context.Context, _ string, iter, _ int) (string, error) {
		return fmt.Sprintf("# Iteration %d\n\nMend **greet**, and run `go test`.\n%s", iter, w.said), nil
	}
	o.Gates = func(context.Context, string, int, int) ([]GateOutput, error) {
		return []GateOutput{{Name: "test", Text: "=== RUN TestGreet\n    greet_test.go:9: Greet() = \"\", want \"hello\"\n--- FAIL: TestGreet\n" + w.said}}, nil
	}
	o.Runs = func(context.Context) ([]LiveRun, error) {
		return []LiveRun{{Name: "run-3", Tree: "/w/proj-v" + w.said, State: "waiting", At: "4/20"}, {Name: "build-7", Tree: "/w/proj", State: "running", At: "3/20", Here: true}}, nil
	}
	o.Switch = func(r LiveRun) { w.chosen = append(w.chosen, r) }
	o.RollBack = func(_ context.Context, _ string, iter int) (string, error) {
		w.back = append(w.back, iter)
		return "2 files are as they were", nil
	}
}

func (w *world) options() Options {
	return Options{
		Color: false, Unicode: true,
		Card: func(run *view.Run, _ int) string {
			return text.Line(run.Name) + ": " + view.People(run.State, run.Level()) + "\n"
		},
		Do: func(_ context.Context, c control.Command) (control.Answer, error) {
			w.sent = append(w.sent, c)
			if w.refuse != "" {
				return control.Answer{}, &control.Refused{Command: c.Command, Why: w.refuse}
			}
			return control.Answer{OK: true, Effect: "as you wish"}, nil
		},
		Diff: func(context.Context, string, int) (string, error) { return w.diff, w.failing },
		Past: func(_ string, after int64) iter.Seq2[loop.Event, error] {
			return func(yield func(loop.Event, error) bool) {
				for _, e := range w.story.events {
					if e.Seq > after && !yield(e, nil) {
						return
					}
				}
			}
		},
		Now: func() time.Time { return w.story.now },
	}
}

// shown is a model that has seen a story, on a screen of a size.
func (w *world) shown(s *story, width, height int, change ...func(*Options)) *model {
	w.story = s
	o := w.options()
	if w.around {
		w.surround(&o)
	}
	for _, f := range change {
		f(&o)
	}
	m := newModel(newRunData(o), newWork(context.Background(), o), o)
	for _, e := range s.events {
		m.data.observe(e)
	}
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return m
}

// press types keys by their names, and does what follows from them.
func press(m *model, names ...string) {
	for _, name := range names {
		do(m, keyPress(name))
	}
}

// do gives a message, and those that come of it.
func do(m *model, msg tea.Msg) {
	if _, cmd := m.Update(msg); cmd != nil {
		if next := cmd(); next != nil {
			if _, quit := next.(tea.QuitMsg); quit {
				m.dialog.said = notice{text: "QUIT"}
				return
			}
			if list, several := next.(tea.BatchMsg); several {
				for _, cmd := range list {
					do(m, cmd())
				}
				return
			}
			do(m, next)
		}
	}
}

var specialKeys = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "space": {Code: tea.KeySpace, Text: " "},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+w": {Code: 'w', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
}

func keyPress(name string) tea.KeyPressMsg {
	if k, ok := specialKeys[name]; ok {
		return tea.KeyPressMsg(k)
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func write(m *model, text string) {
	for _, r := range text {
		do(m, keyPress(string(r)))
	}
}

// screen is what a person sees, without colours.
func screen(m *model) string {
	var lines []string
	for l := range strings.SplitSeq(ansi.Strip(m.View().Content), "\n") {
		lines = append(lines, strings.TrimRight(l, " "))
	}
	return strings.Join(lines, "\n")
}

func footer(m *model) string {
	all := screen(m)
	return all[strings.LastIndexByte(all, '\n')+1:]
}

func wantShown(t *testing.T, m *model, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if got := screen(m); !strings.Contains(got, part) {
			t.Errorf("the screen does not show %q:\n%s", part, got)
		}
	}
}

func wantHidden(t *testing.T, m *model, part string) {
	t.Helper()
	if got := screen(m); strings.Contains(got, part) {
		t.Errorf("the screen shows %q:\n%s", part, got)
	}
}

// updating tells whether golden files are to be written: -update is a flag of
// teatest's.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func wantGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if updating() {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s is not as it should be (-update if it is):\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

var errTest = errors.New("no such checkpoint")
