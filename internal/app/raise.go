package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
)

// raisable is every limit that a person may change while the run is alive, and how
// it goes from one value of the settings to another.
var raisable = map[string]func(to *config.Config, from config.Config){
	"loop.max_iterations": func(to *config.Config, from config.Config) { to.Loop.MaxIterations = from.Loop.MaxIterations },
	"loop.max_time":       func(to *config.Config, from config.Config) { to.Loop.MaxTime = from.Loop.MaxTime },
	"budget.cost_usd":     func(to *config.Config, from config.Config) { to.Budget.CostUSD = from.Budget.CostUSD },
	"budget.tokens":       func(to *config.Config, from config.Config) { to.Budget.Tokens = from.Budget.Tokens },
	"limits.max_wait":     func(to *config.Config, from config.Config) { to.Limits.MaxWait = from.Limits.MaxWait },
}

// raised is the job with one limit changed. The files are not read again: only a
// person may loosen what an agent could have changed there.
func (j *Job) raised(key, value string) (*Job, error) {
	set, ok := raisable[key]
	if !ok {
		return nil, fmt.Errorf("%s cannot be changed while the run is alive: only %s", key, strings.Join(slices.Sorted(maps.Keys(raisable)), ", "))
	}
	flag := config.Flag{Name: "raise", Key: key, Value: value}
	read, err := config.Load(config.Sources{Flags: []config.Flag{flag}, Agents: builtInAgents()})
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "raise: "))
	}
	next, settings := *j, *j.Settings
	set(&settings.Config, read.Config)
	next.Settings = &settings
	next.Request.Flags = append(slices.Clone(j.Request.Flags), flag)
	return &next, nil
}

// raiser changes limits of a live run, and writes them down so that a resume
// knows them too.
func (j *Job) raiser(run *journal.Run) func(key, value string) (engine.Raised, error) {
	var mu sync.Mutex
	latest := j
	return func(key, value string) (engine.Raised, error) {
		mu.Lock()
		defer mu.Unlock()
		next, err := latest.raised(key, value)
		if err == nil {
			err = next.checkBudgets()
		}
		if err != nil {
			return engine.Raised{}, err
		}
		request, stored, err := next.stored()
		if err == nil {
			err = run.Restate(request, stored)
		}
		if err != nil {
			return engine.Raised{}, err
		}
		latest = next
		return engine.Raised{Rules: next.rules(), Limits: next.limits(), Holds: next.holds()}, nil
	}
}
