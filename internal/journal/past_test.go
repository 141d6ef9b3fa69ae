package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestReadingFromTheLastIterationGivesTheFullSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var full loop.State
		var file strings.Builder
		now := noon
		for i := range rapid.IntRange(0, 30).Draw(t, "events") {
			now = now.Add(time.Duration(rapid.IntRange(0, 100_000).Draw(t, "later")) * time.Millisecond)
			e := loop.Event{Seq: int64(i + 1), Time: now, Run: "loop_1", Iter: full.Next(), Attempt: 1, Payload: payload(t)}
			full = full.Sum(e)
			if f, ok := e.Payload.(*loop.IterationFinished); ok {
				f.State = full
			}
			line, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			file.Write(line)
			file.WriteByte('\n')
		}
		past, err := readPast("journal.jsonl", seal.Chain{}, strings.NewReader(file.String()), int64(file.Len()), "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asJSON(t, full), asJSON(t, past.State)); diff != "" {
			t.Errorf("the state differs (-full sum +from the last iteration):\n%s", diff)
		}
		if got, want := past.Seq(), int64(strings.Count(file.String(), "\n")); got != want {
			t.Errorf("Seq = %d, want %d", got, want)
		}
	})
}

// payload draws one of the events that a state is made of.
func payload(t *rapid.T) loop.Payload {
	text := rapid.StringN(0, 20, -1)
	yes := rapid.Bool()
	switch rapid.IntRange(0, 7).Draw(t, "type") {
	case 0:
		return &loop.RunStarted{Name: "build-1", Counting: loop.CountPolicy{GatesAreFailures: yes.Draw(t, "gates")}}
	case 1:
		from := rapid.SampledFrom([]loop.Status{loop.Aborted, loop.Stopped, loop.Crashed})
		return &loop.RunResumed{From: from.Draw(t, "from"), Counting: loop.CountPolicy{SkipsAreFree: yes.Draw(t, "skips")}}
	case 2:
		return &loop.IterationStarted{Max: 5}
	case 3:
		return &loop.ClaimRefused{Text: text.Draw(t, "claim"), Why: text.Draw(t, "why"), NearMiss: yes.Draw(t, "near")}
	case 4:
		return &loop.RunWaiting{Rule: "limit", Why: text.Draw(t, "why")}
	case 5:
		return &loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest}
	default:
		return &loop.IterationFinished{Outcome: outcome(t), Verdict: loop.Verdict{Action: loop.Continue}}
	}
}

func outcome(t *rapid.T) loop.Outcome {
	count := rapid.IntRange(0, 9)
	progress := rapid.Bool().Draw(t, "progress")
	results := []loop.Result{loop.OK, loop.Failed, loop.TimedOut, loop.Idle, loop.Skipped, loop.Interrupted, loop.Limited, loop.Unavailable, loop.Lost}
	return loop.Outcome{
		Result:   rapid.SampledFrom(results).Draw(t, "result"),
		Work:     loop.Work{Progress: &progress, Changes: &loop.Changes{Created: count.Draw(t, "created"), Commits: count.Draw(t, "commits")}},
		Tests:    &loop.Tests{Total: 9, Passed: count.Draw(t, "passed"), Failed: count.Draw(t, "failed")},
		Gates:    []loop.Gate{{Name: "test", OK: rapid.Bool().Draw(t, "gate")}},
		Usage:    &loop.Usage{Input: count.Draw(t, "input"), CostUSD: rapid.Float64Range(0, 1).Draw(t, "cost")},
		Said:     loop.Said{Summary: rapid.StringN(0, 20, -1).Draw(t, "summary")},
		Duration: loop.Millis(time.Duration(count.Draw(t, "duration")) * time.Millisecond),
		EndedAt:  noon,
	}
}

