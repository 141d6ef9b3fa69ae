package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// started makes runs that have started, an hour apart, each in a work tree.
func started(t *testing.T, s Store, runs ...[2]string) {
	t.Helper()
	for i, run := range runs {
		here := s.At(run[1])
		r, err := here.Create(Meta{Procedure: run[0], StartedAt: noon.Add(time.Duration(i) * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		startOf(r)
		r.Close()
	}
}

func TestFindKnowsWhatIsMeant(t *testing.T) {
	s, other := twoTrees(t)
	started(t, s,
		[2]string{"plan", s.Tree}, [2]string{"build", s.Tree}, [2]string{"build", s.Tree},
		[2]string{"plan", s.Tree}, [2]string{"audit", other}, [2]string{"build", other})
	neverStarted := create(t, s)
	if neverStarted.Meta().Name != "build-4" {
		t.Fatal(neverStarted.Meta().Name)
	}
	tests := []struct {
		name string
		ref  string
		want string   // empty is an error
		near []string // then these
	}{
		{"a name", "build-1", "build-1", nil},
		{"a name in another work tree", "build-3", "build-3", nil},
		{"a procedure is its latest run here", "build", "build-2", nil},
		{"a procedure that only ran elsewhere", "audit", "audit-1", nil},
		{"last is the latest here", "last", "plan-2", nil},
		{"nothing is the same", "", "plan-2", nil},
		{"a number too high", "build-7", "", []string{"build-3", "build-2", "build-1"}},
		{"a slip", "biuld-2", "", []string{"build-3", "audit-1", "plan-2"}},
		{"a run that never started", "build-4", "", nil},
		{"a path", "../runs/build-1", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := s.Find(tt.ref)
			var missing *NotFoundError
			if (tt.want == "") != errors.As(err, &missing) || e.Name != tt.want {
				t.Fatalf("Find(%q) = %q, %v, want %q", tt.ref, e.Name, err, tt.want)
			}
			if tt.near != nil && !slices.Equal(missing.Near, tt.near) {
				t.Errorf("near %q are %q, want %q", tt.ref, missing.Near, tt.near)
			}
		})
	}
}

func TestFindInAnEmptyFolder(t *testing.T) {
	_, err := newStore(t).Find("")
	var missing *NotFoundError
	if !errors.As(err, &missing) || err.Error() != "there is no run here" {
		t.Errorf("Find = %v, want that there is none", err)
	}
}

func TestListSkipsWhatIsNoRun(t *testing.T) {
	s := newStore(t)
	started(t, s, [2]string{"plan", s.Tree}, [2]string{"build", s.Tree}, [2]string{"build", s.Tree}, [2]string{"build", s.Tree})
	create(t, s) // has not started
	mkdir(t, s.dir("build-40"), "")
	writeFile(t, filepath.Join(string(s.runs()), "notes.txt"), "mine")
	writeFile(t, filepath.Join(s.dir("build-2"), "journal.jsonl"), "garbage\n")
	writeFile(t, filepath.Join(s.dir("build-3"), "run.json"), `{"format":9}`)

	list, bad, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var names, unreadable []string
	for _, e := range list {
		names = append(names, e.Name)
		if e.Dir != s.dir(e.Name) || len(e.Tail) != 1 {
			t.Errorf("%s is in %s with %d events", e.Name, e.Dir, len(e.Tail))
		}
	}
	for _, u := range bad {
		unreadable = append(unreadable, u.Name)
	}
	slices.Sort(unreadable)
	if !slices.Equal(names, []string{"plan-1", "build-1"}) || !slices.Equal(unreadable, []string{"build-2", "build-3"}) {
		t.Errorf("List = %q and unreadable %q", names, unreadable)
	}
}

func TestListGivesRunsInTheOrderTheyWereStarted(t *testing.T) {
	s := newStore(t)
	for i := range 11 {
		started(t, s, [2]string{[]string{"plan", "build"}[i%2], s.Tree}) // all at noon
	}
	list, _, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	if first, last := list[0].Name, list[len(list)-1].Name; first != "build-1" || last != "plan-6" {
		t.Errorf("List goes from %s to %s, want build-1 to plan-6", first, last)
	}
}

func TestStatusCrossChecksTheLock(t *testing.T) {
	begun := []loop.Payload{&loop.RunStarted{}, &loop.IterationStarted{}}
	tests := []struct {
		name   string
		events []loop.Payload
		holder string // of the lock; empty is free
		want   loop.Status
	}{
		{"an end is the end", append(begun[:2:2], &loop.RunFinished{State: loop.Aborted}), "", loop.Aborted},
		{"no end and a free lock", begun, "", loop.Crashed},
		{"no end and a lock for another run", begun, "build-2", loop.Crashed},
		{"no end and the lock", begun, "build-1", loop.Running},
		{"waiting", append(begun[:2:2], &loop.RunWaiting{}, &loop.Warning{}), "build-1", loop.Waiting},
		{"after a wait", append(begun[:2:2], &loop.RunWaiting{}, &loop.IterationStarted{}), "build-1", loop.Running},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			r := create(t, s)
			for i, p := range tt.events {
				r.Append(at(i, 1, 1, p))
			}
			if tt.holder != "" {
				lock, err := s.Lock(Holder{PID: os.Getpid(), Run: tt.holder})
				if err != nil {
					t.Fatal(err)
				}
				defer lock.Unlock()
			}
			e, err := s.Load("build-1")
			if err != nil {
				t.Fatal(err)
			}
			elsewhere := Store{Dir: s.Dir, Tree: "/another/work/tree"}
			if got := elsewhere.Status(e); got != tt.want {
				t.Errorf("Status = %s, want %s", got, tt.want)
			}
		})
	}
}
