package journal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestAppendKeepsWhatDecidesInTheJournal(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	written := []loop.Event{
		r.Append(at(0, 0, 0, &loop.RunStarted{Name: "build-1"})),
		r.Append(at(1, 1, 1, &loop.IterationStarted{})),
		r.Append(at(2, 1, 1, &loop.AgentText{Text: "hello"})),
		r.Append(at(2, 1, 1, &loop.AgentTool{Name: "Bash"})),
		r.Append(at(3, 1, 1, &loop.AgentExited{})),
	}
	for i, e := range written {
		if e.Seq != int64(i+1) || e.Run != r.Meta().ID {
			t.Errorf("event %d is %d of run %s", i+1, e.Seq, e.Run)
		}
	}
	journal, err := story.Collect(s.Events("build-1", 0))
	if err != nil {
		t.Fatal(err)
	}
	agent, err := story.Collect(AttemptEvents(s.AttemptDir("build-1", 1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(written[:2:2], written[4]), journal); diff != "" {
		t.Errorf("the journal differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(written[2:4], agent); diff != "" {
		t.Errorf("the attempt's events differ (-want +got):\n%s", diff)
	}
}

func TestAppendFromManySidesKeepsTheOrder(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				r.Append(at(0, i+1, 1, &loop.AgentText{Text: strings.Repeat("x", 100)}))
				r.Append(at(0, i+1, 1, &loop.Warning{Text: "w"}))
			}
			r.Attempt(i+1, 1).Close()
		})
	}
	wg.Wait()
	events, err := story.Collect(s.Events("build-1", 0))
	if err != nil || len(events) != 160 {
		t.Fatalf("%d events, %v, want 160", len(events), err)
	}
	if !slices.IsSortedFunc(events, func(a, b loop.Event) int { return int(a.Seq - b.Seq) }) {
		t.Error("the journal is not in the order of its numbers")
	}
}

func TestARunWhoseFolderIsGoneGoesOnFromMemory(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	startOf(r)
	var heard []string
	r.OnTrouble(func(what string) {
		heard = append(heard, what)
		r.Append(at(9, 0, 0, &loop.Warning{Text: what})) // a listener may
	})
	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	var last loop.Event
	for i := range 5 {
		a := r.Attempt(i+1, 1)
		a.WritePrompt("go on")
		a.Stdout().Write([]byte("out"))
		a.Stderr().Write([]byte("err"))
		r.Append(at(i, i+1, 1, &loop.AgentText{Text: "out"}))
		last = r.Append(at(i, i+1, 1, &loop.IterationStarted{}))
		r.WriteState([]byte("{}"))
		a.Close()
	}
	if last.Seq < 10 || last.Run == "" {
		t.Errorf("the last event is %+v, want it numbered", last)
	}
	trouble := r.Trouble()
	slices.Sort(heard)
	slices.Sort(trouble)
	if !slices.Equal(heard, trouble) {
		t.Errorf("heard %q, trouble is %q", heard, trouble)
	}
	for i, name := range []string{"events.jsonl", "iterations", "prompt.md", "stderr", "stdout"} {
		if len(trouble) != 5 || !strings.HasPrefix(trouble[i], name+": ") {
			t.Fatalf("Trouble = %q, want one line for %s", trouble, name)
		}
	}
	// The journal, which is still open, is put back.
	if events, err := story.Collect(s.Events("build-1", 0)); err != nil || len(events) != 11 {
		t.Errorf("the journal has %v, %v, want the start, 5 iterations and 5 warnings", types(events), err)
	}
	if _, err := s.Find(""); err != nil {
		t.Errorf("Find = %v, want the run", err)
	}
}

func TestWhatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	ways := []struct {
		name      string
		hide, fix func(t *testing.T, journal string)
	}{
		{
			"a file stood in the place of the folder",
			func(t *testing.T, journal string) {
				rename(t, filepath.Dir(journal), filepath.Dir(journal)+"-away")
				writeFile(t, filepath.Dir(journal), "")
			},
			func(t *testing.T, journal string) {
				os.Remove(filepath.Dir(journal))
				rename(t, filepath.Dir(journal)+"-away", filepath.Dir(journal))
			},
		},
		{
			"a folder stood in the place of the journal",
			func(t *testing.T, journal string) { rename(t, journal, journal+"-away"); mkdir(t, journal, "") },
			func(t *testing.T, journal string) { os.Remove(journal); rename(t, journal+"-away", journal) },
		},
	}
	for _, tt := range ways {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			r := create(t, s)
			journal := filepath.Join(r.Dir(), journalName)
			heard := 0
			r.OnTrouble(func(string) { heard++ })
			startOf(r)
			for range 2 {
				tt.hide(t, journal)
				r.Append(at(1, 1, 1, &loop.IterationStarted{}))
				r.Append(at(2, 1, 1, &loop.AgentExited{}))
				if r.Trouble() == nil {
					t.Error("no trouble was noted")
				}
				tt.fix(t, journal)
				os.Remove(journal + "-away")
				r.Append(at(3, 1, 1, &loop.Warning{Text: "back"}))
				if trouble := r.Trouble(); trouble != nil {
					t.Errorf("Trouble = %q after it was made good", trouble)
				}
			}
			if heard != 1 {
				t.Errorf("heard of it %d times, want once", heard)
			}
			events, err := story.Collect(s.Events("build-1", 0))
			if err != nil || len(events) != 7 {
				t.Errorf("the journal has %v, %v, want all 7", types(events), err)
			}
		})
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestAnEventThatJSONCannotHoldIsTrouble(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	e := at(0, 0, 0, &loop.Warning{})
	e.Time = noon.AddDate(9000, 0, 0)
	if got := r.Append(e); got.Seq != 1 || len(r.Trouble()) != 1 {
		t.Errorf("Append = %+v with trouble %q", got, r.Trouble())
	}
}

func TestOnTroubleHearsWhatHappenedBefore(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	mkdir(t, filepath.Join(r.Dir(), stateName), "")
	r.WriteState([]byte("{}"))
	var heard []string
	r.OnTrouble(func(what string) { heard = append(heard, what) })
	if len(heard) != 1 || !strings.HasPrefix(heard[0], "state.json: ") {
		t.Errorf("heard %q, want state.json", heard)
	}
	os.Remove(filepath.Join(r.Dir(), stateName))
	r.WriteState([]byte(`{"run":"build-1"}`))
	if r.Trouble() != nil || readFile(t, filepath.Join(r.Dir(), stateName)) != `{"run":"build-1"}` {
		t.Errorf("Trouble = %q, want state.json written", r.Trouble())
	}
}

func TestDropTranscriptsKeepsTheLastIterations(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	attempt := func(r *Run, iter, n int) {
		a := r.Attempt(iter, n)
		a.WritePrompt("p")
		a.Stdout().Write([]byte("o"))
		a.Stderr().Write([]byte("e"))
		r.Append(at(0, iter, n, &loop.AgentText{Text: "x"}))
		a.Close()
	}
	check := func(r *Run, keep int, want ...string) {
		t.Helper()
		if err := r.DropTranscripts(keep); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{stdoutName, stderrName, eventsName} {
			paths, err := filepath.Glob(filepath.Join(r.Dir(), iterationsName, "*", name))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range paths {
				got = append(got, filepath.Base(filepath.Dir(p)))
			}
			if !slices.Equal(got, want) {
				t.Errorf("keeping %d, %s is left in %q, want %q", keep, name, got, want)
			}
		}
	}
	attempt(r, 1, 1)
	attempt(r, 2, 1)
	attempt(r, 2, 2)
	attempt(r, 3, 1)
	check(r, 0, "0001", "0002", "0002-2", "0003")
	check(r, 2, "0002", "0002-2", "0003")
	attempt(r, 4, 1)
	check(r, 2, "0003", "0004")
	attempt(r, 5, 1)
	r.Close()

	r, _ = resume(t, s, "build-1")
	attempt(r, 6, 1)
	check(r, 2, "0005", "0006")
	if prompts, _ := filepath.Glob(filepath.Join(r.Dir(), iterationsName, "*", promptName)); len(prompts) != 7 {
		t.Errorf("%d prompts are left, want all 7", len(prompts))
	}
}

func TestAttemptsKeepWhatTheyWereGiven(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	a := r.Attempt(12345, 2)
	if a != r.Attempt(12345, 2) || filepath.Base(a.Dir()) != "12345-2" {
		t.Errorf("the attempt is in %s", a.Dir())
	}
	a.WritePrompt("do this")
	fmt.Fprint(a.Stdout(), "one\x00\xff")
	fmt.Fprint(a.Stdout(), "two\n")
	fmt.Fprint(a.Stderr(), "oops")
	r.Append(at(0, 12345, 2, &loop.AgentExited{}))
	a.Close()
	fmt.Fprint(r.Attempt(12345, 2).Stdout(), "three")

	for name, want := range map[string]string{"prompt.md": "do this", "stdout": "one\x00\xfftwo\nthree", "stderr": "oops"} {
		if got := readFile(t, filepath.Join(a.Dir(), name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	f, err := r.Attempt(12345, 2).OpenStdout()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "one\x00\xfftwo\nthree" {
		t.Errorf("OpenStdout gives %q, %v", b, err)
	}
	if trouble := r.Trouble(); trouble != nil {
		t.Errorf("Trouble = %q", trouble)
	}
}
