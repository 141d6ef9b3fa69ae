package whatif

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
)

// record is a run as it was written down: what happened, and the settings that
// each of its runners went by.
type record struct {
	store   journal.Store
	entry   journal.Entry
	request request.Request
	events  []loop.Event
	runners []runner
}

// runner is one start of the run: the first, or a resume.
type runner struct {
	agents   []string
	keeps    bool              // the agent's session went on
	settings map[string]string // as TOML
}

func readRecord(store journal.Store, entry journal.Entry) (*record, error) {
	rec := &record{store: store, entry: entry}
	if err := json.Unmarshal(entry.Flags, &rec.request); err != nil {
		return nil, fmt.Errorf("read how %s was started: %w", entry.Name, err)
	}
	var stored map[string]config.Stored
	if err := json.Unmarshal(entry.Config, &stored); err != nil {
		return nil, fmt.Errorf("read the settings of %s: %w", entry.Name, err)
	}
	for e, err := range store.Events(entry.Name, 0) {
		if err != nil {
			return nil, err
		}
		if e.Seq > entry.Seq() {
			break // of a live run, which has gone on since it was looked at
		}
		if f, ok := e.Payload.(*loop.IterationFinished); ok {
			f.State = loop.State{} // it is added up anew
		}
		rec.events = append(rec.events, e)
	}
	if rec.findRunners(stored); len(rec.runners) == 0 {
		return nil, fmt.Errorf("read the record of %s: it has no start", entry.Name)
	}
	return rec, nil
}

// findRunners goes back from the settings that were stored last, for every
// resume says what it changed.
func (rec *record) findRunners(stored map[string]config.Stored) {
	settings := map[string]string{}
	for key, s := range stored {
		settings[key] = string(s.Value)
	}
	for _, e := range slices.Backward(rec.events) {
		switch p := e.Payload.(type) {
		case *loop.RunResumed:
			rec.runners = append(rec.runners, runner{agentsOf(p.Counting, p.Agent), p.Counting.Keep, settings})
			settings = unchanged(settings, p.Changed)
		case *loop.RunStarted:
			rec.runners = append(rec.runners, runner{agentsOf(p.Counting, p.Agent), p.Counting.Keep, settings})
		}
	}
	slices.Reverse(rec.runners)
}

func agentsOf(c loop.Counting, agent string) []string {
	if len(c.Agents) > 0 {
		return c.Agents
	}
	return []string{agent}
}

// unchanged is the settings that a resume found.
func unchanged(settings map[string]string, changed []loop.Change) map[string]string {
	settings = maps.Clone(settings)
	for _, c := range changed {
		if settings[c.Key] = c.Old; c.Old == "" {
			delete(settings, c.Key)
		}
	}
	return settings
}

// missing says which settings an older version did not store.
func (rec *record) missing() []string {
	var list []string
	for _, key := range Redecidable {
		if _, ok := rec.runners[len(rec.runners)-1].settings[key]; !ok {
			list = append(list, fmt.Sprintf("%s was not stored with the run: it is taken to be what it is when nobody sets it", key))
		}
	}
	return list
}

// tally is what really happened.
func (rec *record) tally() Tally {
	t := tallyOf(rec.entry.State)
	t.State = rec.store.Status(rec.entry)
	if f := rec.entry.Finished; f != nil {
		t.Reason, t.Why, t.Elapsed = f.Reason, f.Why, f.Elapsed
		t.Level, t.Proven = f.Level(), f.Level() == loop.LevelProven
	}
	return t
}

// usages is what the agent of an attempt told of what it used, as it went on.
// Agents say much else, which is not worth decoding.
func (rec *record) usages(iter, attempt int) ([]loop.Event, error) {
	f, err := files.OpenFile(filepath.Join(rec.store.AttemptDir(rec.entry.Name, iter, attempt), "events.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // never written, or dropped
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []loop.Event
	lines := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, nil // what is torn was never heard
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Name(), err)
		}
		if !bytes.Contains(line, []byte(`"type":"agent.usage"`)) {
			continue
		}
		e, err := journal.Decode(line)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Name(), err)
		}
		if _, ok := e.Payload.(*loop.AgentUsage); ok {
			list = append(list, e)
		}
	}
}
