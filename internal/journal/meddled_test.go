package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

// Whatever is done to the journal of a live run, what the run wrote is there
// afterwards, and it knows when somebody else has written to it.
func TestALiveJournalHoldsWhatItsRunWrote(t *testing.T) {
	tests := []struct {
		name    string
		act     func(t *testing.T, journal string)
		meddled bool
	}{
		{"nothing", func(*testing.T, string) {}, false},
		{"it is removed", func(t *testing.T, journal string) { os.Remove(journal) }, false},
		{"its folder is", func(t *testing.T, journal string) { os.RemoveAll(filepath.Dir(journal)) }, false},
		{"everything is", func(t *testing.T, journal string) { os.RemoveAll(filepath.Join(filepath.Dir(journal), "../..")) }, false},
		{"another takes its place", func(t *testing.T, journal string) {
			b := readFile(t, journal)
			os.Remove(journal)
			writeFile(t, journal, b)
		}, true},
		{"a link does", func(t *testing.T, journal string) {
			rename(t, journal, journal+"-away")
			if err := os.Symlink(journal+"-away", journal); err != nil {
				t.Skip(err)
			}
		}, true},
		{"a line is added", func(t *testing.T, journal string) {
			f, err := os.OpenFile(journal, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			f.WriteString(`{"seq":9,"time":"2026-11-15T10:00:00.000Z","run":"x","type":"run.finished","state":"done"}` + "\n")
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			r := create(t, s)
			startOf(r)
			r.Append(at(1, 1, 1, &loop.IterationStarted{}))
			tt.act(t, filepath.Join(r.Dir(), journalName))
			r.Append(at(2, 1, 1, &loop.AgentExited{}))
			r.Append(at(3, 0, 0, &loop.Warning{Text: "x"}))
			events, err := story.Collect(s.Events("build-1", 0))
			if err != nil || len(events) != 4 || events[3].Type() != (*loop.Warning)(nil).Type() {
				t.Errorf("the journal has %v, %v, want all 4", types(events), err)
			}
			if _, err := s.Load("build-1"); err != nil {
				t.Errorf("Load = %v, want the run", err)
			}
			var found *TamperedError
			if err := r.Intact(); errors.As(err, &found) != tt.meddled {
				t.Errorf("Intact = %v, want somebody else to be seen: %v", err, tt.meddled)
			}
		})
	}
}

// What was cut away cannot be brought back, but it is seen.
func TestAJournalThatWasCutIsSeen(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	startOf(r)
	if err := os.Truncate(filepath.Join(r.Dir(), journalName), 0); err != nil {
		t.Fatal(err)
	}
	r.Append(at(1, 1, 1, &loop.IterationStarted{}))
	var found *TamperedError
	if err := r.Intact(); !errors.As(err, &found) {
		t.Errorf("Intact = %v, want that it was cut", err)
	}
}
