package journal

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

// Until it has its end, nothing of a tampered run is changed; and each journal
// that was found is kept.
func TestATamperedJournalIsReplacedInOnePiece(t *testing.T) {
	s := sealedStore(t)
	path, lines := written(t, s)
	dir := filepath.Dir(path)
	made := `{"seq":99,"time":"2026-11-15T10:00:00.000Z","run":"x","type":"run.finished","state":"done","proven":true}` + "\n"
	found := strings.Join(lines, "") + "\n" + made
	for n := 1; n <= 2; n++ {
		writeFile(t, path, found)
		r, past := resume(t, s, "build-1")
		if past.Tampered == "" {
			t.Fatal("Resume found nothing")
		}
		r.Append(at(10, 0, 0, &loop.RunResumed{From: loop.Stopped}))
		r.Append(at(10, 0, 0, &loop.Warning{Text: "x"}))
		if got := readFile(t, path); got != found {
			t.Errorf("before its end the journal is\n%s", got)
		}
		r.Append(at(11, 0, 0, &loop.RunFinished{State: loop.Aborted, Reason: loop.ByTampering}))
		r.Append(at(12, 0, 0, &loop.CheckpointRestored{Checkpoint: "x"}))
		r.Close()
		if got := readFile(t, filepath.Join(dir, fmt.Sprintf(foundName, n))); got != found {
			t.Errorf("the %d. journal as it was found is\n%s", n, got)
		}
		e, err := s.Load("build-1")
		if err != nil || e.Strange.Any() || e.Tampered != "" || e.Finished.Reason != loop.ByTampering || e.State.Totals.Iterations != 3 {
			t.Errorf("Load = %+v, %v, want it whole and ended", e.Past, err)
		}
		if tail := e.Tail[len(e.Tail)-1].Type(); tail != (*loop.CheckpointRestored)(nil).Type() {
			t.Errorf("it ends with %s, want what came after its end", tail)
		}
		found = readFile(t, path) + made
	}
}

// A line with a seal that this version cannot read is a runner's all the same, and
// so are those after it.
func TestASealedLineThatCannotBeReadIsNoTampering(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	startOf(r)
	line, _ := r.log.seal([]byte(`{"seq":2,"time":"2026-11-15T10:00:00.000Z","run":"x","type":"warning","text":{"of":"another version"}}`))
	r.log.keep(line)
	r.Append(at(3, 0, 0, &loop.Warning{Text: "x"}))
	r.Append(at(4, 0, 0, &loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest}))
	if err := r.Verify(); err != nil {
		t.Errorf("Verify = %v", err)
	}
	r.Close()
	events, err := story.Collect(s.Events("build-1", 0))
	if err != nil || len(events) != 3 {
		t.Errorf("Events = %v, %v, want the other 3", types(events), err)
	}
	if met, err := s.Strange("build-1"); err != nil || met.Forged != 0 || met.Count != 1 {
		t.Errorf("Strange = %+v, %v, want one line that cannot be read", met, err)
	}
	if _, past := resume(t, s, "build-1"); past.Tampered != "" {
		t.Errorf("Resume found %q", past.Tampered)
	}
}
