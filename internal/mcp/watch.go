package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

const (
	// usualWait is shorter than the time that clients give a tool if nobody
	// tells them otherwise, which is a minute for many.
	usualWait = 30
	maxWait   = 600
	// together is how long after a first event others are waited for: what
	// happens at once should be told at once.
	together  = 200 * time.Millisecond
	maxEvents = 50
)

// usualTypes are the events that a supervisor acts on. Others only say that
// things take their course.
var usualTypes = []string{"run.", "iteration.finished", "claim.refused", "agent.limit", "checkpoint.restored", "warning"}

type watchIn struct {
	theRun
	After *int64   `json:"after,omitempty" jsonschema:"the number of the last event that you know; 0 is from the beginning; left out: only what comes from now on"`
	Wait  *float64 `json:"wait_seconds,omitempty" jsonschema:"how long to wait if there is nothing yet, up to 600; 0 does not wait; left out: 30. Stay below your client's own limit for a tool call"`
	Types []string `json:"types,omitempty" jsonschema:"only events whose type begins with one of these, such as iteration.finished, gate. or agent.text; left out: run., iteration.finished, claim.refused, agent.limit, checkpoint.restored and warning"`
}

type watchOut struct {
	Run    string           `json:"run"`
	State  loop.Status      `json:"state"`
	Ended  bool             `json:"ended" jsonschema:"the run is over: nothing more will come"`
	Events []map[string]any `json:"events"`
	After  int64            `json:"after" jsonschema:"pass it to the next call"`
	More   bool             `json:"more,omitempty" jsonschema:"there are more events already"`
}

func (f face) watchRun(ctx context.Context, in watchIn) (watchOut, error) {
	wait, err := in.wait()
	if err != nil {
		return watchOut{}, err
	}
	wanted, err := in.wanted()
	if err != nil {
		return watchOut{}, err
	}
	store, entry, err := f.find(in.Run)
	if err != nil {
		return watchOut{}, err
	}
	w := watcher{after: entry.Seq(), wanted: wanted}
	if in.After != nil {
		w.after = *in.After
	}
	alive := !store.Status(entry).Ended()
	if err := w.read(store, entry, alive); err != nil {
		return watchOut{}, err
	}
	if len(w.events) == 0 && wait > 0 && alive {
		if err := w.follow(ctx, wait, f.hungUp, func(ctx context.Context) events {
			return f.Follow(ctx, store, entry.Name, w.after)
		}); err != nil {
			return watchOut{}, err
		}
		if entry, err = store.Load(entry.Name); err != nil {
			return watchOut{}, err
		}
	}
	out := watchOut{
		Run: entry.Name, State: f.Look(store, entry).State,
		Events: make([]map[string]any, 0, len(w.events)), After: w.after, More: w.more || entry.Seq() > w.after,
	}
	out.Ended = out.State.Ended() && !out.More
	for _, e := range w.events {
		told, err := brief(e)
		if err != nil {
			return out, err
		}
		out.Events = append(out.Events, told)
	}
	return out, nil
}

func (in watchIn) wait() (time.Duration, error) {
	seconds := float64(usualWait)
	if in.Wait != nil {
		seconds = *in.Wait
	}
	if seconds < 0 || seconds > maxWait {
		return 0, &advice{fmt.Sprintf("wait_seconds is %v", seconds), fmt.Sprintf("choose 0 to %d, and call again to wait longer", maxWait)}
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// wanted tells which events are asked for.
func (in watchIn) wanted() (func(loop.Type) bool, error) {
	types := in.Types
	if len(types) == 0 {
		types = usualTypes
	}
	for _, prefix := range types {
		begins := func(t loop.Type) bool { return strings.HasPrefix(string(t), prefix) }
		if known := loop.Types(); !slices.ContainsFunc(known, begins) {
			slices.Sort(known)
			return nil, &advice{fmt.Sprintf("no type of event begins with %q", prefix), fmt.Sprintf("there are: %v", known)}
		}
	}
	return func(t loop.Type) bool {
		return slices.ContainsFunc(types, func(prefix string) bool { return strings.HasPrefix(string(t), prefix) })
	}, nil
}

// events is a run's events as they are read or come.
type events = func(func(loop.Event, error) bool)

// watcher collects the events that are wanted.
type watcher struct {
	after  int64 // the last event that was looked at
	wanted func(loop.Type) bool
	events []loop.Event
	more   bool // it has had enough before the end
}

// take looks at an event. It is false when there is no room for it.
func (w *watcher) take(e loop.Event) bool {
	if w.wanted(e.Type()) {
		if len(w.events) == maxEvents {
			w.more = true
			return false
		}
		w.events = append(w.events, e)
	}
	w.after = e.Seq
	return true
}

// read takes what the files of a run have. Of one that is alive they are
// complete up to the last event of its journal; after that an event may be on
// its way that is older than one we could read.
func (w *watcher) read(store journal.Store, entry journal.Entry, alive bool) error {
	if alive && entry.Seq() <= w.after {
		return nil
	}
	for e, err := range store.AllEvents(entry.Name, w.after) {
		if err != nil {
			return err
		}
		if alive && e.Seq > entry.Seq() || !w.take(e) {
			break
		}
	}
	return nil
}

// follow takes what comes, until there is something that is wanted and what
// came with it, the run is over, or the time is. Who hangs up waits for nothing
// that is still to come.
func (w *watcher) follow(ctx context.Context, wait time.Duration, hungUp <-chan struct{}, begin func(context.Context) events) error {
	patience, cancel := context.WithTimeout(ctx, wait)
	var leaving sync.WaitGroup
	defer leaving.Wait()
	leaving.Go(func() {
		select {
		case <-hungUp:
			cancel()
		case <-patience.Done():
		}
	})
	defer cancel()
	for e, err := range begin(patience) {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx) // the client wants no answer any more
		case patience.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		nothing := len(w.events) == 0
		if !w.take(e) {
			return nil
		}
		if nothing && len(w.events) > 0 {
			defer time.AfterFunc(together, cancel).Stop()
		}
	}
	return nil
}

// Longer texts and lists than these are in the files of the run.
const (
	maxText = 1000
	maxList = 20
)

// brief is an event as the journal writes it, without what an agent need not
// read again and again: the id of the run, and the sum of everything before.
func brief(e loop.Event) (map[string]any, error) {
	line, err := journal.Encode(e)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, fmt.Errorf("read event %d: %w", e.Seq, err)
	}
	delete(all, "run")
	if _, sum := e.Payload.(*loop.IterationFinished); sum {
		delete(all, "state")
	}
	return shorten(all).(map[string]any), nil
}

// shorten cuts what is long in a value from JSON.
func shorten(v any) any {
	switch v := v.(type) {
	case string:
		if runes := []rune(v); len(runes) > maxText {
			return string(runes[:maxText]) + "…"
		}
	case []any:
		more := len(v) - maxList
		if more > 0 {
			v = v[:maxList:maxList]
		}
		for i := range v {
			v[i] = shorten(v[i])
		}
		if more > 0 {
			return append(v, fmt.Sprintf("… and %d more", more))
		}
		return v
	case map[string]any:
		for name := range v {
			v[name] = shorten(v[name])
		}
	}
	return v
}
