package refrain_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain"
)

func TestPreflightTellsWhatARunWouldTripOver(t *testing.T) {
	dir := t.TempDir()
	gate := "touch " + filepath.Join(dir, "gate-ran") + " && no-such-linter"
	list, err := refrain.Preflight(t.Context(), refrain.Options{Dir: dir, Prompt: "go", Command: []string{"no-such-program"}, Gates: []string{gate}})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, trouble := range list {
		told[trouble.About] = trouble.Worry
		if trouble.What == "" || trouble.Hint == "" {
			t.Errorf("%+v does not say what to do", trouble)
		}
	}
	for about, worry := range map[string]bool{"agent no-such-program": false, "gate gate-1": false, "git": true} {
		if got, ok := told[about]; !ok || got != worry {
			t.Errorf("trouble = %+v, want one about %s, only a worry: %v", list, about, worry)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gate-ran")); err == nil {
		t.Error("the gate has run")
	}
}
