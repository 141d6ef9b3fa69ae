package agent

import (
	"testing"
	"time"
)

func TestResetTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 1, 24, 30, 0, time.UTC)
	at := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC)
	}
	none := time.Time{}
	tests := []struct {
		name, text string
		now        time.Time
		want       time.Time
	}{
		{"claude", "You've hit your session limit · resets 3:24am (UTC)", now, at(11, 15, 3, 24)},
		{"claude, on the hour", "You've hit your session limit · resets 3pm (UTC)", now, at(11, 15, 15, 0)},
		{"claude, a week's limit", "You've hit your weekly limit · resets Nov 18, 9am (Europe/Berlin)", now, at(11, 18, 8, 0)},
		{"claude, a week's limit in words", "weekly limit reached. Resets Nov 18 at 9:30pm (UTC)", now, at(11, 18, 21, 30)},
		{"claude, of old", "Claude AI usage limit reached|1794713084", now, time.Unix(1794713084, 0).UTC()},
		{"codex, in the zone of the clock", "… or try again at 3:25 AM.", now.In(berlin), at(11, 15, 2, 25)},
		{"codex, in this very minute", "… or try again at 3:25 AM.", time.Date(2026, 11, 15, 3, 25, 26, 0, time.UTC), at(11, 15, 3, 26)},
		{"codex, another day", "… or try again at Nov 20th, 2026 3:25 AM.", now, at(11, 20, 3, 25)},
		{"codex, a wait", "Try again in 3 days 4 hours 5 minutes.", now, now.Add(76*time.Hour + 5*time.Minute)},
		{"gemini", "You have exhausted your capacity on this model. Your quota will reset after 7h23m10s.", now, now.Add(7*time.Hour + 23*time.Minute + 10*time.Second)},
		{"OpenAI", "Rate limit reached. Please try again in 1.5s. Visit …", now, now.Add(1500 * time.Millisecond)},
		{"OpenAI, in milliseconds", "Please try again in 898ms.", now, now.Add(898 * time.Millisecond)},
		{"a body", `{"type":"usage_limit_reached","resets_at":1794714335,"resets_in_seconds":7200}`, now, time.Unix(1794714335, 0).UTC()},
		{"a body with a wait", `{"resets_in_seconds":7200}`, now, now.Add(2 * time.Hour)},
		{"a header", "retry-after: 30", now, now.Add(30 * time.Second)},
		{"a stamp in milliseconds", "reached|1794713084000", now, time.Unix(1794713084, 0).UTC()},
		{"a standard stamp", "quota resets at 2026-11-15T05:00:00+02:00", now, at(11, 15, 3, 0)},
		{"in hours", "the limit resets in 3 hours", now, now.Add(3 * time.Hour)},
		{"in hours and minutes", "resets in 1 hour and 5 minutes", now, now.Add(65 * time.Minute)},
		{"a clock of 24 hours", "resets at 15:00", now, at(11, 15, 15, 0)},
		{"a clock of 24 hours with its zone", "resets at 15:00 UTC", now.In(berlin), at(11, 15, 15, 0)},
		{"midnight", "resets 12am (UTC)", now, at(11, 16, 0, 0)},
		{"noon", "resets 12pm (UTC)", now, at(11, 15, 12, 0)},
		{"a time of day that has passed is tomorrow's", "resets 1:00am (UTC)", now, at(11, 16, 1, 0)},
		{"the new year", "resets Jan 2, 9am (UTC)", time.Date(2026, 12, 30, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 2, 9, 0, 0, 0, time.UTC)},
		{"after the clocks change", "resets 9am (America/New_York)", now, at(11, 15, 14, 0)},

		{"a time of day that has just passed is none", "resets 1:20am (UTC)", now, none},
		{"a stamp that has passed", "reached|1749924000", now, none},
		{"a date that has passed", "try again at Nov 14th, 2026 3:25 AM", now, none},
		{"a zone that nobody knows", "resets 3pm (Mars/Olympus)", now, none},
		{"a count is not a time", "please try again 3 times", now, none},
		{"no such hour", "resets at 25:00", now, none},
		{"no such half day", "resets 13pm", now, none},
		{"a year away", "try again at Nov 20th, 2028 3:25 AM", now, none},
		{"nothing", "This request would exceed your rate limit. Please try again later.", now, none},
		{"a time without a reset", "started at 15:00", now, none},
		{"empty", "", now, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := resetIn(tt.text, tt.now); !got.Equal(tt.want) {
				t.Errorf("resetIn(%q, %v) = %v, want %v", tt.text, tt.now, got, tt.want)
			}
		})
	}
}

func TestStampsInSecondsAndMilliseconds(t *testing.T) {
	want := time.Date(2026, 11, 15, 3, 24, 44, 0, time.UTC)
	for n, want := range map[float64]time.Time{
		1794713084:    want,
		1794713084000: want,
		0:             {},
		-5:            {},
		1e15:          {},
	} {
		if got := epoch(n); !got.Equal(want) {
			t.Errorf("epoch(%v) = %v, want %v", n, got, want)
		}
	}
}

func FuzzResetTimes(f *testing.F) {
	f.Add("resets Nov 18, 9am (Europe/Berlin)")
	f.Add("try again in 3 days 4 hours 5 minutes")
	f.Add(`"resets_at":1794714335`)
	f.Fuzz(func(t *testing.T, text string) {
		now := time.Date(2026, 11, 15, 1, 24, 30, 0, time.UTC)
		if got := resetIn(text, now); !got.IsZero() && !got.After(now) {
			t.Errorf("resetIn(%q) = %v, which is not ahead", text, got)
		}
	})
}
