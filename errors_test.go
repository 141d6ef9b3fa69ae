//go:build unix

package refrain_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain"
)

// flag is one of the command's, and typed a command to type, which has them.
var (
	flag  = regexp.MustCompile(`(^|[\s(])--?[a-zA-Z]`)
	typed = regexp.MustCompile(`"refrain [^"]*"`)
)

func TestMistakesAreFoundBeforeAnythingIsWritten(t *testing.T) {
	const key = "loop.max_itertions"
	gate := refrain.GateFunc("tidy", nil)
	tests := []struct {
		name string
		o    refrain.Options
		want string // in what is said
	}{
		{"a folder that is not there", refrain.Options{Dir: "/no/such/folder"}, "/no/such/folder"},
		{"a key that is not one", refrain.Options{Command: script("true"), Settings: map[string]string{key: "3"}}, key},
		{"a value that is none", refrain.Options{Command: script("true"), Settings: map[string]string{"loop.max_time": "soon"}}, "loop.max_time"},
		{"fewer than no iterations", refrain.Options{Command: script("true"), MaxIterations: -2}, "MaxIterations"},
		{"two prompts", refrain.Options{Command: script("true"), Prompt: "a", PromptFile: "b"}, "two prompts"},
		{"an agent for a command", refrain.Options{Command: script("true"), Agent: "claude"}, "means nothing"},
		{"an agent that is not one", refrain.Options{Agent: "nobody", Prompt: "go"}, "nobody"},
		{"two agents", refrain.Options{Agent: "claude", CustomAgent: &speaker{}, Prompt: "go"}, "two agents"},
		{"an agent without a name", refrain.Options{CustomAgent: named(""), Prompt: "go"}, "no name"},
		{"an agent with another's name", refrain.Options{CustomAgent: named("codex"), Prompt: "go"}, `"codex"`},
		{"permissions for an agent of one's own", refrain.Options{CustomAgent: &speaker{}, Prompt: "go", Settings: map[string]string{"permissions.mode": "full"}}, "permissions.mode"},
		{"a budget that is not told", refrain.Options{CustomAgent: &speaker{}, Prompt: "go", Settings: map[string]string{"budget.tokens": "10"}}, "budget.tokens"},
		{"a session that cannot go on", refrain.Options{CustomAgent: &speaker{}, Prompt: "go", Settings: map[string]string{"session.mode": "keep"}}, "session.mode"},
		{"no prompt", refrain.Options{CustomAgent: &speaker{}}, "PROMPT.md"},
		{"a gate that does nothing", refrain.Options{Command: script("true"), Gates: []string{" "}}, "gate"},
		{"a gate with the name of a path", refrain.Options{Command: script("true"), CustomGates: []refrain.Gate{refrain.GateFunc("../x", nil)}}, "../x"},
		{"two gates with one name", refrain.Options{Command: script("true"), CustomGates: []refrain.Gate{gate, gate}}, "tidy"},
		{"no gate", refrain.Options{Command: script("true"), CustomGates: []refrain.Gate{nil}}, "nil"},
		{"a rule without a name", refrain.Options{Command: script("true"), Rules: []refrain.Rule{refrain.RuleFunc("", nil)}}, "no name"},
		{"no rule", refrain.Options{Command: script("true"), Rules: []refrain.Rule{nil}}, "nil"},
		{"an option of Set that is none", refrain.Options{Command: script("true"), Set: []refrain.Setting{refrain.KeyStopFailures.Is(-5)}}, "Set: stop.failures"},
		{"the same in Settings", refrain.Options{Command: script("true"), Settings: map[string]string{"stop.failures": "-5"}}, "Settings: stop.failures"},
		{"an agent in Set for a command", refrain.Options{Command: script("true"), Set: []refrain.Setting{refrain.KeyAgent.Is("claude")}}, "Set agent means nothing"},
		{"an agent in Set for one's own", refrain.Options{CustomAgent: &speaker{}, Prompt: "go", Set: []refrain.Setting{refrain.KeyAgent.Is("claude")}}, "that of Set agent"},
		{"a command and an agent", refrain.Options{CustomAgent: &speaker{}, Prompt: "go", Command: script("true")}, "and a command"},
		{"a folder that is a file", refrain.Options{Dir: "/etc/passwd"}, "/etc/passwd"},
		{"a command without a program", refrain.Options{Command: []string{""}}, "names no program"},
		{"a model for a command", refrain.Options{Command: script("true"), Model: "large"}, "Model means nothing"},
		{"a place without a prompt", refrain.Options{Command: []string{"echo", "{prompt}"}}, "there is no prompt"},
		{"a prompt handed over twice", refrain.Options{Command: []string{"echo", "{prompt}"}, Prompt: "go", Settings: map[string]string{"loop.prompt_as": "arg"}}, "loop.prompt_as"},
		{"a budget that a command cannot keep", refrain.Options{Command: script("true"), Settings: map[string]string{"budget.cost_usd": "3"}}, "budget.cost_usd"},
		{"a budget without a price", refrain.Options{Agent: "codex", Prompt: "go", Settings: map[string]string{"budget.cost_usd": "3"}}, "price"},
		{"a session of a command", refrain.Options{Command: script("true"), Settings: map[string]string{"session.mode": "keep"}}, "session"},
		{"a session of one's own agent", refrain.Options{CustomAgent: &speaker{}, Prompt: "go", Settings: map[string]string{"session.mode": "keep"}}, "session"},
		{"a plan that is not there", refrain.Options{Command: script("true"), Settings: map[string]string{"done.plan": "PLAN.md"}}, "PLAN.md"},
		{"a prompt file that is not there", refrain.Options{Command: script("true"), PromptFile: "nope.md"}, "nope.md"},
		{"a prompt that is a folder", refrain.Options{Command: script("true"), PromptFile: "."}, "folder"},
		{"a procedure that is not one", refrain.Options{Command: script("true"), Procedure: "nope"}, "nope"},
		{"a gate among the settings", refrain.Options{Command: script("true"), Settings: map[string]string{"gate.x.run": "true"}}, "a gate cannot be set"},
		{"an agent that reads what it likes", refrain.Options{Agent: "aider", Prompt: "go", Untrusted: true}, "aider"},
		{"a promise of blanks", refrain.Options{Command: script("true"), Until: " "}, "Until"},
		{"a branch without git", refrain.Options{Command: script("true"), Settings: map[string]string{"git.branch": "true"}}, "git.branch"},
		{"gates that are not there", refrain.Options{Command: script("true"), Settings: map[string]string{"done.gates": "true"}}, "done.gates"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tt.o.Dir == "" {
				tt.o.Dir = dir
			}
			_, err := refrain.Run(t.Context(), tt.o)
			var usage *refrain.UsageError
			if !errors.As(err, &usage) || !strings.Contains(usage.What, tt.want) {
				t.Errorf("error = %T %v, want a *UsageError about %q", err, err, tt.want)
			}
			if flag.MatchString(typed.ReplaceAllString(usage.What+" ("+usage.Hint+")", "")) {
				t.Errorf("a program is told of flags: %s (%s)", usage.What, usage.Hint)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s is left behind", left[0].Name())
			}
		})
	}
}

