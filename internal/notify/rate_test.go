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

func TestQuietHours(t *testing.T) {
	tests := []struct {
		hours string
		at    string
		want  bool
	}{
		{"", "00:00", false},
		{"22:00-07:00", "21:59", false},
		{"22:00-07:00", "22:00", true},
		{"22:00-07:00", "00:00", true},
		{"22:00-07:00", "06:59", true},
		{"22:00-07:00", "07:00", false},
		{"12:30 - 14:00", "12:29", false},
		{"12:30 - 14:00", "12:30", true},
		{"12:30 - 14:00", "13:59", true},
		{"12:30 - 14:00", "14:00", false},
		{"00:00-06:00", "00:00", true},
	}
	for _, tt := range tests {
		q, err := parseQuiet(tt.hours)
		if err != nil {
			t.Fatal(err)
		}
		clock, err := time.ParseInLocation("2006-01-02 15:04", "2026-11-15 "+tt.at, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.at(clock.UTC()); got != tt.want {
			t.Errorf("quiet %q at %s = %v, want %v", tt.hours, tt.at, got, tt.want)
		}
	}
}

func TestQuietHoursThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"22", "22:00", "22:00-", "-07:00", "22:00-24:00", "22:61-07:00", "22:00-07:00-08:00", "22:00-22:00", "never"} {
		if q, err := parseQuiet(text); err == nil {
			t.Errorf("parseQuiet(%q) = %v, want an error", text, q)
		}
	}
}
