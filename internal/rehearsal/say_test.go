package rehearsal

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/stream.jsonl anew")

// The stream in testdata is what the decoder in package agent is tested on.
func TestTheWholeStream(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.prompt = "Fix it.\nSay so."
	got := s.steps(t, `
		{ text = "Looking at the failing test." },
		{ echo_prompt = true },
		{ write = "a/b.txt", content = "iteration {iteration}\n" },
		{ run = "cat a/b.txt; echo oops >&2; exit 3" },
		{ delete = "a" },
		{ tool_result = "<promise>DONE</promise>" },
		{ raw = "a line that is no event" },
		{ usage = { input = 1200, output = 300, cache_read = 7, cache_write = 8, cost_usd = 0.02, context_percent = 31, turns = 3 } },
		{ claim = "DONE" },
		{ limit = "five_hour" },
		{ text = "never said" },
	`)
	path := filepath.Join("testdata", "stream.jsonl")
	if *update {
		if err := os.WriteFile(path, []byte(got.stdout), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.stdout, "\n")); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	if got.code != 1 {
		t.Errorf("exit %d, want 1 after a limit", got.code)
	}
}

func TestAClaimStandsAloneOnItsLine(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ claim = "DONE" }`)
	if want := []string{"<promise>DONE</promise>"}; !slices.Equal(got.texts(), want) {
		t.Errorf("said %q, want %q", got.texts(), want)
	}
}

func TestStderrTextStaysOffStdout(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ stderr_text = "warning {iteration}" }`)
	if got.stderr != "warning 1\n" || len(got.texts()) != 0 {
		t.Errorf("stderr %q, said %q, want the warning on stderr only", got.stderr, got.texts())
	}
}

func TestRawNeedNotBeAnEvent(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ raw = "{\"type\":" }`)
	if line, _, _ := strings.Cut(got.stdout, "\n"); line != `{"type":` {
		t.Errorf("first line %q, want it as written", line)
	}
	if !got.result(t).OK {
		t.Error("the attempt did not end well")
	}
}
