package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestEventsAfterANumber(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	finish(r, startOf(r), 4)
	writeFile(t, filepath.Join(s.dir("build-1"), journalName), readFile(t, filepath.Join(r.Dir(), journalName))+`{"seq":6,"half`)
	for after, want := range []int{5, 4, 3, 2, 1, 0, 0} {
		events, err := story.Collect(s.Events("build-1", int64(after)))
		if err != nil || len(events) != want {
			t.Errorf("Events after %d = %d, %v, want %d", after, len(events), err, want)
		}
	}
	for e := range s.Events("build-1", 0) {
		if e.Seq != 1 {
			t.Errorf("the first event is %d", e.Seq)
		}
		break
	}
	if _, err := story.Collect(s.Events("build-2", 0)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Events of no run = %v", err)
	}
}

func TestIterationsAreTheLastOnesOldestFirst(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	state := startOf(r)
	r.Append(at(1, 1, 1, &loop.Warning{Text: "talks of iteration.finished"}))
	state = finish(r, state, 3)
	r.Append(at(9, 4, 1, &loop.IterationStarted{}))
	finish(r, state, 2)
	r.Append(at(10, 0, 0, &loop.RunFinished{}))
	tests := []struct {
		name string
		last int
		want []int
	}{
		{"the last one", 1, []int{5}},
		{"the last three", 3, []int{3, 4, 5}},
		{"more than there are", 9, []int{1, 2, 3, 4, 5}},
		{"all", 0, []int{1, 2, 3, 4, 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, err := s.Iterations("build-1", tt.last)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, e := range events {
				got = append(got, e.Iter)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Iterations(%d) = %v, want %v", tt.last, got, tt.want)
			}
		})
	}
	var missing *NotFoundError
	if _, err := s.Iterations("build-2", 1); !errors.As(err, &missing) {
		t.Errorf("Iterations of no run = %v, want a NotFoundError", err)
	}
}

func TestLastAttempt(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	r.Attempt(3, 1)
	r.Attempt(3, 2)
	r.Attempt(4, 1)
	tests := []struct {
		iter, n int
		dir     string
	}{{3, 2, "0003-2"}, {4, 1, "0004"}}
	for _, tt := range tests {
		dir, n, err := s.LastAttempt("build-1", tt.iter)
		if err != nil || n != tt.n || filepath.Base(dir) != tt.dir {
			t.Errorf("LastAttempt(%d) = %s, %d, %v, want %s", tt.iter, dir, n, err, tt.dir)
		}
	}
	var missing *NotFoundError
	if _, _, err := s.LastAttempt("build-1", 5); !errors.As(err, &missing) || missing.Ref != "build-1/5" {
		t.Errorf("LastAttempt(5) = %v, want a NotFoundError for build-1/5", err)
	}
	if events, err := story.Collect(AttemptEvents(s.AttemptDir("build-1", 4, 1))); events != nil || err != nil {
		t.Errorf("AttemptEvents of a silent attempt = %v, %v", events, err)
	}
}
