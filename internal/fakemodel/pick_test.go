package fakemodel

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var abc = []Turn{{Text: "a"}, {Text: "b", Repeat: 2}, {Text: "c"}}

func TestTheCounterTakesTheNextTurnAtEachRequest(t *testing.T) {
	tests := []struct {
		name   string
		script Script
		want   string
	}{
		{"the last turn is repeated", Script{Turns: abc}, "abbccc"},
		{"or the script starts over", Script{Turns: abc, After: "loop"}, "abbcab"},
		{"or it is over", Script{Turns: abc, After: "stop"}, "abbcdonedone"},
		{"a turn can go on for ever", Script{Turns: []Turn{{Text: "x", Repeat: -1}, {Text: "y"}}}, "xxxxxx"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Start(t, tt.script)
			got := ""
			for range 6 {
				got += tongues[0].stream(t, s, []string{"Bash"}).Text
			}
			if got != tt.want {
				t.Errorf("six requests got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAUsageLimitHoldsUntilItIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := Turn{Error: &Error{Kind: "usage_limit", ResetsInS: 20}}
		s := &Server{script: Script{Turns: []Turn{limit, {Text: "a"}, limit, {Text: "b"}}}}
		begin := time.Now()
		tests := []struct {
			name string
			at   time.Duration
			text string        // of the turn, if it is not the limit
			ends time.Duration // of the limit
		}{
			{"the first request starts it", 3 * time.Second, "", 23 * time.Second},
			{"the next one does not prolong it", 10 * time.Second, "", 23 * time.Second},
			{"one that is early is turned away", 23*time.Second - 1, "", 23 * time.Second},
			{"at its end the script goes on", 23 * time.Second, "a", 0},
			{"a second limit has its own time", 30 * time.Second, "", 50 * time.Second},
			{"and its own end", 2 * time.Minute, "b", 0},
		}
		for _, tt := range tests {
			time.Sleep(time.Until(begin.Add(tt.at)))
			turn := s.pick(&request{tools: []tool{{}}})
			if turn.Text != tt.text || (turn.Error != nil) != (tt.ends > 0) {
				t.Errorf("%s: played %+v, want the text %q", tt.name, turn, tt.text)
			}
			if e := turn.Error; e != nil && !e.resets().Equal(begin.Add(tt.ends)) {
				t.Errorf("%s: it ends at %v, want %v", tt.name, e.resets(), begin.Add(tt.ends))
			}
		}
	})
}

func TestTheConversationSaysWhichTurnComes(t *testing.T) {
	tests := []struct {
		name  string
		turns []bool // of each earlier reply: did it call a tool?
		want  string
	}{
		{"a fresh process starts at the top", nil, "a"},
		{"a tool call moves it on", []bool{true}, "b"},
		{"another one again", []bool{true, true}, "c"},
		{"the last turn is repeated", []bool{true, true, true, true}, "c"},
		{"a reply without a call ended what was before it", []bool{true, true, false}, "a"},
		{"and the script starts over", []bool{false, true}, "b"},
	}
	eachTongue(t, func(t *testing.T, g tongue) {
		s := Start(t, Script{Turns: abc, Index: "conversation"})
		for _, tt := range tests {
			if got := g.stream(t, s, []string{"Bash"}, tt.turns...).Text; got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
			}
		}
	})
}

func TestSideRequestsTakeNoTurn(t *testing.T) {
	eachTongue(t, func(t *testing.T, g tongue) {
		s := Start(t, Script{Turns: abc, SideText: "a title"})
		if got := g.stream(t, s, nil).Text; got != "a title" {
			t.Errorf("a request without tools got %q, want the side text", got)
		}
		if got := g.stream(t, s, []string{"Bash"}).Text; got != "a" {
			t.Errorf("the first main request got %q, want the first turn", got)
		}
		s.Play(t, Script{Turns: abc, Side: "never"})
		if got := g.stream(t, s, nil).Text; got != "a" {
			t.Errorf("with side = never a request without tools got %q, want the first turn", got)
		}
	})
}

func TestARuleAnswersBeforeTheTurns(t *testing.T) {
	s := Start(t, Script{Turns: abc, Rules: []Rule{{Contains: `"name":"Write"`, Turn: Turn{Text: "by rule"}}}})
	g := tongues[0]
	if got := g.stream(t, s, []string{"Write"}).Text; got != "by rule" {
		t.Errorf("a matching request got %q", got)
	}
	if got := g.stream(t, s, []string{"Bash"}).Text; got != "a" {
		t.Errorf("another one got %q, want the first turn", got)
	}
	if got, want := s.State().Played, []string{"rule 0", "turn 0"}; !slices.Equal(got, want) {
		t.Errorf("played %q, want %q", got, want)
	}
}
