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
		{"claude, no more than a limit", "You've hit your limit · resets 10pm (Europe/Berlin)", now, at(11, 15, 21, 0)},
		{"claude, of the last year", "5-hour limit reached ∙ resets 3pm", now, at(11, 15, 15, 0)},
		{"claude, a day without a time", "Opus weekly limit reached ∙ resets Nov 24", now, at(11, 24, 0, 0)},
		{"claude, a day with a time", "Your limit will reset at Nov 24, 10am.", now, at(11, 24, 10, 0)},
		{"claude, a day in words", "You've hit your weekly limit · resets Nov 24 at 7pm", now, at(11, 24, 19, 0)},
		{"claude, what was paid for", "You're out of extra usage · resets Dec 2, 2pm (Asia/Jerusalem)", now, at(12, 2, 12, 0)},
		{"Anthropic, a month's limit", "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", now, at(12, 1, 0, 0)},
		{"codex, a wait on two lines", "or try again in 5 days 22 hours 11\nminutes.", now, now.Add(142*time.Hour + 11*time.Minute)},
		{"codex, after a day", "add credits to continue, or try again after November 18, 2026 at 2:45 PM.", now, at(11, 18, 14, 45)},
		{"pi, about", "You have hit your ChatGPT usage limit (plus plan). Try again in ~123 min.", now, now.Add(123 * time.Minute)},
		{"pi, the answer as it came", `Codex error: {"type":"error","error":{"type":"usage_limit_reached","resets_at":1794714335,"resets_in_seconds":7200},"status_code":429}`, now, time.Unix(1794714335, 0).UTC()},
		{"gemini, with its zone", "Usage limit reached for gemini-3-flash. Access resets at 10:57 PM GMT-3.", now, at(11, 15, 1, 57)},
		{"gemini, with half an hour in its zone", "Access resets at 7:00 AM GMT+5:30.", now, at(11, 15, 1, 30)},
		{"gemini, within", "Expected quota reset within 24h.", now, now.Add(24 * time.Hour)},
		{"gemini, the answer's delay", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"39s"}`, now, now.Add(39 * time.Second)},
		{"gemini, a delay in a text", `\"metadata\": {\"quotaResetDelay\": \"10h20m\"}`, now, now.Add(620 * time.Minute)},
		{"gemini, to the nanosecond", "Please retry in 39.5s.", now, now.Add(39500 * time.Millisecond)},
		{"copilot, a wait", "Sorry, you've hit a rate limit that restricts requests. Please try again in 58 hours. Please review our terms.", now, now.Add(58 * time.Hour)},
		{"copilot, a short wait", "you have been rate-limited. Please wait 2 minutes before trying again", now, now.Add(2 * time.Minute)},
		{"copilot, a week's limit", "Please wait for your limit to reset on November 20, 2026 at 2:00 AM or switch to auto model", now, at(11, 20, 2, 0)},
		{"opencode", "Weekly usage limit reached. It will reset in 5 days 10 hours. To continue, …", now, now.Add(130 * time.Hour)},
		{"opencode, while it tries again", "Free usage exceeded [retrying in 8h 13m attempt #1]", now, now.Add(493 * time.Minute)},
		{"OpenRouter", `{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1794714335000"}}`, now, time.Unix(1794714335, 0).UTC()},
		{"a wait in minutes after a word for a header", "retry after 5 minutes", now, now.Add(5 * time.Minute)},
		{"gemini and qwen, hours in milliseconds", "Retrying after 7200000ms", now, now.Add(2 * time.Hour)},
		{"a header in milliseconds", "retry-after-ms: 1500", now, now.Add(1500 * time.Millisecond)},
		{"a header with a date", `"retry-after":"Sun, 15 Nov 2026 02:00:00 GMT"`, now, at(11, 15, 2, 0)},
		{"a header of a subscription", "anthropic-ratelimit-unified-reset: 1794714335", now, time.Unix(1794714335, 0).UTC()},
		{"the night in which clocks change", "resets Oct 25, 9am (Europe/Berlin)", time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC), at(10, 25, 8, 0)},
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
		{"a stamp without seconds", "resets at 2026-11-15T03:20Z", now, at(11, 15, 3, 20)},
		{"a stamp with a zone without a colon", "resets at 2026-11-15T04:20:00+0100", now, at(11, 15, 3, 20)},
		{"a stamp without a word for a time", "limit reached (reset: 1794714335)", now, time.Unix(1794714335, 0).UTC()},
		{"a body with a time", `{"reset_time":1794714335}`, now, time.Unix(1794714335, 0).UTC()},
		{"a body with a wait in other words", `{"reset_after_seconds":7200}`, now, now.Add(2 * time.Hour)},
		{"a body with a wait before the next try", `{"retry_after_seconds":7200}`, now, now.Add(2 * time.Hour)},
		{"a header with a wait", `"x-ratelimit-reset-after":"3600"`, now, now.Add(time.Hour)},
		{"with a colon", "Reset in: 2h", now, now.Add(2 * time.Hour)},
		{"about", "The limit resets in approximately 2 hours", now, now.Add(2 * time.Hour)},
		{"when to come back", "Come back in 2 hours.", now, now.Add(2 * time.Hour)},
		{"the day before the month", "Resets on 20 November 2026 at 03:20 UTC", now, at(11, 20, 3, 20)},
		{"as headers have it", "Resets Fri, 20 Nov 2026 03:20:00 GMT", now, at(11, 20, 3, 20)},
		{"with the day of the week", "Resets on Friday, November 20 at 3:20 AM UTC", now, at(11, 20, 3, 20)},
		{"in the west", "resets 3:20am PST", now, at(11, 15, 11, 20)},
		{"in the east", "resets 3:20am EST", now, at(11, 15, 8, 20)},
		{"in the middle of Europe", "resets 3:20am CET", now, at(11, 15, 2, 20)},

		{"a time of day that has just passed is none", "resets 1:20am (UTC)", now, none},
		{"a stamp that has passed", "reached|1749924000", now, none},
		{"a date that has passed", "try again at Nov 14th, 2026 3:25 AM", now, none},
		{"a zone that nobody knows", "resets 3pm (Mars/Olympus)", now, none},
		{"a day that is today, without a time", "Opus weekly limit reached ∙ resets Nov 15", now, none},
		{"no such day", "access on 2026-13-41 at 00:00 UTC", now, none},
		{"a zone that nobody knows, with a day", "resets Nov 18, 3pm (Mars/Olympus)", now, none},
		{"how long it has waited", "retried 5 times (total retry wait time: 56.64 seconds)", now, none},
		{"a reset right now", "Your quota will reset after 0s.", now, none},
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
