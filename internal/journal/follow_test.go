package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestPastHasEveryEventInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store := newStore(t)
		run := create(t, store)
		last := run.Append(at(0, 0, 0, &loop.RunStarted{Name: "build-1"})).Seq
		show := func(e loop.Event) { last = e.Seq }
		for n := range rapid.IntRange(0, 4).Draw(rt, "iterations") {
			story.Iteration(run.Append, noon, n+1, rapid.IntRange(0, 4).Draw(rt, "texts"), show)
			if rapid.Bool().Draw(rt, "something between") {
				show(run.Append(loop.Event{Time: noon, Payload: &loop.Warning{Text: "careful"}}))
			}
		}
		after := rapid.Int64Range(0, last+1).Draw(rt, "after")
		got, err := story.Collect(store.AllEvents(run.Meta().Name, after))
		if err != nil || !slices.Equal(story.Numbers(got), story.UpTo(after, last)) {
			rt.Fatalf("the past after %d = %v, %v, want up to %d", after, story.Numbers(got), err, last)
		}
	})
}

func TestPastOfAnAttemptThatIsUnderWay(t *testing.T) {
	store := newStore(t)
	run := create(t, store)
	run.Append(at(0, 0, 0, &loop.RunStarted{Name: "build-1"}))
	run.Append(loop.Event{Time: noon, Iter: 1, Attempt: 2, Payload: &loop.IterationPhase{Phase: loop.Pending}})
	for range 5 {
		run.Append(loop.Event{Time: noon, Iter: 1, Attempt: 2, Payload: &loop.AgentText{Text: "hello"}})
	}
	got, err := story.Collect(store.AllEvents(run.Meta().Name, 4))
	if err != nil || !slices.Equal(story.Numbers(got), []int64{5, 6, 7}) {
		t.Errorf("the past after 4 = %v, %v, want 5 to 7", story.Numbers(got), err)
	}
}

func TestPastDoesWithoutWhatWasDropped(t *testing.T) {
	store := newStore(t)
	run := create(t, store)
	run.Append(at(0, 0, 0, &loop.RunStarted{Name: "build-1"}))
	story.Iteration(run.Append, noon, 1, 2, silently)
	story.Iteration(run.Append, noon, 2, 2, silently)
	if err := run.DropTranscripts(1); err != nil {
		t.Fatal(err)
	}
	got, err := story.Collect(store.AllEvents(run.Meta().Name, 0))
	if err != nil || !slices.Equal(story.Numbers(got), []int64{1, 2, 5, 6, 7, 8, 9}) {
		t.Errorf("the past = %v, %v, want all but 3 and 4", story.Numbers(got), err)
	}
}

func TestPastCanBeLeftAtAnyEvent(t *testing.T) {
	store := newStore(t)
	run := create(t, store)
	run.Append(at(0, 0, 0, &loop.RunStarted{Name: "build-1"}))
	story.Iteration(run.Append, noon, 1, 2, silently)
	for n := range 5 {
		seen := 0
		for range store.AllEvents(run.Meta().Name, 0) {
			if seen++; seen > n {
				break
			}
		}
		if seen != n+1 {
			t.Errorf("left after %d events, want %d", seen, n+1)
		}
	}
}

func TestPastThatCannotBeReadSaysSo(t *testing.T) {
	store := newStore(t)
	run := create(t, store)
	run.Append(at(0, 0, 0, &loop.RunStarted{Name: "build-1"}))
	story.Iteration(run.Append, noon, 1, 2, silently)
	said := filepath.Join(store.AttemptDir(run.Meta().Name, 1, 1), "events.jsonl")
	if err := os.WriteFile(said, []byte("no event\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := story.Collect(store.AllEvents(run.Meta().Name, 0))
	if bad := (*CorruptError)(nil); !errors.As(err, &bad) || len(got) != 2 {
		t.Errorf("the past = %v, %v, want two events and where the file is wrong", story.Numbers(got), err)
	}
}

// silently shows nobody.
func silently(loop.Event) {}
