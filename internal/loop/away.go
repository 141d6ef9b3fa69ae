package loop

import (
	"slices"
	"time"
)

// Away is an agent that its provider turns away, and what it said.
type Away struct {
	Agent string    `json:"agent"`
	Kind  ErrorKind `json:"kind"`
	Limit *Limit    `json:"limit,omitempty"`
	Since time.Time `json:"since"`        // when the first attempt was turned away
	At    time.Time `json:"at"`           // and the last
	Tries int       `json:"tries"`        // how many there were
	By    string    `json:"by,omitempty"` // another run that found it out
}

// AwayAs is how an agent of that name is kept from working, if it is.
func (s State) AwayAs(agent string) (Away, bool) {
	i := slices.IndexFunc(s.Away, func(a Away) bool { return a.Agent == agent })
	if i < 0 {
		return Away{}, false
	}
	return s.Away[i], true
}

// Agents is the agent and those that stand in for it. Where nobody has said, it
// is those that were turned away.
func (s State) Agents() []string {
	if len(s.Counting.Agents) > 0 {
		return s.Counting.Agents
	}
	var names []string
	for _, a := range s.Away {
		names = append(names, a.Agent)
	}
	return names
}

// TurnedAway tells whether an attempt with outcome o says nothing of the work:
// its agent could not get at its model, and may again later, or another agent
// may go on in its place.
func (s State) TurnedAway(o Outcome) bool {
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
	case t.OnlyAtFirst && s.Worked:
		return true
	case s.standsIn(o.Agent):
		return true
	}
	return t.FallsBack && len(s.Counting.Agents) > 1
}

// standsIn tells whether an agent only works while another is away.
func (s State) standsIn(agent string) bool {
	return slices.Index(s.Counting.Agents, agent) > 0
}

// addAway keeps who is turned away. An attempt that was cut short from outside
// says nothing of its provider.
func (s State) addAway(o Outcome) State {
	switch {
	case s.TurnedAway(o):
		s.Away = turnAway(s.Away, o)
	case o.Result == Lost, o.Result == Interrupted, o.Result == Skipped:
	default:
		s.Away = slices.DeleteFunc(slices.Clone(s.Away), func(a Away) bool { return a.Agent == o.Agent })
	}
	return s
}

func turnAway(list []Away, o Outcome) []Away {
	now := Away{Agent: o.Agent, Kind: ErrUsageLimit, Limit: o.Limit, Since: o.EndedAt, At: o.EndedAt, Tries: 1}
	switch {
	case o.Error != nil:
		now.Kind = o.Error.Kind
	case o.Result == Unavailable:
		now.Kind = ErrServer
	}
	list = slices.Clone(list)
	i := slices.IndexFunc(list, func(a Away) bool { return a.Agent == o.Agent })
	if i < 0 {
		return append(list, now)
	}
	now.Since, now.Tries = list[i].Since, list[i].Tries+1
	list[i] = now
	return list
}
