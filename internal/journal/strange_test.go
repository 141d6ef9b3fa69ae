package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestAStrangeLineIsPassedOver(t *testing.T) {
	s := newStore(t)
	whole := sample(t, s)
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	good, err := story.Collect(s.Events("build-1", 0))
	if err != nil || len(good) != len(lines) {
		t.Fatalf("Events = %d, %v, want %d", len(good), err, len(lines))
	}
	path := filepath.Join(s.dir("build-1"), journalName)
	for name, text := range map[string]string{
		"garbage":               "oops\n",
		"nothing":               "\n",
		"a JSON that is a list": "[]\n",
		"an object of others":   `{"level":"info","msg":"hi"}` + "\n",
		"a field of another kind": `{"seq":3,"time":"2026-11-05T12:00:00.000Z","run":"loop_1","type":"warning","text":5}` +
			"\n",
		"NULs":           "\x00\x00\x00\n",
		"half a line":    lines[3][:len(lines[3])/2] + "\n",
		"a line of 1 MB": strings.Repeat("x", 1<<20) + "\n",

		"garbage that runs into the next line": "oops",
		"half a line that does":                lines[3][:len(lines[3])/2],
		"NULs that do":                         "\x00\x00",
	} {
		for before := range lines {
			if name == "NULs that do" && before == len(lines)-1 {
				continue // a torn last line: it is cut
			}
			t.Run(fmt.Sprintf("%s before line %d", name, before+1), func(t *testing.T) {
				file := strings.Join(lines[:before], "") + text + strings.Join(lines[before:], "")
				writeFile(t, path, file)
				got, err := story.Collect(s.Events("build-1", 0))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(good, got); diff != "" {
					t.Errorf("the events differ (-good +read):\n%s", diff)
				}
				iterations, err := s.Iterations("build-1", 0)
				if err != nil || len(iterations) != 3 {
					t.Errorf("Iterations = %d, %v, want 3", len(iterations), err)
				}
				strange, err := s.Strange("build-1")
				if want := (Strange{Count: 1, Line: before + 1}); err != nil || strange != want {
					t.Errorf("Strange = %+v, %v, want %+v", strange, err, want)
				}
				e, err := s.Load("build-1")
				if err != nil || e.Finished == nil || e.State.Totals.Iterations != 3 || e.First.Type() != good[0].Type() {
					t.Errorf("Load = %+v, %v", e.Past, err)
				}
				if got := readFile(t, path); got != file {
					t.Error("reading has changed the file")
				}
			})
		}
	}
}

func TestAStrangeLastLineIsPassedOver(t *testing.T) {
	s := newStore(t)
	whole := sample(t, s)
	path := filepath.Join(s.dir("build-1"), journalName)
	known := strings.Count(whole, "\n")
	for name, text := range map[string]string{"one line": "oops\n", "two lines, and a torn one": "oops\n{}\n" + `{"seq":`} {
		t.Run(name, func(t *testing.T) {
			writeFile(t, path, whole+text)
			count := strings.Count(text, "\n")
			r, past := resume(t, s, "build-1")
			if want := (Strange{Count: count, Line: known + 1}); past.Strange != want {
				t.Errorf("Strange = %+v, want %+v", past.Strange, want)
			}
			if past.Finished == nil {
				t.Error("the end of the run is lost")
			}
			next := r.Append(at(20, 0, 0, &loop.RunResumed{}))
			// The number of an event that was damaged is not given again: who follows
			// the run may have seen it.
			if want := int64(known + count + 1); next.Seq != want {
				t.Errorf("the next event is %d, want %d", next.Seq, want)
			}
			got, err := story.Collect(s.Events("build-1", int64(known)))
			if diff := cmp.Diff([]loop.Event{next}, got); err != nil || diff != "" {
				t.Errorf("Events = %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAnIterationWhoseEndIsDamagedIsStillOpen(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	state := finish(r, startOf(r), 1)
	r.Append(at(3, 2, 1, &loop.IterationStarted{}))
	r.Append(at(4, 2, 1, &loop.AgentExited{}))
	finish(r, state, 1)
	r.Close()
	path := filepath.Join(r.Dir(), journalName)
	text := strings.TrimSuffix(readFile(t, path), "\n")
	writeFile(t, path, text[:len(text)-9]+"\n")
	_, past := resume(t, s, "build-1")
	if past.Last == nil || past.Last.Iter != 1 || len(past.Tail) != 2 || past.Strange.Count != 1 {
		t.Errorf("the past is %s with %+v, want iteration 1 and two events", asJSON(t, past.Tail), past.Strange)
	}
}

func TestAJournalOfNothingButStrangeLinesIsNone(t *testing.T) {
	s := newStore(t)
	sample(t, s)
	path := filepath.Join(s.dir("build-1"), journalName)
	writeFile(t, path, "one\ntwo\n")
	_, loaded := s.Load("build-1")
	_, read := story.Collect(s.Events("build-1", 0))
	for act, err := range map[string]error{"Load": loaded, "Events": read} {
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) || corrupt.File != path || corrupt.Line != 1 {
			t.Errorf("%s = %v, want a CorruptError in line 1", act, err)
		}
	}
}

func TestStrangeSaysWhatWasPassedOver(t *testing.T) {
	for s, want := range map[Strange]string{
		{}:                  "",
		{Count: 1, Line: 7}: "line 7 of journal.jsonl cannot be read and is passed over",
		{Count: 3, Line: 7}: "3 lines of journal.jsonl cannot be read and are passed over; the first is line 7",
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v says %q, want %q", s, got, want)
		}
	}
}

func TestReadersAgreeOnAnyJournal(t *testing.T) {
	s := newStore(t)
	lines := strings.SplitAfter(sample(t, s), "\n")
	path := filepath.Join(s.dir("build-1"), journalName)
	rapid.Check(t, func(t *rapid.T) {
		var file strings.Builder
		for _, line := range lines {
			file.WriteString(rapid.SampledFrom([]string{"", "", "oops\n", "oops", "\x00\n", `{"seq":`, "{\"seq\":{\n"}).Draw(t, "before"))
			cut := rapid.SampledFrom([]int{0, 0, 0, 1, len(line) / 2}).Draw(t, "cut")
			file.WriteString(line[:max(0, len(line)-cut)])
		}
		text := file.String()
		if err := replace(path, []byte(text), false); err != nil {
			t.Fatal(err)
		}
		forward, err := story.Collect(s.Events("build-1", 0))
		var corrupt *CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			t.Fatal(err)
		}
		var ended int
		for _, e := range forward {
			if _, ok := e.Payload.(*loop.IterationFinished); ok {
				ended++
			}
		}
		list, err := s.Iterations("build-1", 0)
		if err != nil && !errors.As(err, &corrupt) || len(list) != ended {
			t.Fatalf("Iterations = %d, %v; read forwards there are %d", len(list), err, ended)
		}
		if e, err := s.Load("build-1"); err == nil && (len(forward) == 0 || e.Seq() != forward[len(forward)-1].Seq) {
			t.Fatalf("the last event is %d, and read forwards there are %d", e.Seq(), len(forward))
		}
	})
}
