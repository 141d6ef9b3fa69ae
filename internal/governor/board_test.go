package governor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// lookFor is what holds of the accounts at noon.
func lookFor(t *testing.T, b *Board, accounts ...string) map[string]Entry {
	t.Helper()
	found, err := b.Look(accounts, noon)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var aLimit = Entry{
	Account: "claude-1a2b", Agent: "claude", Kind: "five_hour",
	At: noon, Until: noon.Add(time.Hour), Run: "build-7", Tree: "/home/me/project",
}

func TestOneRunNotesAndAnotherLearns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "refrain")
	mine, theirs := Open(dir), Open(dir)
	if found := lookFor(t, theirs, aLimit.Account); len(found) != 0 {
		t.Errorf("before the first note: %v", found)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("looking has made the folder")
	}
	must(t, mine.Note(aLimit))
	want := map[string]Entry{aLimit.Account: aLimit}
	if diff := cmp.Diff(want, lookFor(t, theirs, aLimit.Account, "codex-3c4d")); diff != "" {
		t.Errorf("learned (-want +got):\n%s", diff)
	}
	over, err := theirs.Look([]string{aLimit.Account}, aLimit.Until)
	if err != nil || len(over) != 0 {
		t.Errorf("when it is over: %v, %v", over, err)
	}
}

func TestAnUnchangedFileIsNotReadAgain(t *testing.T) {
	dir := t.TempDir()
	b := Open(dir)
	must(t, b.Note(aLimit))
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(b.path(), old, old))
	lookFor(t, b, aLimit.Account)
	if b.seen == nil {
		t.Fatal("an old file was not remembered")
	}
	held := flock.New(filepath.Join(dir, "limits.lock")) // reading again would fail
	must(t, held.Lock())
	setPatience(t, time.Millisecond)
	if found := lookFor(t, b, aLimit.Account); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	must(t, b.Release("somebody"))
	must(t, b.Clear("something", noon))
	must(t, held.Unlock())

	other := aLimit
	other.Kind, other.Until = "weekly", noon.Add(2*time.Hour)
	must(t, Open(dir).Note(other))
	if found := lookFor(t, b, aLimit.Account); found[aLimit.Account] != other {
		t.Errorf("after a change: found %v", found)
	}
}

func TestClearLeavesWhatWasNotedLater(t *testing.T) {
	b := Open(t.TempDir())
	must(t, b.Note(aLimit))
	must(t, b.Clear(aLimit.Account, noon))
	if found := lookFor(t, b, aLimit.Account); len(found) != 1 {
		t.Error("a limit that was met after the attempt began is gone")
	}
	must(t, b.Clear("another", noon.Add(1)))
	if found := lookFor(t, b, aLimit.Account); len(found) != 1 {
		t.Error("a limit of another account is gone")
	}
	must(t, b.Clear(aLimit.Account, noon.Add(1)))
	if found := lookFor(t, b, aLimit.Account); len(found) != 0 {
		t.Errorf("left: %v", found)
	}
}

func TestAReleasedTimeIsFree(t *testing.T) {
	dir := t.TempDir()
	reserve := func(run string) time.Duration {
		t.Helper()
		at, err := Open(dir).Reserve("a", run, noon, noon)
		must(t, err)
		return at.Sub(noon)
	}
	if got := reserve("one"); got != 0 {
		t.Errorf("the first gets noon + %v, want 0", got)
	}
	if got := reserve("two"); got != apart {
		t.Errorf("the second gets noon + %v, want %v", got, apart)
	}
	must(t, Open(dir).Release("one"))
	if got := reserve("three"); got != 0 {
		t.Errorf("after the release: noon + %v, want 0", got)
	}
}

