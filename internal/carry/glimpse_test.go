package carry

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// glimpses is a folder to look from.
func (w *world) glimpses() *Glimpses {
	w.t.Helper()
	g, err := OpenGlimpses(w.t.Context(), filepath.Join(w.dir, "glimpses"))
	if err != nil {
		w.t.Fatal(err)
	}
	return g
}

func (w *world) sight(machine, run string) Sight {
	w.t.Helper()
	e, err := w.machine(machine).Load(run)
	if err != nil {
		w.t.Fatal(err)
	}
	return Sight{Remote: w.at("hub.git"), ID: e.ID}
}

func (w *world) see(g *Glimpses, s Sight) *Glimpse {
	w.t.Helper()
	seen, err := g.See(w.t.Context(), s)
	if err != nil {
		w.t.Fatal(err)
	}
	return seen
}

func TestAGlimpseIsTheRecordsAsTheyLeft(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	sight := w.sight("first", run)
	g := w.glimpses()

	var unknown *UnknownError
	if seen, err := g.See(t.Context(), sight); seen != nil || !errors.As(err, &unknown) {
		t.Fatalf("a run that is not there: %v, %v", seen, err)
	}
	if list, _ := os.ReadDir(g.root); len(list) != 0 {
		t.Errorf("looking in vain leaves %v", list)
	}
	moved := w.must(w.push("first", run))
	before := w.git(w.at("hub.git"), "for-each-ref")

	seen := w.see(g, sight)
	if seen.At != moved.At || seen.Card.Leg != moved.Leg || seen.Name != run {
		t.Errorf("see: %+v, want %+v", seen, moved)
	}
	there, err := w.machine("first").Load(run)
	if err != nil {
		t.Fatal(err)
	}
	here, err := seen.Store.Load(seen.Name)
	if err != nil {
		t.Fatal(err)
	}
	if here.Parked == nil || here.ID != there.ID || here.Seq() != there.Seq() || here.Tampered+here.Unchecked != "" || here.State.Totals != there.State.Totals {
		t.Errorf("see %+v, want %+v", here, there)
	}
	if b, err := os.ReadFile(filepath.Join(seen.Store.AttemptDir(run, 1, 1), "stdout")); err != nil || string(b) != "the agent speaks\n" {
		t.Errorf("the transcript is %q, %v", b, err)
	}
	if after := w.git(w.at("hub.git"), "for-each-ref"); after != before {
		t.Errorf("looking has changed the remote:\n%s", after)
	}
	// Without the history: neither the checkpoints nor the files of the project.
	if out, err := seen.remoteOf(g).run(t.Context(), nil, nil, "cat-file", "-e", seen.Card.Head); err == nil {
		t.Errorf("the project came along: %s", out)
	}
}

// remoteOf is the repository behind what is seen.
func (s *Glimpse) remoteOf(g *Glimpses) *remote {
	dir := filepath.Join(s.Store.Dir, glimpseGit)
	return &remote{repo: dir, git: g.git.In(g.root)}
}

