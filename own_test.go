//go:build unix

package refrain_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain"
)

// speaker is an agent that says what it is to say, one line after the other: its
// decoder takes "N tokens" for what it has used, and the last line for its result.
type speaker struct {
	lines []string
	calls []refrain.Call
}

func (*speaker) Name() string { return "speaker" }

func (s *speaker) Command(c refrain.Call) (refrain.Command, error) {
	s.calls = append(s.calls, c)
	return refrain.Command{
		Argv: script(`printf '%s\n' "$LINES_TO_SAY"`), Env: []string{"LINES_TO_SAY=" + strings.Join(s.lines, "\n")},
	}, nil
}

func (*speaker) Decoder() refrain.Decoder { return &ears{} }

type ears struct{ last string }

func (e *ears) Decode(line []byte) []refrain.Payload {
	e.last = string(line)
	if e.last == "10 tokens" {
		return []refrain.Payload{&refrain.AgentUsage{Usage: refrain.Usage{Output: 10}}}
	}
	return []refrain.Payload{&refrain.AgentText{Text: e.last}}
}

func (e *ears) Close(refrain.Exit) []refrain.Payload {
	if e.last == "overloaded" {
		return []refrain.Payload{&refrain.AgentResult{Error: &refrain.AgentError{Kind: refrain.ErrOverloaded, Message: "come back later"}}}
	}
	return []refrain.Payload{&refrain.AgentResult{OK: true}}
}

// named is a speaker by another name.
type named string

func (n named) Name() string                                  { return string(n) }
func (named) Command(c refrain.Call) (refrain.Command, error) { return (&speaker{}).Command(c) }
func (named) Decoder() refrain.Decoder                        { return &ears{} }

// counting is a speaker that tells its tokens.
type counting struct{ *speaker }

func (counting) Abilities() refrain.Abilities { return refrain.Abilities{Tokens: true} }

func TestAnAgentOfOnesOwn(t *testing.T) {
	t.Parallel()
	s := &speaker{lines: []string{"Hello", "10 tokens", "Bye"}}
	var started refrain.RunStarted
	r := run(t, refrain.Options{
		Dir: t.TempDir(), CustomAgent: counting{s}, Model: "large", Prompt: "Speak", MaxIterations: 9,
		Settings: map[string]string{"budget.tokens": "20"},
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if p, ok := e.Payload.(*refrain.RunStarted); ok {
				started = *p
			}
		})},
	})
	if r.State != refrain.Exhausted || r.Reason != refrain.ByTokens || r.Totals.Tokens != 20 {
		t.Errorf("result = %+v, want that the tokens are used up", r)
	}
	if started.Agent != "speaker" || started.Model != "large" {
		t.Errorf("the journal says that %s works with %s", started.Agent, started.Model)
	}
	if c := s.calls[0]; c.Model != "large" || !strings.HasPrefix(c.Prompt, "Speak") || c.PromptFile == "" || !c.HasPrompt {
		t.Errorf("call = %+v, want the prompt and the model", c)
	}
}

func TestWhatAnAgentOfOnesOwnSaysOfErrorsCounts(t *testing.T) {
	t.Parallel()
	r := run(t, refrain.Options{
		Dir: t.TempDir(), CustomAgent: &speaker{lines: []string{"overloaded"}}, Prompt: "Speak",
		Settings: map[string]string{"limits.wait": "false"},
	})
	if r.State != refrain.Aborted || r.Reason != refrain.ByProvider || !strings.Contains(r.Why, "overloaded") {
		t.Errorf("result = %+v, want that the provider is gone", r)
	}
}

func TestDecoders(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "claude", "codex", "opencode", "gemini", "qwen", "pi", "copilot", "cline", "crush", "droid", "grok", "kimi", "aider"} {
		if d, err := refrain.NewDecoder(format); err != nil || d == nil {
			t.Errorf("NewDecoder(%q) = %v, %v", format, d, err)
		}
	}
	var usage *refrain.UsageError
	for _, format := range []string{"morse", ""} {
		if _, err := refrain.NewDecoder(format); !errors.As(err, &usage) || !strings.Contains(usage.What, "format") {
			t.Errorf("NewDecoder(%q) = %v, want a *UsageError", format, err)
		}
	}
}

