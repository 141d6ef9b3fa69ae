package fakemodel

import (
	"bytes"
	"cmp"
	"strconv"
	"time"
)

// pick chooses the turn for a request and notes what was played.
func (s *Server) pick(q *request) Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn, label := s.choose(q)
	s.seen.Played = append(s.seen.Played, label)
	return turn
}

func (s *Server) choose(q *request) (Turn, string) {
	for i, rule := range s.script.Rules {
		if rule.Contains != "" && bytes.Contains(q.body, []byte(rule.Contains)) {
			return rule.Turn, "rule " + strconv.Itoa(i)
		}
	}
	if len(q.tools) == 0 && s.script.Side != "never" {
		s.seen.Side++
		return Turn{Text: cmp.Or(s.script.SideText, "fake side reply")}, "side"
	}
	s.seen.Main++
	s.endLimit()
	i := s.next
	if s.script.Index == "conversation" {
		i = q.replies
	}
	if last := len(s.script.Turns) - 1; i > last {
		switch s.script.After {
		case "stop":
			return Turn{Text: "done"}, "after"
		case "loop":
			i %= last + 1
		default:
			i = last
		}
	}
	turn := s.script.Turns[i]
	switch {
	case s.script.Index == "conversation":
	case turn.limits():
		turn = s.limited(turn)
	default:
		s.advance(turn)
	}
	return turn, "turn " + strconv.Itoa(i)
}

// limits tells whether the turn is a usage limit that will be over.
func (t Turn) limits() bool { return t.Error != nil && t.Error.ResetsInS > 0 && t.Repeat == 0 }

// limited plays a usage limit, which begins with its first play.
func (s *Server) limited(turn Turn) Turn {
	if s.resets.IsZero() {
		s.resets = turn.Error.resets()
	}
	e := *turn.Error
	e.until = s.resets
	turn.Error = &e
	return turn
}

// endLimit moves the counter on once the usage limit that is on is over.
func (s *Server) endLimit() {
	if !s.resets.IsZero() && !time.Now().Before(s.resets) {
		s.next, s.resets = s.next+1, time.Time{}
	}
}

// advance moves the counter on once the turn has had all its plays.
func (s *Server) advance(turn Turn) {
	s.plays++
	if turn.Repeat >= 0 && s.plays >= max(turn.Repeat, 1) {
		s.next, s.plays = s.next+1, 0
	}
}
