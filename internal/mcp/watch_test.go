package mcp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWatchGivesWhatHasHappened(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.begin(1, 1)
	r.tell(&loop.AgentText{Text: "working"})
	r.tell(&loop.ClaimRefused{Kind: loop.ClaimDone, Text: "DONE", Why: "gate test failed"})
	r.finish(loop.Outcome{Result: loop.OK}, loop.Verdict{Action: loop.Continue})
	r.end(loop.Stopped)
	for _, tt := range []struct {
		name      string
		arguments map[string]any
		want      []string
	}{
		{"as a rule what one would act on", map[string]any{"after": 0}, []string{"run.started", "claim.refused", "iteration.finished", "run.finished"}},
		{"after an event", map[string]any{"after": 4}, []string{"iteration.finished", "run.finished"}},
		{"of some types", map[string]any{"after": 0, "types": []string{"agent.", "iteration.s"}}, []string{"iteration.started", "agent.text"}},
		{"nothing of what is over", nil, nil},
		{"nothing after the end", map[string]any{"after": 99}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got watchOut
			s.call("watch_run", tt.arguments, &got)
			if diff := cmp.Diff(tt.want, typesOf(got)); diff != "" || !got.Ended || got.State != loop.Stopped || got.More {
				t.Errorf("watch_run = %+v, and types (-want +got):\n%s", got, diff)
			}
		})
	}
}

func typesOf(w watchOut) []string {
	var list []string
	for _, e := range w.Events {
		list = append(list, fmt.Sprint(e["type"]))
	}
	return list
}

func TestWatchComesBackForMore(t *testing.T) {
	s := newScene(t)
	r := s.run()
	for range maxEvents + 5 {
		r.tell(&loop.Warning{Text: "careful"})
	}
	r.end(loop.Stopped)
	var got watchOut
	s.call("watch_run", map[string]any{"after": 0}, &got)
	if len(got.Events) != maxEvents || !got.More || got.Ended || got.After != maxEvents {
		t.Errorf("%d events up to %d, more %v, ended %v", len(got.Events), got.After, got.More, got.Ended)
	}
	after := got.After
	got = watchOut{}
	s.call("watch_run", map[string]any{"after": after}, &got)
	if len(got.Events) != 7 || got.More || !got.Ended {
		t.Errorf("then %d events, more %v, ended %v", len(got.Events), got.More, got.Ended)
	}
}

// coming is events that come after some time each, until ctx ends.
func coming(after time.Duration, events ...loop.Event) func(context.Context, journal.Store, string, int64) iter.Seq2[loop.Event, error] {
	return func(ctx context.Context, _ journal.Store, _ string, _ int64) iter.Seq2[loop.Event, error] {
		return func(yield func(loop.Event, error) bool) {
			for _, e := range events {
				select {
				case <-time.After(after):
				case <-ctx.Done():
					yield(loop.Event{}, context.Cause(ctx))
					return
				}
				if !yield(e, nil) {
					return
				}
			}
			<-ctx.Done()
			yield(loop.Event{}, context.Cause(ctx))
		}
	}
}

func TestWatchWaits(t *testing.T) {
	text := func(seq int64) loop.Event {
		return loop.Event{Seq: seq, Time: noon, Payload: &loop.AgentText{Text: "x"}}
	}
	warning := func(seq int64) loop.Event {
		return loop.Event{Seq: seq, Time: noon, Payload: &loop.Warning{Text: "x"}}
	}
	seconds := func(n float64) *float64 { return &n }
	for _, tt := range []struct {
		name   string
		wait   *float64
		every  time.Duration
		events []loop.Event
		took   time.Duration
		got    []string
		after  int64
	}{
		{"until the time is over", seconds(90), time.Second, nil, 90 * time.Second, nil, 1},
		{"for half a minute as a rule", nil, time.Second, nil, 30 * time.Second, nil, 1},
		{"for what is wanted, and knows what else it saw", seconds(10), 4 * time.Second, []loop.Event{text(2), text(3)}, 10 * time.Second, nil, 3},
		{"a little longer for what comes with it", seconds(60), 50 * time.Millisecond, []loop.Event{text(2), warning(3), text(4), warning(5)}, 300 * time.Millisecond, []string{"warning", "warning"}, 5},
		{"and not for what comes later", seconds(60), time.Second, []loop.Event{warning(2), warning(3)}, 1200 * time.Millisecond, []string{"warning"}, 2},
		{"not at all", seconds(0), time.Second, []loop.Event{warning(2)}, 0, nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.run().held("")
			s.Follow = coming(tt.every, tt.events...)
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				got, err := face{Options: s.Options}.watchRun(t.Context(), watchIn{Wait: tt.wait})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.got, typesOf(got)); diff != "" || time.Since(began) != tt.took || got.After != tt.after || got.Ended {
					t.Errorf("after %v, at %d, ended %v, types (-want +got):\n%s", time.Since(began), got.After, got.Ended, diff)
				}
			})
		})
	}
}

