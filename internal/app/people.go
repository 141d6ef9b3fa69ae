package app

import (
	"slices"
	"strconv"
	"sync"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/policy"
)

// Answers is what may be said to a question.
var Answers = engine.Answers

// asking is when a person is asked.
func (j *Job) asking() engine.Asking {
	c := j.Config()
	a := engine.Asking{Always: c.Loop.Attended, Done: c.Ask.Done, OnFailure: c.Ask.OnFailure, Timeout: c.Ask.Timeout, Default: c.Ask.Default}
	for _, text := range c.Ask.At {
		if n, err := strconv.Atoi(text); err == nil { // else the settings would have been refused
			a.At = append(a.At, n)
		}
	}
	return a
}

// Attended tells whether a person will be asked anything.
func (j *Job) Attended() bool {
	a := j.asking()
	return a.Always || a.Done || a.OnFailure || len(a.At) > 0
}

// Answerable tells whether the run goes on though nobody answers.
func (j *Job) Answerable() bool { return j.Config().Ask.Timeout > 0 }

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
func (j *Job) raiser(run *journal.Run) func(key, value string) (engine.Terms, error) {
	var mu sync.Mutex
	latest := j
	return func(key, value string) (engine.Terms, error) {
		mu.Lock()
		defer mu.Unlock()
		next, err := latest.raised(key, value)
		if err == nil {
			err = next.lineup.CheckBudget(next.Config().Budget)
		}
		if err != nil {
			return engine.Terms{}, err
		}
		request, stored, err := next.stored()
		if err == nil {
			err = run.Restate(request, stored)
		}
		if err != nil {
			return engine.Terms{}, err
		}
		latest = next
		return engineTerms(next.terms()), nil
	}
}

// engineTerms are the terms as the engine asks for them.
func engineTerms(t policy.Terms) engine.Terms {
	return engine.Terms{Rules: t.Rules(), Limits: t.Limits(), Holds: t.Holds()}
}
