package view

import (
	"cmp"

	"github.com/refrain-loop/refrain/internal/text"
)

// vocabulary is what systems say differently. A run that works in the ways of
// another system, by its profile, is told in the words that people know from there.
type vocabulary struct {
	starting, resuming string // of what named says
	named              func(*Run) string
	before             string // what earlier runners have done
	agentFailed        string
	gates              string // at the head of a sentence
}

var ours = vocabulary{
	starting: "Starting", resuming: "Resuming", named: func(r *Run) string { return cmp.Or(r.Name, r.Procedure) },
	before: "Before", agentFailed: "The agent failed", gates: "Gates",
}

// vocabularies has a row for each profile whose words are not ours.
var vocabularies = map[string]vocabulary{
	"rooda": {
		starting: "Starting procedure:", resuming: "Resuming procedure:", named: func(r *Run) string { return r.Procedure },
		before: "Previous session", agentFailed: "AI CLI failed", gates: "Quality gates",
	},
}

// wordsOf are those that a run is told in.
func wordsOf(r *Run) vocabulary {
	if v, ok := vocabularies[r.Profile]; ok {
		return v
	}
	return ours
}

// what names the run where it starts or goes on.
func (v vocabulary) what(r *Run) string { return text.Line(v.named(r)) }