func TestWatchKnowsWhenThereIsMoreThanItCanTell(t *testing.T) {
	s := newScene(t)
	s.run().held("")
	var flood []loop.Event
	for n := range int64(maxEvents + 1) {
		flood = append(flood, loop.Event{Seq: n + 2, Time: noon, Payload: &loop.Warning{Text: "x"}})
	}
	s.Follow = coming(0, flood...)
	got, err := face{Options: s.Options}.watchRun(t.Context(), watchIn{})
	if err != nil || len(got.Events) != maxEvents || !got.More || got.After != maxEvents+1 {
		t.Errorf("%d events up to %d, more %v, %v", len(got.Events), got.After, got.More, err)
	}
}

func TestWatchSeesTheEnd(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.held("")
	s.Follow = func(context.Context, journal.Store, string, int64) iter.Seq2[loop.Event, error] {
		return func(yield func(loop.Event, error) bool) {
			yield(r.tell(&loop.RunFinished{State: loop.Done}), nil)
		}
	}
	var got watchOut
	s.call("watch_run", nil, &got)
	if !got.Ended || got.State != loop.Done || len(got.Events) != 1 {
		t.Errorf("watch_run = %+v, want the end", got)
	}
}

func TestWatchEndsWithItsClient(t *testing.T) {
	s := newScene(t)
	s.run().held("")
	s.Follow = coming(time.Second)
	synctest.Test(t, func(t *testing.T) {
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(enough) })
		if _, err := (face{Options: s.Options}).watchRun(ctx, watchIn{}); !errors.Is(err, enough) {
			t.Errorf("watchRun = %v, want %v", err, enough)
		}
	})
}

func TestWatchRefusesWhatMakesNoSense(t *testing.T) {
	s := newScene(t)
	s.run().end(loop.Done)
	s.fails("watch_run", map[string]any{"wait_seconds": 3600}, "wait_seconds is 3600", "choose 0 to 600")
	s.fails("watch_run", map[string]any{"wait_seconds": -1}, "wait_seconds is -1")
	s.fails("watch_run", map[string]any{"types": []string{"iteraton"}}, `no type of event begins with "iteraton"`, "iteration.finished")
}

func TestBriefLeavesOutWhatIsLong(t *testing.T) {
	var paths []loop.PathChange
	for range maxList + 3 {
		paths = append(paths, loop.PathChange{Path: "a.go", Change: "modified"})
	}
	got, err := brief(loop.Event{Seq: 7, Time: noon, Run: "loop_1", Payload: &loop.IterationFinished{
		Outcome: loop.Outcome{Said: loop.Said{Summary: strings.Repeat("ä", maxText+1)}, Work: loop.Work{Changes: &loop.Changes{Paths: paths}}},
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
	if summary := outcome["summary"]; summary != strings.Repeat("ä", maxText)+"…" {
		t.Errorf("summary = %v", summary)
	}
	if len(listed) != maxList+1 || listed[maxList] != "… and 3 more" {
		t.Errorf("%d paths, the last %v", len(listed), listed[len(listed)-1])
	}
	// Only there "state" is the sum of everything.
	if got, err = brief(loop.Event{Time: noon, Payload: &loop.RunFinished{State: loop.Done}}); err != nil || got["state"] != "done" {
		t.Errorf("brief of the end = %v, %v", got, err)
	}
}
