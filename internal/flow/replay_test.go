package flow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	history "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Workflows that were begun by an earlier version go on as they did: what the code asks
// for now is what their histories say it asked for. A change that this test refuses goes
// behind workflow.GetVersion; a new history is recorded beside those that are there.
func TestHistoriesArePlayedAgain(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("there are %d histories, %v; want one of each workflow", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			h, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
			if err != nil {
				t.Fatal(err)
			}
			playAgain(t, recorded[filepath.Base(file)], h)
		})
	}
}

// recorded are the ids of the workflows in testdata, where those matter.
var recorded = map[string]string{"firing-1.json": "firing/record-2026-11-19T18:17:47Z"}

func playAgain(t *testing.T, id string, h *history.History) {
	t.Helper()
	r := worker.NewWorkflowReplayer()
	register(r)
	o := worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: id}}
	if err := r.ReplayWorkflowHistoryWithOptions(quietLogger(), h, o); err != nil {
		t.Errorf("%s: %v", id, err)
	}
}

// A run that meets all there is leaves a history that can be played again; with
// REFRAIN_RECORD set to a name, it is recorded under that.
func TestARunThatMeetsEverythingIsPlayedAgain(t *testing.T) {
	at := realServer(t)
	s := dialed(t, at)
	var paused atomic.Bool
	d := newDesk(nil)
	d.leg = func(_ context.Context, turn fleet.Turn, h fleet.Hooks) (fleet.Standing, error) {
		out := fleet.Standing{State: loop.Parked, Iterations: turn.Leg, Leg: turn.Leg, Worker: "w", Host: hostQueue("w")}
		switch turn.Leg {
		case 1:
			out.Rule, out.Until = "delay", time.Now().Add(time.Second)
		case 2:
			h.Tell(fleet.Progress{State: loop.Running, Iterations: 2})
			for len(d.heard()) < 2 {
				time.Sleep(5 * time.Millisecond)
			}
			paused.Store(true)
		case 3:
			return out, errors.New("the remote refuses it")
		case 4:
			out.Stuck = true
		case 5:
			return fleet.Standing{Taken: true, Leg: 6}, nil
		default:
			out.State, out.Reason, out.Proven = loop.Done, loop.ByGates, true
		}
		return out, nil
	}
	works(t, at, fleet.Shift{Name: "w", Queue: "default", Slots: 2, Legs: true, Flows: true, Grace: time.Second}, d)
	p := fleet.Plan{Name: "record", When: "every 6h", Spec: fleet.Spec{Remote: "https://example.com/a.git", Branch: "refrain/{{name}}", Queue: "default", Lease: time.Minute, Sticky: true}}
	if err := s.Schedule(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Unschedule(context.Background(), p.Name) })
	if err := s.client.ScheduleClient().GetHandle(t.Context(), planID(p.Name)).Trigger(t.Context(), client.ScheduleTriggerOptions{}); err != nil {
		t.Fatal(err)
	}
	var row fleet.Row
	until(t, "the second leg is live", func() bool {
		rows, err := s.List(t.Context(), fleet.Filter{Remote: p.Spec.Remote})
		if len(rows) == 1 {
			row = rows[0]
		}
		return err == nil && row.Live && row.Leg == 2
	})
	order := func(o fleet.Order) {
		if a, err := s.Order(t.Context(), row.Run, o); err != nil || !a.OK {
			t.Errorf("%s was answered %+v, %v", o.Command, a, err)
		}
	}
	order(fleet.Order{Command: note, Text: "mind the gap"})
	order(fleet.Order{Command: pause})
	until(t, "it is paused", paused.Load)
	until(t, "people see it", func() bool { row, err := s.Find(t.Context(), row.Run); return err == nil && row.State == loop.Paused })
	order(fleet.Order{Command: note, Text: "go on gently"})
	order(fleet.Order{Command: resume})
	if row, err := s.Wait(t.Context(), row.Run); err != nil || row.State != loop.Done || row.Leg < 7 || row.Lost != 1 {
		t.Errorf("it ended %+v, %v", row, err)
	}
	firing := ""
	until(t, "the plan knows its last run", func() bool {
		d, err := s.client.ScheduleClient().GetHandle(t.Context(), planID(p.Name)).Describe(t.Context())
		if err == nil && len(d.Info.RecentActions) > 0 {
			firing = d.Info.RecentActions[0].StartWorkflowResult.WorkflowID
		}
		return firing != ""
	})
	for _, id := range []string{runID(row.Run), accountID("default"), firing} {
		h := historyOf(t, s, id)
		playAgain(t, id, h)
		if name := os.Getenv("REFRAIN_RECORD"); name != "" {
			kind, _, _ := strings.Cut(id, "/")
			all, err := protojson.Marshal(h)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", kind+"-"+name+".json")
			t.Logf("recorded %s as %s", id, file)
			if err := os.WriteFile(file, all, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// history is what the server has of a workflow.
func historyOf(t *testing.T, s *Service, id string) *history.History {
	t.Helper()
	h := &history.History{}
	for all := s.client.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); all.HasNext(); {
		e, err := all.Next()
		if err != nil {
			t.Fatal(err)
		}
		h.Events = append(h.Events, e)
	}
	return h
}
