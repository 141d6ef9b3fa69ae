package journal

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestWhatIsRefusedIsToldAndTheJournalCatchesUp(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	startOf(r)
	var told []string
	r.OnTrouble(func(what string) { told = append(told, what) })

	r.Refuse(syscall.ENOSPC)
	a := r.Attempt(1, 1)
	a.WritePrompt("work")
	io.WriteString(a.Stdout(), "hello\n")
	r.Append(at(1, 1, 1, &loop.IterationStarted{}))
	r.WriteState([]byte("{}"))
	log, _ := a.GateFile("test", loop.InWorkspace, ".log")
	io.WriteString(log, "ok\n")
	log.Close()
	if err := r.Restate(nil, nil); err == nil {
		t.Error("run.json was written on a disk that is full")
	}
	if _, err := os.Stat(filepath.Join(r.Dir(), stateName)); err == nil {
		t.Error("state.json was written on a disk that is full")
	}
	for _, name := range []string{journalName, promptName, stdoutName, stateName, iterationsName, gatesName} {
		if !slices.ContainsFunc(told, func(what string) bool {
			return strings.HasPrefix(what, name+": ") && strings.Contains(what, syscall.ENOSPC.Error())
		}) {
			t.Errorf("nobody was told of %s, only %q", name, told)
		}
	}

	r.Refuse(nil)
	a.Close()
	r.Append(at(2, 2, 1, &loop.IterationStarted{}))
	io.WriteString(r.Attempt(2, 1).Stdout(), "on\n")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	events, err := story.Collect(s.Events(r.Meta().Name, 0))
	if want := []loop.Type{"run.started", "iteration.started", "iteration.started"}; err != nil || !slices.Equal(types(events), want) {
		t.Errorf("the journal has %v, %v, want %v", types(events), err, want)
	}
	if trouble := r.Trouble(); slices.ContainsFunc(trouble, func(what string) bool { return strings.HasPrefix(what, journalName) }) {
		t.Errorf("still not saved: %q", trouble)
	}
	if got := readFile(t, filepath.Join(attemptDir(r.Dir(), 2, 1), stdoutName)); got != "on\n" {
		t.Errorf("the transcript after it holds %q", got)
	}
}
