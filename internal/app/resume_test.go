package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
	"github.com/refrain-loop/refrain/internal/view"
)

func TestResumeGuardsWhatDoneMeans(t *testing.T) {
	tests := []struct {
		what    string
		now     string        // refrain.toml at the resume
		flags   []config.Flag // of the resume
		accept  bool
		refused string   // the beginning of the key that is named
		changed []string // or the keys that are shown as changed
	}{
		{"nothing changed", "done.promise = \"DONE\"\n", nil, false, "", nil},
		{"another key changed", "done.promise = \"DONE\"\nstop.failures = 9\n", nil, false, "", []string{"stop.failures"}},
		{"another promise", "done.promise = \"MAYBE\"\n", nil, false, "done.promise", nil},
		{"no promise any more", "", nil, false, "done.", nil},
		{"a looser match", "done.promise = \"DONE\"\ndone.match = \"substring\"\n", nil, false, "done.match", nil},
		{"exit status 0 is enough", "done.promise = \"DONE\"\nloop.exit_zero_is_done = true\n", nil, false, "loop.exit_zero_is_done", nil},
		{"another promise, accepted", "done.promise = \"MAYBE\"\n", nil, true, "", []string{"done.promise"}},
		{"said on the command line", "done.promise = \"DONE\"\n", []config.Flag{set("done.match", "tag")}, false, "", []string{"done.match"}},
		{"one is said, another is not", "done.promise = \"MAYBE\"\n", []config.Flag{set("done.match", "tag")}, false, "done.promise", nil},
		{"a raised limit", "done.promise = \"DONE\"\n", []config.Flag{set("loop.max_iterations", "9")}, false, "", []string{"loop.max_iterations"}},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			tree := story.NewTree(t, "done.promise = \"DONE\"\n")
			entry := journal.Entry{Meta: metaOf(t, tree)}
			entry.Name, entry.Tree = "run-1", tree
			story.WriteFile(t, filepath.Join(tree, "refrain.toml"), tt.now)

			c, err := PrepareResume(t.Context(), entry, tt.flags, tt.accept, request.Remembered)
			if tt.refused != "" {
				var refused *request.UsageError
				if !errors.As(err, &refused) || !strings.HasPrefix(refused.What, tt.refused) {
					t.Errorf("error = %v, want one about %s", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var changed []string
			for _, change := range c.Changed {
				changed = append(changed, change.Key)
			}
			if !slices.Equal(changed, tt.changed) {
				t.Errorf("changed = %q, want %q", changed, tt.changed)
			}
		})
	}
}

// A machine that a run is brought to has settings of its own, which are no agent's doing.
// What the project says is guarded there as anywhere.
func TestMovedRunsKeepToTheProject(t *testing.T) {
	for what, tt := range map[string]struct {
		first, then string // the user's own file, where the run was and where it is
		project     string // as it is now
		refused     string
	}{
		"another machine asks for another sandbox": {"", "sandbox.mode = \"none\"\n", "", ""},
		"another machine asks for nothing":         {"ask.timeout = \"1h\"\n", "", "", ""},
		"the project is looser now":                {"", "", "done.match = \"substring\"\n", "done.match"},
		"the project says now what a machine said": {"done.match = \"substring\"\n", "", "done.match = \"substring\"\n", "done.match"},
	} {
		t.Run(what, func(t *testing.T) {
			tree := story.NewTree(t, "done.promise = \"DONE\"\n")
			own := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "refrain", "config.toml")
			if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
				t.Fatal(err)
			}
			story.WriteFile(t, own, tt.first)
			entry := journal.Entry{Meta: metaOf(t, tree)}
			entry.Name, entry.Tree = "run-1", tree
			story.WriteFile(t, own, tt.then)
			story.WriteFile(t, filepath.Join(tree, "refrain.toml"), "done.promise = \"DONE\"\n"+tt.project)

			_, err := PrepareMoved(t.Context(), entry, request.Given)
			var refused *request.UsageError
			if is := errors.As(err, &refused); is != (tt.refused != "") || is && !strings.HasPrefix(refused.What, tt.refused) || err != nil && !is {
				t.Errorf("error = %v, want one about %q", err, tt.refused)
			}
		})
	}
}

