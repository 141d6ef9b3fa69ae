package rehearsal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

func TestMain(m *testing.M) {
	proc.Helper(map[string]func([]string) int{"rehearsal": Main})
	os.Exit(m.Run())
}

// stage is a folder in which a script is played by a real process.
type stage struct {
	dir    string
	prompt string
	env    []string
}

func newStage(t *testing.T) *stage {
	return &stage{dir: t.TempDir()}
}

// command makes the process that plays the script, which lies outside the
// folder it is played in.
func (s *stage) command(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.toml")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	argv, err := proc.HelperCommand("rehearsal", path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = s.dir
	cmd.Stdin = strings.NewReader(s.prompt)
	cmd.Env = append(plainEnv(), s.env...)
	return cmd
}

// plainEnv is the environment of a machine on which nobody has set up git.
func plainEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "REFRAIN_") || strings.HasPrefix(v, "EMAIL=")
	})
	// A process built with -race lingers for a second when it exits.
	return append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GORACE=atexit_sleep_ms=0")
}

// played is what a script came to.
type played struct {
	events []loop.Payload // what stdout said; a line that is no event is left out
	stdout string
	stderr string
	code   int // -1 when a signal ended it
}

func (s *stage) play(t *testing.T, script string) played {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := s.command(t, script)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var status *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	return played{
		events: events(t, stdout.String()),
		stdout: stdout.String(),
		stderr: stderr.String(),
		code:   cmd.ProcessState.ExitCode(),
	}
}

// steps plays a script of one iteration.
func (s *stage) steps(t *testing.T, steps string) played {
	t.Helper()
	return s.play(t, "[[iteration]]\nsteps = [\n"+steps+"\n]\n")
}

func events(t *testing.T, stdout string) []loop.Payload {
	t.Helper()
	var all []loop.Payload
	for line := range strings.Lines(stdout) {
		var head struct{ Type loop.Type }
		if json.Unmarshal([]byte(line), &head) != nil || head.Type == "" {
			continue
		}
		event := loop.NewPayload(head.Type)
		if err := json.Unmarshal([]byte(line), event); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		all = append(all, event)
	}
	return all
}

// texts is what the agent said.
func (p played) texts() []string {
	var all []string
	for _, e := range p.events {
		if text, ok := e.(*loop.AgentText); ok {
			all = append(all, text.Text)
		}
	}
	return all
}

// result is the last event, which must be the only one of its kind.
func (p played) result(t *testing.T) *loop.AgentResult {
	t.Helper()
	var found *loop.AgentResult
	for i, e := range p.events {
		if r, ok := e.(*loop.AgentResult); ok {
			if i != len(p.events)-1 {
				t.Errorf("event %d of %d is a result:\n%s", i+1, len(p.events), p.stdout)
			}
			found = r
		}
	}
	if found == nil {
		t.Fatalf("no result; stdout:\n%s\nstderr:\n%s", p.stdout, p.stderr)
	}
	return found
}

func TestIterationAndAttemptComeFromTheEnvironment(t *testing.T) {
	t.Parallel()
	const script = `
[[iteration]]
steps = [{ text = "one, {iteration}/{attempt}" }]
[[iteration]]
steps = [{ text = "two at first", attempt = 1 }, { text = "two again", attempt = 2 }]
`
	tests := []struct {
		name, script string
		env          []string
		want         string // said; empty: nothing
		err          string
	}{
		{"unset is the first", script, nil, "one, 1/1", ""},
		{"the counts are filled in", script, []string{"REFRAIN_ITERATION=1", "REFRAIN_ATTEMPT=3"}, "one, 1/3", ""},
		{"a step of the first attempt", script, []string{"REFRAIN_ITERATION=2"}, "two at first", ""},
		{"a step of the second attempt", script, []string{"REFRAIN_ITERATION=2", "REFRAIN_ATTEMPT=2"}, "two again", ""},
		{"no step of the third attempt", script, []string{"REFRAIN_ITERATION=2", "REFRAIN_ATTEMPT=3"}, "", ""},
		{"after the last, the last again", script, []string{"REFRAIN_ITERATION=9"}, "two at first", ""},
		{"after the last, a failure", "final = \"fail\"\n" + script, []string{"REFRAIN_ITERATION=3"}, "", "no iteration 3"},
		{"a count that is no number", script, []string{"REFRAIN_ITERATION=two"}, "", "REFRAIN_ITERATION"},
		{"a count below 1", script, []string{"REFRAIN_ATTEMPT=0"}, "", "REFRAIN_ATTEMPT"},
		{"a script with a mistake", "final = 3", nil, "", "line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.env = tt.env
			got := s.play(t, tt.script)
			if said := strings.Join(got.texts(), "|"); said != tt.want {
				t.Errorf("said %q, want %q", said, tt.want)
			}
			result := got.result(t)
			if tt.err == "" && (!result.OK || got.code != 0 || result.Text != tt.want) {
				t.Errorf("result %+v, exit %d, want ok with text %q", result, got.code, tt.want)
			}
			if tt.err != "" && (got.code != 1 || result.Error == nil || !strings.Contains(result.Error.Message, tt.err)) {
				t.Errorf("result %+v, exit %d, want exit 1 and an error with %q", result, got.code, tt.err)
			}
		})
	}
}

func TestAMissingScriptIsAResult(t *testing.T) {
	t.Parallel()
	argv, err := proc.HelperCommand("rehearsal", filepath.Join(t.TempDir(), "none.toml"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = plainEnv()
	out, _ := cmd.Output()
	got := played{events: events(t, string(out)), stdout: string(out)}
	if r := got.result(t); r.OK || !strings.Contains(r.Error.Message, "read the script") {
		t.Errorf("result %+v, want an error that names the script", r)
	}
}

func TestTheScriptMustBeNamed(t *testing.T) {
	if got := Main(nil); got != 2 {
		t.Errorf("Main without a script = %d, want 2", got)
	}
}
