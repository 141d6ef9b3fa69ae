package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestATrailIsWhatLeavesAtOnce(t *testing.T) {
	store := trailStore(t)
	run, err := store.Create(Meta{Procedure: "build", StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	trail, err := Border{store}.Trail(run.Meta().Name)
	if err != nil {
		t.Fatal(err)
	}
	var left []byte
	more := func() []byte {
		t.Helper()
		b, err := trail.More()
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, b...)
		return b
	}
	if b := more(); len(b) != 0 {
		t.Errorf("before anything happened there is %q", b)
	}
	add := func(p loop.Payload) { run.Append(loop.Event{Time: time.Now(), Payload: p}) }
	add(&loop.RunStarted{Name: run.Meta().Name})
	add(&loop.NoteAdded{Text: "one"})
	if b := more(); bytes.Count(b, []byte("\n")) != 2 || bytes.Contains(b, []byte(`"seal"`)) {
		t.Errorf("there is %q", b)
	}
	add(&loop.NoteAdded{Text: "two"})
	more()
	if b := more(); len(b) != 0 {
		t.Errorf("again there is %q", b)
	}
	path := filepath.Join(run.Dir(), journalName)

	// Half a line is one that is under way.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"seq":`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if b := more(); len(b) != 0 {
		t.Errorf("of half a line there is %q", b)
	}
	add(&loop.NoteAdded{Text: "three"}) // which the runner takes away first
	more()

	// The file is gone, and the runner puts it back.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	add(&loop.RunParked{Why: "enough"})
	more()
	l, err := Border{store}.Pack(run.Meta().Name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(left, l.Journal) {
		t.Errorf("bit by bit there left\n%s\nat once\n%s", left, l.Journal)
	}
	beside, err := trail.Luggage()
	if err != nil || beside.ID != l.ID || !bytes.Equal(beside.Meta, l.Meta) || len(beside.Beside) != len(l.Beside) {
		t.Errorf("beside it: %+v, %v", beside, err)
	}
}

// What somebody else has written there does not leave.
func TestATrailOfAJournalThatWasWrittenTo(t *testing.T) {
	for name, meddle := range map[string]func([]byte) []byte{
		"another word":  func(b []byte) []byte { return bytes.Replace(b, []byte("two"), []byte("TWO"), 1) },
		"an event more": func(b []byte) []byte { return append(b, b[:bytes.IndexByte(b, '\n')+1]...) },
		"an event less": func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] },
		"one without": func(b []byte) []byte {
			return append(b, `{"seq":9,"time":"2026-01-01T00:00:00.000Z","run":"x","type":"note.added","text":"x"}`+"\n"...)
		},
		"another before": func(b []byte) []byte { return bytes.Replace(b, []byte("one"), []byte("ONE"), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			store := trailStore(t)
			run, err := store.Create(Meta{Procedure: "build", StartedAt: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			add := func(p loop.Payload) { run.Append(loop.Event{Time: time.Now(), Payload: p}) }
			add(&loop.RunStarted{Name: run.Meta().Name})
			add(&loop.NoteAdded{Text: "one"})
			trail, err := Border{store}.Trail(run.Meta().Name)
			if err != nil {
				t.Fatal(err)
			}
			if name != "another before" {
				if _, err := trail.More(); err != nil {
					t.Fatal(err)
				}
			}
			if name == "an event less" {
				meddled(t, run, meddle)
			} else {
				add(&loop.NoteAdded{Text: "two"})
				meddled(t, run, meddle)
			}
			b, err := trail.More()
			var tampered *TamperedError
			if !errors.As(err, &tampered) {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
}

func meddled(t *testing.T, run *Run, change func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(run.Dir(), journalName)
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func trailStore(t *testing.T) Store {
	t.Helper()
	store, err := OpenIn(t.TempDir(), t.TempDir())
	if err == nil {
		store, err = store.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}
