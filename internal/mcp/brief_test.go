package mcp

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestBriefLeavesOutWhatIsLong(t *testing.T) {
	var paths []loop.PathChange
	for range mostList + 3 {
		paths = append(paths, loop.PathChange{Path: "a.go", Change: "modified"})
	}
	got, err := brief(loop.Event{Seq: 7, Time: noon, Run: "loop_1", Payload: &loop.IterationFinished{
		Outcome: loop.Outcome{Summary: strings.Repeat("ä", mostText+1), Work: loop.Work{Changes: &loop.Changes{Paths: paths}}},
		State:   loop.State{Totals: loop.Totals{Iterations: 3}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	outcome := got["outcome"].(map[string]any)
	listed := outcome["changes"].(map[string]any)["paths"].([]any)
	if got["state"] != nil || got["run"] != nil || got["seq"] != 7.0 {
		t.Errorf("brief = %v, want no state and no run", got)
	}
	if summary := outcome["summary"]; summary != strings.Repeat("ä", mostText)+"…" {
		t.Errorf("summary = %v", summary)
	}
	if len(listed) != mostList+1 || listed[mostList] != "… and 3 more" {
		t.Errorf("%d paths, the last %v", len(listed), listed[len(listed)-1])
	}
	// Only there "state" is the sum of everything.
	if got, err = brief(loop.Event{Time: noon, Payload: &loop.RunFinished{State: loop.Done}}); err != nil || got["state"] != "done" {
		t.Errorf("brief of the end = %v, %v", got, err)
	}
}