func TestOneRunInAWorkTree(t *testing.T) {
	t.Parallel()
	l := start(t, refrain.Options{Command: script(patient)})
	l.untilAgentStarts(1)
	_, err := refrain.Run(t.Context(), refrain.Options{Dir: l.dir, Command: script("true")})
	var held *refrain.HeldError
	if !errors.As(err, &held) || held.Run != "run-1" || held.PID != os.Getpid() || held.Since.IsZero() || !strings.Contains(err.Error(), "run-1") {
		t.Errorf("a second run = %v, want a *HeldError that names the first", err)
	}
	_, err = refrain.Run(t.Context(), refrain.Options{Dir: t.TempDir(), Command: script("true"), Control: l.Control})
	var usage *refrain.UsageError
	if !errors.As(err, &usage) || !strings.Contains(usage.What, "Control") {
		t.Errorf("a second run with the same Control = %v, want a *UsageError", err)
	}
	l.letGo("1")
	l.wait()
}

func TestRunsThatCannotBeResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var missing *refrain.NotFoundError
	if _, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir}); !errors.As(err, &missing) || missing.Run != "" {
		t.Errorf("Resume where there is no run = %v, want a *NotFoundError", err)
	}
	r := run(t, refrain.Options{Dir: dir, Command: script("true"), Until: "DONE", MaxIterations: 1})
	if _, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, Run: "run-7"}); !errors.As(err, &missing) || missing.Run != "run-7" || len(missing.Near) != 1 {
		t.Errorf("Resume of another run = %v, want a *NotFoundError that names the one there is", err)
	}
	write(t, filepath.Join(dir, "refrain.toml"), "gate = [{ name = \"new\", run = \"true\" }]\n")
	var usage *refrain.UsageError
	if _, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, MaxIterations: 2, AcceptConfig: true}); !errors.As(err, &usage) || !strings.Contains(usage.What, "nobody has trusted") {
		t.Errorf("Resume with a gate that nobody trusts = %v, want a *UsageError", err)
	}
	if _, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, MaxIterations: 2, Trust: true}); !errors.As(err, &usage) || !strings.Contains(usage.Hint, "set AcceptConfig") {
		t.Errorf("Resume with another gate = %v, want a *UsageError", err)
	}
	if _, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, MaxIterations: 2, AcceptConfig: true, Trust: true}); err != nil {
		t.Errorf("Resume with another gate that is accepted = %v", err)
	}
	write(t, filepath.Join(r.Dir, "run.json"), "{")
	var unreadable *refrain.UnreadableError
	if _, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, Run: r.Run}); !errors.As(err, &unreadable) || unreadable.Newer {
		t.Errorf("Resume of a damaged run = %T %v, want an *UnreadableError", err, err)
	}
}

