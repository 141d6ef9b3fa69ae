package app

import (
	"strconv"

	"github.com/refrain-loop/refrain/internal/engine"
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
