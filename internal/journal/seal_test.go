package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
	"github.com/refrain-loop/refrain/internal/story"
)

// sealedStore is a store with a key, as a project has it.
func sealedStore(t *testing.T) Store {
	t.Helper()
	dir := realDir(t)
	mkdir(t, dir, "tree")
	s, err := OpenIn(filepath.Join(dir, "state"), filepath.Join(dir, "tree"))
	if err == nil {
		s, err = s.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// written is a run of a few iterations, closed.
func written(t *testing.T, s Store) (path string, lines []string) {
	t.Helper()
	r := create(t, s)
	r.Attempt(0, 1).WriteGuarded(map[string]string{"hook": "1"})
	state := startOf(r)
	for range 3 {
		r.Append(at(1, state.Next(), 1, &loop.IterationStarted{}))
		state = finish(r, state, 1)
	}
	r.Append(at(9, 0, 0, &loop.RunFinished{State: loop.Stopped, Reason: loop.ByRequest}))
	r.Close()
	path = filepath.Join(r.Dir(), journalName)
	return path, strings.SplitAfter(strings.TrimSuffix(readFile(t, path), "\n"), "\n")
}

func TestASealedJournalFits(t *testing.T) {
	s := sealedStore(t)
	_, lines := written(t, s)
	for _, line := range lines {
		if seal.Of([]byte(line)) == "" {
			t.Errorf("a line without a seal: %s", line)
		}
	}
	e, err := s.Find("")
	if err != nil || e.Strange.Any() || e.Finished == nil || e.State.Totals.Iterations != 3 {
		t.Fatalf("Find = %+v, %v, want it whole", e.Past, err)
	}
	r, past := resume(t, s, "build-1")
	if past.Tampered != "" {
		t.Errorf("Resume found %q, want nothing", past.Tampered)
	}
	r.Append(at(10, 0, 0, &loop.RunResumed{From: loop.Stopped}))
	if err := r.Verify(); err != nil {
		t.Errorf("Verify = %v", err)
	}
	r.Close()
	if _, past := resume(t, s, "build-1"); past.Tampered != "" {
		t.Errorf("the second Resume found %q, want nothing", past.Tampered)
	}
}

// Any line that is changed, taken out, moved or made up is found, whichever it is.
// A journal that was only cut is no more than a crash leaves.
func TestTamperingIsFound(t *testing.T) {
	acts := map[string]func(lines []string, i int) []string{
		"changed": func(lines []string, i int) []string {
			lines[i] = strings.Replace(lines[i], `"run":"loop_`, `"run":"loop-`, 1)
			return lines
		},
		"taken out": func(lines []string, i int) []string { return slices.Delete(lines, i, i+1) },
		"twice":     func(lines []string, i int) []string { return slices.Insert(lines, i, lines[i]) },
		"made up": func(lines []string, i int) []string {
			return slices.Insert(lines, i, `{"seq":99,"time":"2026-11-15T10:00:00.000Z","run":"x","type":"run.finished","state":"done","proven":true}`+"\n")
		},
		"with the seal of another": func(lines []string, i int) []string {
			body, _ := seal.Unseal([]byte(strings.TrimSuffix(lines[i], "\n")))
			lines[i] = string(seal.Append(append(body[:len(body):len(body)], `,"x":1`...), seal.Of([]byte(lines[(i+1)%len(lines)])))) + "\n"
			return lines
		},
		"without its seal": func(lines []string, i int) []string {
			body, _ := seal.Unseal([]byte(strings.TrimSuffix(lines[i], "\n")))
			lines[i] = string(body) + "}\n"
			return lines
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			s := sealedStore(t)
			path, lines := written(t, s)
			lines[len(lines)-1] += "\n"
			for i := range lines {
				if name == "taken out" && i == len(lines)-1 {
					continue // cut
				}
				changed := strings.Join(act(slices.Clone(lines), i), "")
				writeFile(t, path, changed)
				m := metaIn(t, s)
				found, err := records{filepath.Dir(path), m, s.keys.chainOf(m)}.survey("")
				if err != nil || found.misfit == "" {
					t.Errorf("line %d %s: found %q, %v", i+1, name, found.misfit, err)
				}
			}
		})
	}
}

func metaIn(t *testing.T, s Store) Meta {
	t.Helper()
	m, err := s.meta("build-1", true)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A made-up end is not believed by anybody, wherever it stands, and everything
// else is.
func TestAMadeUpEndIsNotBelieved(t *testing.T) {
	s := sealedStore(t)
	path, lines := written(t, s)
	lines[len(lines)-1] += "\n"
	forged := `{"seq":99,"time":"2026-11-15T10:00:00.000Z","run":"x","type":"run.finished","state":"done","proven":true}` + "\n"
	for i := range len(lines) + 1 {
		writeFile(t, path, strings.Join(slices.Insert(slices.Clone(lines), i, forged), ""))
		e, err := s.Load("build-1")
		if err != nil || e.State.Totals.Iterations != 3 || e.Finished == nil || e.Finished.State != loop.Stopped {
			t.Errorf("before line %d: Load = %+v, %v, want 3 iterations and stopped", i+1, e.Past, err)
		}
		events, err := story.Collect(s.Events("build-1", 0))
		if err != nil || len(events) != len(lines) {
			t.Errorf("before line %d: %d events, %v, want %d", i+1, len(events), err, len(lines))
		}
		met, err := s.Strange("build-1")
		if err != nil || met.Forged != 1 || met.ForgedLine != i+1 {
			t.Errorf("before line %d: Strange = %+v, %v", i+1, met, err)
		}
	}
}

// A runner that finds tampering leaves what it found, and goes on with what it
// believes, to end the run.
func TestATamperedRunIsSealedAnew(t *testing.T) {
	s := sealedStore(t)
	path, lines := written(t, s)
	lines[len(lines)-1] += "\n"
	lines = slices.Delete(lines, 3, 4)
	writeFile(t, path, strings.Join(lines, ""))
	r, past := resume(t, s, "build-1")
	if past.Tampered == "" {
		t.Fatal("Resume found nothing")
	}
	r.Append(at(10, 0, 0, &loop.RunFinished{State: loop.Aborted, Reason: loop.ByTampering}))
	r.Close()
	if got := readFile(t, filepath.Join(filepath.Dir(path), fmt.Sprintf(foundName, 1))); got != strings.Join(lines, "") {
		t.Error("the journal as it was found is not there")
	}
	e, err := s.Load("build-1")
	if err != nil || e.Strange.Any() || e.Finished.Reason != loop.ByTampering {
		t.Errorf("Load = %+v, %v, want it whole and ended", e.Past, err)
	}
	if _, past := resume(t, s, "build-1"); past.Tampered != "" {
		t.Errorf("the next Resume found %q, want nothing", past.Tampered)
	}
}

// Lines that were never written, for the disk was full, leave no gap that looks
// like tampering.
func TestLinesThatWereDroppedAreNoTampering(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	r.Attempt(0, 1).WriteGuarded(map[string]string{})
	startOf(r)
	r.Refuse(os.ErrPermission)
	big := strings.Repeat("x", maxPending)
	for range 3 {
		r.Append(at(1, 0, 0, &loop.Warning{Text: big}))
	}
	r.Refuse(nil)
	r.Append(at(2, 1, 1, &loop.IterationStarted{}))
	if err := r.Verify(); err != nil {
		t.Errorf("Verify = %v", err)
	}
	r.Close()
	if _, past := resume(t, s, "build-1"); past.Tampered != "" {
		t.Errorf("Resume found %q, want nothing", past.Tampered)
	}
}

// A run of an earlier version has no seals at its beginning. From where it has
// some, it must have them all.
func TestARunOfAnEarlierVersionIsSealedFromNowOn(t *testing.T) {
	s := sealedStore(t)
	path, lines := written(t, s)
	var plain bytes.Buffer
	for _, line := range lines {
		body, _ := seal.Unseal([]byte(strings.TrimSuffix(line, "\n")))
		plain.WriteString(string(body) + "}\n")
	}
	writeFile(t, path, plain.String())
	meta := filepath.Join(filepath.Dir(path), metaName)
	m := metaIn(t, s)
	m.Key, m.Project, m.Head, m.Sealed = "", "", nil, nil
	unsealed, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, meta, string(unsealed))
	guarded := filepath.Join(filepath.Dir(path), iterationsName, "0000", guardedName)
	os.Remove(guarded)

	if e, err := s.Load("build-1"); err == nil && e.Finished != nil {
		t.Error("without its seals, the end of a run of this version is believed")
	}
	if err := s.project.AdmitEarlier("build-1"); err != nil {
		t.Fatal(err)
	}
	if e, err := s.Load("build-1"); err != nil || e.Strange.Any() || e.Finished == nil {
		t.Errorf("Load = %+v, %v, want it whole", e.Past, err)
	}
	for range 2 {
		r, past := resume(t, s, "build-1")
		if past.Tampered != "" {
			t.Errorf("Resume found %q, want nothing", past.Tampered)
		}
		r.Append(at(10, 0, 0, &loop.RunResumed{From: loop.Stopped}))
		r.Close()
	}
	b := readFile(t, path)
	writeFile(t, path, b+strings.SplitAfter(plain.String(), "\n")[0])
	if _, past := resume(t, s, "build-1"); past.Tampered == "" {
		t.Error("a line without a seal among those with one was not found")
	}
}