// gitTree is a repository in which the clean checkout can be made.
func gitTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "T"}, {"config", "user.email", "t@example.com"}, {"commit", "-q", "--allow-empty", "-m", "begin"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func TestAGateOfOnesOwnProvesAndIsHeardOf(t *testing.T) {
	t.Parallel()
	dir := gitTree(t)
	var places []bool
	gate := refrain.GateFunc("answer", func(ctx context.Context, p refrain.Place) refrain.Finding {
		places = append(places, p.Clean)
		if f := p.Run(ctx, "test -e answer"); !f.OK {
			return f
		}
		b, err := os.ReadFile(filepath.Join(p.Dir, "answer"))
		if string(b) != "42\n" {
			return refrain.Finding{Why: "the answer is wrong", Output: "it should be 42", Tests: &refrain.Tests{Total: 1, Failed: 1}}
		}
		return refrain.Finding{OK: err == nil, Tests: &refrain.Tests{Total: 1, Passed: 1}}
	})
	r := run(t, refrain.Options{
		Dir: dir, Prompt: "Answer", Until: "DONE", CustomGates: []refrain.Gate{gate}, MaxIterations: 5,
		Command: script(`cat > ".git/heard-$REFRAIN_ITERATION"; test $REFRAIN_ITERATION = 1 && echo 41 > answer || echo 42 > answer; ` + claims),
	})
	if r.State != refrain.Done || !r.Proven || r.Totals.Iterations != 2 || r.Totals.Refused != 1 {
		t.Errorf("result = %+v, want it proven in the second iteration", r)
	}
	if !slices.Contains(places, true) || !slices.Contains(places, false) {
		t.Errorf("clean places = %v, want the work tree and a clean checkout", places)
	}
	heard, err := os.ReadFile(filepath.Join(dir, ".git", "heard-2"))
	for _, want := range []string{"the answer is wrong", "it should be 42"} {
		if err != nil || !strings.Contains(string(heard), want) {
			t.Errorf("the second agent heard %q, %v; want %q in it", heard, err, want)
		}
	}
}

func TestAGateThatRanTestsCannotPassWithNone(t *testing.T) {
	t.Parallel()
	first := true
	gate := refrain.GateFunc("shrinking", func(context.Context, refrain.Place) refrain.Finding {
		f := refrain.Finding{OK: true}
		if first {
			f.Tests = &refrain.Tests{Total: 3, Passed: 3}
		}
		first = false
		return f
	})
	r := run(t, refrain.Options{Dir: t.TempDir(), Command: script(claims), Until: "DONE", CustomGates: []refrain.Gate{gate}, MaxIterations: 1})
	if r.State != refrain.Exhausted || r.Totals.Refused != 1 {
		t.Errorf("result = %+v, want the claim refused", r)
	}
}

func TestAGateIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	gate := refrain.GateFunc("slow", func(ctx context.Context, _ refrain.Place) refrain.Finding {
		if calls++; calls > 1 { // the first is the baseline
			cancel()
			<-ctx.Done()
		}
		return refrain.Finding{OK: true}
	})
	r, err := refrain.Run(ctx, refrain.Options{Dir: t.TempDir(), Command: script(claims), Until: "DONE", CustomGates: []refrain.Gate{gate}})
	if err != nil || r.State != refrain.Stopped {
		t.Errorf("Run = %+v, %v; want stopped, whatever the gate says", r, err)
	}
}

