package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/request"
)

var update = flag.Bool("update", false, "write golden files anew")

// wall is the clock on the wall, which in a bubble is a made-up one.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) AfterFunc(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

func (wall) Sleep(d time.Duration, wake <-chan struct{}) {
	select {
	case <-time.After(d):
	case <-wake:
	}
}

// An eight-hour night with everything in it, on the clock of a bubble: what the
// engine does while it waits is what it does on any other clock.
func TestTheNight(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the report cannot say whether anything is left running")
	}
	t.Setenv("PATH", t.TempDir()) // no process may run in a bubble, not even git
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	for name, text := range map[string]string{
		"PROMPT.md":    "Greet everybody.\n",
		"refrain.toml": "agent = \"claude\"\n[done]\npromise = \"DONE\"\n[[gate]]\nname = \"test\"\nrun = \"test -f done.txt\"\nwhen = \"claim\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := app.PrepareRehearsal(t.Context(), dir, "../../docs/examples/night.toml", request.Request{Consent: request.Given})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Program = func(dir string, _ []string) int { // the one gate
		if _, err := os.Stat(filepath.Join(dir, "done.txt")); err != nil {
			return 1
		}
		return 0
	}
	var got bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		r.Clock, r.Start = wall{}, time.Now().UTC()
		page := rehearsalReport{out: &got, plain: true}
		page.open(r)
		r.Tell = page.moment
		result, err := r.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !result.Passed {
			t.Errorf("the night went wrong:\n%s", got.String())
		}
		page.close(result, time.Second)
	})
	golden := filepath.Join("testdata", "night.golden")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the report (-want +got):\n%s", diff)
	}
}

// The scripts of the stories are those that people find among the examples.
func TestTheExamplesAreRehearsed(t *testing.T) {
	told := map[string]string{}
	for _, story := range []string{"rehearse.txtar", "rehearse-repeats.txtar"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", "script", story))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			told[f.Name] = string(f.Data)
		}
	}
	examples, err := filepath.Glob("../../docs/examples/*.toml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(text), told[filepath.Base(path)]); diff != "" {
			t.Errorf("%s and the story (-example +story):\n%s", filepath.Base(path), diff)
		}
	}
}
