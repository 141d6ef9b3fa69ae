package cli

import (
	"bytes"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhichTerminalsShowMoreThanASCII(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "en_US.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.utf8"}, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.ISO-8859-1"}, false},
	} {
		if got := unicodeLocale(func(key string) string { return tt.env[key] }); got != tt.want {
			t.Errorf("unicodeLocale(%v) = %v, want %v", tt.env, got, tt.want)
		}
	}
}

func TestHistoryHasAllOfTheLatestIterationsOnly(t *testing.T) {
	dir := t.TempDir()
	store := journal.Store{Dir: filepath.Join(dir, "state"), Tree: filepath.Join(dir, "tree")}
	run, err := store.Create(journal.Meta{Procedure: "build"})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	const iterations = 3 * recent
	run.Append(loop.Event{Payload: &loop.RunStarted{Name: "build-1"}})
	for i := range iterations {
		for _, p := range []loop.Payload{&loop.IterationStarted{}, &loop.AgentText{Text: "hello"}, &loop.IterationFinished{}} {
			run.Append(loop.Event{Iter: i + 1, Attempt: 1, Payload: p})
		}
	}
	run.Append(loop.Event{Payload: &loop.RunFinished{State: loop.Done}})

	seen := map[loop.Type]int{}
	var at int64
	for e, err := range pastOf(t.Context(), store, "build-1") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq <= at {
			t.Errorf("event %d comes after %d", e.Seq, at)
		}
		at = e.Seq
		seen[e.Type()]++
	}
	want := map[loop.Type]int{"run.started": 1, "iteration.started": iterations, "iteration.finished": iterations, "agent.text": recent - 1, "run.finished": 1}
	if !maps.Equal(seen, want) {
		t.Errorf("saw %v, want %v", seen, want)
	}
	for n := range 70 { // a reader may have enough at any time
		for range pastOf(t.Context(), store, "build-1") {
			if n--; n < 0 {
				break
			}
		}
	}
}

func TestWatchNeedsATerminal(t *testing.T) {
	sh := &shell{console: console{out: &bytes.Buffer{}}}
	var f failure
	if err := sh.canFillScreen("watch"); !errors.As(err, &f) || f.status != statusUsage || !strings.Contains(f.hint, "refrain logs -f") {
		t.Errorf("without a terminal: %v", err)
	}
}

func TestOnlyTheHeadOfADiffIsKept(t *testing.T) {
	w := head{room: 5}
	for _, text := range []string{"abc", "def", "ghi"} {
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("Write(%q) = %d, %v", text, n, err)
		}
	}
	if got := w.String(); got != "abcde" {
		t.Errorf("kept %q", got)
	}
}
