package journal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// A live run puts back what somebody has done to the files beside its journal.
func TestFilesBesideALiveJournalArePutBack(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	startOf(r)
	first := r.Attempt(0, 1)
	first.WriteGuarded(map[string]string{"hook": "1"})
	first.WriteKnown(map[string]string{"test": "1"})
	if put := r.PutBack(); len(put) != 0 {
		t.Fatalf("PutBack = %q, and nobody has touched anything", put)
	}
	guarded := besidePath(r.Dir(), guardedName)
	writeFile(t, guarded, "{}")
	os.Remove(besidePath(r.Dir(), knownName))
	writeFile(t, besidePath(r.Dir(), metaName), strings.Replace(readFile(t, besidePath(r.Dir(), metaName)), "1.2.3", "1.2.4", 1))
	os.Remove(s.Keys().File())
	var got map[string]string
	if !first.ReadGuarded(&got) || got["hook"] != "1" {
		t.Errorf("ReadGuarded = %v, want what the run knows", got)
	}
	if put, want := r.PutBack(), []string{keyWords, metaName, guardedName, knownName}; !slices.Equal(put, want) {
		t.Errorf("PutBack = %q, want %q", put, want)
	}
	r.Close()
	again, past := resume(t, s, "build-1")
	if past.Tampered != "" {
		t.Errorf("Resume found %q", past.Tampered)
	}
	if again.Meta().Version != "1.2.3" {
		t.Errorf("run.json says version %s, want 1.2.3", again.Meta().Version)
	}
}

// A file that there was no room for is not missed, and is written when there is.
func TestAFileThatCouldNotBeWrittenIsNotMissed(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	startOf(r)
	first := r.Attempt(0, 1)
	r.Refuse(os.ErrPermission)
	first.WriteGuarded(map[string]string{"hook": "1"})
	r.Refuse(nil)
	r.Append(at(1, 0, 0, &loop.RunBaseline{}))
	r.Append(at(1, 1, 1, &loop.IterationStarted{}))
	again, past := resume(t, s, "build-1")
	if again.Close(); past.Tampered != "" {
		t.Errorf("Resume found %q, want nothing: it was never there", past.Tampered)
	}
	if put := r.PutBack(); len(put) != 0 || len(r.Trouble()) != 0 {
		t.Errorf("PutBack = %q, Trouble = %q, want it written without a word", put, r.Trouble())
	}
	r.Close()
	os.Remove(besidePath(r.Dir(), guardedName))
	if _, past := resume(t, s, "build-1"); past.Tampered != guardedName+" is missing" {
		t.Errorf("once it was there, Resume found %q", past.Tampered)
	}
}

// A run.json that does not fit is not made to, whatever becomes of the run.
func TestAForgedMetaIsNotSealed(t *testing.T) {
	s := sealedStore(t)
	path, _ := written(t, s)
	meta := filepath.Join(filepath.Dir(path), metaName)
	forged := strings.Replace(readFile(t, meta), "1.2.3", "1.2.4", 1)
	writeFile(t, meta, forged)
	r, past := resume(t, s, "build-1")
	if past.Tampered != metaName+" is not what a runner wrote" {
		t.Fatalf("Resume found %q", past.Tampered)
	}
	r.Append(at(10, 0, 0, &loop.RunFinished{State: loop.Aborted, Reason: loop.ByTampering}))
	r.PutBack()
	r.Close()
	if readFile(t, meta) != forged {
		t.Error("run.json was written again")
	}
	if e, err := s.Load("build-1"); err != nil || e.Finished == nil || e.Finished.Reason != loop.ByTampering {
		t.Errorf("Load = %+v, %v, want it ended", e.Finished, err)
	}
}

// Without a key there is no run, and nothing that looks like one.
func TestCreateWithoutAKeyLeavesNothing(t *testing.T) {
	s := sealedStore(t)
	os.Remove(s.Keys().File())
	if _, err := s.Create(Meta{Procedure: "build"}); err == nil {
		t.Error("Create made a run without a key")
	}
	if entries, err := os.ReadDir(string(s.runs())); err == nil && len(entries) > 0 {
		t.Errorf("it left %v", entries)
	}
}