func TestPastTellsHowARunEnded(t *testing.T) {
	finished := &loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest}
	tests := []struct {
		name     string
		events   []loop.Payload
		finished bool
	}{
		{"a run that is going on has no end", []loop.Payload{&loop.RunStarted{}, &loop.IterationStarted{}}, false},
		{"run.finished is the end", []loop.Payload{&loop.RunStarted{}, finished}, true},
		{"what is said after the end does not undo it", []loop.Payload{&loop.RunStarted{}, finished, &loop.Warning{}}, true},
		{"a resume does", []loop.Payload{&loop.RunStarted{}, finished, &loop.RunResumed{}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			r := create(t, s)
			for i, p := range tt.events {
				r.Append(at(i, 0, 0, p))
			}
			e, err := s.Load("build-1")
			if err != nil || (e.Finished != nil) != tt.finished {
				t.Errorf("Load = finished %+v, %v, want finished: %v", e.Finished, err, tt.finished)
			}
		})
	}
}

// sample is a journal with all sorts of lines, and long ones.
func sample(t testing.TB, s Store) string {
	r := create(t, s)
	state := startOf(r)
	r.Append(at(1, 1, 1, &loop.IterationStarted{Max: 3}))
	r.Append(at(1, 1, 1, &loop.ClaimRefused{Kind: loop.ClaimDone, Text: "ümlaut\n\"", Why: "no"}))
	state = finish(r, state, 2)
	r.Append(at(9, 3, 1, &loop.IterationStarted{Max: 3}))
	r.Append(at(9, 3, 1, &loop.AgentExited{Exit: loop.Exit{Cause: loop.Exited}}))
	finish(r, state, 1)
	r.Append(at(10, 0, 0, &loop.RunFinished{State: loop.Done}))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return readFile(t, filepath.Join(r.Dir(), journalName))
}

func TestAJournalCutAtAnyByteGoesOn(t *testing.T) {
	s := newStore(t)
	whole := sample(t, s)
	f, err := os.OpenFile(filepath.Join(s.dir("build-1"), journalName), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for cut := range len(whole) + 1 {
		known := strings.Count(whole[:cut], "\n")
		text := whole[:cut]
		if cut%8 == 0 {
			text += "\x00\x00\x00" // as a power loss leaves it
		}
		if _, err := f.WriteAt([]byte(text), 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(int64(len(text))); err != nil {
			t.Fatal(err)
		}

		r, past, err := s.Resume("build-1")
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if past.Seq() != int64(known) {
			t.Fatalf("cut at %d: the last event is %d, want %d", cut, past.Seq(), known)
		}
		first := r.Append(at(20, 4, 1, &loop.RunWaiting{Why: "a back-off"}))
		second := r.Append(at(21, 4, 1, &loop.RunWaiting{Why: "a limit"}))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}

		events, err := story.Collect(s.Events("build-1", 0))
		if err != nil || len(events) != known+2 {
			t.Fatalf("cut at %d: %d events, %v, want %d", cut, len(events), err, known+2)
		}
		if diff := cmp.Diff([]loop.Event{first, second}, events[known:]); diff != "" {
			t.Fatalf("cut at %d: the new events differ (-written +read):\n%s", cut, diff)
		}
	}
}

func FuzzOpen(f *testing.F) {
	s := newStore(f)
	f.Add([]byte(sample(f, s)))
	f.Add([]byte(""))
	f.Add([]byte("{\"seq\":1,\"time\":\"2026-11-05T12:00:00Z\",\"type\":\"x\"}\n\x00\x00"))
	f.Add([]byte("null\n"))
	meta := readFile(f, filepath.Join(s.dir("build-1"), metaName))
	f.Fuzz(func(t *testing.T, journal []byte) {
		s := newStore(t)
		writeFile(t, filepath.Join(s.dir("build-1"), metaName), meta)
		path := filepath.Join(s.dir("build-1"), journalName)
		if err := os.WriteFile(path, journal, 0o600); err != nil {
			t.Fatal(err)
		}
		r, past, err := s.Resume("build-1")
		if err != nil {
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) {
				t.Fatalf("Resume = %v, want a CorruptError", err)
			}
			return
		}
		defer r.Close()
		want := r.Append(at(0, 1, 1, &loop.Warning{Text: "after"}))
		if trouble := r.Trouble(); trouble != nil {
			t.Fatalf("Append: %q", trouble)
		}
		e, err := s.Load("build-1")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(e.Tail); n != len(past.Tail)+1 || asJSON(t, e.Tail[n-1]) != asJSON(t, want) {
			t.Errorf("the tail is %s, want %s at its end", asJSON(t, e.Tail), asJSON(t, want))
		}
	})
}
