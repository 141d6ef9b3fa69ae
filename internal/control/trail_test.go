package control

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// followed is a run that is written while it is followed.
type followed struct {
	*testing.T
	store journal.Store
	*journal.Run
	lock *journal.Lock
}

func newFollowed(t *testing.T) *followed {
	t.Helper()
	dir := t.TempDir()
	store := journal.Store{Dir: filepath.Join(dir, "state"), Tree: filepath.Join(dir, "tree")}
	run, err := store.Create(journal.Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	f := &followed{T: t, store: store, Run: run}
	if f.lock, err = store.Lock(f.holder("")); err != nil {
		t.Fatal(err)
	}
	f.tell(&loop.RunStarted{Name: run.Meta().Name})
	return f
}

func (f *followed) holder(socket string) journal.Holder {
	return journal.Holder{PID: os.Getpid(), Run: f.Meta().Name, Socket: socket}
}

func (f *followed) tell(p loop.Payload) loop.Event {
	return f.Append(loop.Event{Time: time.Now(), Iter: 1, Attempt: 1, Payload: p})
}

// expect follows the run to its end, and wants every event but those that are gone.
func (f *followed) expect(last int64, gone ...int64) {
	f.Helper()
	missing := map[int64]bool{}
	for _, seq := range gone {
		missing[seq] = true
	}
	at := int64(0)
	for e, err := range Follow(f.Context(), f.store, f.Meta().Name, 0) {
		if err != nil {
			f.Fatalf("after event %d: %v", at, err)
		}
		for at++; missing[at]; at++ {
		}
		if e.Seq != at {
			f.Fatalf("event %d came, want %d", e.Seq, at)
		}
	}
	if at != last {
		f.Errorf("it ended after event %d, want %d", at, last)
	}
}

// The two files of a run are not read at the same moment. Nothing may be missed
// for that.
func TestFollowReadsTheFilesOfARunThatDoesNotAnswer(t *testing.T) {
	f := newFollowed(t)
	const many = 3000
	go func() {
		for range many {
			var p loop.Payload = &loop.AgentText{Text: "x"}
			if rand.IntN(2) == 0 {
				p = &loop.Warning{Text: "y"}
			}
			f.tell(p)
		}
		f.tell(&loop.RunFinished{State: loop.Done})
	}()
	f.expect(many + 2)
}

func TestFollowPassesOverWhatIsGone(t *testing.T) {
	f := newFollowed(t)
	f.tell(&loop.AgentText{Text: "x"})
	f.tell(&loop.AgentText{Text: "x"})
	f.tell(&loop.Warning{Text: "y"})
	f.Attempt(2, 1)
	if err := f.DropTranscripts(1); err != nil {
		t.Fatal(err)
	}
	for e := range Follow(t.Context(), f.store, f.Meta().Name, 1) {
		if e.Seq == 4 { // it is alive, and went on all the same
			f.tell(&loop.RunFinished{State: loop.Done})
		}
	}
	f.expect(5, 2, 3)
}

func TestFollowGoesOnInTheFilesWhenTheRunDies(t *testing.T) {
	f := newFollowed(t)
	dir, err := os.MkdirTemp("", "f")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	server, err := Serve(Options{
		ID: f.Meta().ID, Folders: []string{dir}, Run: func() view.Status { return view.Status{} },
		Do: func(context.Context, Command) Answer { return Answer{} }, Past: func(after int64) iter.Seq2[loop.Event, error] { return f.store.AllEvents(f.Meta().Name, after) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.lock.Note(f.holder(server.Address())); err != nil {
		t.Fatal(err)
	}
	server.Observe(f.tell(&loop.Warning{Text: "seen"}))
	var got []int64
	for e, err := range Follow(t.Context(), f.store, f.Meta().Name, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e.Seq); e.Seq == 2 {
			server.Close()
			f.tell(&loop.Warning{Text: "unseen"})
			f.lock.Unlock()
		}
	}
	if !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("events %v came, want 1 to 3", got)
	}
}

func TestFollowEndsWhenAsked(t *testing.T) {
	f := newFollowed(t)
	defer f.lock.Unlock()
	enough := errors.New("enough for today")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var last error
	for e, err := range Follow(ctx, f.store, f.Meta().Name, 0) {
		if last = err; e.Seq == 1 {
			cancel(enough)
		}
	}
	if !errors.Is(last, enough) {
		t.Errorf("follow ended with %v, want %v", last, enough)
	}
	for range Follow(t.Context(), f.store, f.Meta().Name, 0) {
		break // and at any event
	}
}

func TestFollowOfNoRun(t *testing.T) {
	f := newFollowed(t)
	var missing *journal.NotFoundError
	for _, err := range Follow(t.Context(), f.store, "build-9", 0) {
		if !errors.As(err, &missing) {
			t.Errorf("follow gives %v, want that there is no such run", err)
		}
	}
}
