package journal

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestCreateWritesRunJSON(t *testing.T) {
	s := newStore(t)
	r, err := s.Create(Meta{
		Procedure: "build", Version: "1.2.3", StartedAt: noon,
		Flags: json.RawMessage(`["-n","3"]`), Config: json.RawMessage(`{"agent":"claude"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !regexp.MustCompile(`^loop_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(r.Meta().ID) {
		t.Errorf("the id is %q, want loop_ and a random UUID", r.Meta().ID)
	}
	want := Meta{
		Format: 1, ID: r.Meta().ID, Name: "build-1", Procedure: "build", Tree: s.Tree, Version: "1.2.3", StartedAt: noon,
		Flags: json.RawMessage(`["-n","3"]`), Config: json.RawMessage(`{"agent":"claude"}`),
	}
	if diff := cmp.Diff(want, r.Meta()); diff != "" {
		t.Errorf("Meta differs (-want +got):\n%s", diff)
	}
	var stored Meta
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(r.Dir(), "run.json"))), &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, stored)); diff != "" {
		t.Errorf("run.json differs (-want +got):\n%s", diff)
	}
	_, past, err := s.Resume("build-1")
	if err != nil || past.Seq() != 0 {
		t.Errorf("Resume of a run that has not started = %+v, %v, want an empty past", past, err)
	}
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other permissions")
	}
	s := newStore(t)
	r := create(t, s)
	a := r.Attempt(1, 1)
	a.WritePrompt("do it")
	a.Stdout().Write([]byte("x"))
	r.Append(at(0, 1, 1, &loop.AgentText{Text: "x"}))
	r.WriteState([]byte("{}"))
	lock, err := s.Lock(Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	err = filepath.WalkDir(s.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNamesAreNeverUsedTwice(t *testing.T) {
	tests := []struct {
		name string
		do   func(t *testing.T, s Store)
		want string
	}{
		{"the first", func(*testing.T, Store) {}, "build-1"},
		{"after two", func(t *testing.T, s Store) { create(t, s); create(t, s) }, "build-3"},
		{"after the last was removed", func(t *testing.T, s Store) { create(t, s); create(t, s); remove(t, s, "build-2") }, "build-3"},
		{
			"after all were removed, last first",
			func(t *testing.T, s Store) {
				create(t, s)
				create(t, s)
				remove(t, s, "build-2")
				remove(t, s, "build-1")
			},
			"build-3",
		},
		{
			"after the last was set aside",
			func(t *testing.T, s Store) {
				create(t, s)
				if _, err := s.SetAside("build-1"); err != nil {
					t.Fatal(err)
				}
			},
			"build-2",
		},
		{"after a folder that is no run", func(t *testing.T, s Store) { mkdir(t, s.dir("build-9"), "") }, "build-10"},
		{"beside another procedure", func(t *testing.T, s Store) { mkdir(t, s.dir("build-plan-9"), "") }, "build-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			tt.do(t, s)
			if got := create(t, s).Meta().Name; got != tt.want {
				t.Errorf("Create = %s, want %s", got, tt.want)
			}
		})
	}
}

// A runner that was killed while it wrote leaves files that nobody needs.
func TestWhatAKilledRunnerHadHalfWrittenGoes(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	startOf(r)
	r.Attempt(0, 1)
	r.Close()
	left := []string{files.Temp(filepath.Join(r.Dir(), stateName)), files.Temp(besidePath(r.Dir(), guardedName))}
	for _, path := range left {
		writeFile(t, path, "half")
	}
	resume(t, s, "build-1")
	for _, path := range left {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

func remove(t *testing.T, s Store, name string) {
	t.Helper()
	if err := s.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func TestTwoWorkTreesGetTwoNames(t *testing.T) {
	s := newStore(t)
	names := make([]string, 8)
	var wg sync.WaitGroup
	for i := range names {
		wg.Go(func() {
			r, err := s.Create(Meta{Procedure: "build", StartedAt: noon})
			if err != nil {
				t.Error(err)
				return
			}
			names[i] = r.Meta().Name
			r.Close()
		})
	}
	wg.Wait()
	slices.Sort(names)
	want := []string{"build-1", "build-2", "build-3", "build-4", "build-5", "build-6", "build-7", "build-8"}
	if !slices.Equal(names, want) {
		t.Errorf("Create gave %q, want %q", names, want)
	}
}

func TestCreateRefusesNamesThatAreNoFolder(t *testing.T) {
	for _, procedure := range []string{"", "..", ".hidden", "a/b", `a\b`, "a b", "-n"} {
		if r, err := newStore(t).Create(Meta{Procedure: procedure}); err == nil {
			t.Errorf("Create(%q) = %s, want an error", procedure, r.Meta().Name)
		}
	}
}

func TestResumeGoesOnCountingAfterTheAgentsEvents(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	startOf(r)
	r.Append(at(1, 9, 1, &loop.IterationStarted{}))
	r.Append(at(2, 10000, 1, &loop.AgentText{Text: "an earlier attempt"}))
	r.Append(at(2, 10000, 2, &loop.AgentText{Text: "one"}))
	last := r.Append(at(2, 10000, 2, &loop.AgentText{Text: "two"}))
	dir := r.Attempt(10000, 2).Dir()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	whole := readFile(t, filepath.Join(dir, "events.jsonl"))
	writeFile(t, filepath.Join(dir, "events.jsonl"), whole+`{"seq":99,"ti`)

	r, past := resume(t, s, "build-1")
	if past.Seq() != 2 {
		t.Errorf("the journal's last event is %d, want 2", past.Seq())
	}
	next := r.Append(at(3, 10000, 2, &loop.AgentText{Text: "three"}))
	if next.Seq != last.Seq+1 {
		t.Errorf("the next event is %d, want %d", next.Seq, last.Seq+1)
	}
	events, err := story.Collect(AttemptEvents(dir))
	if err != nil || len(events) != 3 {
		t.Errorf("AttemptEvents = %d events, %v, want 3", len(events), err)
	}
}

func TestRunsThatCannotBeReadAreTypedErrors(t *testing.T) {
	damage := func(file, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, file), text) }
	}
	var newer *NewerError
	var corrupt *CorruptError
	var missing *NotFoundError
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   any
	}{
		{"a newer format", damage("run.json", `{"format":2,"id":5}`), &newer},
		{"half a run.json", damage("run.json", "{\"format\":1,\n\"id\":\"loop_1\""), &corrupt},
		{"an empty run.json", damage("run.json", ""), &corrupt},
		{"a run.json of another kind", damage("run.json", "[]"), &corrupt},
		{"a run.json without an id", damage("run.json", `{"format":1}`), &corrupt},
		{"a journal of another kind", damage("journal.jsonl", "hello\n"), &corrupt},
		{"no run.json", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "run.json")) }, &corrupt},
		{"no journal", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "journal.jsonl")) }, &missing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			r := create(t, s)
			startOf(r)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			tt.damage(t, r.Dir())
			_, _, resumed := s.Resume("build-1")
			_, loaded := s.Load("build-1")
			_, found := s.Find("build-1")
			for act, err := range map[string]error{"Resume": resumed, "Load": loaded, "Find": found} {
				if !errors.As(err, tt.want) {
					t.Errorf("%s = %v, want a %T", act, err, tt.want)
				}
			}
		})
	}
}

