package notify

import (
	"testing"
	"time"
)

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
