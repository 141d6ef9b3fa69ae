package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// A journal that lost lines which were on the disk was cut by somebody, wherever
// that was, and both are named.
func TestAJournalThatWasCutBeforeItsHeadIsFound(t *testing.T) {
	s := sealedStore(t)
	path, lines := written(t, s)
	for keep := 1; keep < len(lines); keep++ {
		writeFile(t, path, strings.Join(lines[:keep], ""))
		want := short(keep, seal.Mark{Events: len(lines)})
		if e, err := s.Load("build-1"); err != nil || e.Tampered != want {
			t.Errorf("%d lines are left: Load found %q, %v, want %q", keep, e.Tampered, err, want)
		}
		r, past := resume(t, s, "build-1")
		if r.Close(); past.Tampered != want {
			t.Errorf("%d lines are left: Resume found %q, want %q", keep, past.Tampered, want)
		}
	}
}

// The head may be cut too: then run.json still knows where the first agent was
// started.
func TestAHeadThatWasCutWithItsJournalIsFound(t *testing.T) {
	s := sealedStore(t)
	path, lines := written(t, s)
	writeFile(t, path, lines[0])
	writeFile(t, filepath.Join(filepath.Dir(path), seal.HeadName), "")
	if _, past := resume(t, s, "build-1"); past.Tampered != short(1, seal.Mark{Events: 2}) {
		t.Errorf("Resume found %q, want that iteration.started is missing", past.Tampered)
	}
}

// So does one who went on with the run.
func TestAHeadThatWasCutToBeforeTheLastResumeIsFound(t *testing.T) {
	s := sealedStore(t)
	path, lines := written(t, s)
	r, _ := resume(t, s, "build-1")
	if err := r.Restate([]byte("{}"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	r.Close()
	writeFile(t, path, strings.Join(lines[:4], ""))
	writeFile(t, filepath.Join(filepath.Dir(path), seal.HeadName), "")
	if _, past := resume(t, s, "build-1"); past.Tampered != short(4, seal.Mark{Events: len(lines)}) {
		t.Errorf("Resume found %q, want that it was longer", past.Tampered)
	}
}

// Whatever a crash leaves of the head, the run is none that somebody has changed;
// only that it is gone is no crash's doing.
func TestAHeadThatWasTornIsNoTampering(t *testing.T) {
	s := sealedStore(t)
	path, _ := written(t, s)
	head := filepath.Join(filepath.Dir(path), seal.HeadName)
	whole := readFile(t, head)
	for n := range len(whole) {
		writeFile(t, head, whole[:n])
		if e, err := s.Load("build-1"); err != nil || e.Tampered != "" {
			t.Fatalf("%d bytes of the head: Load found %q, %v", n, e.Tampered, err)
		}
	}
	writeFile(t, head, whole[:100]+"\x00\x00\x00\x00\n")
	r, past := resume(t, s, "build-1")
	if past.Tampered != "" {
		t.Errorf("Resume found %q", past.Tampered)
	}
	r.Append(at(10, 0, 0, &loop.RunResumed{From: loop.Stopped}))
	r.Close()
	if e, err := s.Load("build-1"); err != nil || e.Tampered != "" {
		t.Errorf("after that Load found %q, %v", e.Tampered, err)
	}
	if err := os.Remove(head); err != nil {
		t.Fatal(err)
	}
	if _, past := resume(t, s, "build-1"); past.Tampered != seal.HeadName+" is missing" {
		t.Errorf("without a head Resume found %q", past.Tampered)
	}
}

// What was not waited for may be lost, and that is no tampering.
func TestATailThatWasNotOnTheDiskMayBeLost(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	startOf(r)
	r.Append(at(1, 1, 1, &loop.IterationStarted{}))
	path := filepath.Join(r.Dir(), journalName)
	safe := readFile(t, path)
	r.Append(at(2, 1, 1, &loop.Warning{Text: "x"}))
	r.Close()
	writeFile(t, path, safe)
	if _, past := resume(t, s, "build-1"); past.Tampered != "" {
		t.Errorf("Resume found %q", past.Tampered)
	}
}

// A power loss leaves the journal as it was last waited for, or later, and the
// head and run.json as they were then, or at any time before.
func TestWhateverAPowerLossLeavesFits(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	names := []string{journalName, seal.HeadName, metaName}
	var moments []map[string]string
	now := func() {
		files := map[string]string{}
		for _, name := range names {
			files[name] = readFile(t, filepath.Join(r.Dir(), name))
		}
		moments = append(moments, files)
	}
	state := startOf(r)
	now()
	r.Attempt(0, 1).WriteGuarded(map[string]string{"hook": "1"})
	now()
	r.Append(at(1, 0, 0, &loop.RunBaseline{}))
	for range 2 {
		r.Append(at(1, state.Next(), 1, &loop.IterationStarted{}))
		now()
		state = finish(r, state, 1)
		now()
	}
	if err := r.Restate([]byte("{}"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	now()
	r.Append(at(9, 0, 0, &loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest}))
	now()
	r.Close()
	for j := range moments {
		for i := range j + 1 {
			for k := range j + 1 {
				writeFile(t, filepath.Join(r.Dir(), journalName), moments[j][journalName])
				writeFile(t, filepath.Join(r.Dir(), seal.HeadName), moments[i][seal.HeadName])
				writeFile(t, filepath.Join(r.Dir(), metaName), moments[k][metaName])
				again, past := resume(t, s, "build-1")
				if again.Close(); past.Tampered != "" {
					t.Errorf("journal of %d, head of %d, run.json of %d: Resume found %q", j, i, k, past.Tampered)
				}
				if e, err := s.Load("build-1"); err != nil || e.Tampered != "" {
					t.Errorf("journal of %d, head of %d, run.json of %d: Load found %q, %v", j, i, k, e.Tampered, err)
				}
			}
		}
	}
}

// A run whose journal is empty or gone is there, as one that cannot be read. One
// whose runner died before it began is none.
func TestARunThatLostItsJournalIsListed(t *testing.T) {
	s := sealedStore(t)
	path, _ := written(t, s)
	create(t, s).Close()
	for what, act := range map[string]func(){
		"it has no event": func() { writeFile(t, path, "") },
		"it is missing":   func() { os.Remove(path) },
	} {
		act()
		list, bad, err := s.List()
		if err != nil || len(list) != 0 || len(bad) != 1 || bad[0].Name != "build-1" || !strings.Contains(bad[0].Err.Error(), what) {
			t.Errorf("List = %v, %v, %v, want build-1 as unreadable: %s", list, bad, err, what)
		}
	}
}