func TestSetAsideKeepsEverything(t *testing.T) {
	s := newStore(t)
	for n, want := range []string{"build-1.corrupt-1", "build-1.corrupt-2"} {
		writeFile(t, filepath.Join(s.dir("build-1"), "journal.jsonl"), "garbage")
		path, err := s.SetAside("build-1")
		if err != nil || filepath.Base(path) != want {
			t.Fatalf("SetAside %d = %s, %v, want %s", n, path, err, want)
		}
		if got := readFile(t, filepath.Join(path, "journal.jsonl")); got != "garbage" {
			t.Errorf("the journal is %q", got)
		}
	}
	if list, bad, err := s.List(); len(list)+len(bad) != 0 || err != nil {
		t.Errorf("List = %v, %v, %v, want nothing", list, bad, err)
	}
}

func TestRemoveLeavesNothingToRead(t *testing.T) {
	s := newStore(t)
	for range 3 {
		r := create(t, s)
		startOf(r)
		r.Attempt(1, 1).WritePrompt("x")
		r.Close()
	}
	remove(t, s, "build-2")
	remove(t, s, "build-3")
	left, err := filepath.Glob(filepath.Join(string(s.runs()), "build-[23]*", "*"))
	if err != nil || left != nil {
		t.Errorf("%q is left, %v", left, err)
	}
	if _, err := os.Stat(s.dir("build-2")); !os.IsNotExist(err) {
		t.Errorf("the folder of build-2 is still there: %v", err)
	}
	var missing *NotFoundError
	for _, name := range []string{"build-3", "build-9", "../../x", ""} {
		if err := s.Remove(name); !errors.As(err, &missing) {
			t.Errorf("Remove(%q) = %v, want a NotFoundError", name, err)
		}
	}
}
