package loop

import "time"

// Session is the agent's own conversation, when it goes on from one attempt to
// the next.
type Session struct {
	ID         string    `json:"id" redact:"-"`
	Agent      string    `json:"agent"`
	Since      time.Time `json:"since"`                // when its first attempt began
	Iterations int       `json:"iterations,omitempty"` // counted ones in it
	Percent    int       `json:"percent,omitempty"`    // of its context that is full; left out when not known
	Used       Usage     `json:"used,omitzero"`        // in all its attempts
	Broken     bool      `json:"broken,omitempty"`     // its agent failed in the last one
}

// Age is how long the session has lasted.
func (s *Session) Age(now time.Time) time.Duration {
	if s == nil {
		return 0
	}
	return now.Sub(s.Since)
}

// SessionOf is the session that the next attempt of an agent goes on with; empty
// when it begins one.
func (s State) SessionOf(agent string) string {
	if s.Session == nil || s.Session.Agent != agent {
		return ""
	}
	return s.Session.ID
}

// breaks tells whether a session may be why an attempt failed. One that was turned
// away says nothing of it.
func (s State) breaks(o Outcome) bool {
	switch {
	case s.HeldByProvider(o):
		return s.Session != nil && s.Session.Broken
	case o.Result == TimedOut, o.Result == Idle:
		return true
	}
	return o.Result == Failed && (o.Error != nil || !o.Exit.Zero()) && !o.Unfinished()
}

// nextSession is the session that an attempt with outcome o was in, and that the
// next may go on with. An agent that told none was in the one that it was given.
func (s State) nextSession(o Outcome, counts bool) *Session {
	if !s.Counting.Keep || o.Exit == nil {
		return s.Session
	}
	next := Session{ID: o.Session, Agent: o.Agent, Since: o.EndedAt.Add(-o.Duration.Duration())}
	if held := s.Session; held != nil && held.Agent == o.Agent {
		next.Since, next.Iterations, next.Percent, next.Used = held.Since, held.Iterations, held.Percent, held.Used
		if next.ID == "" {
			next.ID = held.ID
		}
	}
	if next.ID == "" {
		return s.Session
	}
	if o.Usage != nil && o.Usage.ContextPercent > 0 {
		next.Percent = o.Usage.ContextPercent
	}
	next.Used = next.Used.Plus(o.Usage)
	next.Broken = s.breaks(o)
	if counts {
		next.Iterations++
	}
	return &next
}