func TestARuleOfOnesOwn(t *testing.T) {
	third := func(v refrain.Verdict) refrain.Rule {
		return refrain.RuleFunc("third", func(f refrain.Facts) refrain.Verdict {
			if f.State.Totals.Iterations < 3 {
				return refrain.Verdict{}
			}
			return v
		})
	}
	tests := []struct {
		name    string
		verdict refrain.Verdict
		max     int
		state   refrain.Status
		reason  refrain.Reason
	}{
		{"ends a run that would go on", refrain.Verdict{Action: refrain.Stop}, 9, refrain.Aborted, refrain.ByRule},
		{"ends it as it says", refrain.Verdict{Action: refrain.Stop, State: refrain.Exhausted, Reason: "patience"}, 9, refrain.Exhausted, "patience"},
		{"keeps none going", refrain.Verdict{Action: refrain.Continue}, 4, refrain.Done, refrain.ByIterations},
		{"may claim that it is done", refrain.Verdict{Action: refrain.Stop, State: refrain.Done}, 9, refrain.Done, refrain.ByRule},
		{"ends none as one that runs", refrain.Verdict{Action: refrain.Stop, State: refrain.Running}, 9, refrain.CouldNotRun, refrain.ByError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, refrain.Options{
				Dir: t.TempDir(), Command: script("true"), Rules: []refrain.Rule{third(tt.verdict)}, MaxIterations: tt.max,
				Settings: map[string]string{"loop.exit_zero_is_done": "false"},
			})
			if r.State != tt.state || r.Reason != tt.reason || r.Totals.Iterations < 3 {
				t.Errorf("result = %+v, want %s by %s after three iterations", r, tt.state, tt.reason)
			}
		})
	}
}

func TestAResumeNeedsWhatTheProgramBrought(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	red := refrain.GateFunc("mood", func(context.Context, refrain.Place) refrain.Finding { return refrain.Finding{Why: "not yet"} })
	r := run(t, refrain.Options{
		Dir: dir, CustomAgent: &speaker{lines: []string{"<promise>DONE</promise>"}}, Prompt: "Speak", Until: "DONE",
		CustomGates: []refrain.Gate{red}, MaxIterations: 1,
	})
	if r.State != refrain.Exhausted {
		t.Fatalf("result = %+v", r)
	}
	again := refrain.ResumeOptions{Dir: dir, MaxIterations: 2}
	var usage *refrain.UsageError
	if _, err := refrain.Resume(t.Context(), again); !errors.As(err, &usage) || !strings.Contains(usage.What, "agent speaker, gate mood") {
		t.Errorf("Resume without them = %v, want a *UsageError that names them", err)
	}
	again.CustomAgent = &speaker{lines: []string{"<promise>DONE</promise>"}}
	if _, err := refrain.Resume(t.Context(), again); !errors.As(err, &usage) || !strings.Contains(usage.What, "gate mood") {
		t.Errorf("Resume without the gate = %v, want a *UsageError that names it", err)
	}
	again.CustomGates = []refrain.Gate{refrain.GateFunc("mood", func(context.Context, refrain.Place) refrain.Finding { return refrain.Finding{OK: true} })}
	if r, err := refrain.Resume(t.Context(), again); err != nil || r.State != refrain.Done || !r.Level.AtLeast(refrain.LevelKept) {
		t.Errorf("Resume = %+v, %v; want it done, as far as the gate can tell", r, err)
	}
}

func TestARuleSeesWhoIsTurnedAwayElsewhere(t *testing.T) {
	t.Parallel()
	limited := func() refrain.Options {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "limit.toml"), "[[iteration]]\nsteps = [{ limit = \"five_hour\", resets_in = \"2h\" }]\n")
		write(t, filepath.Join(dir, "refrain.toml"), "[agents.rehearsal]\nscript = \"limit.toml\"\n[agents.rehearsal.env]\nREFRAIN_REHEARSAL_ACCOUNT = \"noted\"\n")
		return refrain.Options{Dir: dir, Agent: "rehearsal", Prompt: "Go", Trust: true, Settings: map[string]string{"limits.wait": "false"}}
	}
	if r := run(t, limited()); r.Reason != refrain.ByWaitTooLong {
		t.Fatalf("result = %+v, want that it meets the limit", r)
	}
	second := limited()
	second.Rules = []refrain.Rule{refrain.RuleFunc("elsewhere", func(f refrain.Facts) refrain.Verdict {
		for _, hold := range f.Noted {
			return refrain.Verdict{Action: refrain.Stop, Why: hold.Agent + " met " + hold.Limit.Kind}
		}
		return refrain.Verdict{}
	})}
	second.Settings = nil // it would wait
	if r := run(t, second); r.Reason != refrain.ByRule || r.Why != "rehearsal met five_hour" || r.Totals.Iterations != 0 {
		t.Errorf("result = %+v, want that the rule saw what the first run had noted", r)
	}
}
