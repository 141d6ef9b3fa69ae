package rehearsal

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// toolResults is what the tools gave back.
func (p played) toolResults() []*loop.AgentToolResult {
	var all []*loop.AgentToolResult
	for _, e := range p.events {
		if r, ok := e.(*loop.AgentToolResult); ok {
			all = append(all, r)
		}
	}
	return all
}

func endProcess(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("end process %d: %v", n, err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, step     string
		output         string
		exit           int // -1: a signal
		failed, goesOn bool
	}{
		{"its output is reported", `{ run = "echo hi; echo oops >&2" }`, "hi\noops\n", 0, false, true},
		{"the prompt is on its stdin", `{ run = "cat" }`, "the prompt", 0, false, true},
		{"a failure is a result", `{ run = "exit 3" }`, "", 3, true, true},
		{"a checked failure ends the attempt", `{ run = "exit 3", check = true }`, "", 3, true, false},
		{"a checked success goes on", `{ run = "true", check = true }`, "", 0, false, true},
		{"a signal is a failure", `{ run = "kill -9 $$" }`, "", -1, true, true},
		{"a job in the background does not hold it up", `{ run = "sleep 60 & echo $!" }`, "", 0, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.prompt = "the prompt"
			got := s.steps(t, tt.step+`, { text = "on" }`)
			results := got.toolResults()
			if len(results) != 1 {
				t.Fatalf("%d tool results, want 1; stdout:\n%s", len(results), got.stdout)
			}
			r := results[0]
			exit := -1
			if r.Exit != nil {
				exit = *r.Exit
			}
			if strings.Contains(tt.step, "sleep") {
				// The job is ours to end: nobody sweeps after this test.
				endProcess(t, r.Output)
				r.Output = ""
			}
			if r.Output != tt.output || exit != tt.exit || r.Failed != tt.failed {
				t.Errorf("result %+v, exit %d, want output %q, exit %d, failed %v", r, exit, tt.output, tt.exit, tt.failed)
			}
			if wentOn := len(got.texts()) == 1; wentOn != tt.goesOn || got.result(t).OK != tt.goesOn {
				t.Errorf("went on: %v, result %+v, want %v", wentOn, got.result(t), tt.goesOn)
			}
		})
	}
}

func TestLongOutputKeepsItsEnd(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ run = "head -c 200000 /dev/zero | tr '\\0' x; echo the end" }`)
	output := got.toolResults()[0].Output
	if !strings.HasPrefix(output, "…") || !strings.HasSuffix(output, "xthe end\n") || len(output) != len("…")+maxOutput {
		t.Errorf("%d bytes from %.10q to %q, want the last %d after a mark", len(output), output, output[len(output)-10:], maxOutput)
	}
}

func TestCommit(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	inDir := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = s.dir, plainEnv()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	inDir("init", "-q")

	const script = `{ write = "a b.txt", content = "x" }, { commit = "add \"it\" in {iteration}" }`
	if got := s.steps(t, script); !got.result(t).OK {
		t.Fatalf("stdout:\n%s", got.stdout)
	}
	if got, want := inDir("log", "--format=%an <%ae> %s"), "Rehearsal <rehearsal@localhost> add \"it\" in 1\n"; got != want {
		t.Errorf("git log = %q, want %q", got, want)
	}

	if got := s.steps(t, script); !got.result(t).OK {
		t.Errorf("with nothing to commit: %s", got.stdout)
	}
	if got := inDir("rev-list", "--count", "HEAD"); got != "1\n" {
		t.Errorf("%s commits, want 1", strings.TrimSpace(got))
	}

	inDir("config", "user.name", "Ada")
	inDir("config", "user.email", "ada@example.com")
	if got := s.steps(t, `{ write = "c", content = "y" }, { commit = "mine" }`); !got.result(t).OK {
		t.Fatalf("stdout:\n%s", got.stdout)
	}
	if got, want := inDir("log", "-1", "--format=%an <%ae>"), "Ada <ada@example.com>\n"; got != want {
		t.Errorf("committed by %q, want the identity that is set: %q", got, want)
	}
}

func TestACommitThatFailsEndsTheAttempt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.env = []string{"GIT_CEILING_DIRECTORIES=" + s.dir, "GIT_DIR=" + s.dir + "/none"}
	got := s.steps(t, `{ commit = "no repository" }, { text = "never said" }`)
	if r := got.result(t); r.OK || got.code != 1 || !strings.Contains(r.Error.Message, "git add") {
		t.Errorf("result %+v, exit %d, want a failure that names git", r, got.code)
	}
}
