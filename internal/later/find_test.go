package later

import (
	"fmt"
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhatGitRunsIsNotCutOffALongList(t *testing.T) {
	var list []loop.LaterFile
	for n := range maxFiles + 20 {
		list = append(list, loop.LaterFile{Path: fmt.Sprintf(".github/%03d.yml", n), What: "CI"})
	}
	hook := loop.LaterFile{Path: ".husky/pre-commit", What: "git"}
	list = append(list, hook)
	got := firstOf(list)
	if len(got) != maxFiles || !slices.Contains(got, hook) {
		t.Errorf("of %d files, %d are named, and the hook is among them: %v; want %d, and true", len(list), len(got), slices.Contains(got, hook), maxFiles)
	}
	if !slices.IsSortedFunc(got, byPath) {
		t.Error("the files that are named are not sorted")
	}
}