// Whoever hears of a run, and however: the hints of its warnings are in the words of
// the library. The journal has them as people are told.
func TestWarningsSpeakGo(t *testing.T) {
	t.Parallel()
	heard := map[string][]string{}
	hear := func(how string, e refrain.Event) {
		if w, ok := e.Payload.(*refrain.Warning); ok && strings.Contains(w.Text, "gates") {
			heard[how] = append(heard[how], w.Hint)
		}
	}
	control := refrain.NewControl()
	o := refrain.Options{
		Dir: t.TempDir(), Command: script("true"), Gates: []string{"true"}, MaxIterations: 1, Control: control,
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) { hear("an observer", e) })},
	}
	r := run(t, o)
	for e := range control.Subscribe(t.Context(), 0) {
		hear("Subscribe", e)
	}
	record, err := refrain.Open(o.Dir, "")
	if err != nil {
		t.Fatal(err)
	}
	for e := range record.Events(0) {
		hear("Events", e)
	}
	for e := range record.Follow(t.Context(), 0) {
		hear("Follow", e)
	}
	for _, how := range []string{"an observer", "Subscribe", "Events", "Follow"} {
		if hints := heard[how]; len(hints) != 1 || !strings.Contains(hints[0], "Until") || flag.MatchString(hints[0]) {
			t.Errorf("%s tells %q, want one hint, in the words of the library", how, hints)
		}
	}
	if b, err := os.ReadFile(filepath.Join(r.Dir, "journal.jsonl")); err != nil || !strings.Contains(string(b), "--until") {
		t.Errorf("the journal does not have the hint as people are told: %v", err)
	}
}
