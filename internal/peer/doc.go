// Package peer tells whether a request comes from a process that may not act.
//
// On Linux that is asked of whoever holds the socket at the other end, as far as this
// machine is there; elsewhere nobody can tell. Which processes belong to a run, others
// have to say.
package peer

// Why somebody may not act.
const (
	FromARun   = "it comes from a process of a run, and an agent must not steer what holds it"
	FromNobody = "nobody can tell which process of this machine it comes from, and an agent must not steer what holds it"
)