func TestADamagedFileIsSetAside(t *testing.T) {
	calls := map[string]func(*Board) error{
		"note":    func(b *Board) error { return b.Note(aLimit) },
		"look":    func(b *Board) error { _, err := b.Look(nil, noon); return err },
		"clear":   func(b *Board) error { return b.Clear("a", noon) },
		"reserve": func(b *Board) error { _, err := b.Reserve("a", "run", noon, noon); return err },
		"release": func(b *Board) error { return b.Release("run") },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			b := Open(t.TempDir())
			const torn = `{"limits":[{"acc`
			must(t, os.WriteFile(b.path(), []byte(torn), 0o600))
			err := call(b)
			var damaged *DamagedError
			if !errors.As(err, &damaged) {
				t.Fatalf("err = %v, want a DamagedError", err)
			}
			if kept, err := os.ReadFile(damaged.Aside); string(kept) != torn {
				t.Errorf("set aside: %q, %v", kept, err)
			}
			if err := call(b); err != nil {
				t.Errorf("the next time: %v", err)
			}
			if found := lookFor(t, b, aLimit.Account); name == "note" && len(found) != 1 {
				t.Error("the note was not taken")
			}
		})
	}
}

func TestANewerFileIsLeftAlone(t *testing.T) {
	b := Open(t.TempDir())
	const newer = `{"version":2,"limits":{}}`
	must(t, os.WriteFile(b.path(), []byte(newer), 0o600))
	err := b.Note(aLimit)
	if err == nil || !strings.Contains(err.Error(), "update it") {
		t.Errorf("err = %v, want one that says what to do", err)
	}
	if got, _ := os.ReadFile(b.path()); string(got) != newer {
		t.Errorf("the file is now %q", got)
	}
}

func TestUnknownFieldsAreKept(t *testing.T) {
	b := Open(t.TempDir())
	must(t, os.WriteFile(b.path(), []byte(`{"version":1,"later":{"x":[1]},"limits":[]}`), 0o600))
	must(t, b.Note(aLimit))
	text, err := os.ReadFile(b.path())
	must(t, err)
	var got struct{ Later json.RawMessage }
	must(t, json.Unmarshal(text, &got))
	var compact bytes.Buffer
	if err := json.Compact(&compact, got.Later); err != nil || compact.String() != `{"x":[1]}` {
		t.Errorf("later = %s, %v", got.Later, err)
	}
}

func TestNobodyElseCanReadTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := filepath.Join(t.TempDir(), "refrain")
	b := Open(dir)
	must(t, b.Note(aLimit))
	for path, want := range map[string]os.FileMode{dir: 0o700, b.path(): 0o600, filepath.Join(dir, "limits.lock"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info, err, want)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("the folder holds %v, %v, want two files", list, err)
	}
}

func TestAFolderThatCannotBeIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	b := Open(filepath.Join(file, "refrain"))
	_, reserveErr := b.Reserve("a", "run", noon, noon)
	found, lookErr := b.Look([]string{"a"}, noon)
	for act, err := range map[string]error{"note": b.Note(aLimit), "reserve": reserveErr} {
		if err == nil || !strings.HasPrefix(err.Error(), act) {
			t.Errorf("%s: err = %v, want one that says so", act, err)
		}
	}
	if runtime.GOOS != "windows" && lookErr == nil || len(found) != 0 {
		t.Errorf("look: %v, %v", found, lookErr)
	}
}

func TestALimitOfNobodyIsRefused(t *testing.T) {
	for _, e := range []Entry{{At: noon}, {Account: "a"}} {
		if err := Open(t.TempDir()).Note(e); err == nil {
			t.Errorf("Note(%+v) is no error", e)
		}
	}
}

func TestALockIsNotWaitedForLong(t *testing.T) {
	setPatience(t, time.Millisecond)
	dir := t.TempDir()
	held := flock.New(filepath.Join(dir, "limits.lock"))
	must(t, held.Lock())
	defer held.Unlock()
	if err := Open(dir).Note(aLimit); err == nil || !strings.Contains(err.Error(), "limits.lock") {
		t.Errorf("err = %v, want one that names the lock", err)
	}
}