func TestAGlimpseTakesOnlyWhatIsNew(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	sight := w.sight("first", run)
	w.must(w.push("first", run))
	g := w.glimpses()
	first := w.see(g, sight)
	journalFile := filepath.Join(first.Dir(), "journal.jsonl")
	said, err := os.ReadFile(journalFile)
	if err != nil {
		t.Fatal(err)
	}
	open, err := os.Open(journalFile) // as a reader that goes on has it
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	stdout := filepath.Join(first.Store.AttemptDir(run, 1, 1), "stdout")
	kept, err := os.Stat(stdout)
	if err != nil {
		t.Fatal(err)
	}

	// Another machine goes on with it.
	w.git(w.dir, "clone", "-q", "hub.git", "second")
	w.must(w.fetch("second", first.Card.Run, true))
	store := w.machine("second")
	r, _, err := store.Resume(run)
	if err != nil {
		t.Fatal(err)
	}
	r.Append(loop.Event{Time: time.Now(), Payload: &loop.RunResumed{}})
	a := r.Begin(2, 1)
	a.WritePrompt("do more")
	a.Close()
	r.Append(loop.Event{Time: time.Now(), Payload: &loop.RunParked{Why: "again"}})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	moved := w.must(w.push("second", run))

	// Who knows that nothing has moved asks nobody.
	away := sight
	away.At = first.At
	w.hide(func() {
		if seen := w.see(g, away); seen.At != first.At {
			t.Errorf("see %s, want %s", seen.At, first.At)
		}
		seen, err := g.See(t.Context(), sight)
		var unreachable *UnreachableError
		if !errors.As(err, &unreachable) || seen == nil || seen.At != first.At {
			t.Errorf("without the remote: %v, %v; want how it was, and that nobody answers", seen, err)
		}
	})

	away.At = moved.At
	second := w.see(g, away)
	if second.At != moved.At || second.Card.Leg <= first.Card.Leg {
		t.Errorf("see %+v, want %+v", second, moved)
	}
	var more bytes.Buffer
	if _, err := more.ReadFrom(open); err != nil || !bytes.HasPrefix(more.Bytes(), said) || more.Len() == len(said) || !strings.Contains(more.String(), "run.resumed") {
		t.Errorf("who has the journal open reads %d bytes, %v; want the %d of before, and more", more.Len(), err, len(said))
	}
	if now, err := os.Stat(stdout); err != nil || !os.SameFile(kept, now) {
		t.Errorf("a transcript that is as it was has been written again: %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(second.Store.AttemptDir(run, 2, 1), "prompt.md")); err != nil || string(b) != "do more" {
		t.Errorf("the new prompt is %q, %v", b, err)
	}
}

// hide does something while nobody can reach the remote.
func (w *world) hide(do func()) {
	w.t.Helper()
	if err := os.Rename(w.at("hub.git"), w.at("gone.git")); err != nil {
		w.t.Fatal(err)
	}
	do()
	if err := os.Rename(w.at("gone.git"), w.at("hub.git")); err != nil {
		w.t.Fatal(err)
	}
}

func TestAGlimpseTakesInNothingForeign(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	sight := w.sight("first", run)
	w.must(w.push("first", run))
	ref := Prefix + sight.ID
	good := w.git(w.at("hub.git"), "rev-parse", ref)
	link := w.gitIn(w.at("hub.git"), "../../../../etc/passwd", "hash-object", "-w", "--stdin")
	for _, tt := range []struct{ name, entry string }{
		{"a link", "120000 blob " + link + "\titerations"},
		{"a name that leads out", "100644 blob " + link + "\t..x"},
		{"a file that is none of a run", "100644 blob " + link + "\thooks"},
		{"no card", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := w.glimpses()
			w.git(w.at("hub.git"), "update-ref", ref, good)
			first := w.see(g, sight)
			entry := tt.entry
			if entry != "" {
				entry += "\n" + w.git(w.at("hub.git"), "ls-tree", good, cardName) + "\n"
			}
			tree := w.gitIn(w.at("hub.git"), entry, "mktree")
			w.git(w.at("hub.git"), "update-ref", ref, w.git(w.at("hub.git"), "commit-tree", "-m", "x", tree))
			seen, err := g.See(t.Context(), sight)
			var foreign *ForeignError
			if !errors.As(err, &foreign) {
				t.Errorf("error %v, want a ForeignError", err)
			}
			if seen == nil || seen.At != first.At {
				t.Errorf("see %v, want it as it was", seen)
			}
			if _, err := first.Store.Load(run); err != nil {
				t.Error(err)
			}
		})
	}
	for _, odd := range []Sight{{Remote: "--upload-pack=touch x", ID: sight.ID}, {Remote: w.at("hub.git"), ID: "../x"}, {Remote: w.at("hub.git"), ID: sight.ID, At: "--x"}} {
		if seen, err := w.glimpses().See(t.Context(), odd); seen != nil || err == nil {
			t.Errorf("%+v: %v, %v", odd, seen, err)
		}
	}
}

func TestTheFilesOfAGlimpseCanBeCompared(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	sight := w.sight("first", run)
	w.must(w.push("first", run))
	g := w.glimpses()
	var unknown *UnknownError
	if err := g.Files(t.Context(), sight); !errors.As(err, &unknown) {
		t.Errorf("the files of what was not seen: %v", err)
	}
	compare := func(seen *Glimpse) string {
		t.Helper()
		if err := g.Files(t.Context(), sight); err != nil {
			t.Fatal(err)
		}
		entry, err := seen.Store.Load(seen.Name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Open(t.Context(), seen.Store, entry)
		if err != nil {
			t.Fatal(err)
		}
		first, err := h.At(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		last, err := h.Kept.Load(t.Context(), seen.Card.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := h.Kept.Diff(t.Context(), &out, first, last, checkpoint.DiffOptions{}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := compare(w.see(g, sight)); !strings.Contains(got, "+one") {
		t.Errorf("the difference is %q", got)
	}

	// It goes on elsewhere. What is new comes on top, and nothing is asked for twice.
	w.machine("second")
	w.must(w.fetch("second", sight.ID, true))
	w.write("second", "work", "two\n")
	if _, err := (Place{Store: w.machine("second")}).Push(t.Context(), run, "origin"); err != nil {
		t.Fatal(err)
	}
	seen := w.see(g, sight)
	if got := compare(seen); !strings.Contains(got, "+two") {
		t.Errorf("the difference is %q", got)
	}
	w.hide(func() { compare(seen) })
}

func TestGlimpsesAreForgotten(t *testing.T) {
	w := newWorld(t)
	run := w.park("first")
	sight := w.sight("first", run)
	w.must(w.push("first", run))
	g := w.glimpses()
	seen := w.see(g, sight)
	if n, err := g.Clean(time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("cleaned %d, %v; want one that was just looked at to stay", n, err)
	}
	long := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(seen.Store.Dir, glimpseSeen), long, long); err != nil {
		t.Fatal(err)
	}
	w.see(g, sight) // it is wanted again
	if n, err := g.Clean(time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("cleaned %d, %v; want one that was looked at again to stay", n, err)
	}
	if n, err := g.Clean(time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("cleaned %d, %v; want 1", n, err)
	}
	if list, _ := os.ReadDir(g.root); len(list) != 0 {
		t.Errorf("there is still %v", list)
	}
	var missing *journal.NotFoundError
	if _, err := seen.Store.Load(run); !errors.As(err, &missing) {
		t.Errorf("load: %v", err)
	}
}

func (w *world) gitIn(dir, stdin string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
