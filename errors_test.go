//go:build unix

package refrain_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain"
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
			if strings.Contains(usage.What+usage.Hint, "--") {
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