func setPatience(t *testing.T, d time.Duration) {
	t.Helper()
	old := patience
	t.Cleanup(func() { patience = old })
	patience = d
}

func TestManyRunsAtOnce(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	must(t, err)
	said := make([][]byte, workers)
	var all sync.WaitGroup
	for n := range workers {
		all.Go(func() {
			cmd := exec.Command(self, dir)
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", workerName, n), "GORACE=atexit_sleep_ms=0")
			var err error
			if said[n], err = cmd.Output(); err != nil {
				t.Errorf("worker %d: %v: %s", n, err, said[n])
			}
		})
	}
	all.Wait()

	var times []time.Time
	for _, out := range said {
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			at, err := time.Parse(time.RFC3339Nano, lines.Text())
			must(t, err)
			times = append(times, at)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	if len(times) != workers*turns {
		t.Errorf("%d reservations, want %d", len(times), workers*turns)
	}
	for n := 1; n < len(times); n++ {
		if gap := times[n].Sub(times[n-1]); gap < apart {
			t.Errorf("two reservations are only %v apart", gap)
		}
	}
	c, err := Open(dir).read()
	must(t, err)
	if len(c.limits) != workers*turns || len(c.wakes) != workers*turns {
		t.Errorf("the file holds %d limits and %d wakes, want %d of each", len(c.limits), len(c.wakes), workers*turns)
	}
}

// What goes through the file is what would be had without one.
func TestTheFileChangesNothing(t *testing.T) {
	dir := t.TempDir()
	accounts := []string{"a", "b"}
	kinds := []string{"five_hour", "weekly"}
	runs := []string{"1", "2", "3"}
	minutes := func(t *rapid.T, least, most int, what string) time.Duration {
		return time.Duration(rapid.IntRange(least, most).Draw(t, what)) * time.Minute
	}
	rapid.Check(t, func(t *rapid.T) {
		b := Open(filepath.Join(dir, rapid.StringMatching(`[a-z]{20}`).Draw(t, "folder")))
		defer os.RemoveAll(b.dir)
		now := noon
		var want content
		account := func() string { return rapid.SampledFrom(accounts).Draw(t, "account") }
		run := func() string { return rapid.SampledFrom(runs).Draw(t, "run") }
		ok := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"time passes": func(t *rapid.T) { now = now.Add(minutes(t, 0, 30, "pass")) },
			"note": func(t *rapid.T) {
				e := Entry{Account: account(), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), At: now, Run: run()}
				if rapid.Bool().Draw(t, "stated") {
					e.Until = now.Add(minutes(t, -5, 300, "until"))
				}
				want.limits = add(want.limits, e)
				ok(b.Note(e))
			},
			"clear": func(t *rapid.T) {
				who, started := account(), now.Add(-minutes(t, 0, 20, "started"))
				want.limits = slices.DeleteFunc(want.limits, func(e Entry) bool { return e.Account == who && e.At.Before(started) })
				ok(b.Clear(who, started))
			},
			"reserve": func(t *rapid.T) {
				who, me, at := account(), run(), now.Add(minutes(t, -1, 3, "at"))
				var when time.Time
				want.wakes, when = reserve(want.wakes, who, me, at, now)
				got, err := b.Reserve(who, me, at, now)
				ok(err)
				if !got.Equal(when) {
					t.Fatalf("reserved %v, want %v", got, when)
				}
			},
			"release": func(t *rapid.T) {
				me := run()
				want.wakes = slices.DeleteFunc(want.wakes, func(w wake) bool { return w.Run == me })
				ok(b.Release(me))
			},
			"": func(t *rapid.T) {
				found, err := b.Look(accounts, now)
				ok(err)
				if diff := cmp.Diff(holding(want.limits, accounts, now), found); diff != "" {
					t.Fatalf("found (-want +got):\n%s", diff)
				}
			},
		})
	})
}
