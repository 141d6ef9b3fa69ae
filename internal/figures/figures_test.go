package figures

import (
	"fmt"
	"testing"
	"time"
)

func TestPartsOfASummary(t *testing.T) {
	for list, want := range map[string]map[string]int{
		"2 failed, 1 passed, 3 total": {"failed": 2, "passed": 1, "total": 3},
		"1 of 5 total":                {"of 5 total": 1},
		"2 failed, none":              nil,
		"2":                           nil,
		"":                            nil,
		"1234567890 passed":           nil,
	} {
		if got := Parts(list, ", "); fmt.Sprint(got) != fmt.Sprint(want) || (got == nil) != (want == nil) {
			t.Errorf("Parts(%q) = %v, want %v", list, got, want)
		}
	}
}

func TestTimesForPeople(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0.465 s":              465 * time.Millisecond,
		"3 m 4 s":              184 * time.Second,
		"1s 740ms":             1740 * time.Millisecond,
		"< 1 ms":               time.Millisecond,
		"1 minute 2.5 seconds": 62*time.Second + 500*time.Millisecond,
		"1.2501 Seconds":       1250100 * time.Microsecond,
		"2 minutes 1 second":   121 * time.Second,
		"soon":                 0,
		"":                     0,
	} {
		if got := Spelt(text); got != want {
			t.Errorf("Spelt(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestClock(t *testing.T) {
	for text, want := range map[string]string{"00:00.003": "3ms", "01:02.500": "1m2.5s", "01:00:00": "1h0m0s", "soon": "0s"} {
		if got := Clock(text).String(); got != want {
			t.Errorf("Clock(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestRanges(t *testing.T) {
	for list, want := range map[string]string{"2, 5-7": "[2 5 6 7]", "3": "[3]", "": "[]", "x, 1": "[1]", "1-999999999": "[1 2 3 4]"} {
		if got := fmt.Sprint(Ranges(list, 4)); got != want {
			t.Errorf("Ranges(%q) = %s, want %s", list, got, want)
		}
	}
}
