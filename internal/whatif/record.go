package whatif

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/policy"
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
	for e, err := range store.Read(entry.Name, journal.Reading{Brief: true}) {
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

func agentsOf(c loop.CountPolicy, agent string) []string {
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

// usages is what the agent of an attempt told of what it used, as it went on.
func (rec *record) usages(iter, attempt int) ([]loop.Event, error) {
	var list []loop.Event
	for e, err := range journal.AttemptEvents(rec.store.AttemptDir(rec.entry.Name, iter, attempt)) {
		if err != nil {
			return nil, err
		}
		if _, ok := e.Payload.(*loop.AgentUsage); ok {
			list = append(list, e)
		}
	}
	return list, nil
}

// terms are what a runner goes by: its settings as it has read them, and what
// follows from them.
type terms struct {
	policy.Terms
	settings *config.Resolved
}

// terms is what each runner went by, as far as it decides, with flags laid over
// its settings.
func (rec *record) terms(flags []config.Flag) ([]terms, error) {
	var list []terms
	margins := rec.margins()
	for i, r := range rec.runners {
		var all []config.Flag
		gated := false
		for _, key := range slices.Sorted(maps.Keys(r.settings)) {
			switch {
			case strings.HasPrefix(key, "gate."):
				gated = true
			case decides(key) && r.settings[key] != `""`:
				all = append(all, config.Flag{Name: "--set", Key: key, Value: r.settings[key]})
			}
		}
		if gated { // what they are decides nothing any more
			all = append(all, config.Flag{Name: "--gate", Key: "gate", Value: "true"})
		}
		settings, err := config.Load(config.Sources{Flags: append(all, flags...), Kind: rec.request.Kind()})
		if err != nil {
			return nil, err
		}
		list = append(list, terms{settings: settings, Terms: policy.Terms{
			Config: settings.Config, Kind: rec.request.Kind(), Agents: r.agents, KeepsSession: r.keeps, Margin: margins[i],
		}})
	}
	return list, nil
}

// usualMargin is what is added to the end of a limit where the record shows no
// wait for one.
const usualMargin = 3 * time.Second

// margins is what each runner added to the end of a limit. Its waits tell: none is
// shorter.
func (rec *record) margins() []time.Duration {
	var list []time.Duration
	limits := map[string]time.Time{} // by agent, when the last one ends
	shortest := 2 * usualMargin
	learn := func(rule, agent string, until time.Time) {
		if margin := until.Sub(limits[agent]); rule == loop.RuleLimit && margin >= 0 && margin <= shortest {
			list[len(list)-1], shortest = margin, margin
		}
	}
	for _, e := range rec.events {
		switch p := e.Payload.(type) {
		case *loop.RunStarted, *loop.RunResumed:
			list, shortest = append(list, usualMargin), 2*usualMargin
		case *loop.IterationFinished:
			if o := p.Outcome; o.Limit != nil && o.Limit.Until.After(o.EndedAt) {
				limits[o.Agent] = o.Limit.Until
				learn(p.Verdict.Rule, p.Verdict.Agent, p.Verdict.Until)
			}
		case *loop.RunWaiting:
			learn(p.Rule, p.Agent, p.Until)
		}
	}
	return list
}

// decides tells whether rules may go by a setting.
func decides(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"loop", "done", "stop", "budget", "limits", "session", "context"}, section) ||
		key == "git.on_regression" || key == "permissions.mode"
}
