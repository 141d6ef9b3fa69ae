package telemetry

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTheFileIsWrittenOnceASecondAndAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "refrain.prom")
	warnings := func() float64 {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		values, err := parse(b)
		if err != nil {
			t.Fatal(err)
		}
		return values["refrain_warnings_total"]
	}
	synctest.Test(t, func(t *testing.T) {
		m := newTestMetrics(t, Settings{File: path, Warn: func(w loop.Warning) { t.Errorf("warned: %s", w.Text) }})
		tell := newTeller(m)
		warn := func() { tell.tell(&loop.Warning{Text: "again"}) }
		warn()
		synctest.Wait()
		if got := warnings(); got != 1 {
			t.Errorf("after the first event the file has %v", got)
		}
		warn()
		warn()
		synctest.Wait()
		if got := warnings(); got != 1 {
			t.Errorf("in the same second the file has %v, want what it had", got)
		}
		time.Sleep(settleTime)
		synctest.Wait()
		if got := warnings(); got != 3 {
			t.Errorf("a second later the file has %v, want 3", got)
		}
		warn()
		if err := m.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := warnings(); got != 4 {
			t.Errorf("at the end the file has %v, want 4", got)
		}
	})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v; want the file alone", entries, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o444 != 0o444 {
		t.Errorf("the file is %v, %v; want one that everybody may read", info.Mode(), err)
	}
}

func TestAFileThatCannotBeWrittenIsToldOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "refrain.prom")
	synctest.Test(t, func(t *testing.T) {
		var warned []string
		m := newTestMetrics(t, Settings{File: path, Warn: func(w loop.Warning) { warned = append(warned, w.Text) }})
		tell := newTeller(m)
		for range 3 {
			tell.start()
			time.Sleep(2 * settleTime)
		}
		if err := m.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(warned) != 1 {
			t.Errorf("warned of %q, want one warning", warned)
		}
	})
}
