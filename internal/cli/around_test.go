package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/show"
	"github.com/refrain-loop/refrain/internal/tui"
)

func TestAFullScreenIsShownWhatStandsAroundARun(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	store := journal.Store{Dir: filepath.Join(dir, "state"), Tree: tree}
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(tree, "PLAN.md"), "- [x] one\n- [~] two\n- [ ] three\n")
	run, err := store.Create(journal.Meta{Procedure: "build", Tree: tree, Config: json.RawMessage(`{"done.plan": {"value": "PLAN.md"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	run.Append(loop.Event{Payload: &loop.RunStarted{Name: "build-1"}})
	attempt := store.AttemptDir("build-1", 1, 1)
	write(filepath.Join(attempt, "prompt.md"), "Mend it.")
	write(filepath.Join(attempt, "gates", "test.log"), "--- FAIL: TestA\n")
	write(filepath.Join(attempt, "gates", "test.clean.log"), "--- FAIL: TestB\n")
	write(filepath.Join(attempt, "gates", "lint.log"), " \n")

	var o tui.Options
	show.Papers(&o, store)
	surround(&o, store)
	tasks, err := o.Tasks(t.Context(), "build-1")
	if want := []tui.Task{{Text: "one", Title: "one", Done: true}, {Text: "two", Title: "two", Doing: true}, {Text: "three", Title: "three"}}; err != nil || !cmp.Equal(tasks, want) {
		t.Errorf("tasks %v, %v", tasks, err)
	}
	if said, err := o.Prompt(t.Context(), "build-1", 1, 1); err != nil || said != "Mend it." {
		t.Errorf("prompt %q, %v", said, err)
	}
	if _, err := o.Prompt(t.Context(), "build-1", 2, 1); err == nil || !strings.Contains(err.Error(), "no longer kept") {
		t.Errorf("of an attempt without one: %v", err)
	}
	gates, err := o.Gates(t.Context(), "build-1", 1, 1)
	if want := []tui.GateOutput{{Name: "test in a clean checkout", Text: "--- FAIL: TestB\n"}, {Name: "test", Text: "--- FAIL: TestA\n"}}; err != nil || !cmp.Equal(gates, want) {
		t.Errorf("gates %v, %v", gates, err)
	}
	if gates, err := o.Gates(t.Context(), "build-1", 2, 1); err != nil || gates != nil {
		t.Errorf("of an attempt without gates: %v, %v", gates, err)
	}
}

func TestAPlanOutsideOfTheWorkTreeIsNotRead(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	if err := os.MkdirAll(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret.md"), []byte("- [ ] secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	store := journal.Store{Dir: filepath.Join(dir, "state"), Tree: tree}
	run, err := store.Create(journal.Meta{Procedure: "build", Tree: tree, Config: json.RawMessage(`{"done.plan": {"value": "../secret.md"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	run.Append(loop.Event{Payload: &loop.RunStarted{Name: "build-1"}})
	if tasks, err := tasksOf(store, "build-1"); err == nil {
		t.Errorf("read %v", tasks)
	}
}

func TestWhichLiveRunIsMeant(t *testing.T) {
	at := func(name, tree string) history.LiveRun {
		return history.LiveRun{Entry: journal.Entry{Meta: journal.Meta{Name: name, Tree: tree}}}
	}
	one, two, twin := at("run-1", "/a"), at("run-2", "/b"), at("run-1", "/c")
	for _, tt := range []struct {
		name string
		list []history.LiveRun
		here string
		want string // its name, or the hint
	}{
		{"none", nil, "/a", ""},
		{"the only one, elsewhere", []history.LiveRun{two}, "/a", "run-2"},
		{"the one of this work tree", []history.LiveRun{two, one}, "/a", "run-1"},
		{"of several elsewhere none", []history.LiveRun{two, one}, "/x", "name the one that you mean"},
		{"of those with one name none", []history.LiveRun{twin, one}, "/x", "say which one you mean: -C DIR, and its name"},
	} {
		run, _, err := pick(tt.list, tt.here)
		got := run.Name
		if err != nil {
			got = explain(err).hint
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
