package fakemodel

import (
	"bytes"
	"cmp"
	"strconv"
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
	if s.script.Index != "conversation" {
		s.advance(turn)
	}
	return turn, "turn " + strconv.Itoa(i)
}

// advance moves the counter on once the turn has had all its plays.
func (s *Server) advance(turn Turn) {
	s.plays++
	if turn.Repeat >= 0 && s.plays >= max(turn.Repeat, 1) {
		s.next, s.plays = s.next+1, 0
	}
}
