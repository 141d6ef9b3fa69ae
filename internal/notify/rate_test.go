package notify

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestRates(t *testing.T) {
	noon := time.Date(2026, 11, 15, 12, 0, 0, 0, time.Local)
	night := time.Date(2026, 11, 15, 23, 0, 0, 0, time.Local)
	type sent struct {
		at     time.Time
		m      Message
		pass   bool
		silent bool
	}
	end := Message{Kind: Done, State: loop.Done}
	needsOne := Message{Kind: Aborted, State: loop.Aborted, Urgent: true}
	waiting, budget, person := Message{Kind: Waiting}, Message{Kind: Budget}, Message{Kind: Person, Urgent: true}
	tests := []struct {
		name  string
		sends []sent
	}{
		{"the same kind waits for its time", []sent{{noon, waiting, true, false}, {noon.Add(59 * time.Second), waiting, false, false}, {noon.Add(60 * time.Second), waiting, true, false}}},
		{"another kind does not", []sent{{noon, waiting, true, false}, {noon, budget, true, false}}},
		{"so many an hour", []sent{
			{noon, waiting, true, false},
			{noon.Add(10 * time.Minute), waiting, true, false},
			{noon.Add(20 * time.Minute), waiting, true, false},
			{noon.Add(30 * time.Minute), person, false, false},
			{noon.Add(60 * time.Minute), person, true, false},
		}},
		{"ends always pass", []sent{
			{noon, waiting, true, false},
			{noon, budget, true, false},
			{noon, person, true, false},
			{noon, end, true, false},
			{noon, end, true, false},
		}},
		{"what was held back does not count", []sent{{night, waiting, false, false}, {night, waiting, false, false}, {night, person, true, false}}},
		{"the night is quiet, but for who is needed", []sent{{night, waiting, false, false}, {night, person, true, false}, {night, needsOne, true, false}}},
		{"an end in the night makes no sound", []sent{{night, end, true, true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rate{every: time.Minute, perHour: 3, quiet: quiet{22 * 60, 7 * 60}, last: map[Kind]time.Time{}}
			for i, s := range tt.sends {
				if pass := r.pass(&s.m, s.at); pass != s.pass || s.m.Silent != s.silent {
					t.Errorf("message %d: pass %v, silent %v, want %v, %v", i+1, pass, s.m.Silent, s.pass, s.silent)
				}
			}
		})
	}
}

func TestNoRates(t *testing.T) {
	r := rate{last: map[Kind]time.Time{}}
	now := time.Now()
	for range 100 {
		if !r.pass(&Message{Kind: Waiting}, now) {
			t.Fatal("held back, though nothing says so")
		}
	}
}
