package loop

import (
	"slices"
	"time"
)

// Provider is what the providers of a run's agents let them do.
type Provider struct {
	ProviderHolds    []ProviderHold `json:"away,omitempty"`   // agents that were turned away, and have not worked since
	PrimaryWorked    bool           `json:"worked,omitempty"` // the agent has ended well at least once; not those that stand in for it
	AgentsProven     []string       `json:"able,omitempty"`   // the agents that have
	AwaitingProvider bool           `json:"idle,omitempty"`   // the run waits for a provider
}

// ProviderHold is an agent that its provider turns away, and what it said.
type ProviderHold struct {
	Agent string    `json:"agent"`
	Kind  ErrorKind `json:"kind"`
	Limit *Limit    `json:"limit,omitempty"`
	Since time.Time `json:"since"`        // when the first attempt was turned away
	At    time.Time `json:"at"`           // and the last
	Tries int       `json:"tries"`        // how many there were
	By    string    `json:"by,omitempty"` // another run that found it out
}

// HoldOf is how an agent of that name is kept from working, if it is.
func (p Provider) HoldOf(agent string) (ProviderHold, bool) {
	i := slices.IndexFunc(p.ProviderHolds, func(a ProviderHold) bool { return a.Agent == agent })
	if i < 0 {
		return ProviderHold{}, false
	}
	return p.ProviderHolds[i], true
}

// Agents is the agent and those that stand in for it. Where nobody has said, it
// is those that were turned away.
func (s State) Agents() []string {
	if len(s.Counting.Agents) > 0 {
		return s.Counting.Agents
	}
	var names []string
	for _, a := range s.ProviderHolds {
		names = append(names, a.Agent)
	}
	return names
}

// HeldByProvider tells whether an attempt with outcome o says nothing of the work:
// its agent could not get at its model, and may again later, or another agent
// may go on in its place.
func (s State) HeldByProvider(o Outcome) bool {
	switch {
	case o.Result == Limited, o.Result == Unavailable:
		return true
	case o.Result != Failed || o.Error == nil:
		return false
	}
	t := Treat(o.Error.Kind)
	switch {
	case t.Fatal == "":
		return false
	case t.OnlyAtFirst && s.PrimaryWorked:
		return true
	case s.Counting.standsIn(o.Agent):
		return true
	}
	return t.FallsBack && len(s.Counting.Agents) > 1
}

// add takes in what an attempt says of its provider. One that was cut short from
// outside says nothing of it.
func (p Provider) add(o Outcome, away, standsIn bool) Provider {
	if o.Result == OK {
		p.PrimaryWorked = p.PrimaryWorked || !standsIn
		if o.Agent != "" && !slices.Contains(p.AgentsProven, o.Agent) {
			p.AgentsProven = append(slices.Clip(p.AgentsProven), o.Agent)
		}
	}
	switch {
	case away:
		p.ProviderHolds = turnAway(p.ProviderHolds, o)
	case o.Result == Lost, o.Result == Interrupted, o.Result == Skipped:
	default:
		p.ProviderHolds = slices.DeleteFunc(slices.Clone(p.ProviderHolds), func(a ProviderHold) bool { return a.Agent == o.Agent })
	}
	return p
}

func turnAway(list []ProviderHold, o Outcome) []ProviderHold {
	now := ProviderHold{Agent: o.Agent, Kind: ErrUsageLimit, Limit: o.Limit, Since: o.EndedAt, At: o.EndedAt, Tries: 1}
	switch {
	case o.Error != nil:
		now.Kind = o.Error.Kind
	case o.Result == Unavailable:
		now.Kind = ErrServer
	}
	list = slices.Clone(list)
	i := slices.IndexFunc(list, func(a ProviderHold) bool { return a.Agent == o.Agent })
	if i < 0 {
		return append(list, now)
	}
	now.Since, now.Tries = list[i].Since, list[i].Tries+1
	list[i] = now
	return list
}
