package tests

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The lines around a change in a diff begin with a space. Readers built on run
// know their framework's indentation well enough to see that.
func TestContextOfADiffCountsForNothing(t *testing.T) {
	for _, f := range frameworks {
		if slices.Contains([]string{"go", "gotestsum", "ctest", "nextest"}, f.name) {
			continue // they indent by any number of spaces
		}
		reader, _ := f.new()
		if _, ok := reader.(interface {
			summary(passed, failed, skipped int)
		}); !ok {
			continue
		}
		paths, err := filepath.Glob(filepath.Join("testdata", f.name, "*.txt"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no samples of %s: %v", f.name, err)
		}
		for _, path := range paths {
			shown := strings.NewReplacer("\r", "", "\n", "\n ").Replace("\n" + sample(t, path))
			if report, ok := Read(shown); ok {
				t.Errorf("%s, each line behind a space, was read as %+v", filepath.ToSlash(path), report)
			}
		}
	}
}

func TestRun(t *testing.T) {
	var r run
	r.passed++
	r.ended("adds", Failed, time.Second)
	r.detail("  want 3")
	r.detail("      at sum.js:4")
	r.fail("adds", 0)
	r.detail("said again")
	for range 2 { // what is asked changes nothing
		got, ok := r.report()
		if !ok || got.Passed != 1 || got.Failed != 1 || len(got.Failing) != 1 || got.Failing[0].Message != "want 3" || got.Failing[0].Duration != time.Second {
			t.Errorf("cut off: %+v, %v, want what was named", got, ok)
		}
	}
	r.summary(7, 2, 1)
	r.fail("throws", 0)
	got, _ := r.report()
	if got.Total != 10 || got.Failed != 2 || len(got.Failing) != 2 {
		t.Errorf("summed up: %+v, want the framework's counts and both names", got)
	}
	r.endRun()
	r.fail("a line that only looked like a test", 0)
	if got, _ := r.report(); got.Total != 10 || len(got.Failing) != 2 {
		t.Errorf("after the run: %+v, want no more than it had", got)
	}
}
