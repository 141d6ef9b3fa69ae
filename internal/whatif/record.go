package whatif

import (
	"encoding/json"
	"fmt"
	"iter"
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

// record is a run as it was written down: the settings that each of its runners went
// by, and how it ended. What happened is read while it is played, for it may be much.
type record struct {
	store   journal.Store
	entry   journal.Entry
	request request.Request
	runners []runner
	ends    []mark
}

// mark is a place of the record that is known before it is played: the end of a
// runner, or the start of the next after one that did not come to its end.
type mark struct {
	at      int64 // the number of the event
	verdict loop.Verdict
}

// runner is one start of the run: the first, or a resume.
type runner struct {
	start    loop.Event
	margin   time.Duration // that it added to the end of a limit
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
	m := margins{limits: map[string]time.Time{}}
	for e, err := range rec.read(journal.Reading{Brief: true, Types: landmarks}) {
		if err != nil {
			return nil, err
		}
		switch p := e.Payload.(type) {
		case *loop.RunStarted, *loop.RunResumed:
			rec.runners, m.shortest = append(rec.runners, runner{start: e, margin: usualMargin}), 2*usualMargin
			rec.ends = append(rec.ends, mark{at: e.Seq})
		case *loop.RunRule:
			rec.ends = append(rec.ends, mark{e.Seq, p.Verdict})
		}
		if n := len(rec.runners); n > 0 {
			m.learn(e, &rec.runners[n-1].margin)
		}
	}
	if len(rec.runners) == 0 {
		return nil, fmt.Errorf("read the record of %s: it has no start", entry.Name)
	}
	rec.findSettings(stored)
	return rec, nil
}

// landmarks are the events that are looked at before the record is played.
var landmarks = []loop.Type{"run.started", "run.resumed", "run.rule", "run.waiting", "iteration.finished"}

// read gives what the record has, up to where the run was looked at: one that is alive
// has gone on since. What each attempt came to is added up anew.
func (rec *record) read(r journal.Reading) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for e, err := range rec.store.Read(rec.entry.Name, r) {
			if err == nil && e.Seq > rec.entry.Seq() {
				return
			}
			if f, ok := e.Payload.(*loop.IterationFinished); ok {
				f.State = loop.State{}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// findSettings goes back from the settings that were stored last, for every
// resume says what it changed.
func (rec *record) findSettings(stored map[string]config.Stored) {
	settings := map[string]string{}
	for key, s := range stored {
		settings[key] = string(s.Value)
	}
	for i, r := range slices.Backward(rec.runners) {
		r.settings = settings
		switch p := r.start.Payload.(type) {
		case *loop.RunResumed:
			r.agents, r.keeps = agentsOf(p.Counting, p.Agent), p.Counting.Keep
			settings = unchanged(settings, p.Changed)
		case *loop.RunStarted:
			r.agents, r.keeps = agentsOf(p.Counting, p.Agent), p.Counting.Keep
		}
		rec.runners[i] = r
	}
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
	for _, r := range rec.runners {
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
			Config: settings.Config, Kind: rec.request.Kind(), Agents: r.agents, KeepsSession: r.keeps, Margin: r.margin,
		}})
	}
	return list, nil
}

// usualMargin is what is added to the end of a limit where the record shows no
// wait for one.
const usualMargin = 3 * time.Second

// margins finds what a runner added to the end of a limit. Its waits tell: none is
// shorter.
type margins struct {
	limits   map[string]time.Time // by agent, when the last one ends
	shortest time.Duration
}

// learn looks at an event of a runner that has added so much, as far as is known.
func (m *margins) learn(e loop.Event, margin *time.Duration) {
	wait := func(rule, agent string, until time.Time) {
		if added := until.Sub(m.limits[agent]); rule == loop.RuleLimit && added >= 0 && added <= m.shortest {
			*margin, m.shortest = added, added
		}
	}
	switch p := e.Payload.(type) {
	case *loop.IterationFinished:
		if o := p.Outcome; o.Limit != nil && o.Limit.Until.After(o.EndedAt) {
			m.limits[o.Agent] = o.Limit.Until
			wait(p.Verdict.Rule, p.Verdict.Agent, p.Verdict.Until)
		}
	case *loop.RunWaiting:
		wait(p.Rule, p.Agent, p.Until)
	}
}

// decides tells whether rules may go by a setting.
func decides(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"loop", "done", "stop", "budget", "limits", "session", "context"}, section) ||
		key == "git.on_regression" || key == "permissions.mode"
}
