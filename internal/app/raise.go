package app

import (
	"slices"
	"sync"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/policy"
)

// raised is the job with one limit changed.
func (j *Job) raised(key, value string) (*Job, error) {
	next, settings, limit := *j, *j.Settings, policy.Raised(key, value)
	if err := policy.Raise(&settings.Config, limit); err != nil {
		return nil, err
	}
	next.Settings = &settings
	next.Request.Flags = append(slices.Clone(j.Request.Flags), limit)
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
			err = next.lineup.CheckBudget(next.Config().Budget)
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
		return engine.Raised{Rules: next.terms().Rules(), Limits: next.terms().Limits(), Holds: next.terms().Holds()}, nil
	}
}