// metaOf is the record of a run of "cat" as the settings of the tree are now.
func metaOf(t *testing.T, tree string) journal.Meta {
	t.Helper()
	job, err := Prepare(t.Context(), tree, request.Request{Command: []string{"cat"}, Prompt: "go"})
	if err != nil {
		t.Fatal(err)
	}
	meta, err := job.meta("test")
	if err != nil {
		t.Fatal(err)
	}
	return meta
}

// A runner that dies between its last verdict and the end of the run leaves an
// end that only has to be written.
func TestResumeWritesAnEndThatWasDecided(t *testing.T) {
	tree := story.NewTree(t, "done.promise = \"DONE\"\n")
	store, name := newRun(t, tree, []loop.Payload{
		&loop.RunStarted{Name: "run-1"},
		&loop.IterationStarted{},
		&loop.IterationFinished{
			Outcome: loop.Outcome{Result: loop.OK},
			Verdict: loop.Verdict{Action: loop.Stop, Rule: "promise", State: loop.Done, Reason: loop.ByPromise, Why: "promise found"},
		},
	})
	entry, err := store.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := PrepareResume(t.Context(), entry, nil, false, request.Remembered)
	if err != nil {
		t.Fatal(err)
	}
	end, started, err := c.Resume(t.Context(), RunOptions{}, func(*view.Run) { t.Error("something is shown as going on") })
	if err != nil || started || end.State != loop.Done || end.Reason != loop.ByPromise {
		t.Errorf("Resume = %+v, started %v, %v; want done by promise, and nothing started", end, started, err)
	}
	if entry, err = store.Load(name); err != nil || entry.Finished == nil || entry.Finished.State != loop.Done {
		t.Errorf("the journal ends with %+v, %v; want done", entry.Finished, err)
	}
}

// newRun makes a run with these events, one second apart.
func newRun(t *testing.T, tree string, events []loop.Payload) (journal.Store, string) {
	t.Helper()
	store, err := journal.Open(tree)
	if err == nil {
		store, err = store.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Create(metaOf(t, tree))
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	run.Attempt(0, 1).WriteGuarded(map[string]string{}) // as every run has it
	var state loop.State
	for i, e := range timed(events) {
		if p, ok := events[i].(*loop.IterationFinished); ok {
			p.State = state.Sum(e)
		}
		state = state.Sum(run.Append(e))
	}
	return store, run.Meta().Name
}

// timed gives events their times and the number of their iteration.
func timed(events []loop.Payload) []loop.Event {
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	iter := 0
	var list []loop.Event
	for i, p := range events {
		if _, ok := p.(*loop.IterationStarted); ok {
			iter++
		}
		list = append(list, loop.Event{Time: at.Add(time.Duration(i) * time.Second), Iter: iter, Attempt: 1, Payload: p})
	}
	return list
}

// Between the look at a run and its going on a person may be asked, and somebody else
// may carry it away meanwhile.
func TestARunThatWasCarriedAwayMeanwhileDoesNotGoOn(t *testing.T) {
	tree := story.NewTree(t, "done.promise = \"DONE\"\n")
	store, name := newRun(t, tree, []loop.Payload{
		&loop.RunStarted{Name: "run-1"},
		&loop.RunParked{Why: "a person asked for it"},
	})
	entry, err := store.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := PrepareResume(t.Context(), entry, nil, false, request.Remembered)
	if err != nil {
		t.Fatal(err)
	}
	if err := (journal.Carried{Remote: "origin", Away: true}).Write(entry.Dir); err != nil {
		t.Fatal(err)
	}
	var away *journal.AwayError
	if _, started, err := c.Resume(t.Context(), RunOptions{}, nil); started || !errors.As(err, &away) {
		t.Errorf("Resume: started %v, %v; want that it is away", started, err)
	}
	if entry, err = store.Load(name); err != nil || entry.Parked == nil {
		t.Errorf("it is parked: %v, %v", entry.Parked, err)
	}
}
